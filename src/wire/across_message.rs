//! What processes say to each other about regions that run on all of them, inside an [`Edge`]: the edge's handle is the
//! kind, its bytes are the fields.

use super::message::{Edge, TEXT_BYTES, cut};
use super::refusal::{Refusal, Why};
use super::served_call::ServedCall;
use super::words::{Reader, Writer};
use crate::error::dvm_retcode_t;

/// The part of libdvm that these messages are for.
pub const ACROSS_ROOM: u32 = 4;

/// Most bytes of elements in one message; what is longer goes in several.
pub const ACROSS_PIECE: usize = 128 << 10;

/// One message about a call of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcrossMessage<B> {
    /// The number of the call in the job.
    pub call: u32,
    /// What it says.
    pub body: AcrossBody<B>,
}

/// What a message about a call says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AcrossBody<B> {
    /// The sender has come to the call.
    Enter {
        /// The digest of the region and its parameters.
        digest: u64,
        /// Its own conditions for running the region as tiles hold.
        willing: bool,
    },
    /// The sizes of the tiles, all graphs one after another.
    Sizes(Vec<i64>),
    /// Elements that a tile has for the receiver, or leaves behind.
    Elements {
        /// The number of the graph in the call.
        graph: u32,
        /// The number of the tile in the graph.
        tile: u64,
        /// The region leaves them behind.
        left: bool,
        /// More of them follow.
        more: bool,
        /// The least step of the graph whose tiles the sender has not all ended.
        progress: i64,
        /// The elements.
        bytes: B,
    },
    /// The least step of a graph whose tiles the sender has not all ended.
    Progress {
        /// The number of the graph in the call.
        graph: u32,
        /// The step; the greatest number: it has ended all.
        step: i64,
    },
    /// The receiver is to tell each time when its least unfinished step has risen.
    Await {
        /// The number of the graph in the call.
        graph: u32,
        /// By so much.
        every: i64,
    },
    /// The sender has ended all its tiles of a graph; one beyond the last graph: all that it leaves behind is sent.
    Ended {
        /// The number of the graph in the call.
        graph: u32,
    },
    /// Process 0 calls a region, and the receiver, which serves, takes part.
    Serve(ServedCall<B>),
    /// What the receiver's tiles read from before the region.
    Entering {
        /// More of it follows.
        more: bool,
        /// The elements.
        bytes: B,
    },
    /// The program is none of its regions alone: the receiver runs main itself.
    RunsMain,
    /// Something happens to memory that is kept on the processes.
    Kept {
        /// Its number in the program.
        extent: u32,
        /// What happens.
        event: KeptEvent,
        /// To which bytes, as first addresses and ends in process 0, in order.
        spans: Vec<(u64, u64)>,
    },
    /// The sender cannot go on.
    Failed {
        /// Why.
        code: dvm_retcode_t,
        /// Why, in words.
        text: String,
    },
}

/// What happens between regions to memory that is kept on the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptEvent {
    /// Process 0 is to have the bytes: who has them sends them, as what enters.
    Bring,
    /// Main has written the bytes: process 0 alone has them.
    Wrote,
    /// Nothing of it is kept any more.
    Forget,
}

/// Most spans of bytes in one message.
pub const KEPT_SPANS: usize = 4096;

impl KeptEvent {
    const ALL: [KeptEvent; 3] = [KeptEvent::Bring, KeptEvent::Wrote, KeptEvent::Forget];
}

impl AcrossBody<&[u8]> {
    /// The body with its bytes in memory of its own.
    pub fn owned(self) -> AcrossBody<Vec<u8>> {
        match self {
            AcrossBody::Enter { digest, willing } => AcrossBody::Enter { digest, willing },
            AcrossBody::Sizes(sizes) => AcrossBody::Sizes(sizes),
            AcrossBody::Elements { graph, tile, left, more, progress, bytes } => {
                AcrossBody::Elements { graph, tile, left, more, progress, bytes: bytes.to_vec() }
            }
            AcrossBody::Progress { graph, step } => AcrossBody::Progress { graph, step },
            AcrossBody::Await { graph, every } => AcrossBody::Await { graph, every },
            AcrossBody::Ended { graph } => AcrossBody::Ended { graph },
            AcrossBody::Serve(call) => AcrossBody::Serve(call.owned()),
            AcrossBody::Entering { more, bytes } => AcrossBody::Entering { more, bytes: bytes.to_vec() },
            AcrossBody::RunsMain => AcrossBody::RunsMain,
            AcrossBody::Kept { extent, event, spans } => AcrossBody::Kept { extent, event, spans },
            AcrossBody::Failed { code, text } => AcrossBody::Failed { code, text },
        }
    }
}

mod kind {
    pub(super) const ENTER: u32 = 0;
    pub(super) const SIZES: u32 = 1;
    pub(super) const ELEMENTS: u32 = 2;
    pub(super) const ENDED: u32 = 3;
    pub(super) const FAILED: u32 = 4;
    pub(super) const SERVE: u32 = 5;
    pub(super) const ENTERING: u32 = 6;
    pub(super) const RUNS_MAIN: u32 = 7;
    pub(super) const PROGRESS: u32 = 8;
    pub(super) const AWAIT: u32 = 9;
    pub(super) const KEPT: u32 = 10;
}

/// Flags of elements.
const LEFT: u32 = 1;
const MORE: u32 = 2;

impl<B: AsRef<[u8]>> AcrossMessage<B> {
    /// The message as an edge, whose bytes lie in `buffer`.
    pub fn edge<'b>(&self, buffer: &'b mut Vec<u8>) -> Edge<'b> {
        buffer.clear();
        let mut to = Writer(buffer);
        to.u32(self.call);
        let handle = match &self.body {
            AcrossBody::Enter { digest, willing } => {
                to.u32(u32::from(*willing));
                to.u64(*digest);
                kind::ENTER
            }
            AcrossBody::Sizes(sizes) => {
                to.u32(sizes.len() as u32);
                for size in sizes {
                    to.u64(*size as u64);
                }
                kind::SIZES
            }
            AcrossBody::Elements { graph, tile, left, more, progress, bytes } => {
                let bytes = bytes.as_ref();
                to.u32(*graph);
                to.u64(*tile);
                to.u64(*progress as u64);
                to.u32(u32::from(*left) * LEFT + u32::from(*more) * MORE);
                to.u32(bytes.len() as u32);
                to.padded(bytes);
                kind::ELEMENTS
            }
            AcrossBody::Progress { graph, step } => {
                to.u32(*graph);
                to.u64(*step as u64);
                kind::PROGRESS
            }
            AcrossBody::Await { graph, every } => {
                to.u32(*graph);
                to.u64(*every as u64);
                kind::AWAIT
            }
            AcrossBody::Ended { graph } => {
                to.u32(*graph);
                kind::ENDED
            }
            AcrossBody::Failed { code, text } => {
                let text = cut(text, TEXT_BYTES);
                to.u32(*code as u32);
                to.u64(text.len() as u64);
                to.padded(text.as_bytes());
                kind::FAILED
            }
            AcrossBody::Serve(call) => {
                call.write(&mut to);
                kind::SERVE
            }
            AcrossBody::Entering { more, bytes } => {
                let bytes = bytes.as_ref();
                to.u32(u32::from(*more) * MORE);
                to.u64(bytes.len() as u64);
                to.padded(bytes);
                kind::ENTERING
            }
            AcrossBody::RunsMain => {
                to.u32(0);
                kind::RUNS_MAIN
            }
            AcrossBody::Kept { extent, event, spans } => {
                to.u32(*extent);
                to.u32(*event as u32);
                to.u32(spans.len() as u32);
                for (first, end) in spans {
                    to.u64(*first);
                    to.u64(*end);
                }
                kind::KEPT
            }
        };
        Edge { room: ACROSS_ROOM, handle, bytes: buffer }
    }
}

/// Reads the bytes of an edge of the room of regions.
///
/// # Errors
/// They are not what [`AcrossMessage::edge`] would write.
pub fn read_across_message<'a>(edge: &Edge<'a>) -> Result<AcrossMessage<&'a [u8]>, Refusal> {
    let mut from = Reader::new(edge.bytes, 0);
    let call = from.u32("a call's number")?;
    let body = match edge.handle {
        kind::ENTER => {
            let at = from;
            let willing = match from.u32("whether a process takes part")? {
                0 => false,
                1 => true,
                other => return at.no_value("whether a process takes part", other.into()),
            };
            AcrossBody::Enter { digest: from.u64("a digest")?, willing }
        }
        kind::SIZES => {
            let count = from.u32("a number of sizes")? as usize;
            if from.left() != count.saturating_mul(8) {
                return from.refuse(Why::Truncated { what: "sizes", needed: count, left: from.left() });
            }
            let sizes = (0..count).map(|_| Ok(from.u64("a size")? as i64)).collect::<Result<_, Refusal>>()?;
            AcrossBody::Sizes(sizes)
        }
        kind::ELEMENTS => {
            let (graph, tile) = (from.u32("a graph's number")?, from.u64("a tile's number")?);
            let progress = from.u64("a step")? as i64;
            let at = from;
            let flags = from.u32("flags of elements")?;
            if flags & !(LEFT | MORE) != 0 {
                return at.no_value("flags of elements", flags.into());
            }
            let length = from.u32("the length of elements")? as usize;
            let bytes = from.padded("elements", length)?;
            AcrossBody::Elements { graph, tile, left: flags & LEFT != 0, more: flags & MORE != 0, progress, bytes }
        }
        kind::SERVE => AcrossBody::Serve(ServedCall::read(&mut from)?),
        kind::ENTERING => {
            let at = from;
            let flags = from.u32("flags of elements")?;
            if flags & !MORE != 0 {
                return at.no_value("flags of elements", flags.into());
            }
            let length = usize::try_from(from.u64("the length of elements")?).unwrap_or(usize::MAX);
            AcrossBody::Entering { more: flags & MORE != 0, bytes: from.padded("elements", length)? }
        }
        kind::RUNS_MAIN => {
            from.zero("an unused field")?;
            AcrossBody::RunsMain
        }
        kind::PROGRESS => {
            AcrossBody::Progress { graph: from.u32("a graph's number")?, step: from.u64("a step")? as i64 }
        }
        kind::AWAIT => {
            AcrossBody::Await { graph: from.u32("a graph's number")?, every: from.u64("a number of steps")? as i64 }
        }
        kind::KEPT => kept(&mut from)?,
        kind::ENDED => AcrossBody::Ended { graph: from.u32("a graph's number")? },
        kind::FAILED => {
            let at = from;
            let code = from.u32("an error")?;
            let Some(code) = dvm_retcode_t::from_value(code) else { return at.no_value("an error", code.into()) };
            let length = usize::try_from(from.u64("the length of a text")?).unwrap_or(usize::MAX);
            AcrossBody::Failed { code, text: from.text("a text", length, TEXT_BYTES)?.to_owned() }
        }
        other => return from.no_value("the kind of a message about regions", other.into()),
    };
    from.end("a message about regions")?;
    Ok(AcrossMessage { call, body })
}

fn kept<B>(from: &mut Reader<'_>) -> Result<AcrossBody<B>, Refusal> {
    let extent = from.u32("the number of kept memory")?;
    let at = *from;
    let event = from.u32("what happens to kept memory")?;
    let Some(&event) = KeptEvent::ALL.get(event as usize) else {
        return at.no_value("what happens to kept memory", event.into());
    };
    let at = *from;
    let count = from.u32("a number of spans")? as usize;
    if count > KEPT_SPANS {
        return at.no_value("a number of spans", count as u64);
    }
    let needed = 16 * count;
    if from.left() != needed {
        return from.refuse(Why::Truncated { what: "spans", needed, left: from.left() });
    }
    let mut spans: Vec<(u64, u64)> = Vec::with_capacity(count);
    for _ in 0..count {
        let at = *from;
        let span = (from.u64("an address")?, from.u64("an address")?);
        let before = spans.last().map_or(0, |last| last.1);
        if span.0 < before || span.0 >= span.1 || span.1 > i64::MAX as u64 {
            return at.no_value("an address", span.0);
        }
        spans.push(span);
    }
    Ok(AcrossBody::Kept { extent, event, spans })
}

#[cfg(test)]
mod tests {
    use super::super::served_call::{ServedArray, ServedExtent};
    use super::*;
    use testkit::Random;

    fn served_array(random: &mut Random) -> ServedArray {
        let begin = random.number() as i64 >> 2;
        let end = begin + random.below(1 << 30) as i64;
        let (skew, element) = (random.below(4096) as u16, number(random));
        let kept = (random.below(2) == 0).then(|| {
            let first = random.below(1 << 40) as u64 + 5000;
            let end = first + 1 + random.below(1 << 20) as u64;
            let (keep, base) = (random.below(2) == 0, random.number());
            ServedExtent { id: number(random), keep, base, span: (first, end), window: (first - 4096, end + 4096) }
        });
        ServedArray { begin, end, element, skew, named: random.below(2) == 0, kept }
    }

    fn spans(random: &mut Random) -> Vec<(u64, u64)> {
        let mut at = 0;
        let mut next = |most: usize| {
            at += random.below(most) as u64 + 1;
            at
        };
        (0..3).map(|_| (next(1 << 30), next(1 << 20))).collect()
    }

    fn number(random: &mut Random) -> u32 {
        random.below(1 << 20) as u32
    }

    fn some<'a>(random: &mut Random, material: &'a [u8]) -> AcrossMessage<&'a [u8]> {
        let body = match random.below(11) {
            10 => AcrossBody::Progress { graph: number(random), step: random.number() as i64 },
            9 => AcrossBody::Await { graph: number(random), every: random.number() as i64 },
            4 => AcrossBody::Serve(ServedCall {
                region: number(random),
                program: random.number(),
                digest: random.number(),
                values: &material[..random.below(material.len())],
                arrays: (0..random.below(4)).map(|_| served_array(random)).collect(),
                again: (random.below(2) == 0).then(|| (0..random.below(9)).map(|_| random.number() as i64).collect()),
            }),
            5 => AcrossBody::Entering { more: random.below(2) == 0, bytes: &material[..random.below(material.len())] },
            6 => AcrossBody::RunsMain,
            7 => AcrossBody::Kept {
                extent: number(random),
                event: KeptEvent::ALL[random.below(3)],
                spans: spans(random),
            },
            0 => AcrossBody::Enter { digest: random.number(), willing: random.below(2) == 0 },
            1 => AcrossBody::Sizes((0..random.below(9)).map(|_| random.number() as i64).collect()),
            2 => AcrossBody::Ended { graph: number(random) },
            3 => AcrossBody::Failed { code: dvm_retcode_t::DVM_ERR_TASK, text: "tile (3,4) failed: née".into() },
            _ => AcrossBody::Elements {
                graph: number(random),
                tile: random.number(),
                left: random.below(2) == 0,
                more: random.below(2) == 0,
                progress: random.number() as i64,
                bytes: &material[..random.below(material.len())],
            },
        };
        AcrossMessage { call: number(random), body }
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let material: Vec<u8> = (0..100).map(|k| k as u8 | 1).collect();
        for mut random in testkit::seeds(2000).map(Random::new) {
            let message = some(&mut random, &material);
            let mut buffer = Vec::new();
            let Edge { room, handle, bytes } = message.edge(&mut buffer);
            assert_eq!(room, ACROSS_ROOM);
            assert_eq!(read_across_message(&Edge { room, handle, bytes }), Ok(message.clone()));
            let shorter = &bytes[..random.below(bytes.len())];
            assert!(read_across_message(&Edge { room, handle, bytes: shorter }).is_err(), "{message:?}");
            let longer = [bytes, &[1]].concat();
            assert!(read_across_message(&Edge { room, handle, bytes: &longer }).is_err(), "{message:?}");
            let mut changed = bytes.to_vec();
            let at = random.below(bytes.len());
            changed[at] ^= 1 << random.below(8);
            assert_ne!(read_across_message(&Edge { room, handle, bytes: &changed }), Ok(message));
        }
    }
}
