//! What processes say to each other: messages as values, and as bytes.
//!
//! A batch is a head of 16 bytes and messages. A message is a head of 8 bytes, `{kind u8, flags u8, words u16, low u32}`,
//! and `words` words of 8 bytes. All is little-endian, and every field begins at a multiple of its size.
//! One value has one encoding: unused fields, flags and padding are zero, and bytes that are not what this module would write
//! are refused, with the place and the reason. Decoding allocates nothing; payloads, texts and lists of arguments are views.
//!
//! What a message means where it arrives is not decided here: a well-formed batch may still be a replay (`protocol`).

mod across_message;
mod argument;
mod batch;
mod code;
mod datum_at;
mod decode;
mod encode;
mod message;
mod refusal;
mod round_message;
mod served_call;
#[cfg(test)]
mod tests;
mod words;

pub use across_message::{
    ACROSS_PIECE, ACROSS_ROOM, AcrossBody, AcrossMessage, KEPT_SPANS, KeptEvent, read_across_message,
};
pub use argument::{Argument, Arguments, How};
pub use batch::{BatchHead, Messages};
pub use datum_at::DatumAt;
pub use message::{
    BUILD_ID_BYTES, Bytes, ClaimMessage, Code, DIGEST_BYTES, Done, Edge, End, EndState, Fetch, FirstFailure, Here,
    Image, LoanMessage, Message, NAME_BYTES, Payload, Processing, TEXT_BYTES, TaskMessage, Value, cut,
};
pub use refusal::{Refusal, Why};
pub use round_message::{HeapPlace, Offer, REDISTRIBUTION_ROOM, RoundKey, RoundMessage, RoundRole, read_round_message};
pub use served_call::{SERVED_SIZES, ServedArray, ServedCall, ServedExtent};
