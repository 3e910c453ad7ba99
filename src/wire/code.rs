//! The numbers of the kinds and flags.

pub(super) const TASK: u8 = 1;
pub(super) const PROCESSING: u8 = 2;
pub(super) const PROCESSING_ASK: u8 = 3;
pub(super) const DONE: u8 = 4;
pub(super) const SUBSCRIBE: u8 = 5;
pub(super) const HERE: u8 = 6;
pub(super) const FETCH: u8 = 7;
pub(super) const BYTES: u8 = 8;
pub(super) const FREE: u8 = 9;
pub(super) const LOAN: u8 = 10;
pub(super) const LOANED: u8 = 11;
pub(super) const TAKE: u8 = 12;
pub(super) const TAKEN: u8 = 13;
pub(super) const REFUSED: u8 = 14;
pub(super) const RETURN: u8 = 15;
pub(super) const CLAIM: u8 = 16;
pub(super) const CLAIMED: u8 = 17;
pub(super) const CLAIM_REFUSED: u8 = 18;
pub(super) const UNREGISTERED: u8 = 19;
pub(super) const CODE_ASK: u8 = 20;
pub(super) const CODE: u8 = 21;
pub(super) const WAVE: u8 = 22;
pub(super) const ANSWER: u8 = 23;
pub(super) const END: u8 = 24;
pub(super) const BEAT: u8 = 25;
pub(super) const LOST: u8 = 26;
pub(super) const ACK: u8 = 27;
pub(super) const EDGE: u8 = 28;
pub(super) const CODE_REFUSED: u8 = 29;

/// Of `TASK`: may be stolen.
pub(super) const NEAR: u8 = 1;
/// Of `PROCESSING`: the callback takes an array; there is an image; the image is a program.
pub(super) const ARRAY: u8 = 1;
pub(super) const IMAGE: u8 = 2;
pub(super) const PROGRAM: u8 = 4;
/// Of `DONE`: the outcome is said; it is a cancellation; the references are returned.
pub(super) const OUTCOME: u8 = 1;
pub(super) const CANCELLED: u8 = 2;
pub(super) const RETURNS: u8 = 4;
/// Of `HERE` and `BYTES`: what the payload is; none of them: in the memory of the process.
pub(super) const INLINE: u8 = 1;
pub(super) const HEAP: u8 = 2;
/// Of `HERE`: there will be no value.
pub(super) const POISONED: u8 = 4;
/// Of `BYTES`: the datum is gone. The three highest bits say how many bytes of the last word are padding.
pub(super) const GONE: u8 = 4;
pub(super) const PADDING_SHIFT: u32 = 5;
/// Of `LOAN`, `LOANED`, `REFUSED`: with a reference that is made.
pub(super) const ACQUIRE: u8 = 1;
/// Of `CLAIMED`: it carries on another datum's storage.
pub(super) const CARRIES: u8 = 1;
/// Of `END`: libdvm ends. Of it and `ANSWER`: there is a failure.
pub(super) const CLOSING: u8 = 1;
pub(super) const FAILED: u8 = 2;
