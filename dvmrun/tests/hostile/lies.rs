//! What a hostile process sends: batches as an honest one wrote them, spoiled, and messages of its own.

use dvm::id::{DatumId, ProcessId, ProcessingId};
use dvm::transport::Peer;
use dvm::wire::{
    Argument, Arguments, BatchHead, Bytes, ClaimMessage, Code, DatumAt, Done, Edge, End, EndState, Fetch, Here, How,
    LoanMessage, Message, Payload, Processing, TaskMessage, Value,
};
use testkit::Random;

type RetCode = dvm::ffi::dvm_retcode_t;

/// The bytes of a message's head.
const HEAD: usize = 8;

/// The most batches and ids that are kept.
const KEPT: usize = 64;

/// What has passed: true names for lies.
#[derive(Default)]
pub struct Seen {
    data: Vec<DatumAt>,
    processings: Vec<ProcessingId>,
    numbers: Vec<u32>,
    batches: Vec<Vec<u8>>,
}

fn keep<T: PartialEq>(list: &mut Vec<T>, one: T, random: &mut Random) {
    if list.contains(&one) {
        return;
    }
    if list.len() < KEPT {
        list.push(one);
    } else {
        list[random.below(KEPT)] = one;
    }
}

impl Seen {
    /// Takes note of a batch of anybody.
    pub fn note(&mut self, batch: &[u8], random: &mut Random) {
        let Ok((_, messages)) = BatchHead::read(batch) else { return };
        for message in messages.flatten() {
            let (datum, number) = match message {
                Message::Task(task) => {
                    keep(&mut self.processings, task.processing, random);
                    for argument in task.arguments.iter() {
                        keep(&mut self.data, argument.datum, random);
                    }
                    (None, Some(task.sequence))
                }
                Message::Processing(told) => {
                    keep(&mut self.processings, told.id, random);
                    (None, None)
                }
                Message::Done(done) => (None, Some(done.sequence)),
                Message::Subscribe(datum) => (Some(datum), None),
                Message::Here(here) => (Some(here.datum), None),
                Message::Fetch(fetch) => (Some(fetch.datum), Some(fetch.ticket)),
                Message::Bytes(bytes) => (Some(DatumAt::home(bytes.id)), Some(bytes.ticket)),
                Message::Free(id) | Message::References(id, _) => (Some(DatumAt::home(id)), None),
                Message::Claim(claim) | Message::Claimed { claim, .. } | Message::ClaimRefused(claim) => {
                    (Some(DatumAt { id: claim.id, at: claim.runner }), Some(claim.sequence))
                }
                Message::Wave { wave } | Message::Answer { wave, .. } => (None, Some(wave)),
                Message::End(end) => (None, Some(end.number)),
                _ => (None, None),
            };
            if let Some(datum) = datum {
                keep(&mut self.data, datum, random);
            }
            if let Some(number) = number {
                keep(&mut self.numbers, number, random);
            }
        }
    }
}

/// A process that lies to others.
pub struct Liar {
    pub random: Random,
    pub seen: Seen,
    pub me: usize,
    pub processes: usize,
}

/// The messages of a well-formed batch, each with its head.
fn parts(batch: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let mut rest = batch.get(BatchHead::BYTES..).unwrap_or_default();
    while rest.len() >= HEAD {
        let bytes = HEAD + 8 * usize::from(u16::from_le_bytes([rest[2], rest[3]]));
        let Some((part, after)) = rest.split_at_checked(bytes) else { break };
        parts.push(part.to_vec());
        rest = after;
    }
    parts
}

/// A batch of these messages with the head of another one.
fn batch_of(head: &[u8], parts: &[Vec<u8>]) -> Vec<u8> {
    let mut batch = [head, &parts.concat()].concat();
    state_length(&mut batch);
    batch
}

fn state_length(batch: &mut [u8]) {
    let length = batch.len() as u32;
    if let Some(field) = batch.get_mut(4..8) {
        field.copy_from_slice(&length.to_le_bytes());
    }
}

impl Liar {
    /// A batch for a process, spoiled: what is sent instead.
    pub fn spoil(&mut self, to: Peer, batch: &[u8]) -> Vec<Vec<u8>> {
        let whole = batch.len() > BatchHead::BYTES && BatchHead::read(batch).is_ok();
        if !whole {
            return vec![self.nonsense()];
        }
        let head = &batch[..BatchHead::BYTES];
        let mut list = parts(batch);
        // Where code lies is believed: a process can have another one run anything.
        let names_code = BatchHead::read(batch)
            .is_ok_and(|(_, mut messages)| messages.any(|message| matches!(message, Ok(Message::Processing(_)))));
        match self.random.below(16) {
            2 | 9 if names_code => return Vec::new(),
            0 => return vec![self.nonsense()],
            1 => {
                // The length is as it was, or that of what is left.
                let mut batch = batch[..self.random.below(batch.len())].to_vec();
                if self.random.one_in(2) {
                    state_length(&mut batch);
                }
                return vec![batch];
            }
            2 => {
                let mut batch = batch.to_vec();
                self.flip(&mut batch);
                return vec![batch];
            }
            3 => return vec![batch.to_vec(), batch.to_vec()],
            4 => {
                let old = self.seen.batches.get(self.random.below(KEPT)).cloned();
                return [Some(batch.to_vec()), old].into_iter().flatten().collect();
            }
            5 => {
                let mut batch = batch.to_vec();
                let epoch = *self.random.pick(&[0, 1, 2, self.processes as u32, u32::MAX]);
                batch[12..16].copy_from_slice(&epoch.to_le_bytes());
                return vec![batch];
            }
            6 => drop(list.remove(self.random.below(list.len()))),
            7 => {
                let one = list[self.random.below(list.len())].clone();
                list.insert(self.random.below(list.len() + 1), one);
            }
            8 => self.random.shuffle(&mut list),
            9 => self.set_word(&mut list),
            10..13 => self.change_value(&mut list),
            _ => {
                for _ in 0..=self.random.below(4) {
                    let own = self.message(to);
                    list.insert(self.random.below(list.len() + 1), own);
                }
            }
        }
        vec![batch_of(head, &list)]
    }

    /// Takes note of what the honest process sends.
    pub fn note_sent(&mut self, batch: &[u8]) {
        self.seen.note(batch, &mut self.random);
        keep(&mut self.seen.batches, batch.to_vec(), &mut self.random);
    }

    /// What is certainly no batch.
    pub fn nonsense(&mut self) -> Vec<u8> {
        let length = *self.random.pick(&[0, 1, 7, 15, 16, 17, 24, 100, 4096, 60_000]);
        let mut bytes: Vec<u8> = (0..length).map(|_| self.random.number() as u8).collect();
        if let Some(magic) = bytes.first_mut() {
            *magic = !0x56;
        }
        bytes
    }

    fn flip(&mut self, batch: &mut [u8]) {
        if batch.is_empty() {
            return;
        }
        for _ in 0..=self.random.below(3) {
            batch[self.random.below(batch.len())] ^= 1 << self.random.below(8);
        }
    }

    /// A word of a message gets another value.
    fn set_word(&mut self, list: &mut [Vec<u8>]) {
        let part = list.len() - 1 - self.random.below(list.len()).min(self.random.below(list.len()));
        let words = list[part].len() / 4;
        let at = 4 * self.random.below(words);
        let value = *self.random.pick(&[0, 1, 2, 0x7fff_ffff, u32::MAX, 1 << 30, 1 << 16]);
        list[part][at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// A message gets another value in one of its fields.
    fn change_value(&mut self, list: &mut [Vec<u8>]) {
        let place = self.random.below(list.len());
        let mut batch = Vec::new();
        BatchHead::begin(&mut batch);
        let batch = batch_of(&batch.clone(), &list[place..=place]);
        let mut framed = batch.clone();
        BatchHead::default().finish(&mut framed);
        let Ok((_, mut messages)) = BatchHead::read(&framed) else { return };
        let Some(Ok(message)) = messages.next() else { return };
        if let Some(changed) = self.changed(message) {
            list[place] = changed;
        }
    }

    fn changed(&mut self, message: Message<'_>) -> Option<Vec<u8>> {
        let random_datum = self.datum();
        let (one_of, number, size) = (self.random.below(3), self.number(), self.size());
        encoded(&match message {
            Message::Task(task) => return self.changed_task(&task),
            Message::Done(done) => Message::Done(match one_of {
                0 => Done { sequence: number, ..done },
                1 => Done { before: *self.random.pick(&[1, 7, u16::MAX]), ..done },
                _ => Done { returns: true, outcome: None, ..done },
            }),
            Message::Subscribe(datum) => Message::Subscribe(match one_of {
                0 => DatumAt { id: random_datum.id, ..datum },
                1 => DatumAt { at: self.process(), ..datum },
                _ => random_datum,
            }),
            Message::Here(here) => Message::Here(match (one_of, here.value) {
                (0, _) => Here { datum: random_datum, ..here },
                (1, Value::Published { payload: Payload::Inline(_), .. }) => {
                    Here { value: Value::Poisoned(RetCode::DVM_ERR_TASK, "a lie"), ..here }
                }
                (1, Value::Published { payload, .. }) => Here { value: Value::Published { size, payload }, ..here },
                _ => Here { value: Value::Published { size, payload: Payload::Away }, ..here },
            }),
            Message::Fetch(fetch) => Message::Fetch(match one_of {
                0 => Fetch { ticket: number, ..fetch },
                1 => Fetch { datum: random_datum, ..fetch },
                _ => Fetch { size, asker: self.process(), ..fetch },
            }),
            Message::Bytes(bytes) => Message::Bytes(match one_of {
                0 => Bytes { ticket: number, ..bytes },
                1 => Bytes { id: random_datum.id, ..bytes },
                _ => Bytes { payload: self.payload(), ..bytes },
            }),
            Message::Free(_) => Message::Free(random_datum.id),
            Message::References(id, said) => match one_of {
                0 => Message::References(random_datum.id, said),
                _ => Message::References(id, self.loan()),
            },
            Message::Claim(_) => Message::Claim(self.claim()),
            Message::Claimed { claim, size: was, carries } => match one_of {
                0 => Message::Claimed { claim: self.claim(), size: was, carries },
                1 => Message::Claimed { claim, size, carries },
                _ => Message::Claimed { claim, size: was, carries: Some(random_datum) },
            },
            Message::ClaimRefused(_) => Message::ClaimRefused(self.claim()),
            Message::Wave { .. } => Message::Wave { wave: number },
            Message::Answer { wave, sent, received, failures, first } => match one_of {
                0 => Message::Answer { wave: number, sent, received, failures, first },
                1 => Message::Answer { wave, sent: size, received: size, failures, first },
                _ => Message::Answer { wave, sent, received: received.wrapping_sub(1), failures, first },
            },
            Message::End(end) => Message::End(match one_of {
                0 => End { number, ..end },
                1 => End { closing: !end.closing, ..end },
                _ => End { failures: size, ..end },
            }),
            Message::Lost { cause, .. } => Message::Lost { process: self.process(), cause },
            Message::Ack { .. } => Message::Ack { process: self.process() },
            Message::ProcessingAsk { .. } => Message::ProcessingAsk { number: size },
            Message::Unregistered { .. } => Message::Unregistered { number: size },
            Message::Processing(told) => Message::Processing(match one_of {
                0 => Processing { id: self.processing(), ..told },
                1 => Processing { arguments: told.arguments ^ 1, ..told },
                _ => Processing { context: size, cores: number, ..told },
            }),
            Message::CodeAsk { build_id, .. } => Message::CodeAsk { piece: number, build_id, of: self.process() },
            Message::Code(code) => Message::Code(match one_of {
                0 => Code { piece: number, ..code },
                1 => Code { total: size, ..code },
                _ => Code { bytes: &code.bytes[..code.bytes.len() / 2], ..code },
            }),
            Message::CodeRefused { build_id, .. } => Message::CodeRefused { build_id, why: "a lie" },
            Message::Beat | Message::Edge(_) => return None,
        })
    }

    fn changed_task(&mut self, task: &TaskMessage<'_>) -> Option<Vec<u8>> {
        let mut arguments: Vec<Argument<'_>> = task.arguments.iter().collect();
        let mut changed = *task;
        match self.random.below(8) {
            0 => changed.sequence = self.number(),
            1 => changed.processing = self.processing(),
            2 => changed.worker = self.number(),
            3 => drop(arguments.pop()),
            _ if arguments.is_empty() => changed.near = !task.near,
            place => {
                let (datum, size, process) = (self.datum(), self.size(), self.process());
                let at = self.random.below(arguments.len());
                let argument = &mut arguments[at];
                match place {
                    4 => argument.datum = datum,
                    5 => argument.datum.at = process,
                    6 => (argument.how, argument.size) = (How::There, size % (1 << 48)),
                    _ => argument.last = !argument.last,
                }
            }
        }
        changed.arguments = Arguments::of(&arguments);
        encoded(&Message::Task(changed))
    }

    fn process(&mut self) -> ProcessId {
        let count = self.processes as u32;
        ProcessId::from_index(*self.random.pick(&[0, 1, count - 1, count, u32::MAX]))
    }

    fn datum(&mut self) -> DatumAt {
        if !self.seen.data.is_empty() && !self.random.one_in(6) {
            let mut datum = *self.random.pick(&self.seen.data);
            if self.random.one_in(4) {
                datum.at = self.process();
            }
            return datum;
        }
        let number = *self.random.pick(&[1, 2, 1000, 1 << 32, (1 << 32) + 1, u64::MAX]);
        let home = self.process();
        DatumAt { id: DatumId::from_raw([home.index(), number]), at: self.process() }
    }

    fn processing(&mut self) -> ProcessingId {
        if !self.seen.processings.is_empty() && !self.random.one_in(6) {
            return *self.random.pick(&self.seen.processings);
        }
        let home = self.process();
        ProcessingId::from_raw([home.index(), self.random.below(8) as u64])
    }

    fn number(&mut self) -> u32 {
        if !self.seen.numbers.is_empty() && !self.random.one_in(4) {
            let number = *self.random.pick(&self.seen.numbers);
            return number.wrapping_add(self.random.below(4) as u32).wrapping_sub(1);
        }
        *self.random.pick(&[0, 1, 2, 100, u32::MAX, 1 << 31, 1 << 30, 1 << 16, (1 << 16) + 1])
    }

    fn size(&mut self) -> u64 {
        *self.random.pick(&[0, 1, 8, 100, 4096, 5000, 40_000, 1 << 20, 1 << 36, 1 << 47, 1 << 48, 1 << 62, u64::MAX])
    }

    fn loan(&mut self) -> LoanMessage {
        let acquire = self.random.one_in(2);
        *self.random.pick(&[
            LoanMessage::Loan { acquire },
            LoanMessage::Loaned { acquire },
            LoanMessage::Take,
            LoanMessage::Taken,
            LoanMessage::Refused { acquire },
            LoanMessage::Return,
        ])
    }

    fn claim(&mut self) -> ClaimMessage {
        let me = ProcessId::from_index(self.me as u32);
        let one_of_all = [me, self.process(), self.process()];
        let (scheduler, runner) = (*self.random.pick(&one_of_all), *self.random.pick(&one_of_all));
        ClaimMessage { id: self.datum().id, scheduler, sequence: self.number(), runner }
    }

    fn payload(&mut self) -> Option<Payload<'static>> {
        const SOME: &[u8] = &[7; 64];
        let length = self.random.below(SOME.len());
        let (heap, offset) = (self.number(), self.size());
        *self.random.pick(&[
            Some(Payload::Inline(&SOME[..length])),
            Some(Payload::Away),
            Some(Payload::Heap { heap, offset }),
            None,
        ])
    }

    /// A message that says something plausible, or not.
    pub fn message(&mut self, to: Peer) -> Vec<u8> {
        loop {
            // What says too much for its fields is thought up anew.
            if let Some(message) = self.any_message(ProcessId::from_index(to.index() as u32)) {
                return message;
            }
        }
    }

    fn any_message(&mut self, to: ProcessId) -> Option<Vec<u8>> {
        let me = ProcessId::from_index(self.me as u32);
        let (datum, other, number, size) = (self.datum(), self.datum(), self.number(), self.size());
        let process = self.process();
        encoded(&match self.random.below(24) {
            0 => return self.any_task(),
            1 => Message::ProcessingAsk { number: size },
            2 => Message::Unregistered { number: size },
            3 | 4 => {
                let outcome = *self.random.pick(&[
                    None,
                    Some(EndState::Success),
                    Some(EndState::Failure(RetCode::DVM_ERR_TASK, "a lie")),
                    Some(EndState::Cancelled(RetCode::DVM_ERR_POISONED, "")),
                ]);
                let before = *self.random.pick(&[0, 0, 1, 100, u16::MAX]);
                Message::Done(Done {
                    sequence: number,
                    before,
                    outcome,
                    returns: outcome.is_none() || self.random.one_in(2),
                })
            }
            5 => Message::Subscribe(*self.random.pick(&[datum, DatumAt { at: me, ..datum }])),
            6 | 7 => {
                let value = *self.random.pick(&[
                    Value::Poisoned(RetCode::DVM_ERR_TASK, "a lie"),
                    Value::Published { size: 3, payload: Payload::Inline(&[1, 2, 3]) },
                    Value::Published { size, payload: Payload::Away },
                    Value::Published { size, payload: Payload::Heap { heap: number, offset: size } },
                ]);
                let datum = *self.random.pick(&[datum, DatumAt { at: me, ..datum }]);
                Message::Here(Here { datum, writer: number, value })
            }
            8 => {
                let asker = *self.random.pick(&[me, me, process]);
                Message::Fetch(Fetch { ticket: number, datum, asker, worker: number, size })
            }
            9 | 10 => Message::Bytes(Bytes { ticket: number, id: datum.id, payload: self.payload() }),
            11 => Message::Free(datum.id),
            12..15 => Message::References(datum.id, self.loan()),
            15 => Message::Claim(self.claim()),
            16 => {
                let carries = *self.random.pick(&[None, Some(other)]);
                let claim = self.claim();
                let claim = *self.random.pick(&[claim, ClaimMessage { runner: to, ..claim }]);
                Message::Claimed { claim, size, carries }
            }
            17 => Message::ClaimRefused(ClaimMessage { runner: to, ..self.claim() }),
            18 => Message::Wave { wave: number },
            19 => {
                let first = *self.random.pick(&[None, Some((process, RetCode::DVM_ERR_TASK, "a lie"))]);
                let (sent, received) = (size, *self.random.pick(&[size, 0]));
                Message::Answer { wave: number, sent, received, failures: size, first }
            }
            20 => {
                let first = *self.random.pick(&[None, Some((process, RetCode::DVM_ERR_TASK, "a lie"))]);
                Message::End(End { number, closing: self.random.one_in(2), first, failures: size })
            }
            21 => Message::Lost { process, cause: number },
            22 => Message::Ack { process },
            _ => *self.random.pick(&[
                Message::Beat,
                Message::CodeAsk { piece: number, build_id: &[3; 20], of: process },
                Message::CodeRefused { build_id: &[3; 20], why: "a lie" },
                Message::Code(Code { piece: number, build_id: &[3; 20], total: size, digest: [7; 32], bytes: &[1; 9] }),
                Message::Edge(Edge { room: number, handle: number, bytes: &[2; 8] }),
            ]),
        })
    }

    fn any_task(&mut self) -> Option<Vec<u8>> {
        let mut arguments = Vec::new();
        for _ in 0..self.random.below(5) {
            let size = self.size();
            let next = How::Next(self.random.below(5) as u32);
            let how =
                *self.random.pick(&[How::Promised, How::There, How::Inline(&[9; 8]), How::Output, How::Claimed, next]);
            let size = match how {
                How::Next(_) => 0,
                How::Inline(bytes) => bytes.len() as u64,
                _ => size,
            };
            arguments.push(Argument { datum: self.datum(), size, how, last: self.random.one_in(4) });
        }
        let (near, arguments) = (self.random.one_in(2), Arguments::of(&arguments));
        let (sequence, processing, worker) = (self.number(), self.processing(), self.random.below(4) as u32);
        encoded(&Message::Task(TaskMessage { sequence, near, processing, worker, arguments }))
    }
}

fn encoded(message: &Message<'_>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    message.add_to(&mut bytes).ok()?;
    Some(bytes)
}
