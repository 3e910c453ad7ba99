//! Files that a source includes. Marks in them are told, as only the source itself is rewritten.

use super::refused::FortranRefusal;
use super::statements::{SourceForm, marks, statements};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files with marks that a source includes, also by way of others, with a refusal for each region. `folders`: where
/// included files are looked for after the source's own folder.
pub fn included_marks(source: &Path, form: SourceForm, folders: &[PathBuf]) -> Vec<(PathBuf, FortranRefusal)> {
    let (mut found, mut seen, mut open) = (Vec::new(), BTreeSet::new(), vec![source.to_owned()]);
    while let Some(path) = open.pop() {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        if path != source {
            for mark in marks(&text, form).iter().filter(|mark| mark.text != "end region") {
                let reason = "the mark stands in an included file, and only the file that is compiled is transformed";
                let remedy = "move the procedure, or the loop, to the file that is compiled";
                found.push((path.clone(), FortranRefusal::new(mark.line, reason, remedy)));
            }
        }
        let own = path.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
        for name in included(&text, form) {
            let places = std::iter::once(&own).chain(folders);
            let Some(place) = places.map(|folder| folder.join(&name)).find(|place| place.is_file()) else { continue };
            if seen.insert(std::fs::canonicalize(&place).unwrap_or_else(|_| place.clone())) {
                open.push(place);
            }
        }
    }
    found
}

/// The names in quotes that a text includes, by a statement or the preprocessor.
fn included(text: &str, form: SourceForm) -> Vec<String> {
    statements(text, form).iter().filter_map(|statement| included_name(&statement.text)).collect()
}

fn included_name(statement: &str) -> Option<String> {
    let rest = statement.strip_prefix('#').map_or(statement, str::trim_start).strip_prefix("include")?.trim_start();
    let quote = rest.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
    rest[1..].split_once(quote).map(|(name, _)| name.to_owned())
}

/// Whether the text of a source, or of a file that it may include, is `suspect`, or may include a file that is not found.
pub fn any_included(source: &Path, form: SourceForm, folders: &[PathBuf], suspect: &dyn Fn(&str) -> bool) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([source.to_owned()]), vec![source.to_owned()]);
    while let Some(path) = open.pop() {
        let Ok(bytes) = std::fs::read(&path) else { return true };
        let text = String::from_utf8_lossy(&bytes);
        if suspect(&text) {
            return true;
        }
        let own = path.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
        for statement in statements(&text, form).iter().filter(|s| s.text.to_ascii_lowercase().contains("include")) {
            let Some(name) = included_name(&statement.text) else { return true };
            // Which of them a compiler takes is its own matter.
            let places = std::iter::once(&own).chain(folders).map(|folder| folder.join(&name));
            let places: Vec<PathBuf> = places.filter(|place| place.is_file()).collect();
            if places.is_empty() {
                return true;
            }
            open.extend(places.into_iter().filter(|place| seen.insert(place.clone())));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_looked_for_in_all_files() {
        let folder = testkit::scratch(&[
            ("a.f90", "program a\n  include 'one.inc'\nend ! include nothing\n"),
            ("one.inc", "include 'two.inc'\n"),
            ("more/two.inc", "integer here\n"),
            ("b.f90", "#include <one.inc>\n"),
        ]);
        let found = |name: &str, folders: &[PathBuf], word: &str| {
            any_included(&folder.join(name), SourceForm::Free, folders, &|text| text.contains(word))
        };
        let more = [folder.join("more")];
        assert!(found("a.f90", &more, "here") && !found("a.f90", &more, "elsewhere"));
        assert!(found("a.f90", &[], "elsewhere"), "a file that is not found may have it");
        assert!(found("b.f90", &more, "elsewhere") && found("none.f90", &more, "elsewhere"));
    }

    #[test]
    fn marks_are_found_by_way_of_other_files() {
        let folder = testkit::scratch(&[
            ("a.f90", "subroutine s\n  INCLUDE 'One.inc' ! here\n# include \"two.h\"\n!$dvm region\nend\n"),
            ("One.inc", "include \"deep/three.inc\"\n"),
            ("two.h", "x = 1\n!$dvm region tile(3)\n!$dvm end region\n!$dvm regoin\n"),
            ("more/deep/three.inc", "include '../../One.inc'\ninclude 'none.inc'\n\n!$DVM region\n"),
        ]);
        let found = included_marks(&folder.join("a.f90"), SourceForm::Free, &[folder.join("more")]);
        let mut places: Vec<(String, u32)> = found
            .iter()
            .map(|(path, why)| (path.file_name().expect("a name").to_string_lossy().into_owned(), why.line))
            .collect();
        places.sort();
        assert_eq!(places, [("three.inc".to_owned(), 4), ("two.h".to_owned(), 2), ("two.h".to_owned(), 4)]);
    }
}
