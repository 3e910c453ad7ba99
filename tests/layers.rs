//! Arrows between modules and between crates go down the layers that ARCHITECTURE.md lists, and no circle stands inside a room.

#[path = "layers/graph.rs"]
mod graph;
#[path = "layers/reading.rs"]
mod reading;
#[path = "layers/rooms.rs"]
mod rooms;
#[path = "layers/rules.rs"]
mod rules;

use rooms::{row_breaches, tables};
use rules::{CRATES, Demands, Package, crate_breaches, layers, package_breaches, packages, uses};
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

fn architecture() -> String {
    fs::read_to_string("ARCHITECTURE.md").expect("ARCHITECTURE.md")
}

#[test]
fn modules_use_only_lower_modules_and_no_circle_stands() {
    let here = std::env::current_dir().expect("a folder");
    let (mut orders, mut uses) = (layers(&architecture()), uses(&architecture()));
    orders.remove(CRATES);
    let mut wrong = Vec::new();
    for package in workspace(Path::new("Cargo.toml")) {
        for root in &package.roots {
            let root = root.strip_prefix(&here).expect("inside the workspace");
            let folder = root.parent().expect("a folder").to_string_lossy();
            let mut demands = Demands::default();
            if root.ends_with("lib.rs") {
                demands = Demands::of(&folder, &package.crates, &mut orders, &mut uses);
            }
            wrong.extend(crate_breaches(root, &demands));
        }
    }
    let left = orders.into_keys().chain(uses.into_keys());
    wrong.extend(left.map(|name| format!("ARCHITECTURE.md lists {name}, which is in no crate's folder")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn crates_depend_only_on_lower_crates() {
    let wrong = package_breaches(&workspace(Path::new("Cargo.toml")), &layers(&architecture())[CRATES]);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tables_of_rooms_say_what_the_sources_use() {
    let mut rows = tables(&architecture()).expect("rows that can be read");
    let mut wrong = Vec::new();
    for folder in layers(&architecture()).into_keys().filter(|folder| Path::new(folder).join("lib.rs").exists()) {
        match rows.remove(&folder) {
            Some(rows) => {
                let said = row_breaches(Path::new(&folder), &rows);
                wrong.extend(said.into_iter().map(|breach| format!("{folder}: {breach}")));
            }
            None => wrong.push(format!("ARCHITECTURE.md has no table of the rooms of {folder}")),
        }
    }
    wrong
        .extend(rows.into_keys().map(|folder| format!("ARCHITECTURE.md has a table of {folder}, which has no layers")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_planted_wrong_row_is_seen() {
    const RIGHT: &str = "| `low` | - | - | `low.rs` |\n| `high` | - | `low` | `high/mod.rs` |";
    let files = [
        ("src/lib.rs", "mod low; mod high; mod only; pub use low::Low;"),
        ("src/low.rs", "pub struct Low; #[cfg(test)] mod tests { use crate::high::inner::Inner; }"),
        ("src/high/mod.rs", "mod inner;"),
        ("src/high/inner.rs", "pub struct Inner(crate::Low);"),
        ("src/only.rs", ""),
    ];
    let scratch = testkit::scratch(&files);
    let folder = scratch.join("src");
    let table =
        |rows: &str| format!("| room of `src` | what it does | uses | begin with |\n|---|---|---|---|\n{rows}\n");
    let said = |rows: &str| row_breaches(&folder, &tables(&table(rows)).expect("a table")["src"]).join("; ");
    let right = format!("{RIGHT}\n| `only` | - | - | `only.rs` |");
    assert_eq!(said(&right), "");
    assert_eq!(said(RIGHT), "only has no row in ARCHITECTURE.md");
    for (from, to, seen) in [
        ("| `low` | `high/", "| - | `high/", "high uses low, and its row does not say so"),
        ("| - | `low.rs`", "| `high` | `low.rs`", "low does not use high, and its row says so"),
        ("| `low` | `high/", "| `low`, `only` | `high/", "high does not use only, and its row says so"),
        ("`high/mod.rs`", "`high/start.rs`", "one is to begin high with high/start.rs, which is no file"),
    ] {
        assert_eq!(said(&right.replacen(from, to, 1)), seen);
    }
    let twice = format!("{right}\n| `only` | - | - | `only.rs` |");
    assert_eq!(said(&twice), "ARCHITECTURE.md has a row of only, which is no room or has two rows");
    for row in ["| `low` | - | error | `low.rs` |", "| `low`, `high` | - | - | `low.rs` |", "| `low` | - | - |"] {
        assert_eq!(tables(&table(row)).err().as_deref(), Some(row));
    }
}

fn breaches(files: &[(&str, &str)], order: &[&str]) -> String {
    let line = if order.is_empty() { String::new() } else { format!("src: {}", order.join(" < ")) };
    demanded(files, &line)
}

/// Breaches of a crate that depends on a crate `sets`, from lines of the block.
fn demanded(files: &[(&str, &str)], lines: &str) -> String {
    let text = format!("```layers\n{lines}\n```\n");
    let crates = ["sets".to_owned()].into();
    let demands = Demands::of("src", &crates, &mut layers(&text), &mut uses(&text));
    crate_breaches(&testkit::scratch(files).join("src/lib.rs"), &demands).join("\n")
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
fn a_planted_edge_upwards_inside_a_room_is_seen() {
    let files = [
        ("src/lib.rs", "mod room; mod other;"),
        ("src/room/mod.rs", "mod low; mod high; pub use high::deep::Thing;"),
        ("src/room/low.rs", "fn f(_: super::Thing, _: crate::other::Other) {}"),
        ("src/room/high/mod.rs", "pub mod deep;"),
        ("src/room/high/deep.rs", "pub struct Thing;"),
        ("src/other.rs", "pub struct Other;"),
    ];
    let inside = |line: &str| demanded(&files, &format!("src: other < room\nsrc/room: {line}"));
    assert!(inside("low < high").ends_with("room::low uses room::high::deep, which is above it"));
    assert_eq!(inside("high < low"), "");
    assert!(inside("low").ends_with("room::high has no layer in ARCHITECTURE.md"), "{}", inside("low"));
    let said = demanded(&files, "src: other < room\nsrc/cellar: a < b");
    assert!(said.ends_with("ARCHITECTURE.md lists cellar, which is no module"), "{said}");
}

#[test]
fn a_planted_use_that_no_list_has_is_seen() {
    let use_of = |text: &str, values: &str| {
        let files = [
            ("src/lib.rs", "mod values; mod sets_of; mod printer; pub use values::Value;"),
            ("src/values.rs", &format!("pub struct Value; pub use sets::Relation; {values}")),
            ("src/sets_of.rs", "pub fn all() {}"),
            ("src/printer/mod.rs", "mod inner;"),
            ("src/printer/inner.rs", text),
        ];
        demanded(&files, "src/printer uses: values, sets::{Tree, Node}")
    };
    for text in [
        "use sets::{Tree, Node}; use crate::Value; fn f(_: Tree, _: Value) -> Option<Node> { Node::from(String::new()) }",
        "use crate::values; use std::fmt::Write; fn f(_: values::Value) { let sets = 1; sets.max(2); }",
    ] {
        assert_eq!(use_of(text, "pub type Other = sets::Tree;"), "", "{text}");
    }
    for (text, seen) in [
        ("use sets::Relation;", "sets::Relation"),
        ("use sets::Relation as Tree;", "sets::Relation"),
        ("use sets::{Tree, Node, build::Build};", "sets::build::Build"),
        ("use sets::*;", "sets"),
        ("use sets as values; fn f(_: values::Set) {}", "sets::Set"),
        ("extern crate sets as other; fn f(_: other::Set) {}", "sets::Set"),
        ("fn f() { ::sets::parse(1); }", "sets::parse"),
        ("fn f() { assert!(sets::parse(1)); }", "sets::parse"),
        ("use crate::values::Relation;", "sets::Relation"),
        ("fn f() { crate::sets_of::all(); }", "sets_of"),
    ] {
        let said = use_of(text, "");
        assert!(said.lines().any(|line| line.ends_with(&format!("printer may not use {seen}"))), "{text}: {said}");
    }
    let said = use_of("fn f(value: crate::Value) { value.all().parse(); }", "fn all() -> sets::All { todo() }");
    assert!(said.ends_with("values.rs: printer may not use sets::All"), "{said}");
}

/// The files of a folder, by their paths inside the workspace.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push((path.to_string_lossy().into_owned(), fs::read_to_string(&path).expect("a text")));
        }
    }
}

#[test]
fn a_set_planted_in_emit_and_an_edge_planted_in_the_front_end_are_seen() {
    let mut files = Vec::new();
    sources(Path::new("codegen/src"), &mut files);
    let breaches_with = |planted_in: &str, text: &str| {
        let with = |(path, own): &(String, String)| {
            (path.clone(), if path == planted_in { format!("{own}{text}") } else { own.clone() })
        };
        let files: Vec<(String, String)> = files.iter().map(with).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let crates = ["dvm_isl".to_owned()].into();
        let (mut orders, mut uses) = (layers(&architecture()), uses(&architecture()));
        let demands = Demands::of("codegen/src", &crates, &mut orders, &mut uses);
        crate_breaches(&testkit::scratch(&files).join("codegen/src/lib.rs"), &demands).join("\n")
    };
    assert_eq!(breaches_with("codegen/src/lib.rs", ""), "");
    let said = breaches_with("codegen/src/emit/body.rs", "fn planted(_: dvm_isl::Set) {}");
    assert!(said.ends_with("emit may not use dvm_isl::Set"), "{said}");
    let said = breaches_with("codegen/src/emit/body.rs", "fn planted(_: crate::analysis::IslRegion) {}");
    assert!(said.contains("body.rs: emit may not use analysis::isl_region\n"), "{said}");
    let said = breaches_with("codegen/src/lowered.rs", "pub struct Planted(pub dvm_isl::Map);");
    assert!(said.ends_with("lowered.rs: emit may not use dvm_isl::Map"), "{said}");
    let said = breaches_with(
        "codegen/src/frontend/text/pragma.rs",
        "fn planted(_: crate::frontend::region::region_reader::Found) {}",
    );
    assert!(said.contains("frontend::text::pragma uses frontend::region"), "{said}");
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
