//! What is chosen where.

use std::path::PathBuf;

use super::detection::{MpiFamily, Surroundings, Way, decide, folders, for_communicator, no_library, plugins};
use super::loaded_mpi::LoadedMpi;

const OPEN: &str = "Open MPI v4.1.4, package: Debian OpenMPI";
const MPICH: &str = "MPICH Version:\t4.0.2";
const INTEL: &str = "Intel(R) MPI Library 2021.18 for Linux* OS";

fn mpi(version: &str, works: bool) -> LoadedMpi {
    LoadedMpi { version: version.to_owned(), works, ..LoadedMpi::default() }
}

/// What is decided; an error by its message.
fn decided(wish: &str, is_seated: bool, mpi: Option<LoadedMpi>, set: &[(&str, &str)]) -> Result<(Way, String), String> {
    let environment =
        |name: &str| set.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned());
    let surroundings = Surroundings { wish, is_seated, mpi, environment: &environment };
    match decide(&surroundings) {
        Ok(decision) => Ok((decision.way, decision.why)),
        Err(error) => Err(error.message().to_owned()),
    }
}

fn way(mpi: Option<LoadedMpi>, set: &[(&str, &str)]) -> Way {
    decided("auto", false, mpi, set).unwrap().0
}

#[test]
fn without_launcher_a_process_is_alone_unless_its_mpi_works() {
    assert_eq!(way(None, &[]), Way::Alone);
    assert_eq!(way(Some(mpi(OPEN, false)), &[]), Way::Alone);
    assert_eq!(way(Some(mpi(OPEN, true)), &[]), Way::Mpi(vec![MpiFamily::OpenMpi]));
    // A batch script's own process.
    assert_eq!(way(None, &[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]), Way::Alone);
}

#[test]
fn a_launcher_of_several_never_gives_processes_alone() {
    let open = Way::Mpi(vec![MpiFamily::OpenMpi]);
    let mpich = Way::Mpi(vec![MpiFamily::Mpich, MpiFamily::Standard]);
    // Whoever has no PMIx is alone then, which is refused later.
    let pmix = Way::Mpi(vec![MpiFamily::OpenMpi, MpiFamily::Mpich, MpiFamily::Standard]);
    let launchers: [(&str, &str, &Way); 8] = [
        ("OMPI_COMM_WORLD_SIZE", "2", &open),
        ("PMI_SIZE", "2", &mpich),
        ("PMI_SIZE", "not a number", &mpich),
        ("PMI_RANK", "0", &mpich),
        ("PMI_FD", "7", &mpich),
        ("PMIX_RANK", "0", &pmix),
        ("JSM_NAMESPACE_SIZE", "8", &open),
        ("PALS_RANKID", "1", &mpich),
    ];
    for (variable, value, expected) in launchers {
        assert_eq!(way(None, &[(variable, value)]), *expected, "{variable}={value}");
        // The process's own MPI decides which plugin.
        for (version, family) in [(OPEN, MpiFamily::OpenMpi), (MPICH, MpiFamily::Mpich), (INTEL, MpiFamily::Mpich)] {
            for works in [true, false] {
                assert_eq!(way(Some(mpi(version, works)), &[(variable, value)]), Way::Mpi(vec![family]), "{version}");
            }
        }
        let unknown = decided("auto", false, Some(mpi("Another MPI 1.0", true)), &[(variable, value)]).unwrap_err();
        assert!(unknown.contains("no plugin (Another MPI 1.0)") && unknown.contains("DVM_TRANSPORT=none"), "{unknown}");
        let ended = LoadedMpi { is_finalised: true, ..mpi(OPEN, false) };
        assert!(decided("auto", false, Some(ended), &[(variable, value)]).unwrap_err().contains("is finalized"));
    }
    let srun = decided("auto", false, None, &[("SLURM_STEP_NUM_TASKS", "4"), ("SLURM_PROCID", "1")]).unwrap_err();
    assert!(srun.contains("srun") && srun.contains("4 processes") && srun.contains("--mpi=pmix"), "{srun}");
}

#[test]
fn a_launcher_of_one_process_leaves_it_alone() {
    for set in [
        &[("OMPI_COMM_WORLD_SIZE", "1")][..],
        &[("PMI_SIZE", "1")],
        &[("PMIX_RANK", "0"), ("SLURM_STEP_NUM_TASKS", "1")],
        &[("SLURM_STEP_NUM_TASKS", "1")],
    ] {
        assert_eq!(way(None, set), Way::Alone, "{set:?}");
    }
    assert_eq!(way(Some(mpi(OPEN, true)), &[("OMPI_COMM_WORLD_SIZE", "1")]), Way::Alone);
}

#[test]
fn the_standard_interface_has_its_own_plugin_whatever_lies_under_it() {
    let both = LoadedMpi { by_standard: true, ..mpi(MPICH, true) };
    assert_eq!(way(Some(both), &[("PMI_SIZE", "2")]), Way::Mpi(vec![MpiFamily::Standard]));
}

#[test]
fn dvmrun_and_wishes_come_first() {
    let mpirun = [("OMPI_COMM_WORLD_SIZE", "2")];
    assert_eq!(decided("auto", true, None, &mpirun).unwrap().0, Way::Embedded);
    assert_eq!(decided("embedded", true, Some(mpi(OPEN, true)), &mpirun).unwrap().0, Way::Embedded);
    assert!(decided("embedded", false, None, &mpirun).unwrap_err().contains("needs dvmrun"));
    for seated in [true, false] {
        assert_eq!(decided("none", seated, Some(mpi(OPEN, true)), &mpirun).unwrap().0, Way::Alone);
        assert_eq!(decided("mpi", seated, None, &mpirun).unwrap().0, Way::Mpi(vec![MpiFamily::OpenMpi]));
    }
    assert_eq!(decided("mpi", false, None, &[]).unwrap().0, Way::Mpi(MpiFamily::ALL.to_vec()));
}

#[test]
fn a_decision_names_its_reason() {
    let why = |mpi, set: &[(&str, &str)]| decided("auto", false, mpi, set).unwrap().1;
    assert!(why(None, &[("PMI_SIZE", "2")]).contains("PMI_SIZE"));
    let both = why(Some(mpi(OPEN, true)), &[("OMPI_COMM_WORLD_SIZE", "2")]);
    assert!(both.contains(OPEN) && both.contains("OMPI_COMM_WORLD_SIZE"), "{both}");
    assert!(why(None, &[]).contains("nothing has started"));
}

#[test]
fn a_communicator_needs_an_mpi_that_works() {
    assert_eq!(for_communicator(Some(&mpi(INTEL, true))).unwrap(), MpiFamily::Mpich);
    assert!(for_communicator(None).unwrap_err().message().contains("has no MPI"));
    assert!(for_communicator(Some(&mpi(OPEN, false))).unwrap_err().message().contains("before MPI_Init"));
    assert!(for_communicator(Some(&mpi("Another", true))).unwrap_err().message().contains("no plugin"));
}

#[test]
fn the_first_plugin_that_is_there_is_taken_and_a_missing_one_is_named_with_its_folder() {
    let scratch = testkit::scratch(&[("libdvm_mpi_abi.so", "no library")]);
    let named = folders(Some(&scratch));
    let families = [MpiFamily::Mpich, MpiFamily::Standard];
    let standard = (MpiFamily::Standard, scratch.join("libdvm_mpi_abi.so"));
    assert_eq!(plugins(&families, &named).unwrap(), [standard]);
    let missing = plugins(&[MpiFamily::OpenMpi], &[PathBuf::from("/nonexistent")]).unwrap_err();
    for part in ["libdvm_mpi_openmpi.so", "/nonexistent", "DVM_PLUGIN_DIR", "DVM_TRANSPORT=none"] {
        assert!(missing.message().contains(part), "{missing}");
    }
    let nowhere = no_library(&["libmpi.so.12: not found".to_owned()]);
    assert!(nowhere.message().contains("LD_LIBRARY_PATH (libmpi.so.12: not found)"), "{nowhere}");
    let broken = super::plugin::Plugin::open(&scratch.join("libdvm_mpi_abi.so"), None).err().unwrap();
    assert!(broken.message().contains("cannot be used"), "{broken}");
    assert!(!folders(None).is_empty(), "the folders around libdvm");
}
