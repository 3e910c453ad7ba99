//! Who is measured: libdvm, its peers, serial code and the hand-written floors.

/// What a system is to the comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Plain loops and recursion.
    Serial,
    /// What can be written by hand for exactly this work.
    Floor,
    /// This project.
    Own,
    /// A peer that finds the order of its tasks from the data that they are declared to use.
    Tracking,
    /// A peer whose tasks know no data: the program orders them.
    DataFree,
}

impl Kind {
    /// In a word, for the table.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Serial => "serial",
            Kind::Floor => "by hand",
            Kind::Own => "libdvm",
            Kind::Tracking => "tracks data",
            Kind::DataFree => "no data",
        }
    }

    /// Whether others are compared with it.
    pub fn is_peer(self) -> bool {
        matches!(self, Kind::Tracking | Kind::DataFree)
    }
}

/// How programs of a system are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Toolchain {
    /// The C compiler.
    C,
    /// The C compiler against libdvm.
    Dvm,
    /// The C++ compiler against libdvm.
    DvmCxx,
    /// The C compiler with `-fopenmp`.
    Gomp,
    /// clang with `-fopenmp`.
    Libomp,
    /// The C compiler against a package that pkg-config knows.
    CWith(&'static str),
    /// The C++ compiler against a package that pkg-config knows.
    CxxWith(&'static str),
    /// In this program.
    Rayon,
}

/// One system.
pub struct System {
    /// How `--systems` and the reports call it.
    pub name: &'static str,
    /// What it is to the comparison.
    pub kind: Kind,
    /// How its programs are made.
    pub toolchain: Toolchain,
    /// The folder of its programs, under the folder of the bench.
    pub folder: &'static str,
    /// The Debian packages that it needs.
    pub packages: &'static str,
    /// The works that it has, each with its program and that program's VARIANT.
    works: &'static [(&'static str, &'static str, &'static str)],
    /// What to know about its numbers.
    pub note: &'static str,
}

impl System {
    /// The program for a work, and its VARIANT.
    pub fn program(&self, work: &str) -> Option<(&'static str, &'static str)> {
        self.works.iter().find(|(key, ..)| *key == work).map(|&(_, program, variant)| (program, variant))
    }
}

const SERIAL: &[(&str, &str, &str)] = &[
    ("a", "independent", ""),
    ("b", "chain", ""),
    ("c", "tree", ""),
    ("c-datum", "tree", "datum"),
    ("d", "stencil", ""),
    ("e", "stencil", ""),
    ("entry", "entry", ""),
];
const FLOOR: &[(&str, &str, &str)] = &[
    ("a", "independent", ""),
    ("b", "chain", ""),
    ("c", "tree", ""),
    ("c-datum", "tree", "datum"),
    ("d", "stencil", ""),
    ("e", "stencil", ""),
    ("metg-stencil_1d", "metg", "stencil_1d"),
    ("metg-nearest", "metg", "nearest"),
    ("metg-fft", "metg", "fft"),
    ("metg-no_comm", "metg", "no_comm"),
    ("arguments-4", "arguments", "arguments-4"),
    ("arguments-5", "arguments", "arguments-5"),
    ("arguments-64", "arguments", "arguments-64"),
];
const DVM: &[(&str, &str, &str)] = &[
    ("a", "independent", "rank"),
    ("b", "chain", "rank"),
    ("c", "tree", ""),
    ("c-datum", "tree", "datum"),
    ("d", "stencil", "rank"),
    ("e", "graph", ""),
    ("entry", "entry", ""),
    ("hop", "hop", ""),
    ("metg-stencil_1d", "metg", "stencil_1d"),
    ("metg-nearest", "metg", "nearest"),
    ("metg-fft", "metg", "fft"),
    ("metg-no_comm", "metg", "no_comm"),
    ("memory", "memory", ""),
    ("gets", "cliffs", "gets"),
    ("sections", "cliffs", "sections"),
    ("sleepers", "cliffs", "sleepers"),
    ("near-16", "cliffs", "near-16"),
    ("near-1k", "cliffs", "near-1k"),
    ("near-4k", "cliffs", "near-4k"),
    ("arguments-4", "cliffs", "arguments-4"),
    ("arguments-5", "cliffs", "arguments-5"),
    ("arguments-64", "cliffs", "arguments-64"),
    ("remote", "cliffs", "remote"),
    ("wait-1", "cliffs", "wait-1"),
    ("wait-64", "cliffs", "wait-64"),
];
const DVM_NEAR: &[(&str, &str, &str)] =
    &[("a", "independent", "near"), ("b", "chain", "near"), ("d", "stencil", "near")];
const DVM_MODES: &[(&str, &str, &str)] = &[("a", "independent", "modes"), ("b", "chain", "modes")];
const DVM_CXX: &[(&str, &str, &str)] = &[("a", "independent", "rank"), ("b", "chain", "rank")];
const GLIBC: &[(&str, &str, &str)] = &[("remote", "cliffs", "remote-malloc")];
const STARPU: &[(&str, &str, &str)] = &[
    ("a", "independent", ""),
    ("b", "chain", ""),
    ("c", "tree", ""),
    ("c-datum", "tree", "datum"),
    ("d", "stencil", ""),
    ("metg-stencil_1d", "metg", "stencil_1d"),
    ("metg-nearest", "metg", "nearest"),
    ("metg-fft", "metg", "fft"),
    ("metg-no_comm", "metg", "no_comm"),
    ("memory", "memory", ""),
];
const OPENMP: &[(&str, &str, &str)] = &[
    ("a", "independent", ""),
    ("b", "chain", ""),
    ("c", "tree", ""),
    ("c-datum", "tree", "datum"),
    ("d", "stencil", ""),
    ("e", "graph", ""),
    ("entry", "entry", ""),
    ("metg-stencil_1d", "metg", "stencil_1d"),
    ("metg-nearest", "metg", "nearest"),
    ("metg-fft", "metg", "fft"),
    ("metg-no_comm", "metg", "no_comm"),
    ("memory", "memory", ""),
    ("wait-1", "waits", "1"),
    ("wait-64", "waits", "64"),
];
const TBB: &[(&str, &str, &str)] = &[
    ("a", "independent", ""),
    ("b", "chain", ""),
    ("c", "tree", ""),
    ("c-datum", "tree", "datum"),
    ("memory", "memory", ""),
    ("wait-1", "waits", "1"),
    ("wait-64", "waits", "64"),
];
const TBB_FLOW: &[(&str, &str, &str)] = &[
    ("a", "independent", ""),
    ("b", "chain", ""),
    ("d", "stencil", ""),
    ("e", "stencil", "built"),
    ("metg-stencil_1d", "metg", "stencil_1d"),
    ("metg-nearest", "metg", "nearest"),
    ("metg-fft", "metg", "fft"),
    ("metg-no_comm", "metg", "no_comm"),
    ("memory", "memory", ""),
];
const RAYON: &[(&str, &str, &str)] = &[
    ("a", "independent", ""),
    ("b", "chain", ""),
    ("c", "tree", ""),
    ("c-datum", "tree", "datum"),
    ("e", "graph", ""),
    ("memory", "memory", ""),
];

const RAYON_JOIN: &[(&str, &str, &str)] = &[("c", "tree", "join"), ("c-datum", "tree", "join-datum")];

/// All systems, in the order of the report.
pub const SYSTEMS: &[System] = &[
    System {
        name: "serial",
        kind: Kind::Serial,
        toolchain: Toolchain::C,
        folder: "peers/serial",
        packages: "gcc",
        works: SERIAL,
        note: "function calls; run with 1 worker only",
    },
    System {
        name: "floor",
        kind: Kind::Floor,
        toolchain: Toolchain::C,
        folder: "peers/floor",
        packages: "gcc",
        works: FLOOR,
        note: "written by hand for each work; the threads spin; in d and e there are no tasks at all",
    },
    System {
        name: "dvm",
        kind: Kind::Own,
        toolchain: Toolchain::Dvm,
        folder: "dvm",
        packages: "",
        works: DVM,
        note: "placed by rank in a, b and d; the submitting thread is no worker",
    },
    System {
        name: "dvm-near",
        kind: Kind::Own,
        toolchain: Toolchain::Dvm,
        folder: "dvm",
        packages: "",
        works: DVM_NEAR,
        note: "placed near the data",
    },
    System {
        name: "dvm-modes",
        kind: Kind::Own,
        toolchain: Toolchain::Dvm,
        folder: "dvm",
        packages: "",
        works: DVM_MODES,
        note: "C with the calls that dvm.hpp makes: modes READ and INOUT, tasks get their data",
    },
    System {
        name: "dvm-cpp",
        kind: Kind::Own,
        toolchain: Toolchain::DvmCxx,
        folder: "dvm-cpp",
        packages: "g++",
        works: DVM_CXX,
        note: "dvm.hpp, placed by rank: what C++ costs over C (dvm-modes)",
    },
    System {
        name: "glibc",
        kind: Kind::Floor,
        toolchain: Toolchain::Dvm,
        folder: "dvm",
        packages: "",
        works: GLIBC,
        note: "libdvm's tasks with calloc and free in them",
    },
    System {
        name: "starpu",
        kind: Kind::Tracking,
        toolchain: Toolchain::CWith("starpu-1.3"),
        folder: "peers/starpu",
        packages: "libstarpu-dev pkg-config",
        works: STARPU,
        note: "scheduler lws; the submitting thread is no worker",
    },
    System {
        name: "gomp",
        kind: Kind::Tracking,
        toolchain: Toolchain::Gomp,
        folder: "peers/openmp",
        packages: "gcc",
        works: OPENMP,
        note: "libgomp: beyond 64 waiting tasks per thread, new ones are run by their maker at once; e is a parallel loop",
    },
    System {
        name: "libomp",
        kind: Kind::Tracking,
        toolchain: Toolchain::Libomp,
        folder: "peers/openmp",
        packages: "clang libomp-dev",
        works: OPENMP,
        note: "with 1 thread no task is deferred; e is a parallel loop",
    },
    System {
        name: "tbb-flow",
        kind: Kind::Tracking,
        toolchain: Toolchain::CxxWith("tbb"),
        folder: "peers/tbb-flow",
        packages: "libtbb-dev pkg-config",
        works: TBB_FLOW,
        note: "flow graph; its building counts in d, not in e and METG",
    },
    System {
        name: "tbb",
        kind: Kind::DataFree,
        toolchain: Toolchain::CxxWith("tbb"),
        folder: "peers/tbb",
        packages: "libtbb-dev pkg-config",
        works: TBB,
        note: "task_group",
    },
    System {
        name: "rayon",
        kind: Kind::DataFree,
        toolchain: Toolchain::Rayon,
        folder: "",
        packages: "",
        works: RAYON,
        note: "scope and spawn; e is a parallel loop",
    },
    System {
        name: "rayon-join",
        kind: Kind::DataFree,
        toolchain: Toolchain::Rayon,
        folder: "",
        packages: "",
        works: RAYON_JOIN,
        note: "join: a task calls one of its two children itself, and waits for both",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::works::{Measure, WORKS};

    #[test]
    fn names_are_unique_and_works_exist() {
        for (index, system) in SYSTEMS.iter().enumerate() {
            assert!(SYSTEMS[..index].iter().all(|other| other.name != system.name), "{}", system.name);
            for (key, ..) in system.works {
                assert!(WORKS.iter().any(|work| work.key == *key), "{}: {key}", system.name);
            }
        }
    }

    #[test]
    fn each_work_has_a_peer_and_libdvm() {
        for work in WORKS {
            let has = |kind: fn(Kind) -> bool| {
                SYSTEMS.iter().any(|system| kind(system.kind) && system.program(work.key).is_some())
            };
            let own = SYSTEMS.iter().filter(|system| system.kind == Kind::Own);
            let cliff =
                own.flat_map(|system| system.works).any(|(key, program, _)| *key == work.key && *program == "cliffs");
            // Peers do not place tasks on a worker that the program names, and cliffs are libdvm's own.
            let alone = work.measure == Measure::PerHop || cliff;
            assert!((alone || has(Kind::is_peer)) && has(|kind| kind == Kind::Own), "{}", work.key);
        }
    }

    #[test]
    fn every_program_has_its_source() {
        for system in SYSTEMS.iter().filter(|system| system.toolchain != Toolchain::Rayon) {
            for (_, program, _) in system.works {
                let source = |extension| format!("{}/{program}.{extension}", system.folder);
                let exists = |path: String| std::path::Path::new(&path).exists();
                assert!(exists(source("c")) || exists(source("cpp")), "{}", source("c"));
            }
        }
    }
}
