//! Copies of far data, and the tasks that wait for them.
//!
//! A copy is promised (nobody knows of bytes), located, being fetched, present, or poisoned; a present copy that nobody
//! pins may be evicted, and is located again. One fetch per datum, whoever asks. Copies count against a limit.
//!
//! Never stuck: ready and running tasks pin their inputs, and so does the *head*, the oldest waiting task of which nothing is
//! missing but bytes that can be fetched. For any other task only copies are evicted that no task waits for, so that waiting
//! tasks do not take copies from each other; for the head all that is not pinned. Fetches begin with the head's and go on in the
//! order in which tasks came, as far as the limit allows. When nothing runs, is ready or under way, the head's next fetch goes
//! regardless: over the limit by the inputs of one task at most.
//!
//! A task with a poisoned input is cancelled when all its inputs have come to something, and no sooner: it keeps its
//! references until then, so that a promise is not freed before its producer is scheduled.
//!
//! A datum whose bytes this process itself keeps is no copy: its owner leaves it out. A copy that is read where it lies, in
//! another process's memory, counts for little (`MAPPED_BYTES`), and no task takes its bytes over.

use super::planted::planted;
use super::process_set::ProcessSet;
use crate::id::{DatumId, IdMap, ProcessId};
use std::collections::{BTreeMap, BTreeSet};

/// Requests have numbers up to here; larger ones are for other uses.
pub const MOST_TICKETS: u32 = (1 << 29) - 1;

/// What is counted for a copy that is read where it lies: such copies are forgotten as well, but late.
const MAPPED_BYTES: u64 = 4096;

/// A task that waits here: its owner's number. The oldest has the lowest.
pub type Arrival = u64;

/// What a task that comes knows of one of its far inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// The datum.
    pub id: DatumId,
    /// Its size, as far as it is known.
    pub size: u64,
    /// What is known.
    pub known: Known,
}

/// What is known of a datum's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Nothing.
    Promised,
    /// They lie in this process.
    At(ProcessId),
    /// They lie in this process, and have come along.
    Here(ProcessId),
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyAction {
    /// Ask the datum's home what becomes of it.
    Subscribe(DatumId),
    /// Ask this process for the bytes.
    Fetch {
        /// The datum.
        id: DatumId,
        /// Who has them.
        at: ProcessId,
        /// The number of this request.
        ticket: u32,
        /// Their expected size.
        size: u64,
    },
    /// Forget the bytes.
    Evict(DatumId),
    /// All inputs of the task are present, and pinned until [`RemoteCopies::end`].
    Ready(Arrival),
    /// An input of the task is poisoned, and nothing but fetches is missing. The task is forgotten here.
    Cancel(Arrival),
}

use CopyAction as Action;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Promised,
    Located(ProcessId),
    Fetching(ProcessId, u32),
    /// The bytes are here; a copy that is evicted is fetched from there again.
    Present(ProcessId),
    Poisoned,
}

#[derive(Debug)]
struct Copy {
    state: State,
    size: u64,
    /// Present, and read where it lies.
    mapped: bool,
    pins: u32,
    used: u64,
    waiters: BTreeSet<Arrival>,
}

impl Copy {
    /// What it counts for.
    fn counted(&self) -> u64 {
        if self.mapped { self.size.min(MAPPED_BYTES) } else { self.size }
    }
}

#[derive(Debug)]
struct Waiting {
    inputs: Vec<DatumId>,
    /// Inputs that are not present; those among them of which nothing is known; other conditions of the task's owner.
    missing: usize,
    promised: usize,
    holds: u32,
}

impl Waiting {
    /// Whether nothing but fetches is missing.
    fn fetchable(&self) -> bool {
        self.promised == 0 && self.holds == 0
    }
}

/// The copies of a process.
#[derive(Debug)]
pub struct RemoteCopies {
    limit: u64,
    /// Bytes of present copies, and of those that are being fetched.
    bytes: u64,
    known: IdMap<DatumId, Copy>,
    waiting: BTreeMap<Arrival, Waiting>,
    /// Ready and running tasks, which pin their inputs.
    active: IdMap<Arrival, Vec<DatumId>>,
    fetchable: BTreeSet<Arrival>,
    /// Located data that tasks wait for, by the oldest of them.
    wanted: BTreeSet<(Arrival, DatumId)>,
    /// Present copies that nobody pins and no task waits for, by their last use.
    idle: BTreeSet<(u64, DatumId)>,
    under_way: IdMap<u32, DatumId>,
    /// The processes that are lost.
    gone: ProcessSet,
    ticket: u32,
    clock: u64,
}

impl RemoteCopies {
    /// None, which may take this many bytes.
    pub fn new(limit: u64) -> RemoteCopies {
        RemoteCopies {
            limit,
            bytes: 0,
            known: IdMap::default(),
            gone: ProcessSet::default(),
            waiting: BTreeMap::new(),
            active: IdMap::default(),
            fetchable: BTreeSet::new(),
            wanted: BTreeSet::new(),
            idle: BTreeSet::new(),
            under_way: IdMap::default(),
            ticket: 0,
            clock: 0,
        }
    }

    /// The bytes of all copies that are here or under way.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many tasks wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Whether a copy's bytes are here.
    pub fn is_present(&self, id: DatumId) -> bool {
        self.known.get(&id).is_some_and(|copy| matches!(copy.state, State::Present(_)))
    }

    /// Whether anything is remembered of a datum.
    pub fn knows(&self, id: DatumId) -> bool {
        self.known.contains_key(&id)
    }

    /// The process that has the bytes of a datum, as far as that is known.
    pub fn place(&self, id: DatumId) -> Option<ProcessId> {
        match self.known.get(&id)?.state {
            State::Located(at) | State::Fetching(at, _) | State::Present(at) => Some(at),
            State::Promised | State::Poisoned => None,
        }
    }

    /// Where the bytes of a datum come from, under which ticket, and how many there are, while they are on their way.
    pub fn comes_from(&self, id: DatumId) -> Option<(ProcessId, u32, u64)> {
        let Copy { state: State::Fetching(at, ticket), size, .. } = self.known.get(&id)? else { return None };
        Some((*at, *ticket, *size))
    }

    /// The inputs of a waiting task, or of a use by a thread.
    pub fn inputs(&self, task: Arrival) -> &[DatumId] {
        self.waiting.get(&task).map_or(&[], |waiting| &waiting.inputs)
    }

    /// The datum that is being fetched under this ticket, and its size.
    pub fn fetching(&self, ticket: u32) -> Option<(DatumId, u64)> {
        let id = *self.under_way.get(&ticket)?;
        Some((id, self.known.get(&id)?.size))
    }

    /// Forgets a copy that nobody uses: its datum is gone, or its bytes will come along again. Says whether it did.
    pub fn drop_copy(&mut self, id: DatumId) -> bool {
        let Some(copy) = self.known.get(&id).filter(|copy| copy.pins == 0 && copy.waiters.is_empty()) else {
            return false;
        };
        let State::Present(_) = copy.state else { return false };
        self.bytes -= copy.counted();
        self.idle.remove(&(copy.used, id));
        self.known.remove(&id);
        true
    }

    /// Whether nobody but this task uses the copy, whose bytes it may then take over: [`RemoteCopies::take_over`].
    pub fn is_unshared(&self, id: DatumId) -> bool {
        self.known.get(&id).is_some_and(|copy| copy.pins == 1 && copy.waiters.is_empty() && !copy.mapped)
    }

    /// A task has come, with these far inputs, each once, and this many other conditions.
    pub fn arrive(&mut self, task: Arrival, inputs: &[Input], holds: u32, actions: &mut Vec<Action>) {
        let waiting = Waiting { inputs: inputs.iter().map(|input| input.id).collect(), missing: 0, promised: 0, holds };
        self.waiting.insert(task, waiting);
        for input in inputs {
            let copy = self.known.entry(input.id).or_insert_with(|| {
                if input.known == Known::Promised && !self.gone.contains(input.id.home()) {
                    actions.push(Action::Subscribe(input.id));
                }
                Copy {
                    state: State::Promised,
                    size: input.size,
                    mapped: false,
                    pins: 0,
                    used: 0,
                    waiters: BTreeSet::new(),
                }
            });
            self.idle.remove(&(copy.used, input.id));
            let before = copy.waiters.first().copied();
            copy.waiters.insert(task);
            if before.is_none_or(|first| task < first) && self.wanted.remove(&(before.unwrap_or(task), input.id)) {
                self.wanted.insert((task, input.id));
            }
            let state = copy.state;
            if let Some(waiting) = self.waiting.get_mut(&task) {
                waiting.missing += usize::from(!matches!(state, State::Present(_)));
                waiting.promised += usize::from(state == State::Promised);
            }
            match (state, input.known) {
                (State::Promised, Known::At(at) | Known::Here(at)) => self.located(input.id, at, input.size),
                (State::Located(_), _) => drop(self.wanted.insert((before.unwrap_or(task).min(task), input.id))),
                _ => {}
            }
            if let Known::Here(at) = input.known {
                self.present(input.id, at, input.size);
            }
        }
        for input in inputs {
            if input.known == Known::Promised && self.gone.contains(input.id.home()) {
                self.poisoned(input.id, actions);
            }
            self.look_at(input.id, actions);
        }
        self.consider(task, actions);
        self.pump(actions);
    }

    /// One of a task's other conditions is met.
    pub fn release(&mut self, task: Arrival, actions: &mut Vec<Action>) {
        if let Some(waiting) = self.waiting.get_mut(&task) {
            waiting.holds -= 1;
        }
        self.consider(task, actions);
        self.pump(actions);
    }

    /// The bytes of a datum exist there; `here` says that they have come along.
    pub fn here(&mut self, id: DatumId, at: ProcessId, size: u64, here: bool, actions: &mut Vec<Action>) {
        self.located(id, at, size);
        if here {
            self.present(id, at, size);
        }
        self.look_at(id, actions);
    }

    /// The bytes that were asked for have come, or can be read where they lie. Gives the datum, if anybody asked under this
    /// number.
    pub fn bytes_came(&mut self, ticket: u32, mapped: bool, actions: &mut Vec<Action>) -> Option<DatumId> {
        let id = self.under_way.remove(&ticket)?;
        if let Some(Copy { state: State::Fetching(at, _), size, .. }) = self.known.get(&id) {
            let (at, size) = (*at, *size);
            self.bytes -= size;
            self.present(id, at, size);
            self.set_mapped(id, mapped);
        }
        self.look_at(id, actions);
        Some(id)
    }

    fn set_mapped(&mut self, id: DatumId, mapped: bool) {
        if let Some(copy) = self.known.get_mut(&id) {
            self.bytes -= copy.counted();
            copy.mapped = mapped;
            self.bytes += copy.counted();
        }
    }

    /// Whether a copy is read where it lies.
    pub fn is_mapped(&self, id: DatumId) -> bool {
        self.known.get(&id).is_some_and(|copy| copy.mapped)
    }

    /// A copy that was read where it lies has bytes of its own.
    pub fn unmapped(&mut self, id: DatumId) {
        self.set_mapped(id, false);
    }

    /// Who waits for a datum.
    pub fn waiters(&self, id: DatumId) -> impl Iterator<Item = Arrival> {
        self.known.get(&id).into_iter().flat_map(|copy| copy.waiters.iter().copied())
    }

    /// There will be no bytes: the datum is poisoned, gone, or lost.
    pub fn poisoned(&mut self, id: DatumId, actions: &mut Vec<Action>) {
        let Some(copy) = self.known.get_mut(&id) else { return };
        if copy.state == State::Poisoned || matches!(copy.state, State::Present(_)) {
            return;
        }
        if let State::Fetching(_, ticket) = copy.state {
            self.under_way.remove(&ticket);
            self.bytes -= copy.size;
        }
        let promised = copy.state == State::Promised;
        copy.state = State::Poisoned;
        let waiters: Vec<Arrival> = copy.waiters.iter().copied().collect();
        if let Some(first) = waiters.first() {
            self.wanted.remove(&(*first, id));
        }
        for task in waiters {
            if let Some(waiting) = self.waiting.get_mut(&task) {
                waiting.promised -= usize::from(promised);
            }
            self.consider(task, actions);
        }
        self.tidy(id);
        self.pump(actions);
    }

    /// A task that was ready has ended.
    pub fn end(&mut self, task: Arrival, actions: &mut Vec<Action>) {
        for id in self.active.remove(&task).unwrap_or_default() {
            self.clock += 1;
            let clock = self.clock;
            if let Some(copy) = self.known.get_mut(&id) {
                copy.pins -= 1;
                copy.used = clock;
            }
            self.tidy(id);
        }
        self.pump(actions);
    }

    /// A waiting task will not run, whatever its inputs.
    pub fn withdraw(&mut self, task: Arrival, actions: &mut Vec<Action>) {
        self.forget(task);
        self.pump(actions);
    }

    /// A running task keeps an unshared copy's bytes as another datum's: they are no copy any longer.
    pub fn take_over(&mut self, task: Arrival, id: DatumId) {
        if let Some(inputs) = self.active.get_mut(&task) {
            inputs.retain(|input| *input != id);
        }
        if let Some(copy) = self.known.remove(&id) {
            self.bytes -= copy.counted();
        }
    }

    /// A process is lost. Home, which knows of the loss, is asked anew for all that was to come from it, or may have been;
    /// what has no home any more is poisoned.
    pub fn lost(&mut self, process: ProcessId, actions: &mut Vec<Action>) {
        self.gone.insert(process);
        let hit = |(_, copy): (&DatumId, &Copy)| match copy.state {
            // Whoever was to answer may have been the lost process.
            State::Promised => true,
            State::Located(at) | State::Fetching(at, _) => at == process,
            State::Present(_) | State::Poisoned => false,
        };
        let mut hit: Vec<DatumId> = self.known.iter().filter(|entry| hit(*entry)).map(|(id, _)| *id).collect();
        hit.sort_unstable();
        for id in hit {
            self.ask_home(id, actions);
        }
        self.pump(actions);
    }

    /// The process that had a datum's bytes is lost.
    fn ask_home(&mut self, id: DatumId, actions: &mut Vec<Action>) {
        if self.gone.contains(id.home()) {
            self.poisoned(id, actions);
        } else {
            self.unlocate(id);
            actions.push(Action::Subscribe(id));
        }
    }

    /// A located datum, or one that is being fetched, is a promise again.
    fn unlocate(&mut self, id: DatumId) {
        let Some(copy) = self.known.get_mut(&id) else { return };
        if let State::Fetching(_, ticket) = copy.state {
            self.under_way.remove(&ticket);
            self.bytes -= copy.size;
        }
        if copy.state == State::Promised {
            return;
        }
        copy.state = State::Promised;
        let waiters: Vec<Arrival> = copy.waiters.iter().copied().collect();
        if let Some(first) = waiters.first() {
            self.wanted.remove(&(*first, id));
        }
        for task in waiters {
            if let Some(waiting) = self.waiting.get_mut(&task) {
                waiting.promised += 1;
            }
            self.fetchable.remove(&task);
        }
    }

    /// A promise's bytes exist.
    fn located(&mut self, id: DatumId, at: ProcessId, size: u64) {
        let Some(copy) = self.known.get_mut(&id).filter(|copy| copy.state == State::Promised) else { return };
        copy.state = State::Located(at);
        copy.size = size;
        if let Some(first) = copy.waiters.first() {
            self.wanted.insert((*first, id));
        }
        for task in &copy.waiters {
            if let Some(waiting) = self.waiting.get_mut(task) {
                waiting.promised -= 1;
                if waiting.fetchable() {
                    self.fetchable.insert(*task);
                }
            }
        }
    }

    /// Bytes are here that were not.
    fn present(&mut self, id: DatumId, at: ProcessId, size: u64) {
        self.clock += 1;
        let Some(copy) = self.known.get_mut(&id) else { return };
        match copy.state {
            State::Located(_) | State::Fetching(..) => {}
            State::Promised | State::Present(_) | State::Poisoned => return,
        }
        if let State::Fetching(_, ticket) = copy.state
            && self.under_way.remove(&ticket).is_some()
        {
            self.bytes -= copy.size;
        }
        if let Some(first) = copy.waiters.first() {
            self.wanted.remove(&(*first, id));
        }
        copy.state = State::Present(at);
        copy.used = self.clock;
        copy.size = size;
        self.bytes += size;
        for task in &copy.waiters {
            if let Some(waiting) = self.waiting.get_mut(task) {
                waiting.missing -= 1;
            }
        }
    }

    /// Something about this datum has changed: whoever waits for it is considered.
    fn look_at(&mut self, id: DatumId, actions: &mut Vec<Action>) {
        let waiters: Vec<Arrival> =
            self.known.get(&id).into_iter().flat_map(|copy| copy.waiters.iter().copied()).collect();
        for task in waiters {
            self.consider(task, actions);
        }
        self.tidy(id);
        self.pump(actions);
    }

    /// A waiting task may be ready, or may only lack fetches, or have a poisoned input.
    fn consider(&mut self, task: Arrival, actions: &mut Vec<Action>) {
        let Some(waiting) = self.waiting.get(&task) else { return };
        if !waiting.fetchable() {
            self.fetchable.remove(&task);
            return;
        }
        if waiting.inputs.iter().any(|id| self.known.get(id).is_some_and(|copy| copy.state == State::Poisoned)) {
            self.forget(task);
            actions.push(Action::Cancel(task));
            return;
        }
        self.fetchable.insert(task);
        if waiting.missing > 0 {
            return;
        }
        let inputs = waiting.inputs.clone();
        for id in &inputs {
            if let Some(copy) = self.known.get_mut(id) {
                copy.pins += 1;
            }
        }
        self.forget(task);
        self.active.insert(task, inputs);
        actions.push(Action::Ready(task));
    }

    /// A task waits no longer.
    fn forget(&mut self, task: Arrival) {
        let Some(waiting) = self.waiting.remove(&task) else { return };
        self.fetchable.remove(&task);
        for id in waiting.inputs {
            if let Some(copy) = self.known.get_mut(&id) {
                let first = copy.waiters.first().copied();
                copy.waiters.remove(&task);
                if first == Some(task)
                    && self.wanted.remove(&(task, id))
                    && let Some(next) = copy.waiters.first()
                {
                    self.wanted.insert((*next, id));
                }
            }
            self.tidy(id);
        }
    }

    /// Files a copy that nobody uses: a present one can be evicted, of others nothing need be known.
    fn tidy(&mut self, id: DatumId) {
        let Some(copy) = self.known.get(&id).filter(|copy| copy.pins == 0 && copy.waiters.is_empty()) else { return };
        match copy.state {
            State::Present(_) => drop(self.idle.insert((copy.used, id))),
            State::Located(_) | State::Poisoned => drop(self.known.remove(&id)),
            // An answer is under way.
            State::Promised | State::Fetching(..) => {}
        }
    }

    /// Fetches what may be fetched.
    fn pump(&mut self, actions: &mut Vec<Action>) {
        while self.bytes > self.limit
            && let Some((_, id)) = self.idle.first().copied()
        {
            self.evict(id, actions);
        }
        if let Some(head) = self.fetchable.first().copied() {
            let inputs = self.waiting.get(&head).map(|waiting| waiting.inputs.clone()).unwrap_or_default();
            for id in &inputs {
                let Some(Copy { state: State::Located(_), size, .. }) = self.known.get(id) else { continue };
                let size = *size;
                self.make_room(size, &inputs, actions);
                let quiet = self.active.is_empty() && self.under_way.is_empty();
                if self.bytes + size > self.limit && (!quiet || planted("the head waits for room like all others")) {
                    return;
                }
                self.fetch(*id, actions);
                if self.fetchable.first() != Some(&head) {
                    return self.pump(actions);
                }
            }
        }
        while let Some((_, id)) = self.wanted.first().copied() {
            let size = self.known.get(&id).map_or(0, |copy| copy.size);
            while self.bytes + size > self.limit
                && let Some((_, victim)) = self.idle.first().copied()
            {
                self.evict(victim, actions);
            }
            if self.bytes + size > self.limit {
                return;
            }
            self.fetch(id, actions);
        }
    }

    /// Evicts for the head until this many bytes fit, or nothing is left to evict.
    fn make_room(&mut self, size: u64, inputs: &[DatumId], actions: &mut Vec<Action>) {
        while self.bytes + size > self.limit {
            let waited_for = || {
                let present = self.known.iter().filter(|(id, copy)| {
                    matches!(copy.state, State::Present(_)) && copy.pins == 0 && !inputs.contains(id)
                });
                present.map(|(id, copy)| (copy.used, *id)).min()
            };
            let Some((_, victim)) = self.idle.first().copied().or_else(waited_for) else { return };
            self.evict(victim, actions);
        }
    }

    fn evict(&mut self, id: DatumId, actions: &mut Vec<Action>) {
        let Some(copy) = self.known.get_mut(&id) else { return };
        let State::Present(at) = copy.state else { return };
        self.idle.remove(&(copy.used, id));
        self.bytes -= copy.counted();
        copy.mapped = false;
        copy.state = State::Located(at);
        if let Some(first) = copy.waiters.first() {
            self.wanted.insert((*first, id));
        }
        for task in &copy.waiters {
            if let Some(waiting) = self.waiting.get_mut(task) {
                waiting.missing += 1;
            }
        }
        actions.push(Action::Evict(id));
        self.tidy(id);
    }

    fn fetch(&mut self, id: DatumId, actions: &mut Vec<Action>) {
        let Some(copy) = self.known.get_mut(&id) else { return };
        let State::Located(at) = copy.state else { return };
        if self.gone.contains(at) {
            self.ask_home(id, actions);
            return;
        }
        if let Some(first) = copy.waiters.first() {
            self.wanted.remove(&(*first, id));
        }
        self.ticket = self.ticket.wrapping_add(1) & MOST_TICKETS;
        copy.state = State::Fetching(at, self.ticket);
        self.bytes += copy.size;
        self.under_way.insert(self.ticket, id);
        actions.push(Action::Fetch { id, at, ticket: self.ticket, size: copy.size });
    }
}
