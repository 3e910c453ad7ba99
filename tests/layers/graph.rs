//! Which module uses which: paths are followed through `use`, `pub use`, `super` and the crate's root to where the item stands.

use super::reading::Module;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Passes through `use` declarations that a path may need; more is a circle of declarations.
const PASSES: usize = 32;

/// A crate's modules with the edges between them.
pub struct Graph<'a> {
    pub modules: &'a [Module],
    index: HashMap<&'a [String], usize>,
}

/// Where a path leads.
enum End {
    /// To an item of this module, or to the module itself.
    Module(usize),
    /// Out of the crate, to this path; or to a name that is no item (a variable, a type parameter).
    Outside(Vec<String>),
    /// It begins in the crate and leads nowhere.
    Nowhere,
}

impl<'a> Graph<'a> {
    pub fn new(modules: &'a [Module]) -> Graph<'a> {
        let index = modules.iter().enumerate().map(|(at, module)| (module.path.as_slice(), at)).collect();
        Graph { modules, index }
    }

    /// For each module those that it uses, by number; or the paths that can't be followed.
    pub fn edges(&self) -> Result<BTreeMap<usize, BTreeSet<usize>>, Vec<String>> {
        let mut edges: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut lost = Vec::new();
        for (from, module) in self.modules.iter().enumerate() {
            let wholes = module.globs.iter();
            for path in module.mentions.iter().chain(wholes) {
                // A module's name alone says nothing: here it is a variable's.
                if path.len() == 1 && self.child(from, &path[0]).is_some() {
                    continue;
                }
                match self.follow(from, path, PASSES) {
                    End::Module(to) if to != from => drop(edges.entry(from).or_default().insert(to)),
                    End::Module(_) | End::Outside(_) => {}
                    End::Nowhere => lost.push(format!("{}: {}", module.file.display(), path.join("::"))),
                }
            }
        }
        if lost.is_empty() { Ok(edges) } else { Err(lost) }
    }

    /// What a module mentions of other crates, as paths that begin with the crate's name; and paths of variables.
    pub fn outside(&self, from: usize) -> BTreeSet<Vec<String>> {
        let outside = |path: &Vec<String>| match self.follow(from, path, PASSES) {
            End::Outside(path) => Some(path),
            End::Module(_) | End::Nowhere => None,
        };
        let module = &self.modules[from];
        // A crate's name alone says nothing: here it is a variable's.
        let mentions = module.mentions.iter().filter_map(outside).filter(|path| path.len() > 1);
        mentions.chain(module.globs.iter().filter_map(outside)).collect()
    }

    fn child(&self, of: usize, name: &str) -> Option<usize> {
        let mut path = self.modules[of].path.clone();
        path.push(name.to_owned());
        self.index.get(path.as_slice()).copied()
    }

    fn parent(&self, of: usize) -> Option<usize> {
        let path = &self.modules[of].path;
        self.index.get(path.get(..path.len().checked_sub(1)?)?).copied()
    }

    fn follow(&self, from: usize, path: &[String], passes: usize) -> End {
        let Some((first, mut rest)) = path.split_first() else { return End::Outside(Vec::new()) };
        if passes == 0 {
            return End::Nowhere;
        }
        let mut at = match first.as_str() {
            "crate" => 0,
            "self" => from,
            "Self" => return End::Outside(Vec::new()),
            "super" => {
                let Some(mut above) = self.parent(from) else { return End::Nowhere };
                while let Some(("super", after)) = rest.split_first().map(|(name, after)| (name.as_str(), after)) {
                    let Some(next) = self.parent(above) else { return End::Nowhere };
                    (above, rest) = (next, after);
                }
                above
            }
            _ => return self.named(from, path, passes).unwrap_or_else(|| End::Outside(path.to_vec())),
        };
        while let Some(name) = rest.first() {
            if let Some(below) = self.child(at, name) {
                (at, rest) = (below, &rest[1..]);
            } else {
                return self.named(at, rest, passes).unwrap_or(if self.modules[at].opaque {
                    End::Module(at)
                } else {
                    End::Nowhere
                });
            }
        }
        End::Module(at)
    }

    /// Follows a path whose first name is looked up in a module; `None` if the module has no such name.
    fn named(&self, at: usize, path: &[String], passes: usize) -> Option<End> {
        let (first, rest) = path.split_first()?;
        let module = &self.modules[at];
        if let Some(below) = self.child(at, first) {
            let inner: Vec<String> = [String::from("self")].into_iter().chain(rest.iter().cloned()).collect();
            return Some(self.follow(below, &inner, passes - 1));
        }
        if module.items.contains(first) {
            return Some(End::Module(at));
        }
        // The same name may stand for a module and for a function or a type: any that leads into the crate counts.
        let whole = |import: &[String]| import.iter().chain(rest).cloned().collect::<Vec<String>>();
        let mut answer = None;
        for import in module.imports.iter().filter(|import| import.name == *first) {
            answer = Some(self.outside_in(at, &whole(&import.path), passes - 1));
            if matches!(answer, Some(End::Module(_))) {
                return answer;
            }
        }
        for glob in &module.globs {
            if let End::Module(all) = self.outside_in(at, glob, passes - 1)
                && all != at
                && let Some(end @ End::Module(_)) = self.named(all, path, passes - 1)
            {
                return Some(end);
            }
        }
        answer.or_else(|| module.produced.contains(first).then_some(End::Module(at)))
    }

    /// The path of a `use` declaration: a plain first name is a child of the module, or a crate.
    fn outside_in(&self, at: usize, path: &[String], passes: usize) -> End {
        match path.first().map(String::as_str) {
            Some("crate" | "self" | "super") => self.follow(at, path, passes),
            Some(name) if self.child(at, name).is_some() || self.modules[at].items.contains(name) => {
                self.named(at, path, passes).unwrap_or_else(|| End::Outside(path.to_vec()))
            }
            _ => End::Outside(path.to_vec()),
        }
    }
}

/// The circles: sets of modules of which each reaches each other. Tests don't count.
pub fn circles(modules: &[Module], edges: &BTreeMap<usize, BTreeSet<usize>>) -> Vec<Vec<String>> {
    let reach = |from: usize| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            for &to in edges.get(&at).into_iter().flatten() {
                if !modules[to].test && seen.insert(to) {
                    open.push(to);
                }
            }
        }
        seen
    };
    let reached: Vec<BTreeSet<usize>> =
        (0..modules.len()).map(|at| if modules[at].test { BTreeSet::new() } else { reach(at) }).collect();
    let mut done = BTreeSet::new();
    let mut found = Vec::new();
    for at in 0..modules.len() {
        if reached[at].contains(&at) && done.insert(at) {
            let members: Vec<usize> =
                reached[at].iter().copied().filter(|&other| other != at && reached[other].contains(&at)).collect();
            done.extend(members.iter().copied());
            let mut names: Vec<String> =
                [at].into_iter().chain(members).map(|member| modules[member].path.join("::")).collect();
            names.sort();
            found.push(names);
        }
    }
    found
}
