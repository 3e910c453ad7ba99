//! Values to bytes.

use super::code;
use super::datum_at::DatumAt;
use super::message::{
    BUILD_ID_BYTES, Bytes, ClaimMessage, Code, Done, Edge, End, EndState, Fetch, FirstFailure, Here, LoanMessage,
    Message, NAME_BYTES, Payload, Processing, TEXT_BYTES, TaskMessage, Value,
};
use super::refusal::{Refusal, Why};
use super::words::{WORD, Writer, whole_words};
use crate::error::dvm_retcode_t;
use crate::id::{DatumId, ProcessId, ProcessingId};

type Written = Result<(), Refusal>;

/// Appends a message.
pub(super) fn message(message: &Message<'_>, to: &mut Writer<'_>) -> Written {
    let begin = to.at();
    to.u64(0);
    let (kind, flags, low) = body(message, to)?;
    let words = (to.at() - begin) / WORD - 1;
    let Ok(words) = u16::try_from(words) else {
        return to.refuse(Why::TooLong { what: "a message", length: words * WORD, most: usize::from(u16::MAX) * WORD });
    };
    let [w0, w1] = words.to_le_bytes();
    let [l0, l1, l2, l3] = low.to_le_bytes();
    to.0[begin..begin + WORD].copy_from_slice(&[kind, flags, w0, w1, l0, l1, l2, l3]);
    Ok(())
}

/// Appends what is behind the head; gives kind, flags and the head's number.
fn body(message: &Message<'_>, to: &mut Writer<'_>) -> Result<(u8, u8, u32), Refusal> {
    Ok(match message {
        Message::Task(it) => task(it, to)?,
        Message::Processing(it) => processing(it, to)?,
        Message::ProcessingAsk { number } => number_only(code::PROCESSING_ASK, *number, to),
        Message::Done(it) => done(it, to)?,
        Message::Subscribe(it) => {
            it.write(to)?;
            (code::SUBSCRIBE, 0, 0)
        }
        Message::Here(it) => here(it, to)?,
        Message::Fetch(it) => fetch(it, to)?,
        Message::Bytes(it) => bytes(it, to)?,
        Message::Free(id) => {
            DatumAt::home(*id).write(to)?;
            (code::FREE, 0, 0)
        }
        Message::References(id, it) => references(*id, *it, to)?,
        Message::Claim(it) => {
            claim(it, to)?;
            (code::CLAIM, 0, it.sequence)
        }
        Message::Claimed { claim, size, carries } => claimed(claim, *size, *carries, to)?,
        Message::ClaimRefused(it) => {
            claim(it, to)?;
            (code::CLAIM_REFUSED, 0, it.sequence)
        }
        Message::Unregistered { number } => number_only(code::UNREGISTERED, *number, to),
        Message::CodeAsk { piece, build_id, of } => {
            build_id_field(build_id, to)?;
            to.process(*of)?;
            to.u32(0);
            (code::CODE_ASK, build_id.len() as u8, *piece)
        }
        Message::Code(it) => piece(it, to)?,
        Message::CodeRefused { build_id, why } => {
            build_id_field(build_id, to)?;
            to.length("a refusal", why.len(), TEXT_BYTES)?;
            to.u32(0);
            to.padded(why.as_bytes());
            (code::CODE_REFUSED, build_id.len() as u8, 0)
        }
        Message::Wave { wave } => (code::WAVE, 0, *wave),
        Message::Answer { wave, sent, received, failures, first } => {
            to.u64(*sent);
            to.u64(*received);
            to.u64(*failures);
            (code::ANSWER, first_failure(*first, to)?, *wave)
        }
        Message::End(it) => end(it, to)?,
        Message::Beat => (code::BEAT, 0, 0),
        Message::Lost { process, cause } => {
            to.process(*process)?;
            to.u32(*cause);
            (code::LOST, 0, 0)
        }
        Message::Ack { process } => {
            to.process(*process)?;
            to.u32(0);
            (code::ACK, 0, 0)
        }
        Message::Edge(it) => edge(it, to),
    })
}

fn number_only(kind: u8, number: u64, to: &mut Writer<'_>) -> (u8, u8, u32) {
    to.u64(number);
    (kind, 0, 0)
}

fn flag(set: bool, flag: u8) -> u8 {
    if set { flag } else { 0 }
}

/// Where a processing is named: its home, a number for the message's own use, its number.
fn processing_id(id: ProcessingId, between: u32, to: &mut Writer<'_>) -> Written {
    to.process(id.home())?;
    to.u32(between);
    to.u64(id.number());
    Ok(())
}

fn task(it: &TaskMessage<'_>, to: &mut Writer<'_>) -> Result<(u8, u8, u32), Refusal> {
    processing_id(it.processing, it.worker, to)?;
    it.arguments.write(to)?;
    Ok((code::TASK, flag(it.near, code::NEAR), it.sequence))
}

fn processing(it: &Processing<'_>, to: &mut Writer<'_>) -> Result<(u8, u8, u32), Refusal> {
    processing_id(it.id, it.cores, to)?;
    to.u64(it.context);
    if it.accesses.len() != (it.arguments as usize).div_ceil(4) {
        let (stated, found) = (u64::from(it.arguments.div_ceil(4)), it.accesses.len() as u64);
        return to.refuse(Why::Lengths { what: "the list of modes", stated, found });
    }
    if let Some(last) = it.accesses.last().filter(|_| !it.arguments.is_multiple_of(4))
        && last >> (it.arguments % 4 * 2) != 0
    {
        return to.refuse(Why::Value { what: "the list of modes", value: u64::from(*last) });
    }
    to.length("a description", it.description.len(), NAME_BYTES)?;
    to.length("a symbol", it.symbol.len(), NAME_BYTES)?;
    let mut flags = flag(it.array, code::ARRAY) | flag(it.image.is_some(), code::IMAGE);
    if let Some(image) = it.image {
        flags |= flag(image.program, code::PROGRAM);
        to.u64(image.offset);
        to.u32(image.build_id.len() as u32);
        to.length("an object's path", image.object.len(), NAME_BYTES)?;
        build_id_field(image.build_id, to)?;
        to.padded(image.object.as_bytes());
    }
    to.padded(it.accesses);
    to.padded(it.description.as_bytes());
    to.padded(it.symbol.as_bytes());
    Ok((code::PROCESSING, flags, it.arguments))
}

/// A build-id, in four words.
fn build_id_field(build_id: &[u8], to: &mut Writer<'_>) -> Written {
    if build_id.is_empty() || build_id.len() > BUILD_ID_BYTES {
        return to.refuse(Why::TooLong { what: "a build-id", length: build_id.len(), most: BUILD_ID_BYTES });
    }
    let mut field = [0; BUILD_ID_BYTES];
    field[..build_id.len()].copy_from_slice(build_id);
    to.padded(&field);
    Ok(())
}

/// A code and a text's length, in 32 bits.
fn failure(code: dvm_retcode_t, text: &str, to: &mut Writer<'_>) -> Written {
    if code == dvm_retcode_t::DVM_SUCCESS {
        return to.refuse(Why::Value { what: "a failure's code", value: 0 });
    }
    if text.len() > TEXT_BYTES {
        return to.refuse(Why::TooLong { what: "a failure's text", length: text.len(), most: TEXT_BYTES });
    }
    to.u16(code as u16);
    to.u16(text.len() as u16);
    Ok(())
}

fn done(it: &Done<'_>, to: &mut Writer<'_>) -> Result<(u8, u8, u32), Refusal> {
    let mut flags = flag(it.outcome.is_some(), code::OUTCOME) | flag(it.returns, code::RETURNS);
    if flags == 0 {
        return to.refuse(Why::Value { what: "the end of a task that says nothing", value: 0 });
    }
    match it.outcome {
        None | Some(EndState::Success) => to.u32(0),
        Some(EndState::Failure(code, text)) => failure(code, text, to)?,
        Some(EndState::Cancelled(code, text)) => {
            flags |= code::CANCELLED;
            failure(code, text, to)?;
        }
    }
    to.u16(it.before);
    to.u16(0);
    if let Some(EndState::Failure(_, text) | EndState::Cancelled(_, text)) = it.outcome {
        to.padded(text.as_bytes());
    }
    Ok((code::DONE, flags, it.sequence))
}

fn here(it: &Here<'_>, to: &mut Writer<'_>) -> Result<(u8, u8, u32), Refusal> {
    it.datum.write(to)?;
    match it.value {
        Value::Published { size, payload } => {
            to.u64(size);
            to.u32(it.writer);
            to.u32(0);
            let (flags, heap, offset) = match payload {
                Payload::Inline(bytes) if bytes.len() as u64 != size => {
                    return to.refuse(Why::Lengths { what: "a datum", stated: size, found: bytes.len() as u64 });
                }
                Payload::Inline(_) => (code::INLINE, 0, 0),
                Payload::Heap { heap, offset } => (code::HEAP, heap, offset),
                Payload::Away => (0, 0, 0),
            };
            to.u32(heap);
            to.u32(0);
            to.u64(offset);
            if let Payload::Inline(bytes) = payload {
                to.padded(bytes);
            }
            Ok((code::HERE, flags, 0))
        }
        Value::Poisoned(code, text) => {
            to.u64(0);
            to.u32(it.writer);
            failure(code, text, to)?;
            to.u64(0);
            to.u64(0);
            to.padded(text.as_bytes());
            Ok((code::HERE, code::POISONED, 0))
        }
    }
}

fn fetch(it: &Fetch, to: &mut Writer<'_>) -> Result<(u8, u8, u32), Refusal> {
    it.datum.write(to)?;
    to.process(it.asker)?;
    to.u32(it.worker);
    to.u64(it.size);
    Ok((code::FETCH, 0, it.ticket))
}

fn bytes(it: &Bytes<'_>, to: &mut Writer<'_>) -> Result<(u8, u8, u32), Refusal> {
    DatumAt::home(it.id).write(to)?;
    let flags = match it.payload {
        None => code::GONE,
        Some(Payload::Away) => 0,
        Some(Payload::Heap { heap, offset }) => {
            to.u32(heap);
            to.u32(0);
            to.u64(offset);
            code::HEAP
        }
        Some(Payload::Inline(bytes)) => {
            to.padded(bytes);
            code::INLINE | ((whole_words(bytes.len()) - bytes.len()) as u8) << code::PADDING_SHIFT
        }
    };
    Ok((code::BYTES, flags, it.ticket))
}

fn references(id: DatumId, it: LoanMessage, to: &mut Writer<'_>) -> Result<(u8, u8, u32), Refusal> {
    DatumAt::home(id).write(to)?;
    let (kind, acquire) = match it {
        LoanMessage::Loan { acquire } => (code::LOAN, acquire),
        LoanMessage::Loaned { acquire } => (code::LOANED, acquire),
        LoanMessage::Take => (code::TAKE, false),
        LoanMessage::Taken => (code::TAKEN, false),
        LoanMessage::Refused { acquire } => (code::REFUSED, acquire),
        LoanMessage::Return => (code::RETURN, false),
    };
    Ok((kind, flag(acquire, code::ACQUIRE), 0))
}

fn claim(it: &ClaimMessage, to: &mut Writer<'_>) -> Written {
    DatumAt { id: it.id, at: it.scheduler }.write(to)?;
    to.process(it.runner)?;
    to.u32(0);
    Ok(())
}

fn claimed(
    it: &ClaimMessage,
    size: u64,
    carries: Option<DatumAt>,
    to: &mut Writer<'_>,
) -> Result<(u8, u8, u32), Refusal> {
    claim(it, to)?;
    to.u64(size);
    match carries {
        Some(datum) => datum.write(to)?,
        None => DatumAt { id: DatumId::NONE, at: ProcessId::from_index(0) }.write_any(to)?,
    }
    Ok((code::CLAIMED, flag(carries.is_some(), code::CARRIES), it.sequence))
}

fn piece(it: &Code<'_>, to: &mut Writer<'_>) -> Result<(u8, u8, u32), Refusal> {
    build_id_field(it.build_id, to)?;
    to.length("a piece of code", it.bytes.len(), usize::from(u16::MAX) * WORD)?;
    to.u32(0);
    to.u64(it.total);
    to.padded(&it.digest);
    to.padded(it.bytes);
    Ok((code::CODE, it.build_id.len() as u8, it.piece))
}

fn end(it: &End<'_>, to: &mut Writer<'_>) -> Result<(u8, u8, u32), Refusal> {
    to.u64(it.failures);
    let failed = first_failure(it.first, to)?;
    Ok((code::END, flag(it.closing, code::CLOSING) | failed, it.number))
}

/// Appends the first failure, if there is one; gives the flag for that.
fn first_failure(first: Option<FirstFailure<'_>>, to: &mut Writer<'_>) -> Result<u8, Refusal> {
    match first {
        None => to.u64(0),
        Some((process, code, text)) => {
            to.process(process)?;
            failure(code, text, to)?;
            to.padded(text.as_bytes());
        }
    }
    Ok(flag(first.is_some(), code::FAILED))
}

fn edge(it: &Edge<'_>, to: &mut Writer<'_>) -> (u8, u8, u32) {
    to.u32(it.room);
    to.u32(it.handle);
    to.padded(it.bytes);
    (code::EDGE, 0, it.bytes.len() as u32)
}
