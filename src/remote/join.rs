//! The start of a job: the processes tell each other who they are, divide their hosts, and make one table of ranks.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::code_loader::CodeLoader;
use super::progress::RemoteSource;
use super::rounds::next_life;
use super::state::{NEVER, Polls, Remote, State};
use crate::config::Config;
use crate::data::share_memory;
use crate::engine::{self, Job, JobPart};
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::machine::share::{CpuClaim, Positions};
use crate::machine::survey::Survey;
use crate::memory::{MemorySource, NewMemory};
use crate::processing::image::locate;
use crate::sync::lock::{Condvar, Mutex};
use crate::system;
use crate::trace::{JobClock, Trace, Wishes};
use crate::transport::{self, Chosen, SharedBlock, Transport};
use crate::world::card::{Card, PROTOCOL, hosts};
use crate::world::division::divide;
use crate::world::rank_table::RankTable;

/// The transport of the job, which outlives an engine: init may follow finalize.
static TRANSPORT: Mutex<Option<Arc<dyn Transport>>> = Mutex::new(None);

/// `dvm_init`: in a job, with all its processes.
pub(crate) fn init() -> Result<(), Error> {
    engine::init(|config| {
        let mut known = TRANSPORT.lock();
        if known.is_none() {
            *known = chosen(config, transport::choose()?);
        }
        join(config, known.clone())
    })
}

/// Joins the job before the program's main function runs, if several processes were started of a program that uses no MPI
/// itself, regions may run on several processes, and the program allows it; else false.
pub(crate) fn init_program(allows: impl FnOnce(&Config) -> bool) -> Result<bool, Error> {
    let config = Config::load()?;
    if !config.across() || !transport::starts_several(&config)? || !allows(&config) {
        return Ok(false);
    }
    engine::init_implicitly(|config| {
        let mut known = TRANSPORT.lock();
        *known = chosen(config, transport::choose()?);
        join(config, known.clone())
    })?;
    Ok(engine::enter()?.job().is_some())
}

/// `dvm_init_comm`: with the processes of a communicator.
pub(crate) fn init_comm(communicator: c_int) -> Result<(), Error> {
    engine::init(|config| join(config, chosen(config, transport::choose_for_communicator(communicator)?)))
}

fn chosen(config: &Config, chosen: Chosen) -> Option<Arc<dyn Transport>> {
    config.note(|| format!("transport: {}", chosen.why));
    chosen.transport.map(Arc::from)
}

/// What a process says that it records.
fn wishes(card: &Card) -> Wishes {
    Wishes { timeline: card.timeline, summary: card.summary, profile: card.profile }
}

/// Joins the job; none if this process is alone.
fn join(config: &Config, transport: Option<Arc<dyn Transport>>) -> Result<Option<JobPart>, Error> {
    let Some(transport) = transport.filter(|transport| transport.processes() > 1) else { return Ok(None) };
    let me = ProcessId::from_index(transport.me().index() as u32);
    let survey = Survey::read(config)?;
    let card = Card {
        protocol: PROTOCOL,
        build: build(),
        host: host(),
        pid: std::process::id(),
        claim: survey.claim(),
        clock: Trace::clock(),
        timeline: config.trace().is_some(),
        summary: config.summary(),
        profile: config.profile().is_some(),
    };
    let cards = transport.gather(&card.encode())?;
    let cards = cards.iter().enumerate().map(|(at, bytes)| Card::decode(at, bytes)).collect::<Result<Vec<_>, _>>()?;
    let hosts = hosts(&cards)?;
    let claims = |host: usize| -> Vec<CpuClaim> {
        let on = cards.iter().zip(&hosts).filter(|(_, at)| **at == host);
        on.map(|(card, _)| card.claim.clone()).collect()
    };
    let at = me.index() as usize;
    let place = hosts[..at].iter().filter(|host| **host == hosts[at]).count();
    let share = divide(&claims(hosts[at])).swap_remove(place);
    let machine = survey.machine(config, &share)?;
    let positions = survey.positions(&machine);
    let all = transport.gather(&serde_json::to_vec(&positions).map_err(|error| unreadable(at, &error))?)?;
    let mut parts = Vec::new();
    for (process, bytes) in all.iter().enumerate() {
        let positions: Positions = serde_json::from_slice(bytes).map_err(|error| unreadable(process, &error))?;
        parts.push((hosts[process], positions));
    }
    let mut sharers: BTreeMap<usize, u64> = BTreeMap::new();
    for host in &hosts {
        *sharers.entry(*host).or_default() += 1;
    }
    let count = cards.len() as u32;
    let cache = config.cache().unwrap_or_else(|| memory_bytes() / 4 / sharers[&hosts[at]]);
    let mut state = State::new(me, count, cache, config.eager());
    state.recovery = config.recover().then(Box::default);
    let remote = Arc::new(Remote {
        me,
        transport,
        state: Mutex::new(state),
        changed: Condvar::new(),
        polls: Polls::default(),
        stopping: AtomicBool::new(false),
        due: AtomicU64::new(NEVER),
        flushed: AtomicU64::new(0),
        progress_looks: AtomicBool::new(false),
        may_be_idle: AtomicBool::new(false),
        across_came: AtomicBool::new(false),
        across_workers: AtomicBool::new(false),
        progress: Mutex::new(None),
        start: system::monotonic_nanoseconds(),
        life: next_life(),
        patience: config.peer_timeout(),
        wishes: cards.iter().map(wishes).collect(),
        has_far_clock: hosts[at] != hosts[0],
        maps: config.pull() == "heap",
        code: CodeLoader::new(config.ship_code(), config.code_dir().map(Into::into), hosts.clone()),
    });
    me.become_here();
    share_memory(Some(Arc::new(HostMemory(remote.transport.clone()))));
    let job = Job {
        me,
        processes: u64::from(count),
        ranks: RankTable::new(&parts),
        clock: JobClock { process: at as u32, epoch: cards[0].clock },
        scheduler: remote.clone(),
        source: Mutex::new(None),
    };
    let started = move || {
        remote.start_progress()?;
        remote.start_code()?;
        if remote.has_far_clock && remote.wishes[at].and(remote.wishes[0]).needs_clock() {
            remote.step(&engine::enter()?, |step| {
                step.ask_for_clock();
            });
        }
        Ok(Arc::new(RemoteSource(remote)) as Arc<dyn engine::Source>)
    };
    Ok(Some(JobPart { machine, job, started: Box::new(started) }))
}

/// Memory that the other processes of this host map.
struct HostMemory(Arc<dyn Transport>);

impl MemorySource for HostMemory {
    fn allocate(&self, bytes: usize) -> Option<NewMemory> {
        self.0.allocate(bytes).map(|SharedBlock { keeper, is_zero }| NewMemory { keeper, is_zero })
    }
}

fn unreadable(process: usize, error: &serde_json::Error) -> Error {
    let text = format!("process {process} did not say where its workers stand ({error})");
    Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, text)
}

/// What this libdvm is: its version, with the build-id of its shared object. In a program that contains libdvm the build-id
/// would be the program's.
fn build() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match locate(build as *const () as usize).filter(|place| !place.program) {
        Some(place) => format!("{version} ({:?})", place.build_id),
        None => version.to_owned(),
    }
}

/// The host: processes that share its CPUs have this in common.
fn host() -> String {
    let part = |part: Option<String>| part.unwrap_or_default();
    format!("{} {}", part(system::boot()), part(system::namespace("pid")))
}

/// The memory of the host in bytes.
fn memory_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().split(' ').next()?.parse::<u64>().ok());
    kib.map_or(1 << 30, |kib| kib << 10)
}
