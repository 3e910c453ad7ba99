//! Shared objects that are shipped: who is asked for which piece, who gets which, and who waits for that.
//!
//! An object is named by its build-id. A process that needs one asks for its pieces, one after the other. It asks the
//! process that has announced a function of the object; on another host than that one, it asks the *porter* of its own host
//! first, the lowest process that is alive there, so that an object goes to each host once. The porter gets the object for
//! the whole host, and need not load it.
//!
//! Who is asked reads its object (`Prepare`) before it answers; who has all pieces checks them (`Check`), and only what was
//! found genuine is loaded (`Load`) or given on. These three take time, and their owner does them elsewhere: they end with
//! an event. A source that refuses, is lost, or has sent what is not genuine is followed by the next one; without a next one
//! all who wait are told why.

use super::breach::Breach;
use super::planted::planted;
use crate::id::{IdMap, ProcessId, ProcessingId};
use crate::wire::{Code, DIGEST_BYTES};
use std::collections::BTreeMap;

/// The bytes of each piece of an object but the last.
pub const PIECE_BYTES: u64 = 256 << 10;

/// The longest object that is shipped, in bytes.
pub const MOST_CODE_BYTES: u64 = 1 << 30;

/// The name of an object: its build-id.
pub type ObjectName = Box<[u8]>;

/// What an object is, before its bytes have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectBytes {
    /// How many bytes it has.
    pub total: u64,
    /// The SHA-256 of them.
    pub digest: [u8; DIGEST_BYTES],
}

impl ObjectBytes {
    /// How many pieces it has.
    pub fn pieces(&self) -> u32 {
        self.total.div_ceil(PIECE_BYTES) as u32
    }

    /// The length of a piece.
    pub fn piece_bytes(&self, piece: u32) -> u64 {
        PIECE_BYTES.min(self.total.saturating_sub(u64::from(piece) * PIECE_BYTES))
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeAction {
    /// Ask this process for a piece of the object that `of` has announced.
    Ask {
        /// Whom.
        to: ProcessId,
        /// The object.
        object: ObjectName,
        /// The piece.
        piece: u32,
        /// Who has announced it.
        of: ProcessId,
    },
    /// Keep the piece that has come; the first one begins a new copy.
    Keep {
        /// The object.
        object: ObjectName,
        /// The piece.
        piece: u32,
        /// What it is a piece of.
        bytes: ObjectBytes,
    },
    /// Send a piece.
    Send {
        /// To whom.
        to: ProcessId,
        /// The object.
        object: ObjectName,
        /// The piece.
        piece: u32,
        /// What it is a piece of.
        bytes: ObjectBytes,
    },
    /// Say that there will be no piece.
    Refuse {
        /// To whom.
        to: ProcessId,
        /// The object.
        object: ObjectName,
        /// Why.
        why: String,
    },
    /// Make a copy of the object, which this process has loaded: ends with [`CodeShipments::prepared`].
    Prepare(ObjectName),
    /// Check the copy, of which all pieces have come: ends with [`CodeShipments::checked`].
    Check(ObjectName, ObjectBytes),
    /// Load the copy, which is genuine: ends with [`CodeShipments::loaded`].
    Load(ObjectName),
    /// The object is loaded: these processings have their code.
    Ready(Vec<ProcessingId>),
    /// These processings have no code.
    Failed(Vec<ProcessingId>, String),
}

use CodeAction as Action;

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// A source was asked for this piece.
    Fetching { from: ProcessId, bytes: Option<ObjectBytes>, piece: u32 },
    /// This process has it loaded, and makes a copy.
    Preparing,
    /// All pieces have come.
    Checking { from: ProcessId, bytes: ObjectBytes },
    /// It is here, and genuine.
    Held { bytes: ObjectBytes, loading: bool },
}

#[derive(Debug)]
struct Object {
    state: State,
    /// Who has announced it.
    of: ProcessId,
    /// Who else can be asked, the next one last.
    others: Vec<ProcessId>,
    /// Processings of this process that wait for it.
    needed: Vec<ProcessingId>,
    /// Processes that have asked for the first piece.
    askers: Vec<ProcessId>,
}

/// All objects that this process gets, has got, or gives.
#[derive(Debug, Default)]
pub struct CodeShipments {
    objects: BTreeMap<ObjectName, Object>,
    /// What the processings that wait need.
    needs: IdMap<ProcessingId, ObjectName>,
}

/// How far the code of a processing has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodeProgress {
    /// So many of so many pieces have come from this process; none are known of before it has answered.
    Coming {
        /// Who sends them.
        from: ProcessId,
        /// How many have come.
        come: u32,
        /// How many there are.
        pieces: Option<u32>,
    },
    /// All pieces are here, and are being checked or loaded.
    Loading,
}

/// Whom a process asks for what `of` has announced, the first one first. `host` says where a process is.
pub fn sources(
    me: ProcessId,
    of: ProcessId,
    survivors: impl Iterator<Item = ProcessId>,
    host: impl Fn(ProcessId) -> usize,
) -> Vec<ProcessId> {
    let mine = host(me);
    let porter = survivors.filter(|process| host(*process) == mine).min();
    match porter.filter(|porter| *porter != me && host(of) != mine) {
        Some(porter) => vec![porter, of],
        None => vec![of],
    }
}

impl CodeShipments {
    /// Whether something is being prepared, checked or loaded: messages will follow that nobody sees coming.
    pub fn is_busy(&self) -> bool {
        self.objects.values().any(|object| {
            matches!(object.state, State::Preparing | State::Checking { .. } | State::Held { loading: true, .. })
        })
    }

    /// Whether anything is remembered of an object.
    pub fn knows(&self, name: &[u8]) -> bool {
        self.objects.contains_key(name)
    }

    /// Whether a processing waits for its code.
    pub fn awaits(&self, processing: ProcessingId) -> bool {
        self.needs.contains_key(&processing)
    }

    /// How far the code of a processing has come, if it waits for that.
    pub fn progress(&self, processing: ProcessingId) -> Option<CodeProgress> {
        let object = self.objects.get(self.needs.get(&processing)?)?;
        Some(match object.state {
            State::Fetching { from, bytes, piece } => {
                CodeProgress::Coming { from, come: piece, pieces: bytes.as_ref().map(ObjectBytes::pieces) }
            }
            State::Preparing | State::Checking { .. } | State::Held { .. } => CodeProgress::Loading,
        })
    }

    /// A processing needs the object that `of` has announced. `sources`: whom to ask, the first one first.
    pub fn need(
        &mut self,
        processing: ProcessingId,
        name: &[u8],
        of: ProcessId,
        sources: &[ProcessId],
        actions: &mut Vec<Action>,
    ) {
        if let Some(needed) = self.needs.get(&processing) {
            // Another process has announced it as well.
            if **needed == *name
                && let Some(object) = self.objects.get_mut(name)
            {
                object.also(sources);
            }
            return;
        }
        self.needs.insert(processing, name.into());
        if let Some(object) = self.objects.get_mut(name) {
            object.needed.push(processing);
            object.also(sources);
            if let State::Held { loading, .. } = &mut object.state
                && !std::mem::replace(loading, true)
            {
                actions.push(Action::Load(name.into()));
            }
            return;
        }
        let mut object = Object::new(State::Preparing, of);
        object.needed.push(processing);
        object.others = sources.iter().rev().copied().collect();
        self.fetch_from_next(name, object, "there is nobody to ask for it", actions);
    }

    /// Asks the next source for all of an object, or gives it up.
    fn fetch_from_next(&mut self, name: &[u8], mut object: Object, why: &str, actions: &mut Vec<Action>) {
        let Some(from) = object.others.pop() else { return self.give_up(name, object, why, actions) };
        actions.push(Action::Ask { to: from, object: name.into(), piece: 0, of: object.of });
        object.state = State::Fetching { from, bytes: None, piece: 0 };
        self.objects.insert(name.into(), object);
    }

    /// Nobody has the object: all who wait are told.
    fn give_up(&mut self, name: &[u8], object: Object, why: &str, actions: &mut Vec<Action>) {
        self.objects.remove(name);
        for to in object.askers {
            actions.push(Action::Refuse { to, object: name.into(), why: why.to_owned() });
        }
        self.failed(object.needed, why, actions);
    }

    fn failed(&mut self, needed: Vec<ProcessingId>, why: &str, actions: &mut Vec<Action>) {
        for processing in &needed {
            self.needs.remove(processing);
        }
        if !needed.is_empty() {
            actions.push(Action::Failed(needed, why.to_owned()));
        }
    }

    /// A process asks for a piece of the object that `of` has announced. `own`: this process has announced it, or is
    /// `Err` the reason why it does not ship; otherwise whom to ask, as porter.
    pub fn asked(
        &mut self,
        from: ProcessId,
        (name, piece, of): (&[u8], u32, ProcessId),
        own: Result<bool, String>,
        sources: &[ProcessId],
        actions: &mut Vec<Action>,
    ) -> Result<(), Breach> {
        if let Some(object) = self.objects.get_mut(name) {
            if let State::Held { bytes, .. } = object.state {
                if piece >= bytes.pieces() {
                    return Err(Breach::new(from, "it asks for code behind the end of an object"));
                }
                actions.push(Action::Send { to: from, object: name.into(), piece, bytes });
                return Ok(());
            }
            if piece > 0 || object.askers.contains(&from) {
                return Err(Breach::new(from, "it asks for code twice, or before it was told how much there is"));
            }
            object.askers.push(from);
            return Ok(());
        }
        if piece > 0 {
            return Err(Breach::new(from, "it asks for code before it was told how much there is"));
        }
        let why = match own {
            Err(why) => why,
            Ok(true) => {
                let mut object = Object::new(State::Preparing, of);
                object.askers.push(from);
                self.objects.insert(name.into(), object);
                actions.push(Action::Prepare(name.into()));
                return Ok(());
            }
            Ok(false) if !sources.is_empty() => {
                let mut object = Object::new(State::Preparing, of);
                object.askers.push(from);
                object.others = sources.iter().rev().copied().collect();
                self.fetch_from_next(name, object, "there is nobody to ask for it", actions);
                return Ok(());
            }
            Ok(false) => "no function of it was announced".to_owned(),
        };
        actions.push(Action::Refuse { to: from, object: name.into(), why });
        Ok(())
    }

    /// A piece has come.
    pub fn came(&mut self, from: ProcessId, code: &Code<'_>, actions: &mut Vec<Action>) -> Result<(), Breach> {
        let name = code.build_id;
        let unasked = Breach::new(from, "it sends code that nobody asked for");
        let Some(object) = self.objects.get_mut(name) else { return Err(unasked) };
        let State::Fetching { from: asked, bytes: told, piece } = &mut object.state else { return Err(unasked) };
        if *asked != from || *piece != code.piece {
            return Err(unasked);
        }
        let bytes = ObjectBytes { total: code.total, digest: code.digest };
        if told.is_some_and(|told| told != bytes) && !planted("another object goes on") {
            return Err(Breach::new(from, "it goes on with another object"));
        }
        if bytes.total == 0 || bytes.total > MOST_CODE_BYTES {
            return Err(Breach::new(from, "it sends an object of a size that is not shipped"));
        }
        if code.bytes.len() as u64 != bytes.piece_bytes(code.piece) && !planted("short pieces are kept") {
            return Err(Breach::new(from, "its piece of code has another length than it must have"));
        }
        *told = Some(bytes);
        *piece += 1;
        let (next, of) = (*piece, object.of);
        actions.push(Action::Keep { object: name.into(), piece: code.piece, bytes });
        if next < bytes.pieces() {
            actions.push(Action::Ask { to: from, object: name.into(), piece: next, of });
        } else {
            object.state = State::Checking { from, bytes };
            actions.push(Action::Check(name.into(), bytes));
        }
        Ok(())
    }

    /// A process that was asked for an object has none to give.
    pub fn refused(
        &mut self,
        from: ProcessId,
        name: &[u8],
        why: &str,
        actions: &mut Vec<Action>,
    ) -> Result<(), Breach> {
        let state = self.objects.get(name).map(|object| &object.state);
        if !matches!(state, Some(State::Fetching { from: asked, .. }) if *asked == from) {
            return Err(Breach::new(from, "it refuses code that nobody asked for"));
        }
        self.go_on(name, why, actions);
        Ok(())
    }

    /// What was to come from the present source will not.
    fn go_on(&mut self, name: &[u8], why: &str, actions: &mut Vec<Action>) {
        if let Some(object) = self.objects.remove(name) {
            self.fetch_from_next(name, object, why, actions);
        }
    }

    /// The copy of an object of this process is made, or there is none.
    pub fn prepared(&mut self, name: &[u8], outcome: Result<ObjectBytes, String>, actions: &mut Vec<Action>) {
        match (outcome, self.objects.get(name).is_some_and(|object| object.state == State::Preparing)) {
            (_, false) => {}
            (Ok(bytes), true) => self.hold(name, bytes, actions),
            // Others may have it, if this process needs it as well: it was unloaded here meanwhile.
            (Err(why), true) => self.go_on(name, &why, actions),
        }
    }

    /// The copy that has come was checked.
    pub fn checked(&mut self, name: &[u8], outcome: Result<(), String>, actions: &mut Vec<Action>) {
        let Some(Object { state: State::Checking { bytes, .. }, .. }) = self.objects.get(name) else { return };
        match outcome {
            Ok(()) => self.hold(name, *bytes, actions),
            Err(why) => self.go_on(name, &why, actions),
        }
    }

    /// The object is here: whoever has asked gets it, and it is loaded if this process needs it.
    fn hold(&mut self, name: &[u8], bytes: ObjectBytes, actions: &mut Vec<Action>) {
        let Some(object) = self.objects.get_mut(name) else { return };
        let loading = !object.needed.is_empty();
        object.state = State::Held { bytes, loading };
        object.others.clear();
        for to in std::mem::take(&mut object.askers) {
            actions.push(Action::Send { to, object: name.into(), piece: 0, bytes });
        }
        if loading {
            actions.push(Action::Load(name.into()));
        }
    }

    /// The object was loaded, or cannot be.
    pub fn loaded(&mut self, name: &[u8], outcome: Result<(), String>, actions: &mut Vec<Action>) {
        let Some(object) = self.objects.get_mut(name) else { return };
        let State::Held { loading, .. } = &mut object.state else { return };
        *loading = false;
        let needed = std::mem::take(&mut object.needed);
        match outcome {
            Ok(()) => {
                for processing in &needed {
                    self.needs.remove(processing);
                }
                actions.push(Action::Ready(needed));
            }
            Err(why) => self.failed(needed, &why, actions),
        }
    }

    /// A processing does not exist any more: it waits no longer. What is under way for it goes on.
    pub fn forget(&mut self, processing: ProcessingId) {
        let Some(name) = self.needs.remove(&processing) else { return };
        if let Some(object) = self.objects.get_mut(&name) {
            object.needed.retain(|needed| *needed != processing);
        }
    }

    /// A process is lost: it gives nothing, and needs nothing.
    pub fn lost(&mut self, process: ProcessId, actions: &mut Vec<Action>) {
        let mut hit = Vec::new();
        for (name, object) in &mut self.objects {
            object.others.retain(|other| *other != process);
            object.askers.retain(|asker| *asker != process);
            if matches!(object.state, State::Fetching { from, .. } if from == process) {
                hit.push(name.clone());
            }
        }
        for name in hit {
            self.go_on(&name, &format!("process {process}, which has it, is lost"), actions);
        }
    }
}

impl Object {
    fn new(state: State, of: ProcessId) -> Object {
        Object { state, of, others: Vec::new(), needed: Vec::new(), askers: Vec::new() }
    }

    /// These can be asked as well.
    fn also(&mut self, sources: &[ProcessId]) {
        if matches!(self.state, State::Held { .. }) {
            return;
        }
        for source in sources.iter().rev() {
            let asked = match self.state {
                State::Fetching { from, .. } | State::Checking { from, .. } => from == *source,
                State::Preparing | State::Held { .. } => false,
            };
            if !asked && !self.others.contains(source) {
                self.others.insert(0, *source);
            }
        }
    }
}

#[cfg(test)]
mod tests;
