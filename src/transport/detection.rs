//! Which transport a process needs, from what has started it, and what of an MPI it has already. A plugin is loaded only
//! afterwards: one for another MPI than the process's own would end the process.

use std::fmt;
use std::path::{Path, PathBuf};

use super::loaded_mpi::{self, LoadedMpi, own_folder};
use crate::error::{Error, dvm_retcode_t};

/// MPIs that one plugin serves, by their binary interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MpiFamily {
    /// Open MPI 4 and 5.
    OpenMpi,
    /// MPICH 3.4 to 5, and what takes its place, as Intel MPI.
    Mpich,
    /// Whatever has the binary interface of the standard MPI 5.
    Standard,
}

impl MpiFamily {
    /// All of them.
    pub const ALL: [MpiFamily; 3] = [MpiFamily::OpenMpi, MpiFamily::Mpich, MpiFamily::Standard];

    /// The name of the plugin's file.
    pub fn file(self) -> &'static str {
        match self {
            MpiFamily::OpenMpi => "libdvm_mpi_openmpi.so",
            MpiFamily::Mpich => "libdvm_mpi_mpich.so",
            MpiFamily::Standard => "libdvm_mpi_abi.so",
        }
    }

    /// The names of the MPI's library.
    pub(crate) fn libraries(self) -> &'static [&'static str] {
        match self {
            MpiFamily::OpenMpi => &[loaded_mpi::OPEN_MPI],
            MpiFamily::Mpich => loaded_mpi::MPICH,
            MpiFamily::Standard => &[loaded_mpi::STANDARD],
        }
    }

    /// The family of an MPI by what it says of itself.
    fn of(mpi: &LoadedMpi) -> Option<MpiFamily> {
        let says = |name: &str| mpi.version.contains(name);
        if mpi.by_standard {
            Some(MpiFamily::Standard)
        } else if says("Open MPI") {
            Some(MpiFamily::OpenMpi)
        } else {
            ["MPICH", "Intel(R) MPI", "MVAPICH"].into_iter().any(says).then_some(MpiFamily::Mpich)
        }
    }
}

impl fmt::Display for MpiFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MpiFamily::OpenMpi => "Open MPI",
            MpiFamily::Mpich => "MPICH or Intel MPI",
            MpiFamily::Standard => "the ABI of MPI 5",
        })
    }
}

/// The way to the other processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// There are none.
    Alone,
    /// Rings, as dvmrun has prepared them.
    Embedded,
    /// A plugin for one of these, the first that is there.
    Mpi(Vec<MpiFamily>),
}

/// A way, and why it was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) way: Way,
    pub(crate) why: String,
    /// Several processes were started: fewer than two that see each other are an error.
    pub(crate) expects_others: bool,
}

/// What a decision depends on.
pub(crate) struct Surroundings<'a> {
    /// `DVM_TRANSPORT`.
    pub(crate) wish: &'a str,
    /// dvmrun has started the process.
    pub(crate) is_seated: bool,
    pub(crate) mpi: Option<LoadedMpi>,
    pub(crate) environment: &'a dyn Fn(&str) -> Option<String>,
}

/// A launcher other than dvmrun.
struct Launcher {
    /// With the variable by which it is known.
    name: String,
    /// How many processes it has started; `None`: it does not say.
    processes: Option<u64>,
    /// The MPIs that work under it, the likeliest first; none: it offers nothing that an MPI could use.
    families: Vec<MpiFamily>,
}

/// Launchers by a variable that they set, whose value is the number of processes.
const COUNTING: &[(&str, &str, &[MpiFamily])] = &[
    ("OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun", &[MpiFamily::OpenMpi]),
    ("PMI_SIZE", "a launcher that speaks PMI", &[MpiFamily::Mpich, MpiFamily::Standard]),
    ("MV2_COMM_WORLD_SIZE", "MVAPICH's launcher", &[MpiFamily::Mpich]),
    ("JSM_NAMESPACE_SIZE", "jsrun", &[MpiFamily::OpenMpi]),
    ("FLUX_JOB_SIZE", "flux", &[MpiFamily::Mpich, MpiFamily::Standard, MpiFamily::OpenMpi]),
];

/// Launchers that do not say how many processes they have started.
const OTHERS: &[(&str, &str, &[MpiFamily])] = &[
    ("PMIX_RANK", "a launcher that speaks PMIx", &[MpiFamily::OpenMpi, MpiFamily::Mpich, MpiFamily::Standard]),
    ("PMI_RANK", "a launcher that speaks PMI", &[MpiFamily::Mpich, MpiFamily::Standard]),
    ("PMI_FD", "a launcher that speaks PMI", &[MpiFamily::Mpich, MpiFamily::Standard]),
    ("PALS_RANKID", "PALS", &[MpiFamily::Mpich, MpiFamily::Standard]),
    ("ALPS_APP_PE", "aprun", &[MpiFamily::Mpich]),
];

fn launcher(environment: &dyn Fn(&str) -> Option<String>) -> Option<Launcher> {
    let number = |variable: &str| environment(variable).and_then(|value| value.trim().parse().ok());
    let found = |known: &'static [(&str, &str, &[MpiFamily])]| {
        known.iter().find(|(variable, ..)| environment(variable).is_some())
    };
    // Of srun for the processes of a step only: a batch script's own process is none.
    let step: Option<u64> = number("SLURM_STEP_NUM_TASKS");
    if let Some((variable, name, families)) = found(COUNTING) {
        let name = format!("{name} ({variable})");
        return Some(Launcher { name, processes: number(variable), families: families.to_vec() });
    }
    if let Some((variable, name, families)) = found(OTHERS) {
        return Some(Launcher { name: format!("{name} ({variable})"), processes: step, families: families.to_vec() });
    }
    let processes = step.filter(|&tasks| tasks > 1)?;
    Some(Launcher {
        name: "srun without PMI (SLURM_STEP_NUM_TASKS)".to_owned(),
        processes: Some(processes),
        families: Vec::new(),
    })
}

fn unsupported(text: String) -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, text)
}

fn alone(why: String) -> Decision {
    Decision { way: Way::Alone, why, expects_others: false }
}

/// Decides.
///
/// # Errors
/// Several processes were started, and there is no way from one to another; or the wish cannot be met.
pub(crate) fn decide(surroundings: &Surroundings<'_>) -> Result<Decision, Error> {
    match surroundings.wish {
        "none" => Ok(alone("DVM_TRANSPORT is none".to_owned())),
        "embedded" if surroundings.is_seated => Ok(seated()),
        "embedded" => Err(Error::argument(
            "the environment variable DVM_TRANSPORT is \"embedded\": that needs dvmrun, which has not started this process",
        )),
        "mpi" => by_mpi(surroundings, true),
        _ if surroundings.is_seated => Ok(seated()),
        _ => by_mpi(surroundings, false),
    }
}

fn seated() -> Decision {
    let why = "dvmrun has started this process (DVM_JOB)".to_owned();
    Decision { way: Way::Embedded, why, expects_others: false }
}

fn by_mpi(surroundings: &Surroundings<'_>, forced: bool) -> Result<Decision, Error> {
    let launcher = launcher(surroundings.environment);
    let several = launcher.as_ref().is_some_and(|launcher| launcher.processes != Some(1));
    let started = launcher.as_ref().map_or_else(|| "no launcher".to_owned(), |launcher| launcher.name.clone());
    let Some(mpi) = &surroundings.mpi else {
        return match launcher {
            Some(launcher) if several && launcher.families.is_empty() => Err(no_pmi(&launcher)),
            Some(launcher) if several || forced => Ok(Decision {
                why: format!("{started} has started this process, which has no MPI of its own"),
                way: Way::Mpi(if launcher.families.is_empty() { MpiFamily::ALL.to_vec() } else { launcher.families }),
                expects_others: several,
            }),
            Some(_) => Ok(alone(format!("{started} has started one process"))),
            None if forced => Ok(Decision {
                why: "DVM_TRANSPORT is mpi".to_owned(),
                way: Way::Mpi(MpiFamily::ALL.to_vec()),
                expects_others: false,
            }),
            None => Ok(alone("nothing has started this process as one of several".to_owned())),
        };
    };
    let name = mpi.version.lines().next().unwrap_or_default().to_owned();
    if !mpi.works && !several && !forced {
        let state = if mpi.is_finalised { "finalized" } else { "not initialised" };
        return Ok(alone(format!("this process has {name}, which is {state}, and was started by {started}")));
    }
    if mpi.is_finalised {
        return Err(unsupported(format!(
            "{started} has started several processes, and MPI ({name}) is finalized: call dvm_init before MPI_Finalize"
        )));
    }
    if launcher.is_some() && !several && !forced {
        return Ok(alone(format!("{started} has started one process")));
    }
    let family = MpiFamily::of(mpi).ok_or_else(|| {
        unsupported(format!(
            "this process uses an MPI for which libdvm has no plugin ({name}): with DVM_TRANSPORT=none each process works \
             alone"
        ))
    })?;
    let state = if mpi.works { "has initialised" } else { "has" };
    Ok(Decision {
        why: format!("this process {state} {name}; started by {started}"),
        way: Way::Mpi(vec![family]),
        expects_others: several,
    })
}

fn no_pmi(launcher: &Launcher) -> Error {
    unsupported(format!(
        "{} has started {} processes, which cannot reach each other so: use srun --mpi=pmix or --mpi=pmi2, or mpirun; with \
         DVM_TRANSPORT=none each works alone",
        launcher.name,
        launcher.processes.unwrap_or(0)
    ))
}

/// The family of the MPI of a program that passes a communicator.
///
/// # Errors
/// There is no such MPI, it does not work, or libdvm has no plugin for it.
pub(crate) fn for_communicator(mpi: Option<&LoadedMpi>) -> Result<MpiFamily, Error> {
    let mpi = mpi.ok_or_else(|| unsupported("a communicator was passed, and this process has no MPI".to_owned()))?;
    if !mpi.works {
        let text = "a communicator was passed before MPI_Init or after MPI_Finalize";
        return Err(Error::new(dvm_retcode_t::DVM_ERR_STATE, text));
    }
    MpiFamily::of(mpi)
        .ok_or_else(|| unsupported(format!("libdvm has no plugin for this process's MPI: {}", mpi.version)))
}

/// The folders in which plugins may lie: the one that `DVM_PLUGIN_DIR` names, or those around libdvm.
pub(crate) fn folders(named: Option<&Path>) -> Vec<PathBuf> {
    if let Some(named) = named {
        return vec![named.to_owned()];
    }
    let Some(own) = own_folder() else { return Vec::new() };
    let libraries = format!("../lib/{}-linux-gnu", std::env::consts::ARCH);
    // Beside the library; beside that of a program, which contains libdvm.
    [".".to_owned(), "../lib".to_owned(), "../lib64".to_owned(), libraries]
        .iter()
        .map(|folder| if folder == "." { own.clone() } else { own.join(folder) })
        .collect()
}

/// The plugins of these families that are there, the likeliest first.
///
/// # Errors
/// There is none.
pub(crate) fn plugins(families: &[MpiFamily], folders: &[PathBuf]) -> Result<Vec<(MpiFamily, PathBuf)>, Error> {
    let file =
        |family: MpiFamily| folders.iter().map(move |folder| folder.join(family.file())).find(|file| file.is_file());
    let found: Vec<_> = families.iter().filter_map(|&family| Some((family, file(family)?))).collect();
    if found.is_empty() { Err(no_plugin(families, folders)) } else { Ok(found) }
}

fn no_plugin(families: &[MpiFamily], folders: &[PathBuf]) -> Error {
    let names: Vec<&str> = families.iter().map(|family| family.file()).collect();
    let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    unsupported(format!(
        "there is no plugin {} in {}: build it by `make plugins`, or name its folder by DVM_PLUGIN_DIR; with \
         DVM_TRANSPORT=none each process works alone",
        names.join(" or "),
        folders.join(", ")
    ))
}

/// The system finds no MPI for the plugins that are there, for these reasons.
pub(crate) fn no_library(reasons: &[String]) -> Error {
    unsupported(format!(
        "the library of the MPI that has started this process is not found: add its folder to LD_LIBRARY_PATH ({}); with \
         DVM_TRANSPORT=none each process works alone",
        reasons.join("; ")
    ))
}
