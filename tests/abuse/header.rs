//! The exported functions, as `include/dvm.h` declares them.

use std::collections::BTreeMap;
use std::path::Path;

/// Each function with who may call it, in the header's words.
pub fn exported() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/dvm.h");
    let header = std::fs::read_to_string(path).unwrap();
    let mut functions = BTreeMap::new();
    // A section says it for its functions, and a function where it differs.
    let (mut common, mut callers) = (String::new(), String::new());
    let mut in_section = false;
    for line in header.lines() {
        if line.starts_with("/* -----") {
            in_section = true;
            common.clear();
        }
        if line == "/**" {
            in_section = false;
            callers.clone_from(&common);
        }
        if let Some((_, words)) = line.split_once("Thread safety: ") {
            words.clone_into(if in_section { &mut common } else { &mut callers });
        }
        let declares = line.starts_with(|first: char| first.is_ascii_lowercase())
            && !line.starts_with("typedef")
            && !line.starts_with("static");
        let name = line.split(" dvm_").chain(line.split("*dvm_")).nth(1).and_then(|rest| rest.split_once('('));
        if let Some((name, _)) = name.filter(|_| declares) {
            functions.insert(format!("dvm_{name}"), callers.clone());
        }
    }
    functions
}

/// True when these words name threads that may not call.
pub fn bars_threads(callers: &str) -> bool {
    assert!(!callers.is_empty(), "a function does not say who may call it");
    !["any thread, any task", "any thread, any time"].iter().any(|all| callers.starts_with(all))
}
