//! Marks in files that a source includes: only the source itself is rewritten, so these are told.

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
    let name = |statement: &str| {
        let rest = statement.strip_prefix('#').map_or(statement, str::trim_start).strip_prefix("include")?.trim_start();
        let quote = rest.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
        rest[1..].split_once(quote).map(|(name, _)| name.to_owned())
    };
    statements(text, form).iter().filter_map(|statement| name(&statement.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
