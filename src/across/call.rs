//! A call of a region on all processes, from its beginning to its end.
//!
//! All say that they have come, and whether their own conditions hold. Process 0 chooses the sizes of the tiles. Every
//! process then runs the region's body twice: first to learn all graphs, which makes the plan, then to run them. At the end
//! each process sends all others what its tiles leave behind.

use rustc_hash::FxHasher;
use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::ffi::c_void;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::functions::Functions;
use super::layout::{Layout, Owners, Preference};
use super::machine::Machine;
use super::plan::{Graph, Plan};
use super::running::{self, SharedMachine};
use crate::engine::{AcrossEvent, Call, RemoteScheduler};
use crate::error::{Error, dvm_retcode_t};
use crate::graph::GraphParts;
use crate::id::ProcessId;
use crate::sync::lock::Mutex;
use crate::wire::{ACROSS_PIECE, AcrossBody};

/// Most graphs of one call: their list is in memory.
const MOST_GRAPHS: usize = 1 << 20;

/// Sizes in one message.
const SIZES_PIECE: usize = 4096;

/// A region as its calls know it.
pub(crate) struct RegionFacts<'a> {
    pub(crate) name: &'a str,
    /// By phase.
    pub(crate) preferences: Vec<Preference>,
    /// Of the region and its parameters: equal in all processes.
    pub(crate) digest: u64,
    /// The conditions of this process hold.
    pub(crate) willing: bool,
}

/// One call at a time runs across in a process.
static TURN: Mutex<()> = Mutex::new(());

/// Whether calls of this process run on several processes.
pub(crate) fn is_across(call: &Call) -> bool {
    !call.inside_task() && call.engine().config().across() && call.job().is_some_and(|job| job.processes > 1)
}

fn no_job() -> Error {
    Error::state("the process is in no job of several processes")
}

/// What the processes of a call send each other.
pub(super) struct Exchange {
    pub(super) job: Arc<dyn RemoteScheduler>,
    number: u32,
    pub(super) me: u32,
    pub(super) plan: Arc<Plan>,
    pub(super) functions: Arc<Functions>,
    pub(super) machine: SharedMachine,
    incoming: Mutex<Incoming>,
    through: AtomicU64,
    messages: AtomicU64,
    out: AtomicU64,
}

/// What has come and does not belong to the graph that runs.
#[derive(Default)]
struct Incoming {
    /// By sender: the first pieces of a long message.
    pieces: Vec<Vec<u8>>,
    /// What others leave behind.
    left: Vec<(u32, u64, Vec<u8>)>,
    /// Who has sent all that.
    complete: BTreeSet<u32>,
}

/// A call while the region's body runs.
pub(crate) struct AcrossCall {
    name: String,
    preferences: Vec<Preference>,
    layout: Layout,
    processes: u32,
    stage: Mutex<Stage>,
}

/// What the body is run for.
enum Stage {
    /// To learn the graphs. `given`: the sizes are those of process 0.
    Learning { given: bool, sizes: Vec<i64>, at: usize, graphs: Vec<Graph>, failure: Option<Error> },
    /// To run them.
    Running { exchange: Arc<Exchange>, next: usize, sizes_at: usize, sizes: Vec<i64>, failure: Option<Error> },
}

/// A graph as the body gives it.
pub(crate) struct GraphOfPhase {
    pub(crate) parts: GraphParts,
    pub(crate) phase: usize,
    pub(crate) hosts: Vec<i64>,
    pub(crate) first: Vec<i64>,
    pub(crate) step: Vec<i64>,
}

/// Runs a region on all processes; false: all run their original loops, since some process cannot, or they do not agree.
pub(crate) fn run(call: &Call, mut facts: RegionFacts, functions: Functions) -> Result<bool, Error> {
    let job = call.job().filter(|job| job.processes > 1).ok_or_else(no_job)?;
    if call.inside_task() {
        return Err(Error::new(dvm_retcode_t::DVM_ERR_IN_TASK, "a task cannot run a region on several processes"));
    }
    let _turn = TURN.lock();
    let config = call.engine().config();
    let layout = config.place().map_or_else(|| Ok(Layout::default()), Layout::parse);
    if let Err(error) = &layout {
        config.warn(error.message());
        facts.willing = false;
    }
    let layout = layout.unwrap_or_default();
    facts.digest = digest(facts.digest, &layout);
    let (me, processes) = (job.me.index() as u32, job.processes as u32);
    let number = job.scheduler.across().next_call();
    let meeting = Meeting { job: Arc::clone(&job.scheduler), number, me, processes, kept: RefCell::default() };
    if !meeting.enter(call, &facts)? {
        return Ok(false);
    }
    let across = AcrossCall {
        name: facts.name.to_owned(),
        preferences: facts.preferences,
        layout,
        processes,
        stage: Mutex::new(Stage::Learning { given: false, sizes: Vec::new(), at: 0, graphs: Vec::new(), failure: None }),
    };
    let functions = Arc::new(functions);
    let told = meeting.across_body(call, &across, &functions);
    if let Err(error) = &told {
        meeting.tell_all(&AcrossBody::Failed { code: error.code(), text: error.message().to_owned() });
    }
    told.map(|()| true)
}

/// The processes at the beginning of a call.
struct Meeting {
    job: Arc<dyn RemoteScheduler>,
    number: u32,
    me: u32,
    processes: u32,
    /// What has come too early: others are ahead.
    kept: RefCell<VecDeque<AcrossEvent>>,
}

/// The digest of a region with its parameters, and of how its tiles are dealt out.
fn digest(region: u64, layout: &Layout) -> u64 {
    let mut hasher = FxHasher::default();
    (region, format!("{layout:?}")).hash(&mut hasher);
    hasher.finish()
}

fn failed_elsewhere(from: ProcessId, code: dvm_retcode_t, text: &str) -> Error {
    Error::new(code, format!("process {from} could not run its part of the region: {text}"))
}

impl Meeting {
    fn tell_all(&self, body: &AcrossBody<&[u8]>) {
        for to in (0..self.processes).filter(|to| *to != self.me) {
            self.job.across().tell(self.number, ProcessId::from_index(to), body.clone());
        }
    }

    /// Waits until all have come; false: the original loops are to run.
    fn enter(&self, call: &Call, facts: &RegionFacts) -> Result<bool, Error> {
        self.tell_all(&AcrossBody::Enter { digest: facts.digest, willing: facts.willing });
        let (mut come, mut all) = (1, facts.willing);
        while come < self.processes {
            for event in self.job.across().wait_and_take(self.number) {
                match event {
                    AcrossEvent::Said(from, AcrossBody::Enter { digest, willing }) => {
                        come += 1;
                        if digest != facts.digest {
                            let text = format!(
                                "region '{}': process {from} enters another region, or has other parameters: each \
                                 process runs its own loops",
                                facts.name
                            );
                            call.engine().config().warn(&text);
                            all = false;
                        } else if !willing {
                            let name = facts.name;
                            call.engine().config().note(|| {
                                format!("region '{name}': process {from} cannot run it as tiles: each process runs its own loops")
                            });
                            all = false;
                        }
                    }
                    other @ AcrossEvent::Said(..) => self.kept.borrow_mut().push_back(other),
                    AcrossEvent::Lost(error) => return Err(error),
                }
            }
        }
        Ok(all)
    }

    /// The sizes that process 0 has chosen.
    fn sizes(&self) -> Result<Vec<i64>, Error> {
        let (mut all, mut complete, mut others) = (Vec::new(), false, VecDeque::new());
        let mut events: VecDeque<AcrossEvent> = self.kept.take();
        loop {
            for event in events {
                match event {
                    AcrossEvent::Said(_, AcrossBody::Sizes(sizes)) => {
                        complete |= sizes.is_empty();
                        all.extend(sizes);
                    }
                    AcrossEvent::Said(from, AcrossBody::Failed { code, text }) => {
                        return Err(failed_elsewhere(from, code, &text));
                    }
                    other @ AcrossEvent::Said(..) => others.push_back(other),
                    AcrossEvent::Lost(error) => return Err(error),
                }
            }
            if complete {
                self.kept.replace(others);
                return Ok(all);
            }
            events = self.job.across().wait_and_take(self.number).into();
        }
    }

    fn across_body(&self, call: &Call, across: &AcrossCall, functions: &Arc<Functions>) -> Result<(), Error> {
        if self.me != 0 {
            let sizes = self.sizes()?;
            across.learn(Some(sizes));
        }
        functions.body(std::ptr::from_ref(across).cast_mut().cast())?;
        let (graphs, sizes) = across.learnt()?;
        if self.me == 0 {
            for piece in sizes.chunks(SIZES_PIECE) {
                self.tell_all(&AcrossBody::Sizes(piece.to_vec()));
            }
            self.tell_all(&AcrossBody::Sizes(Vec::new()));
        }
        let count = graphs.len();
        let plan = Arc::new(Plan::new(graphs, self.processes, Box::new((**functions).clone())));
        let exchange = Arc::new(Exchange {
            job: Arc::clone(&self.job),
            number: self.number,
            me: self.me,
            machine: Mutex::new(Machine::new(Arc::clone(&plan), self.me)),
            plan,
            functions: Arc::clone(functions),
            incoming: Mutex::new(Incoming {
                pieces: (0..self.processes).map(|_| Vec::new()).collect(),
                ..Incoming::default()
            }),
            through: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            out: AtomicU64::new(0),
        });
        let kept = self.kept.take().into();
        exchange.take_in(&mut exchange.incoming.lock(), kept)?;
        across.go(Arc::clone(&exchange), sizes);
        functions.body(std::ptr::from_ref(across).cast_mut().cast())?;
        across.end(count)?;
        exchange.leave_behind()?;
        let Exchange { through, messages, out, .. } = &*exchange;
        let (through, messages, out) =
            (through.load(Ordering::Relaxed), messages.load(Ordering::Relaxed), out.load(Ordering::Relaxed));
        call.engine().config().note(|| {
            format!(
                "region '{}' on {} processes: process {} has sent {through} bytes in {messages} messages between tiles, and {out} \
                 bytes of what is left behind",
                across.name, self.processes, self.me
            )
        });
        Ok(())
    }
}

impl AcrossCall {
    fn learn(&self, given: Option<Vec<i64>>) {
        if let Stage::Learning { given: has, sizes, .. } = &mut *self.stage.lock() {
            *has = given.is_some();
            *sizes = given.unwrap_or_default();
        }
    }

    /// The graphs and sizes, after the body was run to learn them.
    fn learnt(&self) -> Result<(Vec<Graph>, Vec<i64>), Error> {
        let Stage::Learning { sizes, graphs, failure, at, given } = &mut *self.stage.lock() else {
            return Err(no_job());
        };
        if let Some(failure) = failure.take() {
            return Err(failure);
        }
        if *given && *at != sizes.len() {
            return Err(Error::state("the processes run different graphs: their parameters differ"));
        }
        Ok((std::mem::take(graphs), std::mem::take(sizes)))
    }

    fn go(&self, exchange: Arc<Exchange>, sizes: Vec<i64>) {
        *self.stage.lock() = Stage::Running { exchange, next: 0, sizes, sizes_at: 0, failure: None };
    }

    /// After the body was run for good.
    fn end(&self, count: usize) -> Result<(), Error> {
        let Stage::Running { next, failure, .. } = &mut *self.stage.lock() else { return Err(no_job()) };
        match failure.take() {
            Some(failure) => Err(failure),
            None if *next != count => Err(Error::state("the region's body has not run all of its graphs")),
            None => Ok(()),
        }
    }

    /// The sizes of the next graph's tiles: those that process 0 has chosen; `chosen` if this is process 0.
    pub(crate) fn sizes(&self, chosen: &[i64]) -> Result<Vec<i64>, Error> {
        let next = |sizes: &[i64], at: &mut usize| {
            let own = sizes.get(*at..*at + chosen.len()).map(<[i64]>::to_vec);
            *at += chosen.len();
            own.filter(|own| own.iter().all(|size| *size > 0))
                .ok_or_else(|| Error::state("the processes run different graphs: their parameters differ"))
        };
        match &mut *self.stage.lock() {
            Stage::Learning { given: true, sizes, at, .. } => next(sizes, at),
            Stage::Learning { sizes, .. } => {
                sizes.extend_from_slice(chosen);
                Ok(chosen.to_vec())
            }
            Stage::Running { sizes, sizes_at, .. } => next(sizes, sizes_at),
        }
    }

    /// Takes the next graph: learns it, or runs it.
    pub(crate) fn graph(&self, call: &Call, given: GraphOfPhase) -> Result<(), Error> {
        let (exchange, n) = match &mut *self.stage.lock() {
            Stage::Learning { graphs, failure, .. } => {
                match self.checked(graphs.len(), &given) {
                    Ok(graph) => graphs.push(graph),
                    Err(error) => drop(failure.get_or_insert(error)),
                }
                return Ok(());
            }
            Stage::Running { failure: Some(failure), .. } => return Err(failure.clone()),
            Stage::Running { exchange, next, .. } => {
                *next += 1;
                (Arc::clone(exchange), *next - 1)
            }
        };
        let known = exchange.plan.graphs.get(n).is_some_and(|graph| {
            (graph.phase, &graph.hosts, &graph.first, &graph.step) == (given.phase, &given.hosts, &given.first, &given.step)
        });
        let result = match known {
            true => running::run(call, &self.name, n, &exchange, given.parts.callbacks),
            false => Err(Error::state("the region's body runs other graphs than before")),
        };
        if let (Err(error), Stage::Running { failure, .. }) = (&result, &mut *self.stage.lock()) {
            failure.get_or_insert_with(|| error.clone());
        }
        result
    }

    fn checked(&self, count: usize, given: &GraphOfPhase) -> Result<Graph, Error> {
        let space = &given.parts.space;
        let extent: Vec<i64> = (0..space.dimension()).map(|k| space.extent(k) as i64).collect();
        if count >= MOST_GRAPHS {
            return Err(Error::argument(format!("the region has more than {MOST_GRAPHS} graphs: remove `across`")));
        }
        let preference = self.preferences.get(given.phase).ok_or_else(|| Error::argument("the phase is none of the region"))?;
        Ok(Graph {
            phase: given.phase,
            hosts: given.hosts.clone(),
            owners: Owners::new(&extent, self.processes, preference, &self.layout),
            extent,
            first: given.first.clone(),
            step: given.step.clone(),
            carried: given.parts.carried.clone(),
        })
    }

    /// The call that generated code names by this address.
    ///
    /// # Safety
    /// It is the address that the region's body was given, and the body has not returned.
    #[allow(unsafe_code, reason = "C hands the address back")]
    pub(crate) unsafe fn of<'a>(address: *mut c_void) -> Option<&'a AcrossCall> {
        // SAFETY: by this function's contract: the call outlives the body.
        unsafe { address.cast::<AcrossCall>().as_ref() }
    }
}

impl Exchange {
    fn others(&self) -> impl Iterator<Item = u32> {
        let me = self.me;
        (0..self.plan.processes).filter(move |to| *to != me)
    }

    fn tell(&self, to: u32, body: AcrossBody<&[u8]>) {
        self.job.across().tell(self.number, ProcessId::from_index(to), body);
    }

    fn send_elements(&self, to: u32, (graph, tile): (usize, u64), left: bool, bytes: &[u8]) {
        let mut pieces = bytes.chunks(ACROSS_PIECE).peekable();
        while let Some(bytes) = pieces.next() {
            let more = pieces.peek().is_some();
            self.tell(to, AcrossBody::Elements { graph: graph as u32, tile, left, more, bytes });
        }
    }

    /// Sends what a tile that has just run has for others.
    pub(super) fn send_parcels(&self, n: usize, tile: &[i64]) {
        for to in self.others() {
            let parcel = self.plan.parcel(n, tile, to);
            if parcel.rows.is_empty() {
                continue;
            }
            let bytes = self.functions.pack(&parcel.rows);
            self.through.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            self.messages.fetch_add(1, Ordering::Relaxed);
            self.send_elements(to, (n, self.plan.graphs[n].number(tile)), false, &bytes);
        }
    }

    /// Tells the others, once, that this process has ended its tiles of the graph.
    pub(super) fn tell_end(&self) {
        let mut machine = self.machine.lock();
        if machine.takes_leave() {
            let graph = machine.graph() as u32;
            drop(machine);
            self.others().for_each(|to| self.tell(to, AcrossBody::Ended { graph }));
        }
    }

    pub(super) fn tell_failure(&self, error: &Error) {
        let text = error.message().to_owned();
        self.others().for_each(|to| self.tell(to, AcrossBody::Failed { code: error.code(), text: text.clone() }));
    }

    /// Takes in what has come, if anything has.
    pub(super) fn receive(&self) -> Result<(), Error> {
        if !self.job.across().has_come() {
            return Ok(());
        }
        // One thread at a time, so that what one process says stays in order.
        let mut incoming = self.incoming.lock();
        let events = self.job.across().take(self.number);
        self.take_in(&mut incoming, events)
    }

    fn take_in(&self, incoming: &mut Incoming, events: Vec<AcrossEvent>) -> Result<(), Error> {
        for event in events {
            match event {
                AcrossEvent::Lost(error) => return Err(error),
                AcrossEvent::Said(from, AcrossBody::Failed { code, text }) => {
                    return Err(failed_elsewhere(from, code, &text));
                }
                AcrossEvent::Said(from, AcrossBody::Elements { graph, tile, left, more, bytes }) => {
                    let pieces = &mut incoming.pieces[from.index() as usize];
                    let bytes = if pieces.is_empty() && !more {
                        bytes
                    } else {
                        pieces.extend_from_slice(&bytes);
                        if more {
                            continue;
                        }
                        std::mem::take(pieces)
                    };
                    if left {
                        incoming.left.push((graph, tile, bytes));
                    } else {
                        self.machine.lock().arrived(graph as usize, tile, bytes)?;
                    }
                }
                AcrossEvent::Said(from, AcrossBody::Ended { graph }) => {
                    if graph as usize >= self.plan.graphs.len() {
                        incoming.complete.insert(from.index() as u32);
                    } else {
                        self.machine.lock().other_ended(graph as usize);
                    }
                }
                AcrossEvent::Said(_, AcrossBody::Enter { .. } | AcrossBody::Sizes(_)) => {}
            }
        }
        Ok(())
    }

    /// Sends all others what this process's tiles leave behind, and takes what theirs do.
    fn leave_behind(&self) -> Result<(), Error> {
        for (n, graph) in self.plan.graphs.iter().enumerate() {
            for tile in graph.own(self.me) {
                let bytes = self.functions.pack(&self.plan.left(n, &tile));
                for to in self.others() {
                    self.out.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                    self.send_elements(to, (n, graph.number(&tile)), true, &bytes);
                }
            }
        }
        let graph = self.plan.graphs.len() as u32;
        self.others().for_each(|to| self.tell(to, AcrossBody::Ended { graph }));
        let mut incoming = self.incoming.lock();
        loop {
            for (n, tile, bytes) in std::mem::take(&mut incoming.left) {
                let graph = self.plan.graphs.get(n as usize).ok_or_else(|| Error::state("elements of no graph have come"))?;
                self.functions.unpack(&self.plan.left(n as usize, &graph.tile(tile)), &bytes)?;
            }
            if incoming.complete.len() + 1 == self.plan.processes as usize {
                return Ok(());
            }
            let events = self.job.across().wait_and_take(self.number);
            self.take_in(&mut incoming, events)?;
        }
    }
}
