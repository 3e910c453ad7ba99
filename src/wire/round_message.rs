//! What processes say to each other about redistributions, inside an [`Edge`]: the edge's handle is the kind, its bytes are
//! the fields.

use super::message::{Edge, TEXT_BYTES, cut};
use super::refusal::{Refusal, Why};
use super::words::{Reader, Writer};
use crate::error::dvm_retcode_t;

/// The part of libdvm that these messages are for.
pub const REDISTRIBUTION_ROOM: u32 = 3;

/// A round: the number of the plan in the job, and of the round among those of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoundKey {
    /// The plan.
    pub plan: u32,
    /// The round, from 0.
    pub round: u32,
}

/// What a process is to the receiver of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundRole {
    /// It has elements for the receiver.
    Sender,
    /// It wants elements of the receiver.
    Taker,
}

/// Bytes in the sender's heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapPlace {
    /// The number of the segment.
    pub segment: u32,
    /// The first byte in it.
    pub offset: u64,
    /// How many there are.
    pub bytes: u64,
}

/// The bytes of one message of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer<B> {
    /// Packed, in the message itself.
    Inline(B),
    /// Packed; they come under a ticket.
    Away {
        /// The ticket.
        ticket: u64,
        /// How many there are.
        bytes: u64,
    },
    /// Packed, in the sender's heap.
    Packed(HeapPlace),
    /// The sender's memories as they are, in the order of their numbers.
    Memories(Vec<HeapPlace>),
}

/// One message about redistributions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoundMessage<'a> {
    /// The sender has made the plan with this number; 0 for a plan that it could not make.
    Plan {
        /// The number.
        plan: u32,
        /// The digest of all that the processes have to agree on.
        digest: u64,
    },
    /// The elements that the sender has for the receiver.
    Offer {
        /// The round.
        key: RoundKey,
        /// The digest of what is redistributed.
        arrays: u64,
        /// Where they are.
        offer: Offer<&'a [u8]>,
    },
    /// The sender has taken the elements that it was offered.
    Taken(RoundKey),
    /// The sender does not take part in the round.
    Refused {
        /// The round.
        key: RoundKey,
        /// As what.
        role: RoundRole,
        /// Why.
        code: dvm_retcode_t,
        /// Why, in words.
        text: &'a str,
    },
    /// The sender has freed the plan after so many rounds.
    Freed(RoundKey),
    /// The sender takes no part in rounds of the plan after so many, because a process is lost that holds memories of it.
    Left {
        /// The first round without it.
        key: RoundKey,
        /// The index of the process that is lost.
        lost: u32,
    },
}

mod kind {
    pub(super) const PLAN: u32 = 0;
    pub(super) const INLINE: u32 = 1;
    pub(super) const AWAY: u32 = 2;
    pub(super) const PACKED: u32 = 3;
    pub(super) const MEMORIES: u32 = 4;
    pub(super) const TAKEN: u32 = 5;
    pub(super) const REFUSED_BY_SENDER: u32 = 6;
    pub(super) const REFUSED_BY_TAKER: u32 = 7;
    pub(super) const FREED: u32 = 8;
    pub(super) const LEFT: u32 = 9;
}

impl RoundMessage<'_> {
    /// The message as an edge, whose bytes lie in `buffer`.
    pub fn edge<'b>(&self, buffer: &'b mut Vec<u8>) -> Edge<'b> {
        buffer.clear();
        let mut to = Writer(buffer);
        let handle = match self {
            RoundMessage::Plan { plan, digest } => {
                key(&mut to, RoundKey { plan: *plan, round: 0 });
                to.u64(*digest);
                kind::PLAN
            }
            RoundMessage::Offer { key: of, arrays, offer } => {
                key(&mut to, *of);
                to.u64(*arrays);
                write_offer(&mut to, offer)
            }
            RoundMessage::Taken(of) => {
                key(&mut to, *of);
                kind::TAKEN
            }
            RoundMessage::Refused { key: of, role, code, text } => {
                let text = cut(text, TEXT_BYTES);
                key(&mut to, *of);
                to.u32(*code as u32);
                to.u32(text.len() as u32);
                to.padded(text.as_bytes());
                if *role == RoundRole::Sender { kind::REFUSED_BY_SENDER } else { kind::REFUSED_BY_TAKER }
            }
            RoundMessage::Freed(of) => {
                key(&mut to, *of);
                kind::FREED
            }
            RoundMessage::Left { key: of, lost } => {
                key(&mut to, *of);
                to.u64(u64::from(*lost));
                kind::LEFT
            }
        };
        Edge { room: REDISTRIBUTION_ROOM, handle, bytes: buffer }
    }
}

fn key(to: &mut Writer<'_>, key: RoundKey) {
    to.u32(key.plan);
    to.u32(key.round);
}

fn place(to: &mut Writer<'_>, place: HeapPlace) {
    to.u64(u64::from(place.segment));
    to.u64(place.offset);
    to.u64(place.bytes);
}

fn write_offer(to: &mut Writer<'_>, offer: &Offer<&[u8]>) -> u32 {
    match offer {
        Offer::Inline(bytes) => {
            to.u64(bytes.len() as u64);
            to.padded(bytes);
            kind::INLINE
        }
        Offer::Away { ticket, bytes } => {
            to.u64(*ticket);
            to.u64(*bytes);
            kind::AWAY
        }
        Offer::Packed(at) => {
            place(to, *at);
            kind::PACKED
        }
        Offer::Memories(places) => {
            for at in places {
                place(to, *at);
            }
            kind::MEMORIES
        }
    }
}

/// Reads the bytes of an edge of the room of redistributions.
///
/// # Errors
/// They are not what [`RoundMessage::edge`] would write.
pub fn read_round_message<'a>(edge: &Edge<'a>) -> Result<RoundMessage<'a>, Refusal> {
    let mut from = Reader::new(edge.bytes, 0);
    let key = RoundKey { plan: from.u32("a plan's number")?, round: from.u32("a round's number")? };
    let message = match edge.handle {
        kind::PLAN if key.round == 0 => RoundMessage::Plan { plan: key.plan, digest: from.u64("a plan's digest")? },
        kind::INLINE..=kind::MEMORIES => RoundMessage::Offer {
            key,
            arrays: from.u64("a round's digest")?,
            offer: read_offer(edge.handle, &mut from)?,
        },
        kind::TAKEN => RoundMessage::Taken(key),
        kind::REFUSED_BY_SENDER | kind::REFUSED_BY_TAKER => {
            let at = from;
            let code = from.u32("a round's error")?;
            let Some(code) = dvm_retcode_t::from_value(code) else { return at.no_value("an error", code.into()) };
            let length = from.u32("the length of a text")? as usize;
            let text = from.text("a text", length, TEXT_BYTES)?;
            let role = if edge.handle == kind::REFUSED_BY_SENDER { RoundRole::Sender } else { RoundRole::Taker };
            RoundMessage::Refused { key, role, code, text }
        }
        kind::FREED => RoundMessage::Freed(key),
        kind::LEFT => {
            let at = from;
            let lost = from.u64("a process")?;
            let Ok(number) = u32::try_from(lost) else { return at.no_value("a process", lost) };
            RoundMessage::Left { key, lost: number }
        }
        other => return from.no_value("the kind of a message about redistributions", other.into()),
    };
    from.end("a message about redistributions").map(|()| message)
}

fn read_offer<'a>(handle: u32, from: &mut Reader<'a>) -> Result<Offer<&'a [u8]>, Refusal> {
    Ok(match handle {
        kind::INLINE => {
            let length = from.u64("the length of a message")?;
            let Ok(length) = usize::try_from(length) else {
                return from.refuse(Why::Truncated { what: "a message", needed: usize::MAX, left: from.left() });
            };
            if length > from.left() {
                return from.refuse(Why::Truncated { what: "a message", needed: length, left: from.left() });
            }
            Offer::Inline(from.padded("a message", length)?)
        }
        kind::AWAY => Offer::Away { ticket: from.u64("a ticket")?, bytes: from.u64("the length of a message")? },
        kind::PACKED => Offer::Packed(read_place(from)?),
        _ => {
            let mut places = Vec::new();
            while from.left() > 0 {
                places.push(read_place(from)?);
            }
            Offer::Memories(places)
        }
    })
}

fn read_place(from: &mut Reader<'_>) -> Result<HeapPlace, Refusal> {
    let at = *from;
    let segment = from.u64("a segment")?;
    let Ok(number) = u32::try_from(segment) else { return at.no_value("a segment", segment) };
    Ok(HeapPlace { segment: number, offset: from.u64("a place")?, bytes: from.u64("a length")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    fn some<'a>(random: &mut Random, material: &'a [u8]) -> RoundMessage<'a> {
        let number = |random: &mut Random| random.below(1 << 20) as u32;
        let key = RoundKey { plan: number(random), round: number(random) };
        let heap = |random: &mut Random| HeapPlace {
            segment: random.below(1 << 20) as u32,
            offset: random.number() >> 24,
            bytes: random.number() >> 24,
        };
        let length = random.below(material.len());
        match random.below(9) {
            0 => RoundMessage::Plan { plan: key.plan, digest: random.number() },
            1 => RoundMessage::Taken(key),
            2 => RoundMessage::Freed(key),
            3 => RoundMessage::Refused {
                key,
                role: if random.below(2) == 0 { RoundRole::Sender } else { RoundRole::Taker },
                code: dvm_retcode_t::DVM_ERR_SIZE,
                text: "the datum is too small: née",
            },
            8 => RoundMessage::Left { key, lost: number(random) },
            kind => RoundMessage::Offer {
                key,
                arrays: random.number(),
                offer: match kind {
                    4 => Offer::Inline(&material[..length]),
                    5 => Offer::Away { ticket: random.number(), bytes: random.number() >> 24 },
                    6 => Offer::Packed(heap(random)),
                    _ => Offer::Memories((0..random.below(5)).map(|_| heap(random)).collect()),
                },
            },
        }
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let material: Vec<u8> = (0..100).map(|k| k as u8 | 1).collect();
        for mut random in testkit::seeds(2000).map(Random::new) {
            let message = some(&mut random, &material);
            let mut buffer = Vec::new();
            let Edge { room, handle, bytes } = message.edge(&mut buffer);
            assert_eq!(room, REDISTRIBUTION_ROOM);
            assert_eq!(read_round_message(&Edge { room, handle, bytes }), Ok(message.clone()));
            // A shorter or longer text is refused, unless it lists fewer memories.
            let shorter = &bytes[..random.below(bytes.len())];
            if let Ok(read) = read_round_message(&Edge { room, handle, bytes: shorter }) {
                assert!(matches!(read, RoundMessage::Offer { offer: Offer::Memories(_), .. }), "{message:?}: {read:?}");
            }
            let longer = [bytes, &[1]].concat();
            assert!(read_round_message(&Edge { room, handle, bytes: &longer }).is_err(), "{message:?}");
            // What was changed is refused, or is another message.
            let mut changed = bytes.to_vec();
            let at = random.below(bytes.len());
            changed[at] ^= 1 << random.below(8);
            assert_ne!(read_round_message(&Edge { room, handle, bytes: &changed }), Ok(message));
        }
    }
}
