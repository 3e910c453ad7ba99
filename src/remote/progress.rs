//! Who polls: workers that look around, threads that wait, and else the progress thread, which sleeps as long as
//! nothing comes.
//!
//! A message goes at once, unless another one has just gone (`state::BURST`, for ends of tasks `TOGETHER`) and the progress
//! thread is awake: then what follows goes along with more, at the first poll of this process after that time at the latest.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::state::{Polls, Remote, Step};
use crate::engine::{Account, Call, Source, enter, under_way};
use crate::error::Error;
use crate::id::ProcessId;
use crate::sync::thread::Thread;
use crate::transport::{Peer, Wake};

/// How long the progress thread leaves polling to others that do so.
const OTHERS_POLL: Duration = Duration::from_micros(100);

/// Others poll all the time if one did so within this time, in nanoseconds.
const OTHERS_POLL_NOW: u64 = 30_000;

/// How long after such a poll, in nanoseconds, it looks around often.
const OTHERS_POLLED: u64 = 1_000_000;

/// The longest sleep of the progress thread: then it says that this process is alive.
const LONGEST_SLEEP: Duration = Duration::from_millis(500);

/// How long a thread that waits polls before it leaves that to the progress thread.
pub(super) const EAGER: Duration = Duration::from_micros(50);

/// Polls of workers between two looks at the clock: a worker that looks around polls every 0.1 us.
const POLLS_PER_LOOK_AT_CLOCK: u64 = 16;

/// The longest sleep of a thread that waits.
pub(super) const NAP: Duration = Duration::from_millis(20);

/// The same where nothing wakes it.
pub(super) const NAP_BESIDE_MPI: Duration = Duration::from_millis(1);

impl Remote {
    /// Takes in what has come, if nobody else is at it; true if there was something.
    pub(super) fn poll(&self, call: &Call) -> bool {
        let Some(turn) = self.polls.turn.try_lock() else { return false };
        let (any, owes) = self.take_in(call);
        drop(turn);
        self.give_back(call, owes);
        any
    }

    pub(super) fn poll_for_others(&self, call: &Call) -> bool {
        self.polls.by_others.store(self.now(), Ordering::Relaxed);
        self.poll(call)
    }

    /// The calling thread, one of those that `last` tells about, polls no longer: if no other one does, the progress thread
    /// begins to, at once.
    pub(super) fn stop_polling(&self, last: &AtomicU64) {
        last.store(self.now().saturating_sub(OTHERS_POLL_NOW), Ordering::Relaxed);
        self.polls.one_stops();
    }

    /// Polls for a worker that has nothing to run.
    fn poll_for_worker(&self, call: &Call) -> bool {
        // Counts that are lost do no harm.
        let count = self.polls.count.load(Ordering::Relaxed);
        self.polls.count.store(count.wrapping_add(1), Ordering::Relaxed);
        if count.is_multiple_of(POLLS_PER_LOOK_AT_CLOCK) {
            self.polls.by_workers.store(self.now(), Ordering::Relaxed);
        }
        let any = self.poll(call);
        // Each worker comes by here when it has nothing left to run.
        if !any && self.may_be_idle.load(Ordering::Relaxed) && under_way() == 0 {
            self.step(call, |step| {
                if step.state.waits.is_some() {
                    step.look_around();
                }
            });
        }
        any
    }

    /// Whether workers poll: then a thread that waits would take their time.
    fn workers_poll(&self) -> bool {
        self.now() < self.polls.by_workers.load(Ordering::Relaxed) + OTHERS_POLL.as_nanos() as u64
    }

    /// Polls and sleeps until `reached`, which is asked after each change. It polls in vain for as long as `patience`.
    pub(super) fn drive(&self, call: &Call, patience: Duration, mut reached: impl FnMut(&mut Step<'_>) -> bool) {
        let wakes = self.transport.wake() == Wake::Doorbell;
        let mut eager = Instant::now() + patience;
        loop {
            let (over, version) = self.step(call, |step| (reached(step), step.state.version));
            if over {
                return;
            }
            let leaves = wakes && self.workers_poll();
            if !leaves && self.poll_for_others(call) {
                eager = Instant::now() + patience;
            } else if !leaves && Instant::now() < eager {
                std::thread::yield_now();
            } else {
                if !leaves {
                    self.stop_polling(&self.polls.by_others);
                }
                self.sleep(version, self.nap(eager));
            }
        }
    }

    /// How long a thread sleeps that has polled in vain until `eager`, and before that for `EAGER`: others notify it, unless it
    /// alone moves some of the bytes.
    fn nap(&self, eager: Instant) -> Duration {
        let looks = self.transport.wake().sleep_after(EAGER + eager.elapsed());
        looks.filter(|_| self.transport.depends_on_this_thread()).unwrap_or(NAP)
    }

    /// Waits until the state has what the calling thread needs. It polls for as long as `patience`.
    pub(super) fn wait_until<R>(
        &self,
        call: &Call,
        patience: Duration,
        mut found: impl FnMut(&mut Step<'_>) -> Option<R>,
    ) -> R {
        let begun = Instant::now();
        // Beside an MPI nothing wakes, and this may be the only thread that can make it go on.
        let drives = self.transport.wake() != Wake::Doorbell;
        let mut counted = |step: &mut Step<'_>| {
            let result = found(step)?;
            let traffic = &mut step.state.records.traffic;
            traffic.waits += 1;
            traffic.waited += begun.elapsed().as_nanos() as u64;
            Some(result)
        };
        loop {
            let (result, version) = self.step(call, |step| (counted(step), step.state.version));
            if let Some(result) = result {
                return result;
            }
            if drives && self.poll_for_others(call) {
                continue;
            }
            let waited = begun.elapsed();
            if waited >= patience {
                self.stop_polling(&self.polls.by_others);
                self.sleep(version, if drives { NAP_BESIDE_MPI } else { NAP });
            } else if !self.poll_for_others(call) && waited >= EAGER {
                std::thread::yield_now(); // others may have to run here
            }
        }
    }

    /// Whether others poll all the time, and nothing is due that they have not sent: polling would take their core, and what
    /// it took in would have to be handed to them.
    fn others_poll(&self) -> bool {
        self.since_others_polled() < OTHERS_POLL_NOW && self.now() < self.due.load(Ordering::Relaxed)
    }

    /// Nanoseconds since a worker or a thread that waits polled.
    fn since_others_polled(&self) -> u64 {
        let polls = &self.polls;
        let last = polls.by_workers.load(Ordering::Relaxed).max(polls.by_others.load(Ordering::Relaxed));
        self.now().saturating_sub(last)
    }

    /// The progress thread's loop.
    fn progress(&self) {
        let (mut beaten, mut judging, mut came) = (Instant::now(), false, Instant::now());
        let mut judge = Judge::new(self.patience);
        while !self.stopping.load(Ordering::Acquire) {
            if beaten.elapsed() >= LONGEST_SLEEP {
                beaten = Instant::now();
                self.transport.beat();
                judging = true;
            }
            if !judging && self.others_poll() {
                // What is due within this thread's sleep, those who poll send. A bell would be rung for this thread only.
                self.progress_looks.store(true, Ordering::Release);
                self.polls.leave_to_others(OTHERS_POLL);
                continue;
            }
            let Ok(call) = enter() else {
                std::thread::sleep(OTHERS_POLL);
                continue;
            };
            let any = self.poll(&call);
            if std::mem::take(&mut judging) && judge.was_awake() {
                self.step(&call, |step| {
                    step.judge_silence();
                });
            }
            if any {
                came = Instant::now();
                continue;
            }
            // What comes is often answered, and the answer again.
            if came.elapsed() < EAGER {
                drop(call);
                std::thread::yield_now();
                continue;
            }
            let looks = self.since_others_polled() < OTHERS_POLLED;
            // Under the lock: what is left to this thread from now on, or was before, is sent.
            let full = self.step(&call, |step| {
                self.progress_looks.store(looks, Ordering::Release);
                step.has_unsent()
            });
            drop(call);
            self.transport.sleep(if full || looks { OTHERS_POLL } else { LONGEST_SLEEP });
        }
    }

    /// Starts the progress thread.
    pub(super) fn start_progress(self: &Arc<Remote>) -> Result<(), Error> {
        let remote = self.clone();
        let thread = Thread::spawn("dvm-progress", None, move || remote.progress()).map_err(|error| {
            Error::new(
                crate::error::dvm_retcode_t::DVM_ERR_MEMORY,
                format!("no thread for messages could be started: {error}"),
            )
        })?;
        *self.progress.lock() = Some(thread);
        Ok(())
    }

    /// Ends the progress thread.
    pub(super) fn end_progress(&self) {
        self.stopping.store(true, Ordering::Release);
        self.transport.interrupt();
        if let Some(thread) = self.progress.lock().take() {
            thread.join();
        }
        if !self.state.lock().membership.lost().is_empty() {
            // Transfers with processes that were cut off end here: they use data, which are about to be freed.
            for _ in 0..1000 {
                if !self.transport.poll(&mut |_| ()) {
                    break;
                }
            }
        }
    }
}

impl Polls {
    /// Sleeps, at most so long, until one of those who poll stops.
    fn leave_to_others(&self, longest: Duration) {
        let mut stopped = self.stopped.lock();
        if !*stopped {
            self.stops.wait_for(&mut stopped, longest);
        }
        *stopped = false;
    }

    fn one_stops(&self) {
        *self.stopped.lock() = true;
        self.stops.notify_one();
    }
}

/// Judges others by their silence, if it has not been stopped itself: what they said meanwhile is unread.
struct Judge {
    patience: Duration,
    /// When it last looked, and since when it has looked often enough.
    last: Instant,
    awake_since: Instant,
}

impl Judge {
    fn new(patience: Duration) -> Judge {
        let now = Instant::now();
        Judge { patience, last: now, awake_since: now }
    }

    /// Whether this thread has run, without a long pause, for as long as the others may be silent.
    fn was_awake(&mut self) -> bool {
        let now = Instant::now();
        if now - self.last > LONGEST_SLEEP * 3 {
            self.awake_since = now;
        }
        self.last = now;
        now - self.awake_since >= self.patience
    }
}

impl Step<'_> {
    /// Who has been silent for too long is gone. Process 0 judges all, and the others process 0.
    fn judge_silence(&mut self) {
        let (me, root) = (self.me(), ProcessId::from_index(0));
        if self.state.ends.closing > 1 {
            return; // some may have left already
        }
        let survivors: Vec<ProcessId> = self.state.membership.survivors().collect();
        for other in survivors {
            if other == me || (me != root && other != root) {
                continue;
            }
            if let Some(silence) = self.too_long_silent(other) {
                self.gone(other, &format!("it has been silent for {:.1} s", silence.as_secs_f64()));
            }
        }
    }

    /// How long a process has been silent, if that is too long.
    pub(super) fn too_long_silent(&self, other: ProcessId) -> Option<Duration> {
        let silence = self.remote.transport.silence(Peer::new(other.index() as u32));
        (silence > self.remote.patience).then_some(silence)
    }
}

/// What workers poll.
pub(super) struct RemoteSource(pub(super) Arc<Remote>);

impl Source for RemoteSource {
    fn poll(&self, _worker: usize) -> bool {
        enter().is_ok_and(|call| self.0.poll_for_worker(&call))
    }

    fn ended(&self) -> u64 {
        0
    }

    fn account(&self) -> Option<Account> {
        None
    }
}
