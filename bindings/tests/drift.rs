//! The committed header and Fortran module match the sources. `DVM_BLESS=1` rewrites them.

use std::path::{Path, PathBuf};

use dvm_bindings::{fortran, header, read};

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
