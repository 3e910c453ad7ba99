//! The life of the engine: init, wait, finalize, and the start on behalf of generated code.

use std::ffi::c_int;
use std::io::Write as _;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::sync::lock::{Mutex, MutexGuard};
use crate::sync::thread::Thread;

use super::worker::{self, Address, Worker};
use super::{Call, ENGINE, Engine, ThreadContext, context, enter, forked, not_running};
use crate::config::Config;
use crate::data::{Outcome, STORE};
use crate::error::{Error, dvm_retcode_t};
use crate::idle::arbiter::Arbiter;
use crate::idle::closing::{Closing, Inside};
use crate::idle::completion::Completion;
use crate::idle::parking::IdleSet;
use crate::idle::worker_set::WorkerSet;
use crate::machine::Machine;
use crate::processing::REGISTRY;
use crate::sync::fence;
use crate::trace::{Moment, Trace};

/// So long the end waits for calls that have begun before it and may make tasks, beside graphs that run: such a call that still
/// goes on waits for something itself.
const PATIENCE: Duration = Duration::from_secs(1);

/// What has to be known to end the engine.
struct Life {
    threads: Vec<Thread>,
    /// True when nobody has called init: then the engine ends with the program.
    implicit: bool,
    /// True once the program's end will call [`end_at_exit`].
    exit_watched: bool,
    /// The process that started the workers: a forked child has none.
    process: u32,
}

/// Held by whoever inits, waits or finalizes.
static LIFE: Mutex<Life> = Mutex::new(Life { threads: Vec::new(), implicit: false, exit_watched: false, process: 0 });

/// The right to init, wait or finalize.
struct Alone(MutexGuard<'static, Life>);

impl std::ops::Deref for Alone {
    type Target = Life;
    fn deref(&self) -> &Life {
        &self.0
    }
}

impl std::ops::DerefMut for Alone {
    fn deref_mut(&mut self) -> &mut Life {
        &mut self.0
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        ThreadContext::current().end_borrowing();
    }
}

/// Makes sure that the calling thread may init, wait or finalize, and that no other does.
fn alone() -> Result<Alone, Error> {
    let context = ThreadContext::of_caller()?;
    if context.inside() {
        return Err(Error::new(
            dvm_retcode_t::DVM_ERR_IN_TASK,
            "init, wait, serve and finalize are not allowed in a task or a free callback: schedule a task on what you \
             would wait for",
        ));
    }
    if forked::is_orphan() {
        return Err(forked::orphaned(dvm_retcode_t::DVM_ERR_NOT_INITIALIZED));
    }
    let life = LIFE.try_lock().map(Alone);
    if life.is_none() {
        context.end_borrowing();
    }
    life.ok_or_else(|| Error::state("another thread is in init, wait, serve or finalize: one thread at a time may be"))
}

/// Whether a thread begins or ends libdvm, or waits.
pub(super) fn in_flux() -> bool {
    LIFE.try_lock().is_none()
}

/// Whether an engine runs.
pub(crate) fn running() -> bool {
    !ENGINE.load(Ordering::SeqCst).is_null()
}

/// `dvm_init`.
pub(crate) fn init() -> Result<(), Error> {
    refuse_orphans()?;
    let mut life = alone()?;
    if running() {
        if std::mem::take(&mut life.implicit) {
            return Ok(());
        }
        return Err(already_running());
    }
    start(&mut life)
}

/// Nothing can be started in a process that was forked while libdvm was running.
fn refuse_orphans() -> Result<(), Error> {
    if forked::is_orphan() { Err(forked::orphaned(dvm_retcode_t::DVM_ERR_UNSUPPORTED)) } else { Ok(()) }
}

fn already_running() -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_ALREADY_INITIALIZED,
        "libdvm is running already: dvm_finalize ends it, and dvm_init may follow that",
    )
}

/// `dvm_init_comm`.
pub(crate) fn init_comm(_communicator: c_int) -> Result<(), Error> {
    let _life = alone()?;
    if running() {
        return Err(already_running());
    }
    Err(Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, "this version has no transport for MPI: use dvm_init"))
}

/// `dvm_serve`.
pub(crate) fn serve() -> Result<(), Error> {
    let _life = alone()?;
    let _call = enter()?;
    Err(Error::new(
        dvm_retcode_t::DVM_ERR_UNSUPPORTED,
        "this process is process 0 of 1, which does not serve: it calls dvm_wait and dvm_finalize",
    ))
}

/// Starts the engine when nobody has; then it ends with the program. For generated code, which does without an engine that is
/// about to end.
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
    start(&mut life)?;
    life.implicit = true;
    Ok(())
}

/// Ends an engine that nobody has called init for, if it is at rest. If it is not, the program ends all the same.
extern "C" fn end_at_exit() {
    let _ = std::panic::catch_unwind(|| {
        save_trace();
        let Ok(context) = ThreadContext::of_caller() else { return };
        let Some(mut life) = LIFE.try_lock().filter(|_| !context.inside()) else { return };
        let mine = life.implicit && life.process == std::process::id() && running();
        if mine && !Inside::now(context::others(context)).any() && context::outstanding() == 0 {
            tell_failure(end(&mut life).1);
        }
    });
}

/// Writes the trace of a program that ends without finalize.
fn save_trace() {
    if let Ok(call) = enter()
        && call.engine().trace().has_files()
    {
        tell_failure(call.engine().trace().save(Moment::Death));
    }
}

/// Says what went wrong at the program's end, where no call is left to say so. Whoever asked for a trace has asked for this.
fn tell_failure(written: Result<(), Error>) {
    if let Err(error) = written {
        let _ = std::io::stderr().lock().write_all(format!("libdvm: {error}\n").as_bytes());
    }
}

fn watch_exit(life: &mut Life) {
    if !life.exit_watched {
        // SAFETY: the function is part of this library, which is never unloaded (it is linked with -z nodelete).
        life.exit_watched = unsafe { libc::atexit(end_at_exit) } == 0;
    }
}

fn start(life: &mut Life) -> Result<(), Error> {
    forked::watch();
    crate::memory::check()?;
    fence::prepare();
    let config = Config::load()?;
    let machine = Machine::configured(&config)?;
    let count = machine.workers();
    let trace = Trace::start(&config, (0..count).map(|worker| machine.title(worker)))?;
    if trace.has_files() {
        watch_exit(life);
    }
    config.note(|| machine.to_string());
    let (holders, seeded) = (WorkerSet::new(count), config.seed().map(|seed| super::Seeded::new(seed, count)));
    // Who gives way is counted where many workers share few CPUs; who draws orders looks for nothing meanwhile.
    let counted = holders.is_kept() && seeded.is_none() && machine.oversubscribed();
    let enough = if counted { count.div_ceil(machine.crowd()) } else { 0 };
    let engine = Box::into_raw(Box::new(Engine {
        workers: (0..count).map(|_| Worker::new()).collect(),
        seeded,
        stack: super::stack::size(&config),
        holders,
        machine,
        config,
        trace,
        idle_set: IdleSet::new(count, enough),
        arbiter: Arbiter::new(count),
        blocked_tasks: super::BlockedTasks::default(),
        progress_samples: super::ProgressSamples::default(),
        stand_ins: Mutex::default(),
        sources: super::Sources::default(),
        completion: Completion::default(),
        failures: super::Failures::default(),
        closing: Closing::default(),
        stopping: AtomicBool::new(false),
        defect: Mutex::new(None),
        defective: AtomicBool::new(false),
    }));
    let threads = without_signals(|| start_workers(engine, count));
    match threads {
        Ok(threads) => {
            *life = Life { threads, implicit: false, process: std::process::id(), ..*life };
            ENGINE.store(engine, Ordering::SeqCst);
            Ok(())
        }
        Err(error) => {
            // SAFETY: all threads that knew it have ended, and nobody else has seen it.
            drop(unsafe { Box::from_raw(engine) });
            Err(error)
        }
    }
}

/// Starts all workers, or none.
fn start_workers(engine: *const Engine, count: usize) -> Result<Vec<Thread>, Error> {
    let mut threads = Vec::with_capacity(count);
    for me in 0..count {
        match worker::start(Address(engine), me, 0) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                // SAFETY: the caller keeps the engine until its threads have ended.
                let engine = unsafe { &*engine };
                stop(engine, threads);
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

/// Signals that a thread gets for what it has itself done: they are never blocked, or a fault in a task would not reach
/// the program's handler.
const FAULTS: [c_int; 6] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// Runs `body` with all other signals blocked, so that the program's handlers never run on threads that it starts.
pub(crate) fn without_signals<R>(body: impl FnOnce() -> R) -> R {
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: plain calls on two signal sets of this frame; both are filled in before they are read.
    unsafe {
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigfillset(all.as_mut_ptr());
        for fault in FAULTS {
            libc::sigdelset(all.as_mut_ptr(), fault);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let result = body();
    // SAFETY: `before` was filled in above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    result
}

fn stop(engine: &Engine, threads: Vec<Thread>) {
    engine.stopping.store(true, Ordering::SeqCst);
    // A worker that is not idle yet looks at `stopping` before it sleeps.
    engine.wake_all();
    engine.workers.iter().for_each(|worker| worker.slot.0.announce_end());
    for thread in threads {
        thread.join();
    }
    // A thread that starts another has put it here before it ends itself.
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
    let (report, written) = end(&mut life);
    report.and(written)
}

/// Ends the engine, whatever state it is in, and tells what had gone wrong; and whether the trace was written.
fn end(life: &mut Life) -> (Result<(), Error>, Result<(), Error>) {
    let address = ENGINE.load(Ordering::SeqCst);
    // SAFETY: the engine is freed at the end of this function and nowhere else; the caller holds the lock of the life.
    let engine = unsafe { &*address };
    let mine = ThreadContext::current();
    let stuck = come_to_rest(engine, mine);
    stop(engine, std::mem::take(&mut life.threads));
    free_data(address, mine);
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
    life.implicit = false;
    // SAFETY: the workers have ended, and no thread is inside a call or can get inside: the engine is hidden.
    unsafe {
        context::reset();
        REGISTRY.free_forgotten();
        drop(Box::from_raw(address));
    }
    (report, written)
}

/// Waits until no task can run, then cancels those that wait for data; gives their number.
fn come_to_rest(engine: &Engine, mine: &'static ThreadContext) -> u64 {
    let defective = || engine.defect().is_some();
    let _waits = engine.program_waits();
    let mut inside = engine.closing.begin(context::others(mine));
    let begun = Instant::now();
    while inside.any_at_work() && !defective() && (begun.elapsed() < PATIENCE || engine.sources.any()) {
        engine.completion.wait_a_moment();
    }
    engine.completion.wait_until(true, || context::under_way() == 0 || defective());
    let mut inside = engine.closing.close(context::others(mine));
    let stuck = context::outstanding();
    mine.engine.set(engine);
    let call = Call { context: mine, engine, outermost: false };
    // Threads that sleep on a promise are woken by its end; others leave their calls, and none can begin a new one.
    while !defective() && (inside.any() || context::outstanding() > 0) {
        STORE.poison_promises(|waiters| call.activate(waiters, Outcome::Poisoned));
        if inside.any() || context::outstanding() > 0 {
            engine.completion.wait_a_moment();
        }
    }
    if defective() {
        // Nobody cancels what waited, but threads that sleep on a promise have to leave.
        STORE.poison_promises(|_| ());
    }
    drop(call);
    mine.engine.set(ptr::null());
    stuck
}

/// Frees what is left. Callbacks may make calls, but nothing new.
fn free_data(engine: *const Engine, mine: &'static ThreadContext) {
    mine.engine.set(engine);
    // Callbacks make nothing new, so one walk finds all.
    let mut from = Some(0);
    while let Some(index) = from.filter(|_| !forked::is_orphan()) {
        from = mine.with(|own| STORE.free_some(&mut own.data, index));
        mine.give_back();
    }
    mine.engine.set(ptr::null());
}

/// Adds to the report that tasks had to be cancelled at the end.
fn with_stuck(report: Result<(), Error>, stuck: u64) -> Result<(), Error> {
    if stuck == 0 {
        return report;
    }
    let (tasks, were) = if stuck == 1 { ("task", "was") } else { ("tasks", "were") };
    let tale = format!("{stuck} {tasks} waited for data that nobody published, and {were} cancelled");
    match report {
        Ok(()) => Err(Error::state(format!("{tale}: publish every promise that tasks read"))),
        Err(error) => Err(Error::new(error.code(), format!("{}; {tale}", error.message()))),
    }
}

#[cfg(all(test, target_os = "linux", not(loom)))]
mod tests {
    use super::*;

    /// Otherwise the first worker that falls asleep asks, and stands still until each core has switched tasks. In a process
    /// of its own: the end of an engine clears what other tests use.
    #[test]
    fn the_kernel_is_asked_for_its_fences_before_there_are_workers() {
        const CHILD: &str = "DVM_TEST_FENCES";
        if std::env::var_os(CHILD).is_some() {
            init().unwrap();
            assert!(fence::is_prepared());
            return finalize().unwrap();
        }
        let test = "engine::lifecycle::tests::the_kernel_is_asked_for_its_fences_before_there_are_workers";
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let output = child.args(["--exact", test]).env(CHILD, "1").output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{told}");
    }
}
