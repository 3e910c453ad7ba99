//! Unsafe code is in the rooms that ARCHITECTURE.md names, and does not exceed the number of blocks stated there.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The unsafe code of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Unchecked {
    /// `unsafe { ... }`, in macros and tests as well.
    blocks: usize,
    /// The word elsewhere: functions, implementations, attributes.
    others: usize,
}

/// Counts tokens: comments and texts do not count.
fn count(tokens: TokenStream) -> Unchecked {
    let mut found = Unchecked::default();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "unsafe" => match tokens.peek() {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => found.blocks += 1,
                _ => found.others += 1,
            },
            TokenTree::Group(group) => {
                let inside = count(group.stream());
                found.blocks += inside.blocks;
                found.others += inside.others;
            }
            _ => {}
        }
    }
    found
}

/// Adds up the files of a folder, by room: the first part of the path below `root`, without its ending.
fn rooms(root: &Path, folder: &Path, found: &mut BTreeMap<String, Unchecked>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rooms(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            let counted = count(text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display())));
            let below = path.strip_prefix(root).expect("below the root");
            let room = Path::new(below.iter().next().expect("a name")).with_extension("");
            let sum = found.entry(room.to_string_lossy().into_owned()).or_default();
            sum.blocks += counted.blocks;
            sum.others += counted.others;
        }
    }
}

/// The rooms and the most blocks that ARCHITECTURE.md states: the table under `## Unsafe code`, and the number before
/// it.
fn stated(text: &str) -> (Vec<String>, usize) {
    let section =
        text.split("\n## ").find(|section| section.starts_with("Unsafe code\n")).expect("a section on unsafe code");
    let most = section.split("At most ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
    let rooms = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    (rooms.map(str::to_owned).collect(), most.expect("a number after \"At most\""))
}

/// The breaches.
fn breaches(found: &BTreeMap<String, Unchecked>, named: &[String], most: usize) -> Vec<String> {
    let mut wrong = Vec::new();
    for (room, counted) in found {
        let any = *counted != Unchecked::default();
        if any && !named.contains(room) {
            wrong.push(format!("{room} has unsafe code, and ARCHITECTURE.md does not name it: {counted:?}"));
        }
        if !any && named.contains(room) {
            wrong.push(format!("{room} has no unsafe code any more: take it off the table, and forbid it there"));
        }
    }
    wrong.extend(named.iter().filter(|room| !found.contains_key(*room)).map(|room| format!("there is no room {room}")));
    let blocks: usize = found.values().map(|counted| counted.blocks).sum();
    if blocks > most {
        wrong.push(format!("{blocks} unsafe blocks, {most} are stated: {found:?}"));
    }
    wrong
}

#[test]
fn unsafe_code_stands_where_architecture_says_and_is_no_more() {
    let mut found = BTreeMap::new();
    rooms(Path::new("src"), Path::new("src"), &mut found);
    let (named, most) = stated(&fs::read_to_string("ARCHITECTURE.md").expect("ARCHITECTURE.md"));
    let wrong = breaches(&found, &named, most);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_planted_is_seen() {
    let text =
        "macro_rules! m { () => { unsafe { f() } } } #[unsafe(no_mangle)] fn g() { let _ = \"unsafe {\"; } // unsafe {";
    let counted = count(text.parse().expect("tokens"));
    assert_eq!(counted, Unchecked { blocks: 1, others: 1 });
    let (named, most) = stated(
        "# Map\n\n## Unsafe code\nAt most 0 blocks.\n| room | why |\n|---|---|\n| `b` | it needs it |\n\n## Next\n",
    );
    assert_eq!((named.as_slice(), most), (&["b".to_owned()][..], 0));
    let found = BTreeMap::from([("a".to_owned(), counted), ("b".to_owned(), Unchecked::default())]);
    let said = breaches(&found, &named, most);
    assert!(said[0].contains("a has unsafe code") && said[1].contains("b has no unsafe code any more"), "{said:?}");
    assert!(said[2].contains("1 unsafe blocks, 0 are stated"), "{said:?}");
    assert_eq!(breaches(&BTreeMap::new(), &named, most), ["there is no room b"]);
}
