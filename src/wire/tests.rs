//! Random messages come back as they went; whatever else arrives is refused or reads as what it would be written as.

use super::*;
use crate::error::dvm_retcode_t;
use crate::id::{DatumId, ProcessId, ProcessingId};
use testkit::Random;

const KINDS: usize = 29;

/// What random messages borrow from.
struct Material {
    bytes: Vec<u8>,
    text: String,
    arguments: Vec<(DatumAt, usize, u8, bool)>,
}

impl Material {
    fn new(random: &mut Random) -> Material {
        let bytes = (0..random.below(90)).map(|_| random.number() as u8).collect();
        let text = (0..random.below(60)).map(|_| ['a', 'é', '→', '0', '\0'][random.below(5)]).collect();
        let count = random.below(6);
        let arguments =
            (0..count).map(|_| (datum(random), random.below(80), random.below(6) as u8, random.one_in(3))).collect();
        Material { bytes, text, arguments }
    }

    fn some_bytes(&self, random: &mut Random) -> &[u8] {
        &self.bytes[..random.below(self.bytes.len() + 1)]
    }

    fn build_id(&self, random: &mut Random) -> &[u8] {
        let length = 1 + random.below(BUILD_ID_BYTES);
        if self.bytes.len() < length { &[7] } else { &self.bytes[..length] }
    }

    fn some_arguments(&self) -> Vec<Argument<'_>> {
        let mut list: Vec<Argument<'_>> = Vec::new();
        for &(datum, size, how, last) in &self.arguments {
            let (size, how) = match how {
                0 => (size as u64, How::Promised),
                1 => ((1 << 48) - 1 - size as u64, How::There),
                2 => {
                    let bytes = &self.bytes[..size.min(self.bytes.len())];
                    (bytes.len() as u64, How::Inline(bytes))
                }
                3 => (size as u64, How::Output),
                4 => (0, How::Claimed),
                _ => match list.iter().position(Argument::is_input) {
                    Some(place) => (0, How::Next(place as u32)),
                    None => (size as u64, How::There),
                },
            };
            let mut argument = Argument { datum, size, how, last: false };
            argument.last = last && argument.is_input();
            list.push(argument);
        }
        list
    }
}

fn process(random: &mut Random) -> ProcessId {
    ProcessId::from_index(if random.one_in(4) { u32::MAX - random.below(3) as u32 } else { random.below(70) as u32 })
}

fn id(random: &mut Random) -> DatumId {
    DatumId::from_raw([process(random).index(), random.number() | 1])
}

fn datum(random: &mut Random) -> DatumAt {
    DatumAt { id: id(random), at: process(random) }
}

fn code(random: &mut Random) -> dvm_retcode_t {
    dvm_retcode_t::ALL[1 + random.below(18)]
}

fn claim(random: &mut Random) -> ClaimMessage {
    let (scheduler, runner) = (process(random), process(random));
    ClaimMessage { id: id(random), scheduler, sequence: random.number() as u32, runner }
}

fn payload<'a>(material: &'a Material, random: &mut Random) -> Payload<'a> {
    match random.below(3) {
        0 => Payload::Inline(material.some_bytes(random)),
        1 => Payload::Heap { heap: random.number() as u32, offset: random.number() },
        _ => Payload::Away,
    }
}

/// Calls `then` with a random message of this kind.
fn with_message(kind: usize, random: &mut Random, then: &mut dyn FnMut(&Message<'_>)) {
    let material = Material::new(random);
    let text = cut(&material.text, TEXT_BYTES);
    let low = random.number() as u32;
    let arguments;
    let references = |it, random: &mut Random| Message::References(id(random), it);
    let message = match kind {
        0 => {
            arguments = material.some_arguments();
            let processing = ProcessingId::from_raw([process(random).index(), random.number()]);
            let arguments = Arguments::of(&arguments);
            Message::Task(TaskMessage { sequence: low, near: random.one_in(2), processing, worker: low ^ 5, arguments })
        }
        1 => {
            let arguments = [0, 1, 7, 8, 11, 16][random.below(6)];
            let build_id = material.build_id(random);
            let image = Image { build_id, offset: random.number(), object: text, program: random.one_in(2) };
            Message::Processing(Processing {
                id: ProcessingId::from_raw([process(random).index(), random.number()]),
                arguments,
                accesses: &[[0x01, 0xE4][usize::from(arguments > 1)], 0x25, 0x25, 0x1B]
                    [..(arguments as usize).div_ceil(4)],
                cores: low,
                array: random.one_in(2),
                context: random.number(),
                description: &material.text,
                symbol: text,
                image: random.one_in(2).then_some(image),
            })
        }
        2 => Message::ProcessingAsk { number: random.number() },
        3 => {
            let outcome = match random.below(4) {
                0 => None,
                1 => Some(EndState::Success),
                2 => Some(EndState::Failure(code(random), text)),
                _ => Some(EndState::Cancelled(code(random), text)),
            };
            let returns = outcome.is_none() || random.one_in(2);
            Message::Done(Done { sequence: low, before: random.below(9) as u16, outcome, returns })
        }
        4 => Message::Subscribe(datum(random)),
        5 => {
            let payload = payload(&material, random);
            let size = if let Payload::Inline(bytes) = payload { bytes.len() as u64 } else { random.number() };
            let published = Value::Published { size, payload };
            let value = if random.one_in(3) { Value::Poisoned(code(random), text) } else { published };
            Message::Here(Here { datum: datum(random), writer: low, value })
        }
        6 => {
            let (datum, asker) = (datum(random), process(random));
            Message::Fetch(Fetch { ticket: low, datum, asker, worker: low ^ 9, size: random.number() })
        }
        7 => {
            let payload = (!random.one_in(4)).then(|| payload(&material, random));
            Message::Bytes(Bytes { ticket: low, id: id(random), payload })
        }
        8 => Message::Free(id(random)),
        9 => references(LoanMessage::Loan { acquire: random.one_in(2) }, random),
        10 => references(LoanMessage::Loaned { acquire: random.one_in(2) }, random),
        11 => references(LoanMessage::Take, random),
        12 => references(LoanMessage::Taken, random),
        13 => references(LoanMessage::Refused { acquire: random.one_in(2) }, random),
        14 => references(LoanMessage::Return, random),
        15 => Message::Claim(claim(random)),
        16 => {
            let carries = random.one_in(2).then(|| datum(random));
            Message::Claimed { claim: claim(random), size: random.number(), carries }
        }
        17 => Message::ClaimRefused(claim(random)),
        18 => Message::Unregistered { number: random.number() },
        19 => Message::CodeAsk { piece: low, build_id: material.build_id(random), of: process(random) },
        20 => Message::Code(Code {
            piece: low,
            build_id: material.build_id(random),
            total: random.number(),
            digest: std::array::from_fn(|_| random.number() as u8),
            bytes: material.some_bytes(random),
        }),
        21 => Message::Wave { wave: low },
        22 => {
            let (sent, received) = (random.number(), random.number());
            Message::Answer {
                wave: low,
                sent,
                received,
                failures: random.number(),
                first: random.one_in(2).then(|| (process(random), code(random), text)),
            }
        }
        23 => {
            let first = random.one_in(2).then(|| (process(random), code(random), text));
            Message::End(End { number: low, closing: random.one_in(2), first, failures: random.number() })
        }
        24 => Message::Beat,
        25 => Message::Lost { process: process(random), cause: low },
        26 => Message::Ack { process: process(random) },
        27 => Message::CodeRefused { build_id: material.build_id(random), why: text },
        _ => Message::Edge(Edge { room: low, handle: low ^ 3, bytes: material.some_bytes(random) }),
    };
    then(&message);
}

/// A random batch, with the place of each message.
fn batch(random: &mut Random) -> (Vec<u8>, Vec<usize>) {
    let (mut batch, mut places) = (Vec::new(), Vec::new());
    BatchHead::begin(&mut batch);
    for _ in 0..random.below(6) {
        places.push(batch.len());
        with_message(random.below(KINDS), random, &mut |message| message.add_to(&mut batch).expect("a message"));
    }
    BatchHead { load: random.number() as u32, epoch: random.number() as u32 }.finish(&mut batch);
    (batch, places)
}

/// Reads a batch; what is accepted must be written as it came.
fn read(bytes: &[u8]) -> Result<usize, Refusal> {
    let (head, messages) = BatchHead::read(bytes)?;
    let mut again = Vec::new();
    BatchHead::begin(&mut again);
    let mut count = 0;
    for message in messages {
        message?.add_to(&mut again).expect("a message that was read");
        count += 1;
    }
    head.finish(&mut again);
    assert!(again == bytes, "{again:?}\nis not\n{bytes:?}");
    Ok(count)
}

#[test]
fn every_message_comes_back() {
    let mut random = Random::new(1);
    for round in 0..KINDS * 400 {
        with_message(round % KINDS, &mut random, &mut |message| {
            let mut batch = Vec::new();
            BatchHead::begin(&mut batch);
            message.add_to(&mut batch).unwrap_or_else(|refusal| panic!("{refusal}: {message:?}"));
            let head = BatchHead { load: 3, epoch: 4 };
            head.finish(&mut batch);
            let (found, mut messages) = BatchHead::read(&batch).expect("a batch");
            assert_eq!(found, head);
            assert_eq!(messages.next(), Some(Ok(*message)));
            assert_eq!(messages.next(), None);
            assert_eq!(read(&batch), Ok(1));
        });
    }
}

#[test]
fn a_batch_cut_anywhere_is_refused() {
    let mut random = Random::new(2);
    for _ in 0..300 {
        let (bytes, places) = batch(&mut random);
        assert_eq!(read(&bytes), Ok(places.len()));
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length]).is_err(), "the batch's length tells");
            if length >= BatchHead::BYTES {
                let mut cut = bytes[..length].to_vec();
                BatchHead { load: 0, epoch: 0 }.finish(&mut cut);
                assert_eq!(read(&cut).is_ok(), length == bytes.len() || places.contains(&length), "cut at {length}");
            }
        }
    }
}

#[test]
fn bytes_that_were_changed_are_refused_or_mean_what_they_say() {
    let (mut refused, mut accepted) = (0, 0);
    for seed in testkit::seeds_from(0, 60_000) {
        let mut random = Random::new(seed);
        let (mut bytes, _) = batch(&mut random);
        for _ in 0..=random.below(3) {
            let place = random.below(bytes.len());
            bytes[place] = match random.below(3) {
                0 => bytes[place] ^ 1 << random.below(8),
                1 => [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
                _ => random.number() as u8,
            };
        }
        match read(&bytes) {
            Ok(_) => accepted += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(testkit::selected() || refused > 0 && accepted > 0, "{refused} refused, {accepted} accepted");
}

#[test]
fn random_bytes_are_refused() {
    for seed in testkit::seeds_from(0, 60_000) {
        let mut random = Random::new(seed);
        let mut bytes: Vec<u8> = (0..random.below(40) * 8).map(|_| random.number() as u8).collect();
        if bytes.len() >= BatchHead::BYTES && !random.one_in(8) {
            BatchHead { load: 0, epoch: 0 }.finish(&mut bytes);
            // Kinds that there are and lengths that fit let the reader come further.
            if bytes.len() > BatchHead::BYTES {
                let words = (bytes.len() - BatchHead::BYTES) / 8 - 1;
                bytes[16] = random.below(KINDS + 2) as u8;
                bytes[17] &= random.number() as u8 & random.number() as u8;
                bytes[18..20].copy_from_slice(&(words as u16).to_le_bytes());
            }
        }
        let _ = read(&bytes);
    }
}

/// The length of a message without the batch's head.
fn bytes_of(message: &Message<'_>) -> usize {
    let mut buffer = Vec::new();
    message.add_to(&mut buffer).expect("a message");
    buffer.len()
}

#[test]
fn messages_have_the_documented_sizes() {
    let id = DatumId::from_raw([1, 7]);
    let datum = DatumAt::home(id);
    let input = |bytes| Argument { datum, size: 8, how: How::Inline(bytes), last: false };
    let task = |arguments| {
        let processing = ProcessingId::from_raw([0, 1]);
        Message::Task(TaskMessage {
            sequence: 1,
            near: false,
            processing,
            worker: 0,
            arguments: Arguments::of(arguments),
        })
    };
    assert_eq!(bytes_of(&task(&[])), 24);
    assert_eq!(bytes_of(&task(&[input(&[0; 8]), input(&[0; 8])])), 24 + 2 * 24 + 16);
    let done = Done { sequence: 1, before: 0, outcome: Some(EndState::Success), returns: true };
    assert_eq!(bytes_of(&Message::Done(done)), 16);
    assert_eq!(bytes_of(&Message::Subscribe(datum)), 24);
    let value = Value::Published { size: 3, payload: Payload::Inline(&[1, 2, 3]) };
    assert_eq!(bytes_of(&Message::Here(Here { datum, writer: 0, value })), 56 + 8);
    let fetch = Fetch { ticket: 1, datum, asker: ProcessId::FIRST, worker: 0, size: 8 };
    assert_eq!(bytes_of(&Message::Fetch(fetch)), 40);
    assert_eq!(bytes_of(&Message::Bytes(Bytes { ticket: 1, id, payload: Some(Payload::Inline(&[0; 8])) })), 24 + 8);
    assert_eq!(bytes_of(&Message::References(id, LoanMessage::Take)), 24);
    let claim = ClaimMessage { id, scheduler: ProcessId::FIRST, sequence: 0, runner: ProcessId::FIRST };
    assert_eq!(bytes_of(&Message::Claim(claim)), 32);
    assert_eq!(bytes_of(&Message::Wave { wave: 1 }), 8);
    assert_eq!(bytes_of(&Message::Answer { wave: 1, sent: 0, received: 0, failures: 0, first: None }), 40);
    assert_eq!(bytes_of(&Message::End(End { number: 1, closing: false, first: None, failures: 0 })), 24);
    assert_eq!(bytes_of(&Message::Ack { process: ProcessId::FIRST }), 16);
}

#[test]
fn a_refusal_names_what_was_wrong() {
    let mut batch = Vec::new();
    BatchHead::begin(&mut batch);
    Message::Subscribe(DatumAt::home(DatumId::from_raw([1, 7]))).add_to(&mut batch).expect("a message");
    BatchHead::default().finish(&mut batch);
    let with = |place: usize, byte: u8| {
        let mut bytes = batch.clone();
        bytes[place] = byte;
        read(&bytes).expect_err("a refusal").to_string()
    };
    assert_eq!(with(0, 1), "byte 0: the batch's magic cannot be 0x6401");
    assert_eq!(with(2, 9), "byte 2: the batch's version cannot be 0x9");
    assert_eq!(with(4, 9), "byte 4: the batch's length cannot be 0x9");
    assert_eq!(with(16, 200), "byte 16: a message's kind cannot be 0xc8");
    assert_eq!(with(17, 1), "byte 16: a message's flags cannot be 0x1");
    assert_eq!(with(18, 1), "byte 32: a datum's number takes 8 bytes, of which 0 are there");
    assert_eq!(with(18, 9), "byte 24: a message takes 72 bytes, of which 16 are there");
    assert_eq!(with(20, 3), "byte 16: the head's unused number cannot be 0x3");
}

#[test]
fn what_cannot_be_read_is_not_written() {
    let id = DatumId::from_raw([1, 7]);
    let long = "x".repeat(TEXT_BYTES + 1);
    let mut buffer = vec![1, 2, 3];
    let mut refused = |message: Message<'_>| {
        let said = message.add_to(&mut buffer).expect_err("a refusal").to_string();
        assert_eq!(buffer, [1, 2, 3], "the buffer is as it was");
        said.split_once(": ").expect("a place").1.to_owned()
    };
    let failure = |text| Some(EndState::Failure(dvm_retcode_t::DVM_ERR_TASK, text));
    let done = |outcome, returns| Message::Done(Done { sequence: 0, before: 0, outcome, returns });
    assert_eq!(refused(done(failure(&long), true)), "a failure's text has length 257, and may have 256");
    assert_eq!(refused(done(None, false)), "the end of a task that says nothing cannot be 0x0");
    assert_eq!(refused(Message::Free(DatumId::NONE)), "a datum cannot be 0x0");
    let far = Message::Free(DatumId::from_raw([1 << 32, 0]));
    assert_eq!(refused(far), "a process cannot be 0x100000000");
    let bytes = vec![0; 600_000];
    let edge = Message::Edge(Edge { room: 0, handle: 0, bytes: &bytes });
    assert_eq!(refused(edge), "a message has length 600008, and may have 524280");
    let argument = |how, size| Argument { datum: DatumAt::home(id), size, how, last: false };
    let mut task = |argument: Argument<'_>| {
        let processing = ProcessingId::from_raw([0, 1]);
        let arguments = Arguments::of(std::slice::from_ref(&argument));
        refused(Message::Task(TaskMessage { sequence: 0, near: false, processing, worker: 0, arguments }))
    };
    assert_eq!(task(argument(How::There, 1 << 48)), "an argument's size cannot be 0x1000000000000");
    assert_eq!(task(argument(How::Next(0), 0)), "the input that an output carries on cannot be 0x0");
    assert_eq!(task(argument(How::Inline(&[1]), 2)), "an argument is said to have length 2, and has 1");
}

#[test]
fn a_text_is_cut_between_letters() {
    assert_eq!(cut("aé", 2), "a");
    assert_eq!(cut("aé", 3), "aé");
    assert_eq!(cut("", 3), "");
}
