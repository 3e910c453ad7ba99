//! What processes record: messages as arrows of the timeline, counts of messages and bytes, and at the end of the job one
//! file, one table and one report. All processes send their parts to process 0, as messages: hosts need not share a file system.
//! These messages, and questions for process 0's clock, are not counted: the end of the job does not wait for them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;

use super::progress::EAGER;
use super::recorded::ROOM;
use super::state::{Handled, Remote, Step, index};
use crate::data::DatumId;
use crate::engine::Call;
use crate::id::ProcessId;
use crate::protocol::Breach;
use crate::trace::{About, MessageKind, Stamp, Trace, Wishes, pieces};
use crate::wire::{Edge, Message};

/// The bytes of a message; a multiple of those of a point.
const PIECE: usize = 16 << 10;

/// What a message is.
mod handle {
    /// To process 0: what is your clock? With the asker's.
    pub(super) const ASK: u32 = 0;
    /// The answer: the asker's clock, and process 0's.
    pub(super) const TELL: u32 = 1;
    /// Entries of the timeline.
    pub(super) const TEXT: u32 = 2;
    /// Points of arrows.
    pub(super) const POINTS: u32 = 3;
    /// How many events are missing.
    pub(super) const DROPPED: u32 = 4;
    /// Bytes of a part of the table.
    pub(super) const SUMMARY: u32 = 5;
    /// Bytes of a part of the report.
    pub(super) const PROFILE: u32 = 6;
    /// Nothing follows.
    pub(super) const LAST: u32 = 7;
}

/// The arrow of a task, which its scheduler has numbered for its runner.
pub(super) fn task_arrow(from: ProcessId, to: ProcessId, sequence: u32) -> u64 {
    from.index() << 48 | (to.index() & 0xffff) << 32 | u64::from(sequence)
}

/// A number at this place.
fn number(bytes: &[u8], place: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(8 * place..8 * place + 8)?.try_into().ok()?))
}

impl Step<'_> {
    fn trace(&self) -> &Trace {
        self.call.engine().trace()
    }

    /// The time at which something begins that is recorded.
    pub(super) fn stamp(&self) -> Stamp {
        self.trace().begin()
    }

    /// A task was sent since `start`.
    pub(super) fn record_task(&self, start: Stamp, to: ProcessId, sequence: u32, description: &'static str) {
        if self.trace().is_on() {
            let arrow = task_arrow(self.me(), to, sequence);
            let about = About { arrow, peer: to.index() as u16, task: Some(description), ..About::default() };
            self.trace().message(self.call.worker(), start, MessageKind::SendTask, &about);
        }
    }

    /// Bytes were asked for, sent, or have come since `start`.
    pub(super) fn record_bytes(
        &self,
        start: Stamp,
        kind: MessageKind,
        (asker, peer): (ProcessId, ProcessId),
        (ticket, id, bytes): (u32, DatumId, u64),
    ) {
        if self.trace().is_on() {
            let arrow = asker.index() << 32 | u64::from(ticket);
            let datum = [id.home().index(), id.number()];
            let about = About { arrow, peer: peer.index() as u16, task: None, datum, bytes };
            self.trace().message(self.call.worker(), start, kind, &about);
        }
    }

    fn send_record(&mut self, to: ProcessId, handle: u32, bytes: &[u8]) {
        self.send(to, &Message::Edge(Edge { room: ROOM, handle, bytes }));
    }

    /// Asks process 0 for its clock.
    pub(super) fn ask_for_clock(&mut self) {
        self.send_record(ProcessId::FIRST, handle::ASK, &Trace::clock().to_le_bytes());
    }

    /// A message about records has come.
    pub(super) fn record(&mut self, from: ProcessId, edge: &Edge<'_>) -> Handled {
        let first = self.me() == ProcessId::FIRST;
        match (edge.handle, number(edge.bytes, 0), number(edge.bytes, 1)) {
            _ if edge.room != ROOM => {
                return Err(Breach::new(from, "it sends an edge of a graph that no other process runs"));
            }
            (handle::ASK, Some(asked), None) if first => {
                let answer = [asked.to_le_bytes(), Trace::clock().to_le_bytes()].concat();
                self.send_record(from, handle::TELL, &answer);
            }
            (handle::TELL, Some(asked), Some(theirs)) if from == ProcessId::FIRST => {
                if self.trace().clock_told(asked, theirs) {
                    self.ask_for_clock();
                }
                self.wake();
            }
            (handle::TEXT..=handle::LAST, ..) if first && self.trace().is_on() => {
                self.state.records.parts.push_back((from, edge.handle, edge.bytes.to_vec()));
                self.wake();
            }
            _ => return Err(Breach::new(from, "it sends records that this process does not want")),
        }
        Ok(())
    }

    /// Whether a process can be expected to send or to take records.
    fn is_present(&self, process: ProcessId) -> bool {
        self.state.membership.is_alive(process)
            && !self.state.membership.ended()
            && !self.state.records.departed.contains(&process)
    }
}

impl Remote {
    /// Collects what all processes have recorded. Each process calls this when the job has ended.
    pub(super) fn collect_records(&self, call: &Call) {
        let trace = call.engine().trace();
        if !trace.is_on() {
            return;
        }
        trace.set_traffic(&self.state.lock().records.traffic);
        let what = trace.wishes().and(self.wishes[0]);
        if self.me == ProcessId::FIRST {
            self.merge_records(call, trace);
        } else if what.any() && self.hand_over(call, trace, what) {
            trace.delivered(what);
        }
    }

    /// Waits until `reached`, as long as something goes on: `progress` changes. Says whether that came.
    fn patiently(
        &self,
        call: &Call,
        mut reached: impl FnMut(&mut Step<'_>) -> bool,
        progress: impl Fn(&Step<'_>) -> usize,
    ) -> bool {
        let (mut since, mut before, mut good) = (Instant::now(), usize::MAX, false);
        self.drive(call, EAGER, |step| {
            good = reached(step);
            let now = progress(step);
            if now != before {
                (since, before) = (Instant::now(), now);
            }
            good || since.elapsed() > self.patience
        });
        good
    }

    /// Sends all records to process 0; says whether it has them.
    fn hand_over(&self, call: &Call, trace: &Trace, what: Wishes) -> bool {
        let root = ProcessId::FIRST;
        let unsent = |step: &Step<'_>| step.state.outboxes[index(root)].waiting();
        let sent = || {
            self.patiently(call, |step| !step.is_present(root) || step.state.outboxes[index(root)].is_empty(), unsent)
        };
        if what.needs_clock() && self.has_far_clock {
            trace.begin_late_measurements();
            self.step(call, |step| {
                step.ask_for_clock();
            });
            self.patiently(call, |step| !step.is_present(root) || trace.is_measured(), |_| 0);
        }
        for part in 0..if what.timeline { trace.parts() } else { 0 } {
            let (text, points, dropped) = trace.part(part);
            self.step(call, |step| {
                pieces(&text, PIECE).for_each(|piece| step.send_record(root, handle::TEXT, piece));
                points.chunks(PIECE).for_each(|piece| step.send_record(root, handle::POINTS, piece));
                step.send_record(root, handle::DROPPED, &dropped.to_le_bytes());
            });
            if !sent() {
                return false;
            }
        }
        let summary = if what.summary { trace.summary_part() } else { Vec::new() };
        let profile = if what.profile { trace.profile_part() } else { Vec::new() };
        self.step(call, |step| {
            profile.chunks(PIECE).for_each(|piece| step.send_record(root, handle::PROFILE, piece));
            summary.chunks(PIECE).for_each(|piece| step.send_record(root, handle::SUMMARY, piece));
            step.send_record(root, handle::LAST, &[]);
        });
        sent() && self.step(call, |step| step.is_present(root))
    }

    /// Writes what all processes have recorded.
    fn merge_records(&self, call: &Call, trace: &Trace) {
        let Some(mut merge) = trace.merge() else { return };
        let mine = trace.wishes();
        let others = self.wishes.iter().enumerate().skip(1).filter(|(_, other)| mine.and(**other).any());
        let mut missing: BTreeSet<ProcessId> = others.map(|(at, _)| ProcessId::from_index(at as u32)).collect();
        let mut summaries: BTreeMap<ProcessId, Vec<u8>> = BTreeMap::new();
        let mut profiles: BTreeMap<ProcessId, Vec<u8>> = BTreeMap::new();
        while !missing.is_empty() {
            let mut parts = VecDeque::new();
            let some = |step: &mut Step<'_>| {
                parts = std::mem::take(&mut step.state.records.parts);
                // All that a process has sent comes before its end.
                if parts.is_empty() {
                    missing.retain(|process| step.is_present(*process));
                }
                !parts.is_empty() || missing.is_empty()
            };
            if !self.patiently(call, some, |_| 0) {
                break;
            }
            for (from, what, bytes) in parts {
                match what {
                    handle::TEXT => merge.text(&bytes),
                    handle::POINTS => merge.points(&bytes),
                    handle::DROPPED => merge.dropped(number(&bytes, 0).unwrap_or_default()),
                    handle::SUMMARY => summaries.entry(from).or_default().extend(bytes),
                    handle::PROFILE => profiles.entry(from).or_default().extend(bytes),
                    _ => drop(missing.remove(&from)),
                }
            }
        }
        for process in missing {
            call.note(|| format!("process {process} has not sent what it has recorded"));
        }
        for summary in summaries.values() {
            merge.summary(summary);
        }
        merge.end(profiles.into_values().collect());
    }
}
