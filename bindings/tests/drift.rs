//! The committed header, Fortran module, man pages and docs/reference.md match the sources. `DVM_BLESS=1` rewrites them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use dvm_bindings::reference::Reference;
use dvm_bindings::{fortran, header, man, page, read};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_owned()
}

#[test]
fn header_is_up_to_date() {
    let text =
        header::print(&root(), &read(&root()).unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"));
    testkit::expect(root().join("include/dvm.h"), &text);
}

#[test]
fn fortran_module_is_up_to_date() {
    let text = fortran::print(&read(&root()).unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"));
    testkit::expect(root().join("include/dvm.f90"), &text);
}

fn reference() -> Reference {
    let sections = read(&root()).unwrap_or_else(|e| panic!("{e}"));
    Reference::read(&root(), &sections).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn man_pages_are_up_to_date() {
    let folder = root().join("bindings/man");
    let pages = man::print(&reference(), env!("CARGO_PKG_VERSION"));
    for (name, text) in &pages {
        testkit::expect(folder.join(name), text);
    }
    let names: HashSet<_> = pages.iter().map(|(name, _)| name.as_str()).collect();
    for entry in std::fs::read_dir(&folder).expect("the folder of the pages") {
        let path = entry.expect("an entry").path();
        let known = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| names.contains(name));
        assert!(known, "{} is the page of nothing: delete it", path.display());
    }
}

#[test]
fn reference_is_up_to_date() {
    testkit::expect(root().join("docs/reference.md"), &page::print(&reference()));
}

/// Each function has a man page and a section, with its parameters and what it returns.
#[test]
fn every_function_has_its_pages() {
    let reference = reference();
    let pages = man::print(&reference, "0");
    let page = page::print(&reference);
    for function in read(&root()).unwrap_or_else(|e| panic!("{e}")).iter().flat_map(|section| &section.functions) {
        let name = &function.name;
        let man = pages
            .iter()
            .find(|(file, _)| *file == format!("{name}.3"))
            .unwrap_or_else(|| panic!("{name}: no man page"));
        let (_, part) = page.split_once(&format!("\n### {name}\n")).unwrap_or_else(|| panic!("{name}: no section"));
        let part = part.split("\n### ").next().unwrap_or_default();
        for parameter in &function.parameters {
            let name = &parameter.name;
            assert!(man.1.contains(&format!(".TP\n\\fI{name}\\fR [")), "{}: no {name}", man.0);
            assert!(part.contains(&format!("\n- `{name}` (")), "{}: no {name}", function.name);
        }
        assert!(man.1.contains(".SH RETURN VALUE\n") && part.contains("\nReturns:\n"), "{name}: no values");
        assert!(man.1.contains(".SH THREAD SAFETY\n"), "{name}: no thread safety");
    }
}

/// All exported items, parameters and codes are documented.
#[test]
fn every_parameter_and_source_is_documented() {
    for section in read(&root()).unwrap_or_else(|e| panic!("{e}")) {
        for function in &section.functions {
            let text = function.text.join("\n");
            let name = &function.name;
            assert!(text.starts_with("@brief"), "{name}: the documentation starts with @brief");
            let said = format!("{text}\n{}", section.common.join("\n"));
            assert!(said.contains("Thread safety:"), "{name}: says who may call it, or its section does");
            assert!(text.contains("Source:"), "{name}: says where it comes from");
            for parameter in &function.parameters {
                let said = function.direction(&parameter.name).is_some();
                assert!(said, "{name}: @param[in], [out] or [in,out] {} is missing", parameter.name);
            }
            let codes = text.contains("@retval DVM_") || text.contains("@return");
            assert!(codes, "{name}: says what it returns");
        }
    }
}
