//! What the processes of a call send each other, and what has come.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::call_arrays::{CallArrays, EntryRows};
use super::functions::Functions;
use super::machine::TileMachine;
use super::plan::Plan;
use super::rows::ElementRows;
use super::window::StepBounds;
use crate::engine::remote_view::{RegionStage, RegionView};
use crate::engine::{AcrossEvent, RemoteScheduler};
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::sync::lock::Mutex;
use crate::wire::{ACROSS_PIECE, AcrossBody};

/// What this process is in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// All processes have the arrays before and after it.
    Equal,
    /// This one has them.
    Leads,
    /// Process 0 has them.
    Serves,
}

/// What the processes of a call send each other.
pub(super) struct Exchange {
    pub(super) job: Arc<dyn RemoteScheduler>,
    number: u32,
    pub(super) me: u32,
    pub(super) plan: Arc<Plan>,
    pub(super) functions: Arc<Functions>,
    /// The arrays and kept memory, in bytes.
    bytewise: Functions,
    arrays: CallArrays,
    sends: Vec<(u32, ElementRows)>,
    pub(super) machine: Mutex<TileMachine>,
    incoming: Mutex<Incoming>,
    role: Role,
    entering: AtomicU64,
    pub(super) through: AtomicU64,
    pub(super) messages: AtomicU64,
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
    /// What this process's tiles read from before the region: by who has it, and how many bytes of it have come.
    entering: Vec<(u32, ElementRows, usize)>,
}

/// While the value exists, explanations tell that a thread of the program waits in a region.
pub(super) struct Waiting<'a> {
    job: &'a Arc<dyn RemoteScheduler>,
}

impl<'a> Waiting<'a> {
    pub(super) fn new(
        job: &'a Arc<dyn RemoteScheduler>,
        name: &str,
        stage: RegionStage,
        awaited: impl IntoIterator<Item = u32>,
    ) -> Waiting<'a> {
        let awaited = awaited.into_iter().map(ProcessId::from_index).collect();
        job.across().awaits(Some(RegionView { name: name.to_owned(), stage, awaited }));
        Waiting { job }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.job.across().awaits(None);
    }
}

/// A process has told that it cannot go on.
pub(super) fn failed_elsewhere(from: ProcessId, code: dvm_retcode_t, text: &str) -> Error {
    Error::new(code, format!("process {from} could not run its part of the region: {text}"))
}

impl Exchange {
    /// The part of process `me` in the call with this number.
    pub(super) fn new(
        job: &Arc<dyn RemoteScheduler>,
        (number, me, role): (u32, u32, Role),
        plan: Arc<Plan>,
        functions: &Arc<Functions>,
        bounds: StepBounds,
        (arrays, entry): (CallArrays, EntryRows),
    ) -> Exchange {
        let pieces = (0..plan.processes).map(|_| Vec::new()).collect();
        let entering = entry.waits.into_iter().map(|(from, rows)| (from, rows, 0)).collect();
        Exchange {
            job: Arc::clone(job),
            number,
            me,
            machine: Mutex::new(TileMachine::new(Arc::clone(&plan), me, bounds)),
            plan,
            functions: Arc::clone(functions),
            bytewise: functions.in_bytes(&arrays.bases()),
            arrays,
            sends: entry.sends,
            incoming: Mutex::new(Incoming { pieces, entering, ..Incoming::default() }),
            role,
            entering: AtomicU64::new(0),
            through: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            out: AtomicU64::new(0),
        }
    }

    /// Takes in what has come before the graphs were known.
    pub(super) fn begin(&self, events: Vec<AcrossEvent>) -> Result<(), Error> {
        self.take_in(&mut self.incoming.lock(), events)
    }

    /// Bytes from before the region, bytes and messages between tiles, and bytes of what is left behind, that this process
    /// has sent.
    pub(super) fn counts(&self) -> [u64; 4] {
        [&self.entering, &self.through, &self.messages, &self.out].map(|count| count.load(Ordering::Relaxed))
    }

    /// Hands others what their tiles read from before the region; waits for what those of this process read.
    pub(super) fn enter(&self, name: &str) -> Result<(), Error> {
        for (to, rows) in &self.sends {
            self.bytewise.pack_pieces(rows, ACROSS_PIECE, &mut |bytes, more| {
                self.entering.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                self.tell(*to, AcrossBody::Entering { more, bytes });
            });
        }
        let mut incoming = self.incoming.lock();
        loop {
            let absent = self.not_entered(&incoming);
            if absent.is_empty() {
                return Ok(());
            }
            let _waits = Waiting::new(&self.job, name, RegionStage::Entering, absent);
            let events = self.job.across().wait_and_take(self.number);
            self.take_in(&mut incoming, events)?;
        }
    }

    /// Who has not yet sent all that this process needs.
    fn not_entered(&self, incoming: &Incoming) -> Vec<u32> {
        let open = incoming.entering.iter().filter(|(_, rows, done)| *done < self.bytewise.bytes(rows));
        open.map(|(from, ..)| *from).collect()
    }

    pub(super) fn others(&self) -> impl Iterator<Item = u32> {
        let me = self.me;
        (0..self.plan.processes).filter(move |to| *to != me)
    }

    pub(super) fn tell(&self, to: u32, body: AcrossBody<&[u8]>) {
        self.job.across().tell(self.number, ProcessId::from_index(to), body);
    }

    pub(super) fn send_elements(&self, to: u32, (graph, tile): (usize, u64), left: bool, progress: i64, bytes: &[u8]) {
        let mut pieces = bytes.chunks(ACROSS_PIECE).peekable();
        while let Some(bytes) = pieces.next() {
            let more = pieces.peek().is_some();
            self.tell(to, AcrossBody::Elements { graph: graph as u32, tile, left, more, progress, bytes });
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
        self.take_in(&mut incoming, events)?;
        drop(incoming);
        // What has come may let kept messages go.
        self.tell_progress();
        Ok(())
    }

    fn take_in(&self, incoming: &mut Incoming, events: Vec<AcrossEvent>) -> Result<(), Error> {
        for event in events {
            match event {
                AcrossEvent::Lost(error) => return Err(error),
                AcrossEvent::Said(from, AcrossBody::Failed { code, text }) => {
                    return Err(failed_elsewhere(from, code, &text));
                }
                AcrossEvent::Said(from, AcrossBody::Elements { graph, tile, left, more, progress, bytes }) => {
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
                        let (from, n) = (from.index() as u32, graph as usize);
                        let mut machine = self.machine.lock();
                        machine.arrived(n, tile, bytes)?;
                        machine.progressed(from, n, progress);
                    }
                }
                AcrossEvent::Said(from, AcrossBody::Ended { graph }) => {
                    if graph as usize >= self.plan.graphs.len() {
                        incoming.complete.insert(from.index() as u32);
                    } else {
                        self.machine.lock().other_ended(from.index() as u32, graph as usize);
                    }
                }
                AcrossEvent::Said(from, AcrossBody::Progress { graph, step }) => {
                    self.machine.lock().progressed(from.index() as u32, graph as usize, step);
                }
                AcrossEvent::Said(from, AcrossBody::Await { graph, every }) => {
                    self.machine.lock().awaited(from.index() as u32, graph as usize, every);
                }
                AcrossEvent::Said(from, AcrossBody::Entering { bytes, .. }) => {
                    let from = from.index() as u32;
                    if let Some((_, rows, done)) = incoming.entering.iter_mut().find(|(known, ..)| *known == from) {
                        self.bytewise.unpack_piece(rows, done, &bytes)?;
                    }
                }
                AcrossEvent::Said(
                    _,
                    AcrossBody::Enter { .. }
                    | AcrossBody::Sizes(_)
                    | AcrossBody::Serve(_)
                    | AcrossBody::Kept { .. }
                    | AcrossBody::RunsMain,
                ) => {}
            }
        }
        Ok(())
    }

    /// Sends what this process's tiles leave behind to all that run main, and takes what others do, if it does.
    pub(super) fn leave_behind(&self, name: &str) -> Result<(), Error> {
        let to_all = match self.role {
            Role::Equal => self.others().collect(),
            Role::Leads => Vec::new(),
            Role::Serves => vec![0],
        };
        for (n, graph) in self.plan.graphs.iter().enumerate() {
            for tile in graph.own(self.me) {
                let rows = self.arrays.returned(&self.plan.left(n, &tile));
                if to_all.is_empty() || rows.is_empty() {
                    continue;
                }
                let bytes = self.bytewise.pack(&rows);
                for &to in &to_all {
                    self.out.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                    self.send_elements(to, (n, graph.number(&tile)), true, 0, &bytes);
                }
            }
        }
        let graph = self.plan.graphs.len() as u32;
        for to in &to_all {
            self.tell(*to, AcrossBody::Ended { graph });
        }
        if self.role == Role::Serves {
            return Ok(());
        }
        let mut incoming = self.incoming.lock();
        loop {
            for (n, tile, bytes) in std::mem::take(&mut incoming.left) {
                let graph =
                    self.plan.graphs.get(n as usize).ok_or_else(|| Error::state("elements of no graph have come"))?;
                let rows = self.arrays.returned(&self.plan.left(n as usize, &graph.tile(tile)));
                self.bytewise.unpack(&rows, &bytes)?;
            }
            if incoming.complete.len() + 1 == self.plan.processes as usize {
                return Ok(());
            }
            let absent = self.others().filter(|other| !incoming.complete.contains(other)).collect::<Vec<_>>();
            let _waits = Waiting::new(&self.job, name, RegionStage::LeftBehind, absent);
            let events = self.job.across().wait_and_take(self.number);
            self.take_in(&mut incoming, events)?;
        }
    }
}
