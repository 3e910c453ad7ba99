//! What the lists of ARCHITECTURE.md demand, and where a tree breaks it.

use super::graph::{Graph, circles};
use super::reading::{Module, read};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Layers of crates, by their packages' names.
pub const CRATES: &str = "crates";

/// For each folder of sources its modules, and for `crates` the packages, lowest first.
pub fn layers(architecture: &str) -> HashMap<String, Vec<String>> {
    let names = |text: &str| text.split('<').map(|name| name.trim().to_owned()).collect();
    lines(architecture)
        .filter(|(folder, _)| !folder.ends_with(USES))
        .map(|(key, text)| (key.into(), names(text)))
        .collect()
}

/// The end of the folder's name in a line of modules and items that this folder alone may use.
const USES: &str = " uses";

/// For each folder that may use a few things only: those modules of its crate, and those items of other crates.
pub fn uses(architecture: &str) -> HashMap<String, Vec<Vec<String>>> {
    let mut all = HashMap::new();
    for (folder, list) in lines(architecture) {
        let Some(folder) = folder.strip_suffix(USES) else { continue };
        let tree = syn::parse_str(&format!("{{{list}}}")).expect("a list as `use` declarations have it");
        let mut paths = Vec::new();
        leaves(&tree, &mut Vec::new(), &mut paths);
        all.insert(folder.to_owned(), paths);
    }
    all
}

/// The lines `folder: text` of the block of layers.
fn lines(architecture: &str) -> impl Iterator<Item = (&str, &str)> {
    let block = architecture.split("```layers\n").nth(1).and_then(|rest| rest.split("```").next());
    let lines = block.expect("a block of layers").lines().filter(|text| !text.trim().is_empty());
    lines.map(|line| line.split_once(": ").expect("folder: text"))
}

fn leaves(tree: &syn::UseTree, before: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, paths);
            before.pop();
        }
        syn::UseTree::Group(group) => group.items.iter().for_each(|item| leaves(item, before, paths)),
        syn::UseTree::Name(name) => paths.push([before.as_slice(), &[name.ident.to_string()]].concat()),
        syn::UseTree::Rename(_) | syn::UseTree::Glob(_) => panic!("a list of plain names"),
    }
}

/// What ARCHITECTURE.md demands of one crate. A room is named by its modules' path from the root.
#[derive(Default)]
pub struct Demands {
    /// Rooms with the order of their modules, lowest first.
    pub orders: Vec<(Vec<String>, Vec<String>)>,
    /// Rooms with all that they may use.
    pub uses: Vec<(Vec<String>, Vec<Vec<String>>)>,
    /// Names of the crates that this one depends on.
    pub crates: BTreeSet<String>,
}

impl Demands {
    /// The lines about the crate whose sources are in `folder`. They are taken out of the lists.
    pub fn of(
        folder: &str,
        crates: &BTreeSet<String>,
        orders: &mut HashMap<String, Vec<String>>,
        uses: &mut HashMap<String, Vec<Vec<String>>>,
    ) -> Demands {
        Demands { orders: own(folder, orders), uses: own(folder, uses), crates: crates.clone() }
    }
}

fn own<T>(folder: &str, lists: &mut HashMap<String, T>) -> Vec<(Vec<String>, T)> {
    let room = |name: &str| {
        let below = name.strip_prefix(folder)?;
        let inside = below.is_empty() || below.starts_with('/');
        inside.then(|| below.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect())
    };
    let names: Vec<(String, Vec<String>)> = lists.keys().filter_map(|name| Some((name.clone(), room(name)?))).collect();
    names.into_iter().filter_map(|(name, room)| Some((room, lists.remove(&name)?))).collect()
}

/// Breaches inside one crate: modules without a layer, edges upwards, uses that no list has, circles, files that no
/// module declares.
pub fn crate_breaches(root: &Path, demands: &Demands) -> Vec<String> {
    let modules = match read(root) {
        Ok(modules) => modules,
        Err(why) => return vec![format!("can't be read: {why}")],
    };
    let graph = Graph::new(&modules);
    let edges = match graph.edges() {
        Ok(edges) => edges,
        Err(lost) => return lost.into_iter().map(|path| format!("can't be followed: {path}")).collect(),
    };
    let mut wrong = undeclared(root, &modules);
    let rooms = demands.orders.iter().map(|(room, _)| room).chain(demands.uses.iter().map(|(room, _)| room));
    for room in rooms.filter(|room| modules.iter().all(|module| module.path != **room)) {
        wrong.push(format!("{}: ARCHITECTURE.md lists {}, which is no module", root.display(), room.join("::")));
    }
    for (&from, targets) in &edges {
        for &to in targets {
            let upward = |(room, order): &(Vec<String>, Vec<String>)| upward(&modules[from], &modules[to], room, order);
            wrong.extend(demands.orders.iter().filter_map(upward));
        }
    }
    for (room, allowed) in &demands.uses {
        wrong.extend(foreign(&graph, &edges, room, allowed, &demands.crates));
    }
    for circle in circles(&modules, &edges) {
        wrong.push(format!("{}: a circle of {}", root.display(), circle.join(", ")));
    }
    wrong
}

/// What a room uses without being allowed to, and what the modules that it reaches use of the crates that its list names.
fn foreign(
    graph: &Graph,
    edges: &BTreeMap<usize, BTreeSet<usize>>,
    room: &[String],
    allowed: &[Vec<String>],
    crates: &BTreeSet<String>,
) -> Vec<String> {
    let modules = graph.modules;
    let is_strange = |path: &[String]| !allowed.iter().any(|known| path.starts_with(known));
    let named: BTreeSet<&String> = allowed.iter().filter_map(|path| path.first()).collect();
    let mut open: Vec<usize> =
        (0..modules.len()).filter(|at| modules[*at].path.starts_with(room) && !modules[*at].test).collect();
    let mut seen: BTreeSet<usize> = open.iter().copied().collect();
    let mut wrong = Vec::new();
    while let Some(at) = open.pop() {
        let own = modules[at].path.starts_with(room);
        for &to in edges.get(&at).into_iter().flatten() {
            let path = &modules[to].path;
            if own && !path.starts_with(room) && is_strange(path) {
                wrong.push((at, named_module(&modules[to])));
            }
            if seen.insert(to) {
                open.push(to);
            }
        }
        for path in graph.outside(at) {
            let Some(name) = path.first() else { continue };
            if crates.contains(name) && (own || named.contains(name)) && is_strange(&path) {
                wrong.push((at, path.join("::")));
            }
        }
    }
    let told =
        |(at, path): (usize, String)| format!("{}: {} may not use {path}", modules[at].file.display(), room.join("::"));
    wrong.into_iter().map(told).collect()
}

fn named_module(module: &Module) -> String {
    if module.path.is_empty() { "the root".to_owned() } else { module.path.join("::") }
}

/// Says so when an edge inside a room leads to a higher layer. The room's own module stands above all. Tests may use the
/// whole folder that they stand in.
fn upward(from: &Module, to: &Module, room: &[String], order: &[String]) -> Option<String> {
    if !from.path.starts_with(room) || !to.path.starts_with(room) || (from.test && !room.is_empty()) {
        return None;
    }
    let height = |module: &Module| match module.path.get(room.len()) {
        None => Some(order.len()),
        Some(name) => order.iter().position(|other| other == name),
    };
    let (Some(own), Some(other)) = (height(from), height(to)) else {
        let stranger = if height(from).is_none() { from } else { to };
        let name = stranger.path[..=room.len()].join("::");
        return Some(format!("{}: {name} has no layer in ARCHITECTURE.md", stranger.file.display()));
    };
    let (user, used) = (named_module(from), named_module(to));
    (other > own).then(|| format!("{}: {user} uses {used}, which is above it", from.file.display()))
}

/// Files beside the root that belong to no module: nobody looks at them. `bin` holds roots of their own.
fn undeclared(root: &Path, modules: &[Module]) -> Vec<String> {
    let known: HashSet<PathBuf> = modules.iter().filter_map(|module| fs::canonicalize(&module.file).ok()).collect();
    let mut found = Vec::new();
    let folder = root.parent().expect("a folder");
    if folder.ends_with("bin") {
        return Vec::new();
    }
    sources(folder, &mut found);
    found.retain(|path| {
        !path.starts_with(folder.join("bin")) && !known.contains(&fs::canonicalize(path).expect("file"))
    });
    found.into_iter().map(|path| format!("{}: no module declares this file", path.display())).collect()
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

/// A package of the workspace.
pub struct Package {
    pub name: String,
    /// Root files of its libraries and programs, below `src`; build scripts and tests are not looked at.
    pub roots: Vec<PathBuf>,
    /// The names that its sources have for the crates that it depends on.
    pub crates: BTreeSet<String>,
    /// Packages of the same workspace that it depends on, under whatever name; those of tests don't count.
    pub depends: BTreeSet<String>,
}

/// What `cargo metadata` says of a workspace.
pub fn packages(metadata: &Value) -> Option<Vec<Package>> {
    let listed = metadata["packages"].as_array()?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let folder = |manifest: &Value| Some(Path::new(manifest.as_str()?).parent()?.to_owned());
    let mut names: HashMap<PathBuf, String> = HashMap::new();
    for package in listed {
        names.insert(folder(&package["manifest_path"])?, text(&package["name"])?);
    }
    let mut found = Vec::new();
    for package in listed {
        let mut roots = Vec::new();
        for target in package["targets"].as_array()? {
            let kinds = target["kind"].as_array()?;
            if kinds.iter().all(|kind| kind != "test" && kind != "custom-build" && kind != "example" && kind != "bench")
            {
                roots.push(PathBuf::from(text(&target["src_path"])?));
            }
        }
        let (mut crates, mut depends) = (BTreeSet::new(), BTreeSet::new());
        for dependency in package["dependencies"].as_array()? {
            if dependency["kind"] == "dev" {
                continue;
            }
            let name = text(&dependency["rename"]).or_else(|| text(&dependency["name"]))?;
            crates.insert(name.replace('-', "_"));
            if let Some(path) = dependency["path"].as_str() {
                depends.insert(names.get(Path::new(path))?.clone());
            }
        }
        found.push(Package { name: text(&package["name"])?, roots, crates, depends });
    }
    Some(found)
}

/// Breaches between crates: packages without a layer, and those that depend on a higher one.
pub fn package_breaches(packages: &[Package], order: &[String]) -> Vec<String> {
    let height = |name: &str| order.iter().position(|other| other == name);
    let mut wrong = Vec::new();
    for package in packages {
        let Some(own) = height(&package.name) else {
            wrong.push(format!("package {} has no layer in ARCHITECTURE.md", package.name));
            continue;
        };
        for other in &package.depends {
            if height(other).is_none_or(|other| other >= own) {
                wrong.push(format!("{} depends on {other}, which is above it", package.name));
            }
        }
    }
    wrong
}
