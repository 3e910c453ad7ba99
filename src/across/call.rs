//! A call of a region on all processes, from its beginning to its end.
//!
//! All say that they have come, and whether their own conditions hold. Process 0 chooses the sizes of the tiles. Every
//! process runs the region's body twice: first to learn all graphs, which makes the plan, then to run them. At the end
//! each process sends all others what its tiles leave behind. Where process 0 alone runs main, and all have run the region
//! with these arrays before, process 0 tells the sizes with the call, and nobody says that it has come.

use rustc_hash::FxHasher;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::c_void;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

use super::call_arrays::{CallArrays, EntryRows};
use super::deal::{self, StepCounts, Waits};
use super::exchange::{Exchange, Role, Waiting, failed_elsewhere};
use super::forecast::{Forecast, ForecastSettings};
use super::functions::Functions;
use super::kept::Extent;
use super::known::{self, ProgramPart};
use super::layout::{Deal, Owners, Placement, Preference};
use super::plan::{Graph, Plan, are_of_the_first};
use super::remembered::{CallPart, RememberedCalls};
use super::running;
use super::simulated_job::SimulatedJob;
use super::window::StepBounds;
use crate::config::Config;
use crate::engine::remote_view::RegionStage;
use crate::engine::{self, AcrossEvent, Call, RemoteScheduler};
use crate::error::Error;
use crate::graph::{GraphParts, MAX_DIMENSION};
use crate::id::ProcessId;
use crate::sync::lock::{Mutex, MutexGuard};
use crate::system;
use crate::wire::{AcrossBody, SERVED_SIZES, ServedCall};

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
    /// What its text says of the window.
    pub(crate) bounds: Option<StepBounds>,
}

/// One call at a time runs across in a process.
static TURN: Mutex<()> = Mutex::new(());

/// The thread that has the turn; 0: none.
static HAS_TURN: AtomicI32 = AtomicI32::new(0);

/// While it exists, no other call of this process runs across.
pub(super) struct Turn(#[expect(dead_code, reason = "held")] MutexGuard<'static, ()>);

impl Turn {
    fn of(guard: MutexGuard<'static, ()>) -> Turn {
        HAS_TURN.store(system::thread_number(), Ordering::Relaxed);
        Turn(guard)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        HAS_TURN.store(0, Ordering::Relaxed);
    }
}

pub(super) fn turn() -> Turn {
    Turn::of(TURN.lock())
}

pub(super) fn turn_at_once() -> Option<Turn> {
    TURN.try_lock().map(Turn::of)
}

/// Whether this thread of the process has the turn.
pub(super) fn has_turn(thread: i32) -> bool {
    HAS_TURN.load(Ordering::Relaxed) == thread
}

thread_local! {
    static OF_BODY: Cell<u32> = const { Cell::new(1) };
}

/// How many processes the graphs that this thread gives now are dealt out to: 1 outside of a region's body.
pub(crate) fn processes_of_body() -> u32 {
    OF_BODY.get()
}

/// Whether calls of this process run on several processes.
pub(crate) fn is_across(call: &Call) -> bool {
    !call.inside_task()
        && !matches!(known::part(), ProgramPart::Serves | ProgramPart::Alone)
        && call.engine().config().across()
        && call.job().is_some_and(|job| job.processes > 1)
}

pub(super) fn no_job() -> Error {
    Error::state("the process is in no job of several processes")
}

/// A call while the region's body runs.
pub(crate) struct AcrossCall {
    name: String,
    preferences: Vec<Preference>,
    layout: Placement,
    bounds: StepBounds,
    processes: u32,
    stage: Mutex<Stage>,
    /// The last graph that was dealt out by an estimate, and how.
    dealt: Mutex<Option<(StepCounts, Option<Deal>)>>,
}

/// What the body is run for.
enum Stage {
    /// To learn the graphs. `given`: the sizes are those of process 0.
    Learning { given: bool, sizes: Vec<i64>, at: usize, graphs: Vec<Graph>, failure: Option<Error> },
    /// To run them.
    RunningPart { by: RunBy, next: usize, sizes_at: usize, sizes: Vec<i64>, failure: Option<Error> },
}

/// Who runs the graphs.
#[derive(Clone)]
enum RunBy {
    /// All processes.
    All(Arc<Exchange>),
    /// This one, which tells what they would do.
    Forecast(Arc<Mutex<Forecast>>),
}

impl RunBy {
    fn plan(&self) -> Arc<Plan> {
        match self {
            RunBy::All(exchange) => Arc::clone(&exchange.plan),
            RunBy::Forecast(forecast) => Arc::clone(forecast.lock().job().plan()),
        }
    }
}

impl Stage {
    fn learning(given: Option<Vec<i64>>) -> Stage {
        let is_given = given.is_some();
        Stage::Learning { given: is_given, sizes: given.unwrap_or_default(), at: 0, graphs: Vec::new(), failure: None }
    }
}

/// A graph as the body gives it.
pub(crate) struct GraphOfPhase {
    pub(crate) parts: GraphParts,
    pub(crate) phase: usize,
    pub(crate) hosts: Vec<i64>,
    pub(crate) first: Vec<i64>,
    pub(crate) step: Vec<i64>,
}

/// Runs a region on all processes, from outside of tasks; false: all run their original loops, since some process cannot,
/// or they do not agree.
pub(crate) fn run(call: &Call, mut facts: RegionFacts, functions: Functions) -> Result<bool, Error> {
    let job = call.job().filter(|job| job.processes > 1).ok_or_else(no_job)?;
    let _turn = turn();
    let number = job.scheduler.across().next_call();
    let parts = (number, job.me.index() as u32, job.processes as u32);
    let meeting = Meeting::new(&job.scheduler, parts, Role::Equal, VecDeque::new());
    let layout = facts.layout(call);
    let arrays = CallArrays::plain(functions.elements());
    Ok(meeting.run(call, &facts, layout, Some(&Arc::new(functions)), &arrays)?.is_some())
}

/// A call that process 0 hands to the others: as they get to know it, and its arrays.
pub(super) type HandedCall = (ServedCall<Vec<u8>>, CallArrays);

/// What a process had to do in a call, and the sizes of the tiles.
pub(super) type RunPart = (Vec<i64>, Arc<CallPart>);

/// The calls that the others have served.
static REMEMBERED: Mutex<RememberedCalls<()>> = Mutex::new(RememberedCalls::new());

/// The same where process 0 alone runs main, and hands the call to the others. Gives the kept memory after it.
pub(super) fn lead(
    call: &Call,
    _turn: &Turn,
    mut facts: RegionFacts,
    functions: Functions,
    (mut served, arrays): HandedCall,
) -> Result<Option<Vec<Extent>>, Error> {
    let job = call.job().ok_or_else(no_job)?;
    let processes = job.processes as u32;
    let layout = facts.layout(call);
    if !facts.willing {
        return Ok(None);
    }
    let functions = Arc::new(functions);
    let across = AcrossCall::new(&facts, layout, call, processes);
    let (graphs, sizes) = match across.learn(&functions, None) {
        Ok(learnt) => learnt,
        Err(why) => {
            let (name, why) = (facts.name, why.message().to_owned());
            call.engine().config().note(|| format!("region '{name}' runs in process 0: {why}"));
            return Ok(None);
        }
    };
    if are_of_the_first(&graphs, processes) && arrays.are_all_here() {
        let name = facts.name;
        call.engine().config().note(|| format!("region '{name}' runs in process 0: it has no tiles for the others"));
        return Ok(None);
    }
    known::note_led();
    let mut remembered = REMEMBERED.lock();
    let again = remembered.has(&served) && sizes.len() <= SERVED_SIZES;
    served.again = again.then(|| sizes.clone());
    let known = remembered.part(&served, &sizes, &arrays).filter(|part| part.dealt.graphs == graphs);
    let number = job.scheduler.across().next_call();
    let meeting = Meeting::new(&job.scheduler, (number, 0, processes), Role::Leads, VecDeque::new());
    meeting.tell_all(&AcrossBody::Serve(served.borrowed()));
    if !again {
        if !meeting.enter(call, &facts)? {
            return Ok(None);
        }
        meeting.tell_sizes(&sizes);
    }
    let ran = meeting.run_graphs(call, &across, &functions, (graphs, &sizes), (&arrays, known));
    let part = ran.inspect_err(|error| meeting.tell_failed(error))?;
    remembered.add(served, sizes, arrays, Arc::clone(&part), None);
    Ok(Some(part.after.clone()))
}

/// Takes part in a call that process 0 has handed out, as this process did before.
pub(super) fn serve_again(
    call: &Call,
    meeting: &Meeting,
    mut facts: RegionFacts,
    functions: Functions,
    (sizes, arrays): (&[i64], &CallArrays),
    known: Option<Arc<CallPart>>,
) -> Result<Arc<CallPart>, Error> {
    let layout = facts.layout(call);
    let functions = Arc::new(functions);
    let across = AcrossCall::new(&facts, layout, call, meeting.processes);
    let run = || {
        let graphs = match &known {
            Some(part) => part.dealt.graphs.clone(),
            None => across.learn(&functions, Some(sizes.to_vec()))?.0,
        };
        meeting.run_graphs(call, &across, &functions, (graphs, sizes), (arrays, known))
    };
    run().inspect_err(|error| meeting.tell_failed(error))
}

/// Whether this process, which is alone, tells what regions would take on several.
pub(crate) fn foretells(call: &Call) -> bool {
    !call.inside_task()
        && call.engine().config().forecast().is_some()
        && call.job().is_none_or(|job| job.processes == 1)
}

/// Tells what the region would take on several processes, and runs it here; false: its original loops are to run. Where no
/// tile runs, the program ends.
pub(crate) fn foretell(call: &Call, mut facts: RegionFacts, functions: Functions) -> Result<bool, Error> {
    let config = call.engine().config();
    let settings = ForecastSettings::parse(config.forecast().unwrap_or_default())?;
    let _turn = turn();
    let layout = facts.layout(call);
    if !facts.willing {
        let name = facts.name;
        Config::warn(&format!("region '{name}' would run its own loops in each process"));
        return Ok(false);
    }
    let functions = Arc::new(functions);
    let across = AcrossCall::new(&facts, layout, call, settings.processes);
    let (graphs, sizes) = across.learn(&functions, None)?;
    let plan = Arc::new(Plan::new(graphs, settings.processes, Box::new((*functions).clone())));
    let (count, runs) = (plan.graphs.len(), settings.runs());
    let elements = functions.elements().collect();
    let asking_counts = !settings.is_given();
    let job = SimulatedJob::new(plan, settings.network, elements, across.bounds, asking_counts);
    let forecast = Arc::new(Mutex::new(Forecast::new(facts.name, settings, job)?));
    across.go(RunBy::Forecast(Arc::clone(&forecast)), sizes);
    let body = across.body(&functions);
    across.end(count, body)?;
    Config::warn(&forecast.lock().end()?);
    if !runs {
        Config::warn("DVM_FORECAST: no tile has run, and the program ends here");
        engine::end_process(Ok(()));
    }
    Ok(true)
}

impl RegionFacts<'_> {
    /// How the environment wants the tiles to be dealt out; nobody may have to do with a process that does not know. The
    /// digest is that of the region dealt out so from here on.
    pub(super) fn layout(&mut self, call: &Call) -> Placement {
        let layout = call.engine().config().place().map_or_else(|| Ok(Placement::default()), Placement::parse);
        if let Err(error) = &layout {
            Config::warn(error.message());
            self.willing = false;
        }
        let layout = layout.unwrap_or_default();
        self.digest = digest(self.digest, &layout);
        layout
    }
}

/// The processes at the beginning of a call.
pub(super) struct Meeting {
    pub(super) job: Arc<dyn RemoteScheduler>,
    pub(super) number: u32,
    pub(super) me: u32,
    pub(super) processes: u32,
    pub(super) role: Role,
    /// What has come too early: others are ahead.
    pub(super) kept: RefCell<VecDeque<AcrossEvent>>,
}

/// The digest of a region with its parameters, and of how its tiles are dealt out.
fn digest(region: u64, layout: &Placement) -> u64 {
    let mut hasher = FxHasher::default();
    (region, format!("{layout:?}")).hash(&mut hasher);
    hasher.finish()
}

impl Meeting {
    /// In the call with this number, of this process and so many.
    pub(super) fn new(
        job: &Arc<dyn RemoteScheduler>,
        (number, me, processes): (u32, u32, u32),
        role: Role,
        kept: VecDeque<AcrossEvent>,
    ) -> Meeting {
        Meeting { job: Arc::clone(job), number, me, processes, role, kept: RefCell::new(kept) }
    }

    fn tell_all(&self, body: &AcrossBody<&[u8]>) {
        for to in (0..self.processes).filter(|to| *to != self.me) {
            self.job.across().tell(self.number, ProcessId::from_index(to), body.clone());
        }
    }

    /// Waits until all have come; false: the original loops are to run.
    fn enter(&self, call: &Call, facts: &RegionFacts) -> Result<bool, Error> {
        self.tell_all(&AcrossBody::Enter { digest: facts.digest, willing: facts.willing });
        let mut absent: BTreeSet<u32> = (0..self.processes).filter(|process| *process != self.me).collect();
        let mut all = facts.willing;
        let mut events: Vec<AcrossEvent> = self.kept.take().into();
        loop {
            for event in events {
                match event {
                    AcrossEvent::Said(from, AcrossBody::Enter { digest, willing }) => {
                        absent.remove(&(from.index() as u32));
                        if digest != facts.digest {
                            let text = format!(
                                "region '{}': process {from} enters another region, or has other parameters: each \
                                 process runs its own loops",
                                facts.name
                            );
                            Config::warn(&text);
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
            if absent.is_empty() {
                return Ok(all);
            }
            let _waits = Waiting::new(&self.job, facts.name, RegionStage::Enter, absent.iter().copied());
            events = self.job.across().wait_and_take(self.number);
        }
    }

    /// The sizes that process 0 has chosen.
    fn sizes(&self, name: &str) -> Result<Vec<i64>, Error> {
        let _waits = Waiting::new(&self.job, name, RegionStage::Sizes, [0]);
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

    fn tell_sizes(&self, sizes: &[i64]) {
        for piece in sizes.chunks(SIZES_PIECE) {
            self.tell_all(&AcrossBody::Sizes(piece.to_vec()));
        }
        self.tell_all(&AcrossBody::Sizes(Vec::new()));
    }

    pub(super) fn tell_failed(&self, error: &Error) {
        self.tell_all(&AcrossBody::Failed { code: error.code(), text: error.message().to_owned() });
    }

    /// Meets the others, and runs this process's part. Without functions it cannot take part. Nothing: nobody has run.
    pub(super) fn run(
        &self,
        call: &Call,
        facts: &RegionFacts,
        layout: Placement,
        functions: Option<&Arc<Functions>>,
        arrays: &CallArrays,
    ) -> Result<Option<RunPart>, Error> {
        let (true, Some(functions)) = (self.enter(call, facts)?, functions) else { return Ok(None) };
        let across = AcrossCall::new(facts, layout, call, self.processes);
        let run = || {
            let given = if self.me == 0 { None } else { Some(self.sizes(&across.name)?) };
            let (graphs, sizes) = across.learn(functions, given)?;
            if self.me == 0 {
                self.tell_sizes(&sizes);
            }
            let part = self.run_graphs(call, &across, functions, (graphs, &sizes), (arrays, None))?;
            Ok(Some((sizes, part)))
        };
        run().inspect_err(|error| self.tell_failed(error))
    }

    /// Runs this process's part of the graphs. `known`: the part, if it is that of an earlier call.
    fn run_graphs(
        &self,
        call: &Call,
        across: &AcrossCall,
        functions: &Arc<Functions>,
        (graphs, sizes): (Vec<Graph>, &[i64]),
        (arrays, known): (&CallArrays, Option<Arc<CallPart>>),
    ) -> Result<Arc<CallPart>, Error> {
        let flows = Box::new((**functions).clone());
        let plan = Arc::new(match &known {
            Some(part) => Plan::again(&part.dealt, flows),
            None => Plan::new(graphs, self.processes, flows),
        });
        let (arrays, entry) = match &known {
            Some(part) => (part.arrays.clone(), part.entry.clone()),
            None => self.entering(arrays.clone(), &plan)?,
        };
        let parts = (self.number, self.me, self.role);
        let exchange = Exchange::new(
            &self.job,
            parts,
            Arc::clone(&plan),
            functions,
            across.bounds,
            (arrays.clone(), entry.clone()),
        );
        let exchange = Arc::new(exchange);
        exchange.begin(self.kept.take().into())?;
        exchange.enter(&across.name)?;
        across.go(RunBy::All(Arc::clone(&exchange)), sizes.to_vec());
        let body = across.body(functions);
        across.end(plan.graphs.len(), body)?;
        exchange.leave_behind(&across.name)?;
        self.note_traffic(call, &across.name, &exchange);
        Ok(known.unwrap_or_else(|| {
            let after = arrays.clone().after(&plan);
            Arc::new(CallPart { dealt: Arc::clone(plan.dealt()), arrays, entry, after })
        }))
    }

    /// The arrays as the tiles find them, and what goes to others and comes before.
    fn entering(&self, mut arrays: CallArrays, plan: &Plan) -> Result<(CallArrays, EntryRows), Error> {
        let entry = if self.role == Role::Equal { EntryRows::default() } else { arrays.enter(plan, self.me)? };
        Ok((arrays, entry))
    }

    fn note_traffic(&self, call: &Call, name: &str, exchange: &Exchange) {
        call.engine().config().note(|| {
            let [entering, through, messages, out] = exchange.counts();
            let waited = exchange.machine.lock().most_buffered();
            let before = if entering > 0 { format!("{entering} bytes from before it, ") } else { String::new() };
            format!(
                "region '{name}' on {} processes: process {} has sent {before}{through} bytes in {messages} messages between tiles, \
                 and {out} bytes of what is left behind; at most {waited} bytes have waited there for their tiles",
                self.processes, self.me
            )
        });
    }
}

impl AcrossCall {
    fn new(facts: &RegionFacts, layout: Placement, call: &Call, processes: u32) -> AcrossCall {
        AcrossCall {
            name: facts.name.to_owned(),
            preferences: facts.preferences.clone(),
            layout,
            bounds: facts.bounds.unwrap_or_else(|| StepBounds::new(call.engine().config().region_steps())),
            processes,
            stage: Mutex::new(Stage::learning(None)),
            dealt: Mutex::new(None),
        }
    }

    /// Runs the region's body, which asks for sizes and gives its graphs.
    fn body(&self, functions: &Functions) -> Result<(), Error> {
        OF_BODY.set(self.processes);
        let ended = functions.body(std::ptr::from_ref(self).cast_mut().cast());
        OF_BODY.set(1);
        ended
    }

    /// The graphs and the sizes of their tiles, which may be given.
    fn learn(&self, functions: &Functions, given: Option<Vec<i64>>) -> Result<(Vec<Graph>, Vec<i64>), Error> {
        *self.stage.lock() = Stage::learning(given);
        self.body(functions)?;
        self.learnt()
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

    fn go(&self, by: RunBy, sizes: Vec<i64>) {
        *self.stage.lock() = Stage::RunningPart { by, next: 0, sizes, sizes_at: 0, failure: None };
    }

    /// After the body was run for good.
    fn end(&self, count: usize, body: Result<(), Error>) -> Result<(), Error> {
        let Stage::RunningPart { next, failure, .. } = &mut *self.stage.lock() else { return Err(no_job()) };
        match failure.take() {
            Some(failure) => Err(failure),
            None if body.is_err() => body,
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
            Stage::RunningPart { sizes, sizes_at, .. } => next(sizes, sizes_at),
        }
    }

    /// Takes the next graph: learns it, or runs it.
    pub(crate) fn graph(&self, call: &Call, given: GraphOfPhase) -> Result<(), Error> {
        let (by, n) = match &mut *self.stage.lock() {
            Stage::Learning { graphs, failure, .. } => {
                match self.checked(graphs.len(), &given) {
                    Ok(graph) => graphs.push(graph),
                    Err(error) => drop(failure.get_or_insert(error)),
                }
                return Ok(());
            }
            Stage::RunningPart { failure: Some(failure), .. } => return Err(failure.clone()),
            Stage::RunningPart { by, next, .. } => {
                *next += 1;
                (by.clone(), *next - 1)
            }
        };
        let known = by.plan().graphs.get(n).is_some_and(|graph| {
            (graph.phase, &graph.hosts, &graph.first, &graph.step)
                == (given.phase, &given.hosts, &given.first, &given.step)
        });
        let result = match &by {
            _ if !known => Err(Error::state("the region's body runs other graphs than before")),
            RunBy::All(exchange) => running::run(call, &self.name, n, exchange, given.parts.callbacks),
            RunBy::Forecast(forecast) => forecast.lock().graph(call, n, &given.parts.callbacks),
        };
        if let (Err(error), Stage::RunningPart { failure, .. }) = (&result, &mut *self.stage.lock()) {
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
        let preference =
            self.preferences.get(given.phase).ok_or_else(|| Error::argument("the phase is none of the region"))?;
        let owners = if self.layout.deals.is_empty() {
            Owners::new(&extent, self.processes, preference, &self.best(&extent, preference, given)?)
        } else {
            Owners::new(&extent, self.processes, preference, &self.layout)
        };
        Ok(Graph {
            phase: given.phase,
            hosts: given.hosts.clone(),
            owners,
            extent,
            first: given.first.clone(),
            step: given.step.clone(),
            carried: given.parts.carried.clone(),
        })
    }

    /// How the tiles of a graph are dealt out when nobody says: along the coordinate that the phase prefers. The same in
    /// all processes, which know the same of it.
    fn best(&self, extent: &[i64], preference: &Preference, given: &GraphOfPhase) -> Result<Placement, Error> {
        let carried = &given.parts.carried;
        let Some(&place) = preference.order(extent.len()).first() else { return Ok(Placement::default()) };
        let step = (0..extent.len()).find(|k| carried[*k] && *k != place);
        let waits = match (carried[place], preference.near) {
            (false, _) => Waits::Free,
            (true, true) => Waits::Neighbours,
            (true, false) => Waits::First,
        };
        let callbacks = &given.parts.callbacks;
        let counted = deal::count(extent, step, place, |k, tile, ends| {
            let mut whole = [0; MAX_DIMENSION];
            whole[..tile.len()].copy_from_slice(tile);
            if k > 0 { callbacks.narrow(k, &whole, ends) } else { Ok(()) }
        })?;
        let Some(tiles) = counted else { return Ok(Placement::default()) };
        let counts = StepCounts { tiles, waits };
        let mut dealt = self.dealt.lock();
        let known = dealt.as_ref().filter(|(last, _)| *last == counts).map(|(_, deal)| *deal);
        let deal = known.unwrap_or_else(|| counts.deal(self.processes));
        *dealt = Some((counts, deal));
        Ok(Placement { deals: deal.into_iter().collect(), grid: Vec::new() })
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
