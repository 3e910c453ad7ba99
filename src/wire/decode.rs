//! Bytes that nobody vouches for to values.

use super::argument::Arguments;
use super::code;
use super::datum_at::DatumAt;
use super::message::{
    BUILD_ID_BYTES, Bytes, ClaimMessage, Code, Done, Edge, End, EndState, Fetch, FirstFailure, Here, Image,
    LoanMessage, Message, NAME_BYTES, Payload, Processing, TEXT_BYTES, TaskMessage, Value,
};
use super::refusal::{Refusal, Why};
use super::words::{Reader, WORD};
use crate::error::dvm_retcode_t;
use crate::id::{DatumId, ProcessingId};

/// The head of the message that is being read.
#[derive(Clone, Copy)]
struct Head<'a> {
    kind: u8,
    flags: u8,
    low: u32,
    /// Where the head is, for refusals.
    at: Reader<'a>,
}

impl Head<'_> {
    /// Refuses flags other than these.
    fn flags_of(&self, what: &'static str, known: u8) -> Result<(), Refusal> {
        if self.flags & !known != 0 {
            return self.at.no_value(what, u64::from(self.flags));
        }
        Ok(())
    }

    /// Refuses a number where the kind has none.
    fn no_low(&self) -> Result<(), Refusal> {
        if self.low != 0 {
            return self.at.no_value("the head's unused number", u64::from(self.low));
        }
        Ok(())
    }

    fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Takes the next message.
pub(super) fn message<'a>(from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    let at = *from;
    let kind = from.u8("a message's kind")?;
    let flags = from.u8("a message's flags")?;
    let words = from.u16("a message's length")?;
    let low = from.u32("a message's number")?;
    let place = from.at();
    let mut body = Reader::new(from.take("a message", usize::from(words) * WORD)?, place);
    body_of(Head { kind, flags, low, at }, &mut body)
}

fn body_of<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    let with_flags = matches!(
        head.kind,
        code::TASK
            | code::PROCESSING
            | code::DONE
            | code::HERE
            | code::BYTES
            | code::LOAN
            | code::LOANED
            | code::REFUSED
            | code::CLAIMED
            | code::CODE_ASK
            | code::CODE
            | code::CODE_REFUSED
            | code::ANSWER
            | code::END
    );
    let with_low = matches!(
        head.kind,
        code::TASK
            | code::PROCESSING
            | code::DONE
            | code::FETCH
            | code::BYTES
            | code::CLAIM
            | code::CLAIMED
            | code::CLAIM_REFUSED
            | code::CODE_ASK
            | code::CODE
            | code::WAVE
            | code::ANSWER
            | code::END
            | code::EDGE
    );
    if !with_flags {
        head.flags_of("a message's flags", 0)?;
    }
    if !with_low {
        head.no_low()?;
    }
    let message = match head.kind {
        code::TASK => return task(head, from),
        code::PROCESSING => processing(head, from)?,
        code::PROCESSING_ASK => Message::ProcessingAsk { number: from.u64("a processing's number")? },
        code::DONE => done(head, from)?,
        code::SUBSCRIBE => Message::Subscribe(datum(from)?),
        code::HERE => here(head, from)?,
        code::FETCH => Message::Fetch(Fetch {
            ticket: head.low,
            datum: datum(from)?,
            asker: from.process("who fetches")?,
            worker: from.u32("the worker that fetches")?,
            size: from.u64("the size that is expected")?,
        }),
        code::BYTES => bytes(head, from)?,
        code::FREE => Message::Free(datum_at_home(from)?),
        code::LOAN | code::LOANED | code::TAKE | code::TAKEN | code::REFUSED | code::RETURN => references(head, from)?,
        code::CLAIM => Message::Claim(claim(head, from)?),
        code::CLAIMED => claimed(head, from)?,
        code::CLAIM_REFUSED => Message::ClaimRefused(claim(head, from)?),
        code::UNREGISTERED => Message::Unregistered { number: from.u64("a processing's number")? },
        code::CODE_ASK => {
            let build_id = build_id(u64::from(head.flags), from)?;
            let of = from.process("who has announced the code")?;
            from.zero("the rest of a request for code")?;
            Message::CodeAsk { piece: head.low, build_id, of }
        }
        code::CODE => piece(head, from)?,
        code::CODE_REFUSED => {
            let build_id = build_id(u64::from(head.flags), from)?;
            let length = from.u32("the length of a refusal")? as usize;
            from.zero("the rest of a refusal's length")?;
            Message::CodeRefused { build_id, why: from.text("a refusal", length, TEXT_BYTES)? }
        }
        code::WAVE => Message::Wave { wave: head.low },
        code::ANSWER => answer(head, from)?,
        code::END => end(head, from)?,
        code::BEAT => Message::Beat,
        code::LOST => {
            Message::Lost { process: from.process("the lost process")?, cause: from.u32("the loss's cause")? }
        }
        code::ACK => {
            let process = from.process("the lost process")?;
            from.zero("the rest of an acknowledgement")?;
            Message::Ack { process }
        }
        code::EDGE => Message::Edge(Edge {
            room: from.u32("an edge's room")?,
            handle: from.u32("an edge's handle")?,
            bytes: from.padded("an edge's bytes", head.low as usize)?,
        }),
        kind => return head.at.no_value("a message's kind", u64::from(kind)),
    };
    from.end("a message")?;
    Ok(message)
}

/// A datum that there is.
fn datum(from: &mut Reader<'_>) -> Result<DatumAt, Refusal> {
    let at = *from;
    let datum = DatumAt::read(from)?;
    if datum.id == DatumId::NONE {
        return at.no_value("a datum", 0);
    }
    Ok(datum)
}

/// A datum where nothing but its id is said.
fn datum_at_home(from: &mut Reader<'_>) -> Result<DatumId, Refusal> {
    let at = *from;
    let datum = datum(from)?;
    if datum.at != datum.id.home() {
        return at.no_value("a datum's place", datum.at.index());
    }
    Ok(datum.id)
}

/// A processing, and the number between its home and its own.
fn processing_id(from: &mut Reader<'_>) -> Result<(ProcessingId, u32), Refusal> {
    let home = from.process("a processing's home")?;
    let between = from.u32("the number beside a processing's home")?;
    Ok((ProcessingId::from_raw([home.index(), from.u64("a processing's number")?]), between))
}

fn task<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    head.flags_of("a task's flags", code::NEAR)?;
    let (processing, worker) = processing_id(from)?;
    let arguments = Arguments::read(*from)?;
    Ok(Message::Task(TaskMessage { sequence: head.low, near: head.has(code::NEAR), processing, worker, arguments }))
}

fn processing<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    let image_flags = if head.has(code::IMAGE) { code::IMAGE | code::PROGRAM } else { 0 };
    head.flags_of("a processing's flags", code::ARRAY | image_flags)?;
    let (id, cores) = processing_id(from)?;
    let context = from.u64("a context")?;
    let description = from.u32("a description's length")? as usize;
    let symbol = from.u32("a symbol's length")? as usize;
    let image = if head.has(code::IMAGE) {
        let offset = from.u64("a function's offset")?;
        let length = from.u32("a build-id's length")?;
        let path = from.u32("the length of an object's path")? as usize;
        let build_id = build_id(u64::from(length), from)?;
        let object = from.text("an object's path", path, NAME_BYTES)?;
        Some(Image { build_id, offset, object, program: head.has(code::PROGRAM) })
    } else {
        None
    };
    let at = *from;
    let accesses = from.padded("the list of modes", (head.low as usize).div_ceil(4))?;
    if let Some(last) = accesses.last().filter(|_| !head.low.is_multiple_of(4))
        && last >> (head.low % 4 * 2) != 0
    {
        return at.no_value("the list of modes", u64::from(*last));
    }
    let description = from.text("a description", description, NAME_BYTES)?;
    let symbol = from.text("a symbol", symbol, NAME_BYTES)?;
    let array = head.has(code::ARRAY);
    Ok(Message::Processing(Processing {
        id,
        arguments: head.low,
        accesses,
        cores,
        array,
        context,
        description,
        symbol,
        image,
    }))
}

/// A build-id of this length in its four words.
fn build_id<'a>(length: u64, from: &mut Reader<'a>) -> Result<&'a [u8], Refusal> {
    let at = *from;
    let field = from.take("a build-id", BUILD_ID_BYTES)?;
    match usize::try_from(length).ok().filter(|length| *length > 0).and_then(|length| field.split_at_checked(length)) {
        Some((id, rest)) if rest.iter().all(|byte| *byte == 0) => Ok(id),
        _ => at.no_value("a build-id's length", length),
    }
}

/// A failure's code and its text's length.
fn failure(from: &mut Reader<'_>) -> Result<(dvm_retcode_t, usize), Refusal> {
    let at = *from;
    let value = from.u16("a failure's code")?;
    let length = from.u16("a failure's text's length")?;
    match dvm_retcode_t::from_value(u32::from(value)) {
        None | Some(dvm_retcode_t::DVM_SUCCESS) => at.no_value("a failure's code", u64::from(value)),
        Some(code) => Ok((code, usize::from(length))),
    }
}

fn done<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    head.flags_of("the flags of a task's end", code::OUTCOME | code::CANCELLED | code::RETURNS)?;
    if !head.has(code::OUTCOME | code::RETURNS) || head.has(code::CANCELLED) && !head.has(code::OUTCOME) {
        return head.at.no_value("the flags of a task's end", u64::from(head.flags));
    }
    let mut probe = *from;
    let success = probe.u32("a task's outcome")? == 0;
    if head.has(code::CANCELLED) && success || !head.has(code::OUTCOME) && !success {
        return from.no_value("a task's outcome", u64::from(success));
    }
    let failed = if success {
        *from = probe;
        None
    } else {
        Some(failure(from)?)
    };
    let before = from.u16("the number of tasks that ended")?;
    let at = *from;
    let unused = from.u16("the rest of a task's end")?;
    if unused != 0 {
        return at.no_value("the rest of a task's end", u64::from(unused));
    }
    let outcome = match failed {
        None => head.has(code::OUTCOME).then_some(EndState::Success),
        Some((code, length)) => {
            let text = from.text("a failure's text", length, TEXT_BYTES)?;
            Some(if head.has(code::CANCELLED) {
                EndState::Cancelled(code, text)
            } else {
                EndState::Failure(code, text)
            })
        }
    };
    Ok(Message::Done(Done { sequence: head.low, before, outcome, returns: head.has(code::RETURNS) }))
}

fn here<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    if !matches!(head.flags, 0 | code::INLINE | code::HEAP | code::POISONED) {
        return head.at.no_value("the flags of a value", u64::from(head.flags));
    }
    head.no_low()?;
    let datum = datum(from)?;
    let at = *from;
    let size = from.u64("a value's size")?;
    let writer = from.u32("a value's writer")?;
    let value = if head.has(code::POISONED) {
        if size != 0 {
            return at.no_value("the size of a poisoned value", size);
        }
        let (code, length) = failure(from)?;
        for _ in 0..4 {
            from.zero("the place of a poisoned value")?;
        }
        Value::Poisoned(code, from.text("a failure's text", length, TEXT_BYTES)?)
    } else {
        from.zero("the failure of a published value")?;
        let at = *from;
        let heap = from.u32("a value's heap")?;
        from.zero("the rest of a value's heap")?;
        let offset = from.u64("a value's offset")?;
        if !head.has(code::HEAP) && (heap != 0 || offset != 0) {
            return at.no_value("a value's heap", offset | u64::from(heap));
        }
        let payload = match head.flags {
            code::INLINE => {
                Payload::Inline(from.padded("a value's bytes", usize::try_from(size).unwrap_or(usize::MAX))?)
            }
            code::HEAP => Payload::Heap { heap, offset },
            _ => Payload::Away,
        };
        Value::Published { size, payload }
    };
    Ok(Message::Here(Here { datum, writer, value }))
}

fn bytes<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    let padding = usize::from(head.flags >> code::PADDING_SHIFT);
    let kind = head.flags & !(u8::MAX << code::PADDING_SHIFT);
    if !matches!(kind, 0 | code::INLINE | code::HEAP | code::GONE) || padding > 0 && kind != code::INLINE {
        return head.at.no_value("the flags of bytes", u64::from(head.flags));
    }
    let id = datum_at_home(from)?;
    let payload = match kind {
        code::INLINE => {
            let Some(length) = from.left().checked_sub(padding) else {
                return from.refuse(Why::Truncated { what: "a datum's bytes", needed: padding, left: from.left() });
            };
            Some(Payload::Inline(from.padded("a datum's bytes", length)?))
        }
        code::HEAP => {
            let heap = from.u32("a datum's heap")?;
            from.zero("the rest of a datum's heap")?;
            Some(Payload::Heap { heap, offset: from.u64("a datum's offset")? })
        }
        code::GONE => None,
        _ => Some(Payload::Away),
    };
    Ok(Message::Bytes(Bytes { ticket: head.low, id, payload }))
}

fn references<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    head.flags_of("the flags of a loan", code::ACQUIRE)?;
    let id = datum_at_home(from)?;
    let acquire = head.has(code::ACQUIRE);
    let message = match head.kind {
        code::LOAN => LoanMessage::Loan { acquire },
        code::LOANED => LoanMessage::Loaned { acquire },
        code::TAKE => LoanMessage::Take,
        code::TAKEN => LoanMessage::Taken,
        code::REFUSED => LoanMessage::Refused { acquire },
        _ => LoanMessage::Return,
    };
    Ok(Message::References(id, message))
}

fn claim(head: Head<'_>, from: &mut Reader<'_>) -> Result<ClaimMessage, Refusal> {
    let DatumAt { id, at: scheduler } = datum(from)?;
    let runner = from.process("the runner")?;
    from.zero("the rest of a claim")?;
    Ok(ClaimMessage { id, scheduler, sequence: head.low, runner })
}

fn claimed<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    head.flags_of("the flags of a claim", code::CARRIES)?;
    let claim = claim(head, from)?;
    let size = from.u64("an output's size")?;
    let carries = if head.has(code::CARRIES) {
        Some(datum(from)?)
    } else {
        for _ in 0..4 {
            from.zero("the datum that an output does not carry on")?;
        }
        None
    };
    Ok(Message::Claimed { claim, size, carries })
}

fn piece<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    let build_id = build_id(u64::from(head.flags), from)?;
    let length = from.u32("the length of a piece of code")? as usize;
    from.zero("the rest of a piece's length")?;
    let total = from.u64("the length of the code")?;
    let digest = from.array("the code's digest")?;
    let bytes = from.padded("a piece of code", length)?;
    Ok(Message::Code(Code { piece: head.low, build_id, total, digest, bytes }))
}

fn end<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    head.flags_of("the flags of the end", code::CLOSING | code::FAILED)?;
    let failures = from.u64("the number of failures")?;
    let first = first_failure(head, from)?;
    Ok(Message::End(End { number: head.low, closing: head.has(code::CLOSING), first, failures }))
}

fn answer<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Message<'a>, Refusal> {
    head.flags_of("the flags of an answer", code::FAILED)?;
    Ok(Message::Answer {
        wave: head.low,
        sent: from.u64("the number of sent messages")?,
        received: from.u64("the number of received messages")?,
        failures: from.u64("the number of failures")?,
        first: first_failure(head, from)?,
    })
}

fn first_failure<'a>(head: Head<'a>, from: &mut Reader<'a>) -> Result<Option<FirstFailure<'a>>, Refusal> {
    if head.has(code::FAILED) {
        let process = from.process("the process of the first failure")?;
        let (code, length) = failure(from)?;
        return Ok(Some((process, code, from.text("a failure's text", length, TEXT_BYTES)?)));
    }
    from.zero("the process of no failure")?;
    from.zero("the code of no failure")?;
    Ok(None)
}
