//! Arrows between modules and between crates go down the layers that ARCHITECTURE.md lists, and only down.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The layer lists of ARCHITECTURE.md: for each crate's source folder its modules, lowest first.
fn layers() -> HashMap<String, Vec<String>> {
    let text = fs::read_to_string("ARCHITECTURE.md").expect("ARCHITECTURE.md");
    let block = text.split("```layers\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of layers");
    let line = |line: &str| {
        let (folder, modules) = line.split_once(':').expect("folder: modules");
        (folder.trim().to_string(), modules.split('<').map(|module| module.trim().to_string()).collect())
    };
    block.lines().filter(|text| !text.trim().is_empty()).map(line).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Names that follow `crate::` in a source text, braces opened; comments do not count.
fn used(text: &str) -> Vec<String> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    let mut names = Vec::new();
    for rest in code.split("crate::").skip(1) {
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 1;
            let mut item = String::new();
            for letter in list.chars() {
                depth += i32::from(letter == '{') - i32::from(letter == '}');
                if depth == 0 {
                    break;
                }
                if depth == 1 && letter == ',' {
                    names.push(std::mem::take(&mut item));
                } else {
                    item.push(letter);
                }
            }
            names.push(item);
        } else {
            names.push(rest.to_string());
        }
    }
    let first = |name: String| name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    names.into_iter().map(first).collect()
}

#[test]
fn modules_use_only_lower_modules() {
    let mut wrong = Vec::new();
    for (folder, modules) in layers() {
        let height = |name: &str| modules.iter().position(|module| module == name);
        let mut files = Vec::new();
        sources(Path::new(&folder), &mut files);
        for file in files {
            let inside = file.strip_prefix(&folder).expect("inside");
            let own = inside.iter().next().expect("name").to_string_lossy().trim_end_matches(".rs").to_string();
            if own == "lib" || own == "bin" {
                continue;
            }
            let Some(own_height) = height(&own) else {
                wrong.push(format!("{}: module {own} has no layer in ARCHITECTURE.md", file.display()));
                continue;
            };
            for name in used(&fs::read_to_string(&file).expect("source")) {
                if height(&name).is_some_and(|other| other > own_height) {
                    wrong.push(format!("{}: {own} uses {name}, which is above it", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_uses_sees_them() {
    assert_eq!(
        used("use crate::a::B; // crate::c\nuse crate::{d::{e, f}, g}; let x = crate::h::i;"),
        ["a", "d", "g", "h"]
    );
}

#[test]
fn crates_depend_only_on_lower_crates() {
    // Lowest first; a crate may use those before it.
    let crates = [
        ("dvm-isl", "codegen/isl"),
        ("redist", "redist"),
        ("dvm", "."),
        ("dvm-codegen", "codegen"),
        ("dvm-info", "info"),
        ("dvm-bindings", "bindings"),
        ("dvm-abi", "c-tests/abi"),
        ("dvm-bench", "bench"),
    ];
    for (height, (name, folder)) in crates.iter().enumerate() {
        let Ok(manifest) = fs::read_to_string(Path::new(folder).join("Cargo.toml")) else { continue };
        for (other, _) in &crates[height + 1..] {
            let depends =
                manifest.lines().any(|line| line.split(['=', '.']).next().is_some_and(|key| key.trim() == *other));
            assert!(!depends, "{name} depends on {other}, which is above it");
        }
    }
}
