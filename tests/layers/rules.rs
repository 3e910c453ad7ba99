//! What the lists of ARCHITECTURE.md demand, and where a tree breaks it.

use super::graph::{Graph, circles};
use super::reading::{Module, read};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Layers of crates, by their packages' names.
pub const CRATES: &str = "crates";

/// For each crate's source folder its modules, and for `crates` the packages, lowest first.
pub fn layers(architecture: &str) -> HashMap<String, Vec<String>> {
    let block = architecture.split("```layers\n").nth(1).and_then(|rest| rest.split("```").next());
    let line = |line: &str| {
        let (folder, modules) = line.split_once(':').expect("folder: modules");
        (folder.trim().to_owned(), modules.split('<').map(|module| module.trim().to_owned()).collect())
    };
    block.expect("a block of layers").lines().filter(|text| !text.trim().is_empty()).map(line).collect()
}

/// Breaches inside one crate: modules without a layer, edges upwards, circles, files that no module declares.
///
/// `order` is the crate's list of layers, if it has one.
pub fn crate_breaches(root: &Path, order: Option<&[String]>) -> Vec<String> {
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
    for (&from, targets) in &edges {
        for &to in targets {
            wrong.extend(order.and_then(|order| upward(&graph.modules[from], &graph.modules[to], order)));
        }
    }
    for circle in circles(&modules, &edges) {
        wrong.push(format!("{}: a circle of {}", root.display(), circle.join(", ")));
    }
    wrong
}

/// Says so when an edge leads to a higher layer. The crate's root stands above all.
fn upward(from: &Module, to: &Module, order: &[String]) -> Option<String> {
    let height = |module: &Module| match module.path.first() {
        None => Some(order.len()),
        Some(room) => order.iter().position(|name| name == room),
    };
    let (Some(own), Some(other)) = (height(from), height(to)) else {
        let stranger = if height(from).is_none() { from } else { to };
        return Some(format!("{}: {} has no layer in ARCHITECTURE.md", stranger.file.display(), stranger.path[0]));
    };
    let name = |module: &Module| if module.path.is_empty() { "the root".to_owned() } else { module.path.join("::") };
    (other > own).then(|| format!("{}: {} uses {}, which is above it", from.file.display(), name(from), name(to)))
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
        let mut depends = BTreeSet::new();
        for dependency in package["dependencies"].as_array()? {
            if dependency["kind"] == "dev" {
                continue;
            }
            if let Some(path) = dependency["path"].as_str() {
                depends.insert(names.get(Path::new(path))?.clone());
            }
        }
        found.push(Package { name: text(&package["name"])?, roots, depends });
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
