//! Makes the transport that `detection` has decided for.

use std::path::PathBuf;

use super::contract::Transport;
use super::detection::{self, Decision, MpiFamily, Surroundings, Way};
use super::hybrid::Hybrid;
use super::join::{is_seated, join, pull_by};
use super::loaded_mpi;
use super::plugin::Plugin;
use crate::config::Config;
use crate::error::{Error, dvm_retcode_t};

/// A transport, and why it is this one.
pub struct Chosen {
    /// `None`: the process is alone.
    pub transport: Option<Box<dyn Transport>>,
    /// What was chosen and why, in words.
    pub why: String,
}

fn environment(variable: &str) -> Option<String> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
}

/// What is decided in this process.
///
/// # Errors
/// As for `choose`.
pub(crate) fn decision(config: &Config) -> Result<Decision, Error> {
    detection::decide(&Surroundings {
        wish: config.transport(),
        is_seated: is_seated(config)?,
        mpi: loaded_mpi::find(),
        environment: &environment,
    })
}

/// The transport to the other processes of the job, if this process is one of several. Collective: waits until each has
/// come here, or has ended.
///
/// # Errors
/// Several processes were started, and cannot reach each other; a variable has a value that is not allowed.
pub fn choose() -> Result<Chosen, Error> {
    let config = Config::load()?;
    let Decision { way, why, expects_others } = decision(&config)?;
    match way {
        Way::Alone => Ok(Chosen { transport: None, why: format!("one process: {why}") }),
        Way::Embedded => Ok(Chosen { transport: Some(Box::new(join(&config)?)), why: format!("rings: {why}") }),
        Way::Mpi(families) => {
            let chosen = over_mpi(&config, &families, None, &why)?;
            let alone = chosen.transport.as_ref().is_none_or(|transport| transport.processes() == 1);
            if alone && expects_others {
                return Err(Error::new(
                    dvm_retcode_t::DVM_ERR_UNSUPPORTED,
                    format!(
                        "several processes were started, and MPI sees one: the launcher is not that of this MPI ({}); \
                         with DVM_TRANSPORT=none each process works alone",
                        chosen.why
                    ),
                ));
            }
            Ok(chosen)
        }
    }
}

/// Whether this process is one of several that were started together, of a program that uses no MPI itself.
///
/// # Errors
/// A variable has a value that is not allowed.
pub(crate) fn starts_several(config: &Config) -> Result<bool, Error> {
    if loaded_mpi::find().is_some() {
        return Ok(false);
    }
    let Decision { way, expects_others, .. } = decision(config)?;
    Ok(match way {
        Way::Alone => false,
        Way::Embedded => true,
        Way::Mpi(_) => expects_others,
    })
}

/// The transport to the processes of a communicator, by its number in Fortran. Collective over it.
///
/// # Errors
/// The process has no MPI that works, or there is no plugin for it.
pub fn choose_for_communicator(communicator: i32) -> Result<Chosen, Error> {
    let config = Config::load()?;
    if matches!(config.transport(), "none" | "embedded") {
        return Err(Error::argument(format!(
            "a communicator was passed, and the environment variable DVM_TRANSPORT is {:?}",
            config.transport()
        )));
    }
    let family = detection::for_communicator(loaded_mpi::find().as_ref())?;
    over_mpi(&config, &[family], Some(communicator), "a communicator was passed")
}

fn over_mpi(config: &Config, families: &[MpiFamily], communicator: Option<i32>, why: &str) -> Result<Chosen, Error> {
    let file = usable(detection::plugins(families, &detection::folders(config.plugin_dir()))?)?;
    let plugin = Plugin::open(&file, communicator)?;
    let what = format!("{}; {}", plugin.description(), file.display());
    let transport = Hybrid::connect(plugin, config.rings(), pull_by(config.pull()))?;
    let how = if transport.is_rings_alone() { "rings; the processes have met by" } else { "rings inside a host, and" };
    Ok(Chosen { transport: Some(Box::new(transport)), why: format!("{how} {what} ({why})") })
}

/// The first plugin whose MPI is there: it finds that one's functions then.
fn usable(plugins: Vec<(MpiFamily, PathBuf)>) -> Result<PathBuf, Error> {
    let mut reasons = Vec::new();
    for (family, file) in plugins {
        match loaded_mpi::expose(family.libraries()) {
            Ok(()) => return Ok(file),
            Err(why) => reasons.push(why),
        }
    }
    Err(detection::no_library(&reasons))
}

/// What there is to choose from, and what `choose` would choose here.
#[derive(Clone, Debug)]
pub struct Choices {
    /// The way, and why; or why `choose` fails.
    pub chosen: Result<String, String>,
    /// What the process's own MPI says of itself.
    pub mpi: Option<String>,
    /// For each plugin its MPI, its file's name, and where it is.
    pub plugins: Vec<(String, &'static str, Option<PathBuf>)>,
    /// Where plugins are looked for.
    pub folders: Vec<PathBuf>,
}

/// Looks, and starts nothing.
pub fn choices() -> Choices {
    let config = Config::load();
    let named = config.as_ref().ok().and_then(Config::plugin_dir);
    let folders = detection::folders(named);
    let chosen = config.as_ref().map_err(Clone::clone).and_then(|config| {
        let Decision { way, why, .. } = decision(config)?;
        Ok(match way {
            Way::Alone => format!("none, one process: {why}"),
            Way::Embedded => format!("rings: {why}"),
            Way::Mpi(families) => {
                let files = detection::plugins(&families, &folders)?;
                let files: Vec<String> = files.iter().map(|(_, file)| file.display().to_string()).collect();
                format!("MPI by {}, rings inside a host: {why}", files.join(" or "))
            }
        })
    });
    let plugin = |family: MpiFamily| {
        let found = detection::plugins(&[family], &folders).ok().and_then(|mut found| found.pop());
        (family.to_string(), family.file(), found.map(|(_, file)| file))
    };
    Choices {
        chosen: chosen.map_err(|error| error.message().to_owned()),
        mpi: loaded_mpi::find().map(|mpi| mpi.version),
        plugins: MpiFamily::ALL.map(plugin).to_vec(),
        folders,
    }
}

/// The transport of `choose` alone.
///
/// # Errors
/// As for `choose`.
pub fn from_environment() -> Result<Option<Box<dyn Transport>>, Error> {
    choose().map(|chosen| chosen.transport)
}
