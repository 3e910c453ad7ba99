//! What `--why` prints, for C and for Fortran: the counts of each file, the nests of all files with most work first, and
//! the sum.

use std::fmt::Write;
use std::path::PathBuf;

/// What can be done about the nests of a file.
#[derive(Debug)]
pub struct FileAdvice {
    /// The file.
    pub path: PathBuf,
    /// Its nests outside of regions.
    pub nests: Vec<NestAdvice>,
    /// How many regions it has already.
    pub regions: usize,
}

/// What can be done about a nest.
#[derive(Debug)]
pub struct NestAdvice {
    /// Estimated number of operations.
    pub work: f64,
    /// It can be tiled as a whole.
    pub tiled: bool,
    /// What is told of it, which begins with an empty line.
    pub text: String,
}

/// The counts of nests.
#[derive(Default)]
struct NestCounts {
    nests: usize,
    tiled: usize,
    regions: usize,
}

impl NestCounts {
    fn of(file: &FileAdvice) -> NestCounts {
        let tiled = file.nests.iter().filter(|nest| nest.tiled).count();
        NestCounts { nests: file.nests.len(), tiled, regions: file.regions }
    }

    fn add(&mut self, other: &NestCounts) {
        self.nests += other.nests;
        self.tiled += other.tiled;
        self.regions += other.regions;
    }

    fn text(&self) -> String {
        let many = |number: usize| if number == 1 { "" } else { "s" };
        let NestCounts { nests, tiled, regions } = *self;
        let mut text = format!("{nests} loop nest{}, of which {tiled} can be tiled", many(nests));
        if regions > 0 {
            let _ = write!(text, "; {regions} region{} already", many(regions));
        }
        text
    }
}

/// The report about some files.
pub fn report(files: Vec<FileAdvice>) -> String {
    let (mut text, mut sum) = (String::new(), NestCounts::default());
    let (number, order) = (files.len(), if files.len() == 1 { "; the largest first" } else { "" });
    for file in &files {
        let counts = NestCounts::of(file);
        let _ = writeln!(text, "{}: {}{order}", file.path.display(), counts.text());
        sum.add(&counts);
    }
    if number > 1 && sum.nests > 0 {
        text.push_str("\nThe nests of all files, the largest first:\n");
    }
    let mut nests: Vec<NestAdvice> = files.into_iter().flat_map(|file| file.nests).collect();
    nests.sort_by(|one, other| other.work.total_cmp(&one.work));
    text.extend(nests.into_iter().map(|nest| nest.text));
    if number > 1 {
        let _ = writeln!(text, "\n{number} files: {}", sum.text());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, works: &[(f64, bool)], regions: usize) -> FileAdvice {
        let nest = |(work, tiled): &(f64, bool)| NestAdvice { work: *work, tiled: *tiled, text: format!("\n{work}\n") };
        FileAdvice { path: PathBuf::from(name), nests: works.iter().map(nest).collect(), regions }
    }

    #[test]
    fn nests_of_all_files_are_in_one_order() {
        let files =
            vec![file("a.c", &[(1.0, true), (9.0, false)], 0), file("b.c", &[(5.0, true)], 1), file("c.c", &[], 2)];
        assert_eq!(
            report(files),
            "a.c: 2 loop nests, of which 1 can be tiled\nb.c: 1 loop nest, of which 1 can be tiled; 1 region already\n\
             c.c: 0 loop nests, of which 0 can be tiled; 2 regions already\n\n\
             The nests of all files, the largest first:\n\n9\n\n5\n\n1\n\n\
             3 files: 3 loop nests, of which 2 can be tiled; 3 regions already\n"
        );
    }

    #[test]
    fn one_file_has_no_sum() {
        let text = report(vec![file("a.c", &[(1.0, false), (2.0, true)], 0)]);
        assert_eq!(text, "a.c: 2 loop nests, of which 1 can be tiled; the largest first\n\n2\n\n1\n");
        assert_eq!(report(Vec::new()), "");
    }
}
