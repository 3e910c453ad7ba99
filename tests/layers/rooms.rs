//! The tables of rooms in ARCHITECTURE.md: what each room uses, as the sources have it.

use super::graph::Graph;
use super::reading::read;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A row of a table.
pub struct Row {
    room: String,
    uses: BTreeSet<String>,
    /// The file to read first, from the table's folder.
    begin: String,
}

/// The tables by the folders in their heads; or what cannot be read of them.
pub fn tables(architecture: &str) -> Result<BTreeMap<String, Vec<Row>>, String> {
    let mut all = BTreeMap::new();
    let mut lines = architecture.lines();
    while let Some(line) = lines.next() {
        let Some(folder) = line.strip_prefix("| room of ") else { continue };
        let (folder, rest) = folder.split_once(" | ").ok_or_else(|| line.to_owned())?;
        let folder = quoted(folder).ok_or_else(|| line.to_owned())?;
        let rule = lines.next().unwrap_or_default();
        if rest != "what it does | uses | begin with |" || rule != "|---|---|---|---|" {
            return Err(line.to_owned());
        }
        let rows = lines.by_ref().take_while(|line| line.starts_with('|'));
        let rows = rows.map(|line| row(line).ok_or_else(|| line.to_owned())).collect::<Result<Vec<Row>, String>>()?;
        if all.insert(folder.to_owned(), rows).is_some() {
            return Err(format!("a second table of {folder}"));
        }
    }
    Ok(all)
}

fn row(line: &str) -> Option<Row> {
    let cells: Vec<&str> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
    let [room, _, uses, begin] = cells[..] else { return None };
    let listed: Option<Vec<&str>> = if uses == "-" { Some(Vec::new()) } else { uses.split(", ").map(quoted).collect() };
    let listed = listed?;
    let uses: BTreeSet<String> = listed.iter().map(|&name| name.to_owned()).collect();
    (uses.len() == listed.len()).then_some(())?;
    Some(Row { room: quoted(room)?.to_owned(), uses, begin: quoted(begin)?.to_owned() })
}

/// The name between backquotes.
fn quoted(text: &str) -> Option<&str> {
    let name = text.strip_prefix('`')?.strip_suffix('`')?;
    (!name.is_empty() && !name.contains('`')).then_some(name)
}

/// For each room of a crate the rooms that it uses. Tests and models don't count.
fn used(root: &Path) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let modules = read(root)?;
    let edges = Graph::new(&modules).edges().map_err(|lost| lost.join("\n"))?;
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (from, module) in modules.iter().enumerate() {
        let Some(room) = module.path.first().filter(|_| !module.test) else { continue };
        let uses = found.entry(room.clone()).or_default();
        let targets = edges.get(&from).into_iter().flatten().filter_map(|&to| modules[to].path.first());
        uses.extend(targets.filter(|&other| other != room).cloned());
    }
    Ok(found)
}

/// Where a table and the sources of its folder differ.
pub fn row_breaches(folder: &Path, rows: &[Row]) -> Vec<String> {
    let mut found = match used(&folder.join("lib.rs")) {
        Ok(found) => found,
        Err(why) => return vec![format!("can't be read: {why}")],
    };
    let mut wrong = Vec::new();
    for row in rows {
        let room = &row.room;
        let Some(uses) = found.remove(room) else {
            wrong.push(format!("ARCHITECTURE.md has a row of {room}, which is no room or has two rows"));
            continue;
        };
        let missing =
            uses.difference(&row.uses).map(|other| format!("{room} uses {other}, and its row does not say so"));
        wrong.extend(missing);
        let unused =
            row.uses.difference(&uses).map(|other| format!("{room} does not use {other}, and its row says so"));
        wrong.extend(unused);
        if !folder.join(&row.begin).is_file() {
            wrong.push(format!("one is to begin {room} with {}, which is no file", row.begin));
        }
    }
    wrong.extend(found.into_keys().map(|room| format!("{room} has no row in ARCHITECTURE.md")));
    wrong
}
