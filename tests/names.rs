//! No two crate-visible types share a name: `Cache` in one file must not remind a reader of another.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Attribute, Item, Visibility};

const CRATES: &[&str] = &[
    "src",
    "redist/src",
    "codegen/src",
    "codegen/isl/src",
    "dvmrun/src",
    "info/src",
    "bindings/src",
    "bench/src/demo",
    "bench/src/tasks",
    "bench/src/redist",
    "bench/src/transport",
];

/// The Rust files of a folder and of the folders in it.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
    })
}

/// Types of `sync/modelled.rs` are those of the library, or those of loom that take their place in a model.
const STAND_INS: &[&str] = &["Condvar", "Mutex", "MutexGuard", "Waited"];

/// The types that are visible outside their module, without tests.
fn types(items: &[Item], found: &mut Vec<String>) {
    for item in items {
        let (visibility, name, attributes) = match item {
            Item::Struct(item) => (&item.vis, &item.ident, &item.attrs),
            Item::Enum(item) => (&item.vis, &item.ident, &item.attrs),
            Item::Union(item) => (&item.vis, &item.ident, &item.attrs),
            Item::Trait(item) => (&item.vis, &item.ident, &item.attrs),
            Item::Type(item) => (&item.vis, &item.ident, &item.attrs),
            Item::Mod(module) => {
                if let Some((_, inner)) = module.content.as_ref().filter(|_| !is_test(&module.attrs)) {
                    types(inner, found);
                }
                continue;
            }
            _ => continue,
        };
        if !matches!(visibility, Visibility::Inherited) && !is_test(attributes) {
            found.push(name.to_string());
        }
    }
}

/// Names that types of several of these files have, with the files. A file may say one type twice, for two platforms.
fn homonyms(texts: &[(String, String)]) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (file, text) in texts {
        let syntax = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut found = Vec::new();
        types(&syntax.items, &mut found);
        found.retain(|name| !STAND_INS.contains(&name.as_str()));
        found.sort();
        found.dedup();
        for name in found {
            places.entry(name).or_default().push(file);
        }
    }
    let several = places.into_iter().filter(|(_, files)| files.len() > 1);
    several.map(|(name, files)| format!("{name}: {}", files.join(", "))).collect()
}

#[test]
fn no_two_types_of_a_crate_share_a_name() {
    let mut wrong = Vec::new();
    for folder in CRATES {
        let mut paths = Vec::new();
        files(Path::new(folder), &mut paths);
        paths.sort();
        assert!(!paths.is_empty(), "{folder}");
        let text = |path: &PathBuf| (path.display().to_string(), fs::read_to_string(path).expect("a text"));
        wrong.extend(homonyms(&paths.iter().map(text).collect::<Vec<_>>()));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_second_type_of_the_name_is_found() {
    let file = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let found = |other: &str| homonyms(&[file("a.rs", "pub(crate) struct Cache;"), file("b.rs", other)]);
    assert_eq!(found("pub(super) enum Cache {}"), ["Cache: a.rs, b.rs"]);
    assert_eq!(found("mod inner { pub trait Cache {} }"), ["Cache: a.rs, b.rs"]);
    assert_eq!(found("struct Cache; pub struct Caches;"), [""; 0]);
    assert_eq!(found("#[cfg(test)] mod tests { pub struct Cache; }"), [""; 0]);
}
