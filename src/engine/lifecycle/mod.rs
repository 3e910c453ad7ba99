//! The life cycle of the engine: init, wait, finalize, and the start on behalf of generated code. One thread at a time
//! holds the lock of `life`. The end has two steps (`idle::closing`). Tasks become quiescent, and those that wait for
//! data are cancelled; workers are joined, data are freed, and the memory is freed when no thread is inside a call.
//! `forked` hides the engine from children of the process. `forgotten_processings` frees what unregistered processings
//! have left, between two waits.

mod forgotten_processings;
pub(crate) mod forked;
pub(crate) mod life;

use std::io::Write as _;
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::data::names;
use crate::sync::lock::Mutex;
use crate::sync::thread::Thread;

use life::{LIFE, Life, alone};

use super::context::job::{Goal, Job};

use super::context::call::{Call, enter, not_running};
use super::context::shared::{ENGINE, Engine, KeptEngine, Worker};
use super::context::source::{Source, Sources};
use super::context::worker_threads::stack_size;
use super::context::{self, ThreadContext};
use super::execute::worker;
use super::observe::blocked_tasks::BlockedTasks;
use super::observe::failures::Failures;
use super::observe::progress_samples::ProgressSamples;
use crate::config::{Config, spelling};
use crate::data::{Outcome, STORE};
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::idle::arbiter::Arbiter;
use crate::idle::closing::{Closing, Inside};
use crate::idle::completion::Completion;
use crate::idle::parking::IdleSet;
use crate::idle::worker_bits::WorkerSet;
use crate::machine::Machine;
use crate::memory::own_heap;
use crate::processing::REGISTRY;
use crate::sched::Seeded;
use crate::sync::fence;
use crate::system;
use crate::trace::{Moment, Trace};

/// The time that the end waits for earlier calls that may still make tasks, if no graph runs. A call that takes longer
/// waits for something itself.
const EARLIER_CALLS_TIMEOUT: Duration = Duration::from_secs(1);

/// Whether an engine runs.
pub(crate) fn running() -> bool {
    !ENGINE.load(Ordering::SeqCst).is_null()
}

/// A process's part of a job, before its engine runs.
pub(crate) struct JobPart {
    /// The part of the host that this process has.
    pub(crate) machine: Machine,
    pub(crate) job: Job,
    /// To be called once the engine runs: gives what its workers poll.
    pub(crate) started: Box<dyn FnOnce() -> Result<Arc<dyn Source>, Error>>,
}

/// `dvm_init`. `join` joins the job, if there are several processes.
pub(crate) fn init(join: impl FnOnce(&Config) -> Result<Option<JobPart>, Error>) -> Result<(), Error> {
    refuse_orphans()?;
    let mut life = alone()?;
    if running() {
        if std::mem::take(&mut life.implicit) {
            return Ok(());
        }
        return Err(already_running());
    }
    start(&mut life, join)
}

/// Starts the engine of a program that leaves that to its regions, with other processes: it ends with the program.
pub(crate) fn init_implicitly(join: impl FnOnce(&Config) -> Result<Option<JobPart>, Error>) -> Result<(), Error> {
    refuse_orphans()?;
    let mut life = alone()?;
    if running() {
        return Err(already_running());
    }
    start(&mut life, join)?;
    // After the start of an MPI, whose own function for the exit is to be called later than this one.
    watch_exit(&mut life);
    life.implicit = true;
    Ok(())
}

fn but_for_losses(report: Result<(), Error>) -> Result<(), Error> {
    report.or_else(|error| if error.code() == dvm_retcode_t::DVM_ERR_PEER_LOST { Ok(()) } else { Err(error) })
}

/// Ends a process that has served until process 0 finalized, and runs nothing of the program.
pub(crate) fn end_of_service() -> Result<(), Error> {
    but_for_losses(finalize())
}

/// Ends a process that has served, and runs nothing of the program. What is registered for the exit runs: an MPI wants to
/// be finalized.
pub(crate) fn end_process(report: Result<(), Error>) -> ! {
    let failed = report.is_err();
    print_failure(report);
    std::process::exit(i32::from(failed))
}

/// Starts the engine of a process without others.
#[cfg(test)]
pub(crate) fn init_alone() -> Result<(), Error> {
    init(|_| Ok(None))
}

/// A program that was started on behalf of generated code is alone.
fn alone_in_job(config: &Config) -> Result<Option<JobPart>, Error> {
    refuse_jobs(config)?;
    Ok(None)
}

/// Refuses to start libdvm in a process that was forked while libdvm was running.
fn refuse_orphans() -> Result<(), Error> {
    if forked::is_orphan() { Err(forked::orphaned(dvm_retcode_t::DVM_ERR_UNSUPPORTED)) } else { Ok(()) }
}

fn already_running() -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_ALREADY_INITIALIZED,
        "libdvm is running already: dvm_finalize ends it, and dvm_init may follow that",
    )
}

/// `dvm_serve`.
pub(crate) fn serve() -> Result<(), Error> {
    let _life = alone()?;
    let call = enter()?;
    if let Some(job) = call.job().filter(|job| job.me != ProcessId::FIRST) {
        return job.scheduler.wait(Goal::Serve);
    }
    Err(Error::new(
        dvm_retcode_t::DVM_ERR_UNSUPPORTED,
        "this process is process 0, which does not serve: it calls dvm_wait and dvm_finalize",
    ))
}

/// Starts the engine if none runs; this engine ends with the program. For generated code, which does not use an engine
/// that is about to end.
pub(crate) fn start_implicit() -> Result<(), Error> {
    if running() {
        return enter().and_then(|call| call.open());
    }
    refuse_orphans()?;
    let mut life = LIFE.lock();
    if running() {
        return Ok(());
    }
    watch_exit(&mut life);
    start(&mut life, alone_in_job)?;
    life.implicit = true;
    Ok(())
}

/// At the program's end: ends an engine that was started without init, if it is quiescent. If not, the program ends
/// anyway.
extern "C" fn end_at_exit() {
    let _quiet = own_heap::without_handlers();
    let _ = std::panic::catch_unwind(|| {
        save_trace();
        let Ok(context) = ThreadContext::of_caller() else { return };
        let Some(mut life) = LIFE.try_lock().filter(|_| !context.inside()) else { return };
        if !(life.implicit && life.process == std::process::id() && running()) {
            return;
        }
        if enter().is_ok_and(|call| call.job().is_some()) {
            // The others serve, and end with this process. One that is lost was told by the region that failed.
            drop(life);
            print_failure(but_for_losses(finalize()));
        } else if !Inside::now(context::others(context)).any() && context::outstanding() == 0 {
            print_failure(end(&mut life).1);
        }
    });
}

/// Writes the trace of a program that ends without finalize.
fn save_trace() {
    if let Ok(call) = enter()
        && call.engine().trace().has_files()
    {
        print_failure(call.engine().trace().save(Moment::Death));
    }
}

/// Prints an error at the program's end, where no call is left to return it. Only a program with a trace gets here: the
/// user has asked for that file.
fn print_failure(written: Result<(), Error>) {
    if let Err(error) = written {
        let _ = std::io::stderr().lock().write_all(format!("libdvm: {error}\n").as_bytes());
    }
}

fn watch_exit(life: &mut Life) {
    if !life.exit_watched {
        // The function is never unloaded: this library is linked with -z nodelete.
        life.exit_watched = system::at_exit(end_at_exit);
    }
}

fn start(life: &mut Life, join: impl FnOnce(&Config) -> Result<Option<JobPart>, Error>) -> Result<(), Error> {
    forked::watch();
    crate::memory::check()?;
    fence::prepare();
    let config = Config::load()?;
    let (machine, job, started) = match join(&config)? {
        Some(JobPart { machine, job, started }) => (machine, Some(job), Some(started)),
        None => (Machine::configured(&config)?, None, None),
    };
    let count = machine.workers();
    let title = |worker| job.as_ref().map_or_else(|| machine.title(worker), |job| job.title(worker));
    let trace = Trace::start(&config, (0..count).map(title), job.as_ref().map(|job| job.clock))?;
    if trace.has_files() {
        watch_exit(life);
    }
    config.note(|| machine.to_string());
    for found in spelling::misspellings() {
        config.note(|| format!("{} is set, and nothing reads it: did you mean {}?", found.variable, found.meant));
    }
    let (holders, seeded) = (WorkerSet::new(count), config.seed().map(|seed| Seeded::new(seed, count)));
    // Lookers are counted if many workers share few CPUs. With a seed they are not: workers then look for no tasks
    // while they wait.
    let counted = holders.is_kept() && seeded.is_none() && machine.oversubscribed();
    let enough = if counted { count.div_ceil(machine.crowd()) } else { 0 };
    let mut owned = ManuallyDrop::new(Box::new(Engine {
        workers: (0..count).map(|_| Worker::new()).collect(),
        seeded,
        stack: stack_size(&config),
        holders,
        machine,
        config,
        trace,
        idle_set: IdleSet::new(count, enough),
        arbiter: Arbiter::new(count),
        blocked_tasks: BlockedTasks::default(),
        progress_samples: ProgressSamples::default(),
        stand_ins: Mutex::default(),
        sources: Sources::default(),
        sweeps: OnceLock::new(),
        patience: AtomicU64::new(0),
        spared: AtomicUsize::new(usize::MAX),
        job,
        completion: Completion::default(),
        failures: Failures::default(),
        closing: Closing::default(),
        stopping: AtomicBool::new(false),
        defect: Mutex::new(None),
        defective: AtomicBool::new(false),
    }));
    let engine = &raw mut **owned;
    // SAFETY: the engine is freed below if its threads have ended, or by `end`, when they have ended and no call is
    // inside.
    let threads = unsafe { KeptEngine::new(engine) }.map(|kept| start_workers(kept, count));
    match threads.expect("a box has an address") {
        Ok(threads) => {
            *life = Life { threads, implicit: false, process: std::process::id(), ..*life };
            ENGINE.store(engine, Ordering::SeqCst);
            if let Some(started) = started {
                let source = started().inspect_err(|_| drop(end(life)))?;
                let call = enter()?;
                if let Some(job) = call.job() {
                    *job.source.lock() = Some(source.clone());
                }
                call.engine().attach(source);
            }
            Ok(())
        }
        Err(error) => {
            // All threads that knew the engine have ended, and no other thread has seen it.
            drop(ManuallyDrop::into_inner(owned));
            Err(error)
        }
    }
}

/// Each process of a job would take itself for process 0 of 1.
fn refuse_jobs(config: &Config) -> Result<(), Error> {
    match config.processes() {
        Some(count) if count > 1 => Err(Error::new(
            dvm_retcode_t::DVM_ERR_UNSUPPORTED,
            format!(
                "dvmrun has started {count} processes, and a program that leaves the start of libdvm to generated code works \
                 alone: call dvm_init first, or use dvmrun -n 1, or none"
            ),
        )),
        _ => Ok(()),
    }
}

/// Starts all workers, or none.
fn start_workers(engine: KeptEngine, count: usize) -> Result<Vec<Thread>, Error> {
    let mut threads = Vec::with_capacity(count);
    for me in 0..count {
        match worker::start(engine, me, 0) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                stop(&engine, threads);
                let stack = engine.stack >> 10;
                return Err(Error::new(
                    dvm_retcode_t::DVM_ERR_MEMORY,
                    format!(
                        "worker {me} of {count} could not be started with a stack of {stack} KiB ({error}): set DVM_STACK, or \
                         ulimit -s, to less, or DVM_WORKERS to fewer"
                    ),
                ));
            }
        }
    }
    Ok(threads)
}

fn stop(engine: &Engine, threads: Vec<Thread>) {
    engine.stopping.store(true, Ordering::SeqCst);
    // A worker that is not idle yet checks `stopping` before it sleeps.
    engine.wake_all();
    engine.workers.iter().for_each(|worker| worker.slot.0.announce_end());
    for thread in threads {
        thread.join();
    }
    // A thread that starts a stand-in has put it here before the thread itself ends.
    while let Some(thread) = { engine.stand_ins.lock().list.pop() } {
        thread.join();
    }
    if let Some(thread) = { engine.stand_ins.lock().retired.take() } {
        thread.join();
    }
}

/// `dvm_wait`.
pub(crate) fn wait() -> Result<(), Error> {
    let _life = alone()?;
    let call = enter()?;
    let engine = call.engine();
    let _waits = engine.program_waits();
    if let Some(job) = &engine.job {
        return job.scheduler.wait(Goal::Wait);
    }
    let crowded = engine.machine.oversubscribed();
    engine.completion.wait_until(crowded, || context::outstanding() == 0 || engine.defect().is_some());
    match engine.defect() {
        Some(defect) => Err(defect),
        None => engine.failures.report(),
    }
}

/// `dvm_finalize`.
pub(crate) fn finalize() -> Result<(), Error> {
    let mut life = alone()?;
    if !running() {
        return Err(not_running());
    }
    let told = end_of_job()?;
    let (report, written) = end(&mut life);
    told.and(report).and(written)
}

/// What is done first when a job ends, while all processes are there.
type BeforeEnd = fn(&Call) -> Result<(), Error>;

static BEFORE_END: Mutex<Option<BeforeEnd>> = Mutex::new(None);

/// Has a function called before the end of the job.
pub(crate) fn before_end(body: BeforeEnd) {
    *BEFORE_END.lock() = Some(body);
}

/// Finalize of a job: with all processes, until nothing is left anywhere. Gives what has failed.
fn end_of_job() -> Result<Result<(), Error>, Error> {
    let call = enter()?;
    let Some(job) = call.job() else { return Ok(Ok(())) };
    let body = BEFORE_END.lock().take();
    let done = body.map_or(Ok(()), |body| body(&call));
    let quiet = job.scheduler.wait(Goal::Quiet);
    let stuck = context::outstanding();
    call.poison_unproduced();
    let closed = job.scheduler.wait(Goal::Closed);
    job.scheduler.collect();
    if let Some(source) = job.source.lock().take() {
        call.engine().detach(&source);
    }
    job.scheduler.close();
    // Those that were cancelled at the end have a report of their own.
    let reported = |error: Error| if error.code() == dvm_retcode_t::DVM_ERR_TASK { Ok(()) } else { Err(error) };
    Ok(done.and(with_stuck(quiet, stuck)).and(closed.or_else(reported)))
}

/// Ends the engine in any state. Returns the report of failures, and whether the trace was written.
fn end(life: &mut Life) -> (Result<(), Error>, Result<(), Error>) {
    let address = ENGINE.load(Ordering::SeqCst);
    // SAFETY: only the end of this function frees the engine; the caller holds the lock of the life cycle.
    let engine = unsafe { KeptEngine::new(address) }.expect("an engine runs");
    let mine = ThreadContext::current();
    let stuck = quiesce(engine, mine);
    stop(&engine, std::mem::take(&mut life.threads));
    tell_left(&engine);
    free_data(engine, mine);
    if let Err(orphaned) = refuse_orphans() {
        return (Err(orphaned), Ok(())); // a free callback has forked, and has returned in the child
    }
    let report = match engine.defect() {
        Some(defect) => Err(defect),
        None => with_stuck(engine.failures.report(), stuck),
    };
    let written = engine.trace.finish();
    ENGINE.store(ptr::null_mut(), Ordering::SeqCst);
    let mut inside = Inside::now(context::others(mine));
    while inside.any() {
        std::thread::sleep(Duration::from_micros(50));
    }
    REGISTRY.clear();
    names::forget();
    life.implicit = false;
    // SAFETY: the workers have ended, and no thread is inside a call or can enter one: the engine is hidden.
    unsafe {
        context::reset();
        REGISTRY.free_forgotten();
        drop(Box::from_raw(address));
    }
    (report, written)
}

/// Waits until no task can run, then cancels the tasks that wait for data; returns their number.
fn quiesce(engine: KeptEngine, mine: &'static ThreadContext) -> u64 {
    let defective = || engine.defect().is_some();
    let _waits = engine.program_waits();
    let mut inside = engine.closing.begin(context::others(mine));
    let begun = Instant::now();
    while inside.any_at_work() && !defective() && (begun.elapsed() < EARLIER_CALLS_TIMEOUT || engine.sources.any()) {
        engine.completion.wait_a_moment();
    }
    engine.completion.wait_until(true, || context::under_way() == 0 || defective());
    let mut inside = engine.closing.close(context::others(mine));
    let stuck = context::outstanding();
    mine.engine.set(Some(engine));
    let call = Call { context: mine, engine, outermost: false };
    // Poisoning wakes threads that sleep on a promise; other threads leave their calls, and no thread can begin a new
    // one.
    while !defective() && (inside.any() || context::outstanding() > 0) {
        if let Some(job) = engine.job.as_ref().filter(|_| context::outstanding() > 0) {
            job.scheduler.give_up_waiting();
        }
        STORE.poison_promises(|waiters| call.activate(waiters, Outcome::Poisoned));
        if inside.any() || context::outstanding() > 0 {
            engine.completion.wait_a_moment();
        }
    }
    if defective() {
        // After a defect the waiting tasks are not cancelled, but threads that sleep on a promise have to leave.
        STORE.poison_promises(|_| ());
    }
    drop(call);
    mine.engine.set(None);
    stuck
}

/// Tells data that the program still has references of. After a defect tasks have kept theirs.
fn tell_left(engine: &Engine) {
    if !(engine.config.verbose() || engine.trace.is_on()) || engine.defect().is_some() {
        return;
    }
    let (data, bytes) = STORE.left();
    engine.trace.left(data, bytes);
    if data > 0 {
        engine.config.note(|| format!("{data} data of {bytes} bytes were never relaxed: dvm_finalize frees them"));
    }
}

/// Frees all data. Free callbacks may call libdvm, but make nothing new.
fn free_data(engine: KeptEngine, mine: &'static ThreadContext) {
    mine.engine.set(Some(engine));
    // Callbacks make nothing new, so one walk finds all data.
    let mut from = Some(0);
    while let Some(index) = from.filter(|_| !forked::is_orphan()) {
        from = mine.with(|own| STORE.free_some(&mut own.data, index));
        mine.give_back();
    }
    mine.engine.set(None);
}

/// Adds to the report that tasks were cancelled at the end.
fn with_stuck(report: Result<(), Error>, stuck: u64) -> Result<(), Error> {
    if stuck == 0 {
        return report;
    }
    let (tasks, were) = if stuck == 1 { ("task", "was") } else { ("tasks", "were") };
    let cancellations = format!("{stuck} {tasks} waited for data that nobody published, and {were} cancelled");
    match report {
        Ok(()) => Err(Error::state(format!("{cancellations}: publish every promise that tasks read"))),
        Err(error) => Err(Error::new(error.code(), format!("{}; {cancellations}", error.message()))),
    }
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use super::*;

    /// Without this, the first worker that falls asleep asks the kernel, and waits until each core has switched tasks.
    /// Runs in a process of its own: the end of an engine clears what other tests use.
    #[test]
    fn the_kernel_is_asked_for_its_fences_before_there_are_workers() {
        if testkit::playing() {
            init_alone().unwrap();
            assert!(fence::is_prepared());
            return finalize().unwrap();
        }
        let test = "engine::lifecycle::tests::the_kernel_is_asked_for_its_fences_before_there_are_workers";
        testkit::passes(&mut testkit::part(test));
    }
}
