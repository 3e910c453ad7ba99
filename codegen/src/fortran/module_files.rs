//! Files of modules. gfortran and flang both want `NAME.mod`, each in a form of its own. Beside gfortran's file `dvmfc` keeps
//! `NAME.dvmod` with flang's text and a number of gfortran's file: if another compiler command has written gfortran's file
//! since, the text may not be true any more, and is not read.

use super::modules::{FileModules, ModuleRecord, ModuleUses, needs};
use super::statements::{SourceForm, statements};
use crate::driver::output_file;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Where modules are looked for and written.
#[derive(Debug, Default)]
pub struct ModuleFolders {
    /// In gfortran's order: the current folder, then those of `-I` and `-J`.
    pub searched: Vec<PathBuf>,
    /// Where gfortran writes.
    pub written: PathBuf,
}

/// What a file's modules are to flang.
#[derive(Debug, Default)]
pub struct GatheredModules {
    /// What the texts say that are true.
    pub file: FileModules,
    /// Modules that cannot be read: why.
    pub problems: BTreeMap<String, String>,
}

impl ModuleFolders {
    /// Puts the texts of all modules that `uses` needs into `folder`, and something unreadable for all others that flang could
    /// find in `folders`.
    pub fn gather(&self, uses: &ModuleUses, folder: &Path, folders: &[PathBuf]) -> Result<GatheredModules, String> {
        let mut all = GatheredModules::default();
        all.file.renamed.clone_from(&uses.renamed);
        let mut waiting: Vec<String> = uses.used.iter().filter(|name| !uses.made.contains(*name)).cloned().collect();
        let mut seen: BTreeSet<String> = waiting.iter().cloned().collect();
        while let Some(name) = waiting.pop() {
            let Some(beside) = self.searched.iter().find(|f| file_of_gfortran(f, &name).is_file()) else { continue };
            match current(beside, &name) {
                Ok(text) => {
                    output_file::write(&folder.join(format!("{name}.mod")), text.as_bytes())?;
                    let inner = ModuleUses::read(&statements(&text, SourceForm::Free));
                    all.file.renamed.extend(inner.renamed);
                    all.file.take(&text);
                    waiting.extend(needs(&text).into_iter().filter(|need| seen.insert(need.clone())));
                    all.file.known.insert(name);
                }
                Err(why) => _ = all.problems.insert(name, why),
            }
        }
        // Flang must not take another file for a module's.
        for entry in folders.iter().filter_map(|found| std::fs::read_dir(found).ok()).flatten().flatten() {
            let path = entry.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let is_module = path.extension().is_some_and(|extension| extension == "mod");
            if is_module && !all.file.known.contains(&name) {
                output_file::write(&folder.join(format!("{name}.mod")), b"\n")?;
            }
        }
        Ok(all)
    }

    /// Keeps flang's texts of the modules that gfortran has just written: `made` is flang's folder, or why it has none.
    pub fn keep(&self, names: &BTreeSet<String>, made: Result<&Path, &str>) -> Result<(), String> {
        for name in names {
            let Some(stamp) = stamp(&self.written, name) else { continue };
            let path = self.written.join(format!("{name}.dvmod"));
            let old = std::fs::read_to_string(&path).ok().and_then(|text| ModuleRecord::parse(&text));
            // A text that differs in private parts only stays, or flang would call its users' texts out of date.
            if old.is_some_and(|old| old.stamp == stamp && old.text.is_ok()) {
                continue;
            }
            let read = |folder: &Path| {
                std::fs::read_to_string(folder.join(format!("{name}.mod")))
                    .map_err(|_| "flang has not written it".to_owned())
            };
            let record = ModuleRecord { stamp, text: made.map_err(str::to_owned).and_then(read) };
            output_file::write(&path, record.print().as_bytes())?;
        }
        Ok(())
    }
}

/// The text of a module whose file of gfortran is in `folder`, or why it cannot be read.
fn current(folder: &Path, name: &str) -> Result<String, String> {
    let text = std::fs::read_to_string(folder.join(format!("{name}.dvmod")));
    let record = text.ok().and_then(|text| ModuleRecord::parse(&text));
    let record = record.ok_or("it was not compiled by dvmfc")?;
    if stamp(folder, name) != Some(record.stamp) {
        return Err("it was compiled by another command after dvmfc".to_owned());
    }
    record.text
}

/// `a.mod`, and `a@b.smod` for `a-b`.
fn file_of_gfortran(folder: &Path, name: &str) -> PathBuf {
    match name.split_once('-') {
        Some((module, own)) => folder.join(format!("{module}@{own}.smod")),
        None => folder.join(format!("{name}.mod")),
    }
}

/// A number of gfortran's files about a module.
fn stamp(folder: &Path, name: &str) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    std::fs::read(file_of_gfortran(folder, name)).ok()?.hash(&mut hasher);
    // What only submodules see.
    std::fs::read(folder.join(format!("{name}.smod"))).ok().hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(name: &str) -> ModuleUses {
        ModuleUses { used: [name.to_owned()].into(), ..ModuleUses::default() }
    }

    #[test]
    fn texts_are_read_only_beside_the_file_they_belong_to() {
        let place =
            testkit::scratch(&[("g/a.mod", "1"), ("g/b.mod", "1"), ("made/a.mod", "use c,only:x=>y\n!need$ 1 n b\n")]);
        let (g, made) = (place.join("g"), place.join("made"));
        let into = place.join("into");
        std::fs::create_dir(&into).unwrap();
        let folders = ModuleFolders { searched: vec![g.clone()], written: g.clone() };
        let problem = |name: &str| {
            folders.gather(&uses("a"), &into, std::slice::from_ref(&g)).unwrap().problems.get(name).cloned()
        };
        assert!(problem("a").unwrap().contains("not compiled"));
        folders.keep(&["a".to_owned()].into(), Ok(&made)).unwrap();
        folders.keep(&["b".to_owned()].into(), Err("no")).unwrap();
        let all = folders.gather(&uses("a"), &into, std::slice::from_ref(&g)).unwrap();
        assert_eq!(
            (all.file.known, all.problems),
            (["a".to_owned()].into(), [("b".to_owned(), "no".to_owned())].into())
        );
        assert!(all.file.renamed.contains("x") && std::fs::read_to_string(into.join("b.mod")).unwrap() == "\n");
        std::fs::write(g.join("a.mod"), "2").unwrap();
        assert!(problem("a").unwrap().contains("another command"));
    }

    #[test]
    fn a_text_stays_while_the_file_it_belongs_to_stays() {
        let place = testkit::scratch(&[("a.mod", "1"), ("x/a.mod", "old"), ("y/a.mod", "new")]);
        let folders = ModuleFolders { searched: vec![place.to_path_buf()], written: place.to_path_buf() };
        let text = |made: &str| {
            folders.keep(&["a".to_owned()].into(), Ok(&place.join(made))).unwrap();
            current(&place, "a").unwrap()
        };
        assert_eq!((text("x"), text("y")), ("old".to_owned(), "old".to_owned()));
        std::fs::write(place.join("a.mod"), "2").unwrap();
        assert_eq!(text("y"), "new");
    }
}
