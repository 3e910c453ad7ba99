//! The committed header and Fortran module match the sources. `DVM_BLESS=1` rewrites them.

use std::path::{Path, PathBuf};

use dvm_bindings::{fortran, header, read};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").to_owned()
}

/// Compares a generated file, or writes it if `DVM_BLESS` is set.
fn compare(name: &str, expected: &str) {
    let path = root().join("include").join(name);
    if std::env::var_os("DVM_BLESS").is_some() {
        std::fs::write(&path, expected).unwrap_or_else(|e| panic!("{}: cannot be written: {e}", path.display()));
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let line = found.lines().zip(expected.lines()).position(|(a, b)| a != b);
    assert!(
        found == expected,
        "include/{name} is out of date (line {}): run `DVM_BLESS=1 cargo test -p dvm-bindings`",
        line.map_or(found.lines().count().min(expected.lines().count()), |line| line) + 1,
    );
}

#[test]
fn header_is_up_to_date() {
    let text =
        header::print(&root(), &read(&root()).unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"));
    compare("dvm.h", &text);
}

#[test]
fn fortran_module_is_up_to_date() {
    let text = fortran::print(&read(&root()).unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"));
    compare("dvm.f90", &text);
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
