//! Whether the program's others may serve without having run main, where no clause of the program says so: they must not be
//! meant to do anything by themselves. What is not certain counts against it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::processing::image;

/// What a program mentions whose processes know of each other, or whose code is not all there before main.
const IN_PROGRAM: [&str; 13] = [
    "dvm_init",
    "MPI_Init",
    "mpi_init_",
    "PMIx_Init",
    "PMI_Init",
    "PMI2_Init",
    "_COMM_WORLD_RANK",
    "PMI_RANK",
    "PMIX_RANK",
    "SLURM_PROCID",
    "DVM_PROCESS",
    "dlopen",
    "dlmopen",
];

/// The same for the libraries that it links: those of the system open others, and print names of variables.
const IN_LIBRARY: [&str; 3] = ["dvm_init", "MPI_Init", "mpi_init_"];

/// Why the processes of this program may be meant to run main themselves.
pub(crate) fn objection() -> Option<String> {
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else { return Some("its files cannot be listed".to_owned()) };
    let own = image::locate(objection as *const () as usize).and_then(|place| fs::canonicalize(place.object).ok());
    let files = mapped_code(&maps);
    let program = match fs::read_link("/proc/self/exe") {
        Ok(path) => path.display().to_string(),
        Err(_) => return Some("its file is not known".to_owned()),
    };
    files.iter().filter(|file| Some(Path::new(file)) != own.as_deref()).find_map(|file| {
        let words: &[&str] = if *file == program { &IN_PROGRAM } else { &IN_LIBRARY };
        let Ok(bytes) = fs::read(Path::new(file)) else { return Some(format!("{file} cannot be read")) };
        mentioned(&bytes, words).map(|word| format!("{file} mentions {word}"))
    })
}

/// The files whose code is mapped.
fn mapped_code(maps: &str) -> BTreeSet<String> {
    let path = |line: &str| {
        let mut rest = line;
        let mut flags = "";
        for field in 0..5 {
            let (word, after) = rest.split_once(' ')?;
            rest = after.trim_start();
            if field == 1 {
                flags = word;
            }
        }
        (flags.contains('x') && rest.starts_with('/')).then(|| rest.to_owned())
    };
    maps.lines().filter_map(path).collect()
}

/// The first of the words in a file.
fn mentioned<'w>(bytes: &[u8], words: &[&'w str]) -> Option<&'w str> {
    let begins = |byte: &u8| words.iter().any(|word| word.as_bytes()[0] == *byte);
    let places = (0..bytes.len()).filter(|at| begins(&bytes[*at]));
    places
        .flat_map(|at| words.iter().map(move |word| (at, *word)))
        .find_map(|(at, word)| bytes[at..].starts_with(word.as_bytes()).then_some(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_code_are_found() {
        let maps = "55d0-55d1 r--p 00000000 08:01 12 /bin/prog\n\
                    55d1-55d2 r-xp 00001000 08:01 12                 /bin/prog\n\
                    7f00-7f01 r-xp 00000000 08:01 13     /usr/lib/a b.so\n\
                    7f02-7f03 r--p 00000000 08:01 14     /usr/share/data\n\
                    7f04-7f05 r-xp 00000000 00:00 0      [vdso]\n\
                    7f06-7f07 rwxp 00000000 00:00 0 \n";
        assert_eq!(Vec::from_iter(mapped_code(maps)), ["/bin/prog", "/usr/lib/a b.so"]);
    }

    #[test]
    fn a_program_that_knows_of_processes_is_recognised() {
        assert_eq!(mentioned(b"\0puts\0dvm_init\0", &IN_PROGRAM), Some("dvm_init"));
        assert_eq!(mentioned(b"..OMPI_COMM_WORLD_RANK..", &IN_PROGRAM), Some("_COMM_WORLD_RANK"));
        assert_eq!(mentioned(b"\0dlopen\0", &IN_PROGRAM), Some("dlopen"));
        assert_eq!(mentioned(b"\0dlopen\0", &IN_LIBRARY), None);
        assert_eq!(mentioned(b"\0puts\0dvm_graph_run\0", &IN_PROGRAM), None);
    }
}
