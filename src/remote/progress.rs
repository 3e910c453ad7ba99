//! Who polls: workers that look around, threads that wait, and else the progress thread, which sleeps as long as
//! nothing comes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::state::{Remote, Step};
use crate::engine::{Account, Call, Source, enter, under_way};
use crate::error::Error;
use crate::id::ProcessId;
use crate::sync::thread::Thread;
use crate::transport::{Peer, Wake};

/// How long the progress thread leaves polling to others that do so.
const OTHERS_POLL: Duration = Duration::from_micros(100);

/// The longest sleep of the progress thread: then it says that this process is alive.
const LONGEST_SLEEP: Duration = Duration::from_millis(500);

/// How long a thread that waits polls before it leaves that to the progress thread.
const EAGER: Duration = Duration::from_micros(50);

/// The longest sleep of a thread that waits.
const NAP: Duration = Duration::from_millis(20);

impl Remote {
    fn now(&self) -> u64 {
        self.start.elapsed().as_micros() as u64
    }

    /// Takes in what has come, if nobody else is at it; true if there was something.
    pub(super) fn poll(&self, call: &Call) -> bool {
        let Some(turn) = self.polls.turn.try_lock() else { return false };
        let any = self.transport.poll(&mut |event| self.change(call, |step| step.event(event)));
        drop(turn);
        call.give_back();
        any
    }

    fn poll_for_others(&self, call: &Call) -> bool {
        self.polls.last.store(self.now(), Ordering::Relaxed);
        self.poll(call)
    }

    /// Polls and sleeps until `reached`, which is asked after each change.
    pub(super) fn drive(&self, call: &Call, mut reached: impl FnMut(&mut Step<'_>) -> bool) {
        let mut eager = Instant::now() + EAGER;
        loop {
            if self.step(call, &mut reached) {
                return;
            }
            if self.poll_for_others(call) {
                eager = Instant::now() + EAGER;
            } else if Instant::now() < eager {
                std::thread::yield_now();
            } else {
                // Tasks that end, and the progress thread, notify.
                call.nap(self.nap(eager));
            }
        }
    }

    /// How long a thread sleeps that has polled in vain until `eager`, and before that for `EAGER`: others notify it, unless it
    /// alone moves some of the bytes.
    fn nap(&self, eager: Instant) -> Duration {
        let looks = self.transport.wake().sleep_after(EAGER + eager.elapsed());
        looks.filter(|_| self.transport.depends_on_this_thread()).unwrap_or(NAP)
    }

    /// Waits until the state has what the calling thread needs.
    pub(super) fn wait_until<R>(&self, call: &Call, mut found: impl FnMut(&mut Step<'_>) -> Option<R>) -> R {
        let begun = Instant::now();
        loop {
            if let Some(result) = self.step(call, &mut found) {
                return result;
            }
            // Beside an MPI nothing wakes, and this may be the only thread that can make it go on.
            let drives = self.transport.wake() != Wake::Doorbell;
            if drives && self.poll_for_others(call) {
                continue;
            }
            if begun.elapsed() < EAGER {
                self.poll_for_others(call);
                continue;
            }
            let mut state = self.state.lock();
            self.changed.wait_for(&mut state, Duration::from_millis(1));
        }
    }

    /// The progress thread's loop.
    fn progress(&self) {
        let (mut beaten, mut judging) = (Instant::now(), false);
        let mut judge = Judge::new(self.patience);
        while !self.stopping.load(Ordering::Acquire) {
            if beaten.elapsed() >= LONGEST_SLEEP {
                beaten = Instant::now();
                self.transport.beat();
                judging = true;
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
            let (full, idle) = self.step(&call, |step| (step.has_unsent(), under_way() == 0));
            drop(call);
            if any {
                continue;
            }
            let others_poll = self.now().saturating_sub(self.polls.last.load(Ordering::Relaxed)) < 1000;
            if full || !idle || others_poll {
                std::thread::sleep(OTHERS_POLL);
            } else {
                self.transport.sleep(LONGEST_SLEEP);
            }
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
        if self.state.ends.closing > 0 {
            return; // some may have left already
        }
        let survivors: Vec<ProcessId> = self.state.membership.survivors().collect();
        for other in survivors {
            if other == me || (me != root && other != root) {
                continue;
            }
            let silence = self.remote.transport.silence(Peer::new(other.index() as u32));
            if silence > self.remote.patience {
                self.gone(other, &format!("it has been silent for {:.1} s", silence.as_secs_f64()));
            }
        }
    }

    /// Whether something could not be sent yet.
    fn has_unsent(&self) -> bool {
        !self.state.outboxes.iter().all(super::outbox::Outbox::is_empty)
    }
}

/// What workers poll.
pub(super) struct RemoteSource(pub(super) Arc<Remote>);

impl Source for RemoteSource {
    fn poll(&self, _worker: usize) -> bool {
        enter().is_ok_and(|call| self.0.poll_for_others(&call))
    }

    fn ended(&self) -> u64 {
        0
    }

    fn account(&self) -> Account {
        Account {
            name: "messages of other processes".into(),
            volume: 0,
            general: false,
            ended: 0,
            ready: 0,
            running: Vec::new(),
            waiting: 0,
            told: Vec::new(),
        }
    }
}
