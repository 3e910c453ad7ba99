//! Arrows between modules and between crates go down the layers that ARCHITECTURE.md lists, and no circle stands inside a room.

#[path = "layers/graph.rs"]
mod graph;
#[path = "layers/reading.rs"]
mod reading;
#[path = "layers/rules.rs"]
mod rules;

use rules::{CRATES, Package, crate_breaches, layers, package_breaches, packages};
use std::fs;
use std::path::Path;
use std::process::Command;

fn workspace(manifest: &Path) -> Vec<Package> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version=1", "--manifest-path"];
    let output = Command::new(cargo).args(arguments).arg(manifest).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    packages(&serde_json::from_slice(&output.stdout).expect("JSON")).expect("the fields of cargo metadata")
}

fn architecture() -> std::collections::HashMap<String, Vec<String>> {
    layers(&fs::read_to_string("ARCHITECTURE.md").expect("ARCHITECTURE.md"))
}

#[test]
fn modules_use_only_lower_modules_and_no_circle_stands() {
    let here = std::env::current_dir().expect("a folder");
    let lists = architecture();
    let mut listed: Vec<&String> = lists.keys().filter(|name| *name != CRATES).collect();
    let mut wrong = Vec::new();
    for root in workspace(Path::new("Cargo.toml")).into_iter().flat_map(|package| package.roots) {
        let root = root.strip_prefix(&here).expect("inside the workspace");
        let folder = root.parent().expect("a folder").to_string_lossy().into_owned();
        let order = root.ends_with("lib.rs").then(|| lists.get(&folder)).flatten();
        listed.retain(|name| **name != folder);
        wrong.extend(crate_breaches(root, order.map(Vec::as_slice)));
    }
    wrong.extend(listed.into_iter().map(|name| format!("ARCHITECTURE.md lists {name}, which is no crate's folder")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn crates_depend_only_on_lower_crates() {
    let wrong = package_breaches(&workspace(Path::new("Cargo.toml")), &architecture()[CRATES]);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn breaches(files: &[(&str, &str)], order: &[&str]) -> String {
    let order: Vec<String> = order.iter().map(ToString::to_string).collect();
    let list = (!order.is_empty()).then_some(order.as_slice());
    crate_breaches(&testkit::scratch(files).join("src/lib.rs"), list).join("\n")
}

#[test]
fn a_planted_circle_is_seen() {
    let files = [
        ("src/lib.rs", "mod room;"),
        ("src/room/mod.rs", "mod left; mod right; pub use left::Left; #[cfg(test)] mod tests;"),
        ("src/room/left.rs", "pub struct Left(Option<Box<super::right::Right>>);"),
        ("src/room/right.rs", "use super::Left as Other; pub struct Right(Other);"),
        ("src/room/tests.rs", "use super::*; fn f() -> Left { todo() }"),
    ];
    let said = breaches(&files, &["room"]);
    assert!(said.ends_with("a circle of room::left, room::right"), "{said}");
    let tree = [files[0], files[1], files[2], ("src/room/right.rs", "pub struct Right;"), files[4]];
    assert_eq!(breaches(&tree, &["room"]), "");
    let text = "pub struct Right; fn f() { assert!(super::left::Left::ok()) }";
    let macros = [files[0], files[1], files[2], ("src/room/right.rs", text), files[4]];
    let said = breaches(&macros, &["room"]);
    assert!(said.ends_with("a circle of room::left, room::right"), "{said}");
}

#[test]
fn a_planted_edge_upwards_through_the_root_is_seen() {
    let files = [
        ("src/lib.rs", "mod low; mod high; pub use high::thing::Thing as Renamed;"),
        ("src/low.rs", "fn f(_: crate::Renamed) {}"),
        ("src/high.rs", "pub mod thing { pub struct Thing; }"),
    ];
    let said = breaches(&files, &["low", "high"]);
    assert!(said.ends_with("low uses high::thing, which is above it"), "{said}");
    assert_eq!(breaches(&files, &["high", "low"]), "");
    let root = [("src/lib.rs", "mod low; mod high; pub struct Own;"), ("src/low.rs", "use crate::Own;"), files[2]];
    assert!(breaches(&root, &["low", "high"]).ends_with("low uses the root, which is above it"));
}

#[test]
fn a_planted_renamed_crate_is_seen() {
    let package = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2021\"\n");
    let low = format!("{}[dependencies]\nharmless = {{ package = \"high\", path = \"../high\" }}\n", package("low"));
    let files = [
        ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"low\", \"high\"]\n"),
        ("low/Cargo.toml", low.as_str()),
        ("low/src/lib.rs", ""),
        ("high/Cargo.toml", &package("high")),
        ("high/src/lib.rs", ""),
    ];
    let order = |names: [&str; 2]| names.map(String::from);
    let packages = workspace(&testkit::scratch(&files).join("Cargo.toml"));
    assert_eq!(package_breaches(&packages, &order(["low", "high"])), ["low depends on high, which is above it"]);
    assert_eq!(package_breaches(&packages, &order(["high", "low"])), [""; 0]);
    assert_eq!(package_breaches(&packages, &["low".into()])[0], "low depends on high, which is above it");
}

#[test]
fn what_cannot_be_read_is_a_breach() {
    let said = breaches(&[("src/lib.rs", "fn f( {")], &[]);
    assert!(said.starts_with("can't be read: "), "{said}");
    let said = breaches(&[("src/lib.rs", "mod a;"), ("src/a.rs", "use crate::nowhere::X;")], &["a"]);
    assert!(said.starts_with("can't be followed: "), "{said}");
    let said = breaches(&[("src/lib.rs", ""), ("src/a.rs", "")], &[]);
    assert!(said.ends_with("no module declares this file"), "{said}");
    let said = breaches(
        &[("src/lib.rs", "mod a; mod b;"), ("src/a.rs", "use super::b::C;"), ("src/b.rs", "pub struct C;")],
        &["a"],
    );
    assert!(said.ends_with("b has no layer in ARCHITECTURE.md"), "{said}");
}
