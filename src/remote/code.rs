//! Code that other processes send: the machine of shipments (`protocol/shipping`) between messages and the loader.
//!
//! Objects are read, checked and loaded by a thread of their own, under no lock: what an object does when it is loaded may
//! take long, and may call libdvm. A task whose code is on its way waits as for its inputs, by one hold of its arrival.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::code_loader::{CodeJob, CodeOutcome};
use super::runs::{ArrivedTask, Use};
use super::state::{Handled, Remote, Step};
use crate::engine::remote_view::AwaitedCode;
use crate::engine::{enter, under_way};
use crate::error::{Error, dvm_retcode_t};
use crate::id::{DatumId, ProcessId, ProcessingId};
use crate::processing::announcement::{Adopted, adopt, not_shipped};
use crate::processing::image::{CodeCopy, file_name};
use crate::processing::{Mode, REGISTRY, Signature};
use crate::protocol::Breach;
use crate::protocol::copies::Arrival;
use crate::protocol::shipping::{CodeAction, CodeProgress, CodeShipments, ObjectBytes, PIECE_BYTES, sources};
use crate::sync::thread::Thread;
use crate::wire::{BatchHead, Code, Message, Processing, TEXT_BYTES, cut};

impl Remote {
    /// Starts the thread that reads, checks and loads code, if this process does so.
    pub(super) fn start_code(self: &Arc<Remote>) -> Result<(), Error> {
        if !self.code.ships {
            return Ok(());
        }
        let remote = self.clone();
        let thread = Thread::spawn("dvm-code", None, move || {
            while let Some(job) = remote.code.next() {
                let outcome = remote.code.run(job);
                let Ok(call) = enter() else { return };
                remote.step(&call, |step| step.code_done(outcome));
            }
        });
        let thread = thread.map_err(|error| {
            Error::new(dvm_retcode_t::DVM_ERR_MEMORY, format!("no thread for shipped code could be started: {error}"))
        })?;
        *self.code.thread.lock() = Some(thread);
        Ok(())
    }

    /// Ends that thread, after all that it is to do.
    pub(super) fn end_code(&self) {
        self.code.jobs.lock().ends = true;
        self.code.bell.notify_all();
        if let Some(thread) = self.code.thread.lock().take() {
            thread.join();
        }
    }
}

impl Step<'_> {
    /// A function of this object was announced.
    pub(super) fn offer(&mut self, told: &Processing<'_>) {
        if let Some(image) = told.image.filter(|image| self.remote.code.ships && !image.program) {
            self.state.code.offered.insert(image.build_id.into());
        }
    }

    /// A process has told of a processing whose code is not here: it is asked for the object, or another process of this
    /// host is.
    pub(super) fn fetch_code(&mut self, from: ProcessId, told: &Processing<'_>) {
        let Some(image) = told.image else { return };
        let mut batch = Vec::new();
        BatchHead::begin(&mut batch);
        if let Err(refusal) = Message::Processing(*told).add_to(&mut batch) {
            return self.call.note_defect(&format!("what was told cannot be kept: {refusal}"));
        }
        BatchHead::default().finish(&mut batch);
        self.state.code.told.entry(told.id).or_insert(batch);
        let loader = &self.remote.code;
        let sources = sources(self.me(), from, self.state.membership.survivors(), |process| loader.host(process));
        self.shipments(|shipments, actions| shipments.need(told.id, image.build_id, from, &sources, actions));
    }

    /// Whether a task of this processing has to wait for code.
    pub(super) fn awaits_code(&self, id: ProcessingId) -> bool {
        !self.state.functions.contains_key(&id) && self.state.code.shipments.awaits(id)
    }

    /// The task waits for the code of this processing.
    pub(super) fn wait_for_code(&mut self, id: ProcessingId, arrival: Arrival) {
        self.state.code.waiting.entry(id).or_default().push(arrival);
    }

    /// The code that a task waits for, if it waits for code, and the description of its processing.
    pub(super) fn lacks_code(&self, arrival: Arrival) -> Option<(AwaitedCode, String)> {
        let code = &self.state.code;
        let (id, _) = code.waiting.iter().find(|(_, tasks)| tasks.contains(&arrival))?;
        let told = processing_of(code.told.get(id)?)?;
        let object = file_name(told.image.map_or("", |image| image.object)).to_owned();
        let (from, pieces) = match code.shipments.progress(*id)? {
            CodeProgress::Coming { from, come, pieces } => (Some(from), (come, pieces)),
            CodeProgress::Loading => (None, (0, None)),
        };
        Some((AwaitedCode { object, from, pieces }, told.description.to_owned()))
    }

    fn shipments(&mut self, change: impl FnOnce(&mut CodeShipments, &mut Vec<CodeAction>)) {
        let mut actions = Vec::new();
        change(&mut self.state.code.shipments, &mut actions);
        self.code_actions(actions, &[]);
    }

    /// Does what the machine says. `piece`: the bytes that have come.
    fn code_actions(&mut self, actions: Vec<CodeAction>, piece: &[u8]) {
        for action in actions {
            match action {
                CodeAction::Ask { to, object, piece, of } => {
                    self.send(to, &Message::CodeAsk { piece, build_id: &object, of });
                }
                CodeAction::Keep { object, piece: number, bytes } => self.keep_piece(&object, number, bytes, piece),
                CodeAction::Send { to, object, piece, bytes } => self.send_piece(to, &object, piece, bytes),
                CodeAction::Refuse { to, object, why } => {
                    self.send(to, &Message::CodeRefused { build_id: &object, why: cut(&why, TEXT_BYTES) });
                }
                CodeAction::Prepare(object) => self.remote.code.add(CodeJob::Prepare(object)),
                CodeAction::Check(object, bytes) => {
                    let copy = self.state.code.copies.get(&object).cloned();
                    if let Some(copy) = copy {
                        self.remote.code.add(CodeJob::Check(object, copy, bytes));
                    } else {
                        let none = Err("there is no memory for a copy of it".to_owned());
                        self.shipments(|shipments, actions| shipments.checked(&object, none, actions));
                    }
                }
                CodeAction::Load(object) => {
                    let Some(copy) = self.state.code.copies.get(&object).cloned() else { continue };
                    let path = self.path_of(&object);
                    self.remote.code.add(CodeJob::Load(object, copy, path));
                }
                CodeAction::Ready(processings) => processings.into_iter().for_each(|id| self.code_is_here(id)),
                CodeAction::Failed(processings, why) => {
                    for id in processings {
                        self.no_code(id, &why);
                    }
                }
            }
        }
    }

    /// A piece has come, which the machine has asked for.
    fn keep_piece(&mut self, object: &[u8], number: u32, bytes: ObjectBytes, piece: &[u8]) {
        if number == 0 {
            self.state.code.copies.remove(object);
            match CodeCopy::new(bytes.total) {
                Ok(copy) => drop(self.state.code.copies.insert(object.into(), Arc::new(copy))),
                Err(error) => self.call.note(|| error),
            }
        }
        let copy = self.state.code.copies.get_mut(object).and_then(Arc::get_mut);
        if let Some(copy) = copy {
            copy.write(u64::from(number) * PIECE_BYTES, piece);
        }
    }

    fn send_piece(&mut self, to: ProcessId, object: &[u8], piece: u32, bytes: ObjectBytes) {
        let Some(copy) = self.state.code.copies.get(object) else { return };
        match copy.part(u64::from(piece) * PIECE_BYTES, bytes.piece_bytes(piece)) {
            Ok(part) => {
                let ObjectBytes { total, digest } = bytes;
                self.send(to, &Message::Code(Code { piece, build_id: object, total, digest, bytes: &part }));
            }
            Err(error) => {
                let why = format!("its copy cannot be read there: {error}");
                self.send(to, &Message::CodeRefused { build_id: object, why: cut(&why, TEXT_BYTES) });
            }
        }
    }

    /// The path of an object where it came from, as it was told.
    fn path_of(&self, object: &[u8]) -> String {
        let told = self.state.code.told.values().filter_map(|batch| processing_of(batch)?.image);
        told.filter(|image| image.build_id == object).map(|image| image.object.to_owned()).next().unwrap_or_default()
    }

    /// A process asks for code that `of` has announced.
    pub(super) fn code_asked(&mut self, from: ProcessId, piece: u32, name: &[u8], of: ProcessId) -> Handled {
        if of.index() >= self.state.sent.len() as u64 {
            return Err(Breach::new(from, "it speaks of a process that does not exist"));
        }
        let (loader, me) = (&self.remote.code, self.me());
        let own = if loader.ships {
            Ok(of == me && self.state.code.offered.contains(name))
        } else {
            Err(format!("process {me} ships no code: set DVM_SHIP_CODE=1 there as well"))
        };
        let mine = loader.host(me);
        let carries =
            of != me && loader.host(from) == mine && loader.host(of) != mine && self.state.membership.is_alive(of);
        let sources: &[ProcessId] = if carries { &[of] } else { &[] };
        let mut actions = Vec::new();
        self.state.code.shipments.asked(from, (name, piece, of), own, sources, &mut actions)?;
        self.code_actions(actions, &[]);
        Ok(())
    }

    /// A piece of an object has come.
    pub(super) fn code_came(&mut self, from: ProcessId, code: &Code<'_>) -> Handled {
        let mut actions = Vec::new();
        self.state.code.shipments.came(from, code, &mut actions)?;
        self.code_actions(actions, code.bytes);
        Ok(())
    }

    /// A process has no code to give.
    pub(super) fn code_refused(&mut self, from: ProcessId, name: &[u8], why: &str) -> Handled {
        let mut actions = Vec::new();
        self.state.code.shipments.refused(from, name, why, &mut actions)?;
        self.code_actions(actions, &[]);
        Ok(())
    }

    /// The loader's thread has done a job.
    fn code_done(&mut self, outcome: CodeOutcome) {
        self.busy();
        match outcome {
            CodeOutcome::Prepared(name, outcome) => {
                let outcome = outcome.map(|(copy, bytes)| {
                    self.state.code.copies.insert(name.clone(), Arc::new(copy));
                    bytes
                });
                self.shipments(|shipments, actions| shipments.prepared(&name, outcome, actions));
            }
            CodeOutcome::Checked(name, outcome) => {
                self.shipments(|shipments, actions| shipments.checked(&name, outcome, actions));
            }
            CodeOutcome::Loaded(name, outcome) => {
                self.shipments(|shipments, actions| shipments.loaded(&name, outcome, actions));
            }
        }
        self.forget_copies();
        // This may have been the last that the process waited for; nobody else may be awake to see it.
        if self.state.waits.is_some() && under_way() == 0 {
            self.look_around();
        }
        self.wake();
    }

    /// Copies of objects that were given up go.
    fn forget_copies(&mut self) {
        let code = &mut self.state.code;
        code.copies.retain(|name, _| code.shipments.knows(name));
    }

    /// A process is lost: code that was to come from it comes from another one, or not at all.
    pub(super) fn code_lost(&mut self, lost: ProcessId) {
        self.shipments(|shipments, actions| shipments.lost(lost, actions));
        self.forget_copies();
    }

    /// The object of a processing is loaded.
    fn code_is_here(&mut self, id: ProcessingId) {
        let Some(batch) = self.state.code.told.remove(&id) else { return };
        let Some(told) = processing_of(&batch) else { return };
        let adopted = match adopt(&told, self.me(), false) {
            Ok(Adopted::Here(local)) => Ok(local),
            Ok(Adopted::Elsewhere) => Err(not_shipped(&told, self.me(), "it is not what was loaded")),
            Err(error) => Err(error),
        };
        self.function_is_known(id, adopted);
    }

    /// There is no code for a processing.
    fn no_code(&mut self, id: ProcessingId, why: &str) {
        let Some(batch) = self.state.code.told.remove(&id) else { return };
        let Some(told) = processing_of(&batch) else { return };
        let error = not_shipped(&told, self.me(), why);
        self.function_is_known(id, Err(error));
    }

    /// The tasks that wait for this processing's code go on, or fail.
    fn function_is_known(&mut self, id: ProcessingId, adopted: Result<ProcessingId, Error>) {
        let signature = adopted.clone().and_then(|local| {
            let unknown = || Error::new(dvm_retcode_t::DVM_ERR_PROCESSING, format!("processing {id} is unknown"));
            REGISTRY.signature(local).ok_or_else(unknown)
        });
        match self.state.functions.entry(id) {
            Entry::Vacant(entry) => drop(entry.insert(adopted)),
            // It was unregistered meanwhile; tasks that have come still run.
            Entry::Occupied(_) => drop(adopted.map(|local| REGISTRY.unregister(local))),
        }
        for arrival in self.state.code.waiting.remove(&id).unwrap_or_default() {
            let Some(run) = self.state.runs.waiting_mut(arrival) else { continue };
            // A task whose bytes had no room fails by that.
            if !run.arguments.iter().any(|argument| argument.usage == Use::Private { slot: DatumId::NONE }) {
                run.signature = fitting(run, signature.clone());
            }
            self.copies(|copies, actions| copies.release(arrival, actions));
        }
        self.wake();
    }
}

/// The signature, if the task has the arguments of it.
fn fitting(run: &ArrivedTask, signature: Result<&'static Signature, Error>) -> Result<&'static Signature, Error> {
    let signature = signature?;
    let mode = |usage: &Use| if usage.is_read() { Mode::In } else { Mode::Out };
    let mut arguments = run.arguments.iter().enumerate();
    if run.arguments.len() == signature.count
        && arguments.all(|(place, argument)| mode(&argument.usage) == signature.mode(place))
    {
        return Ok(signature);
    }
    let text = format!("a task of process {} has other arguments than its processing", run.from);
    Err(Error::new(dvm_retcode_t::DVM_ERR_ARGUMENT, text))
}

/// The processing that a kept batch tells of.
fn processing_of(batch: &[u8]) -> Option<Processing<'_>> {
    match BatchHead::read(batch).ok()?.1.next()? {
        Ok(Message::Processing(told)) => Some(told),
        _ => None,
    }
}
