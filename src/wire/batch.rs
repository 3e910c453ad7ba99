//! A batch: a head, and messages one after the other.

use super::message::Message;
use super::refusal::Refusal;
use super::words::{Reader, WORD, Writer};
use super::{decode, encode};

const MAGIC: u16 = 0x6456;
const VERSION: u8 = 1;

/// What every batch begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchHead {
    /// Tasks that wait or run at the sender.
    pub load: u32,
    /// How many losses the sender knows of.
    pub epoch: u32,
}

impl BatchHead {
    /// The bytes that it takes.
    pub const BYTES: usize = 16;

    /// The most bytes of a batch that has one message: no message is longer.
    pub const LONGEST: usize = Self::BYTES + WORD + u16::MAX as usize * WORD;

    /// The length of a batch, as its first bytes say, if it is longer than these and may be.
    pub fn longer(first: &[u8]) -> Option<usize> {
        let bytes = u32::from_le_bytes(first.get(4..8)?.try_into().ok()?) as usize;
        (bytes > first.len() && bytes <= Self::LONGEST).then_some(bytes)
    }

    /// Begins a batch: what the buffer held goes.
    pub fn begin(batch: &mut Vec<u8>) {
        batch.clear();
        batch.resize(Self::BYTES, 0);
    }

    /// Writes the head of a batch to which all messages have been added.
    pub fn finish(self, batch: &mut [u8]) {
        let bytes = batch.len() as u32;
        let (head, _) = batch.split_at_mut(Self::BYTES);
        head[0..2].copy_from_slice(&MAGIC.to_le_bytes());
        head[2] = VERSION;
        head[3] = 0;
        head[4..8].copy_from_slice(&bytes.to_le_bytes());
        head[8..12].copy_from_slice(&self.load.to_le_bytes());
        head[12..16].copy_from_slice(&self.epoch.to_le_bytes());
    }

    /// Reads the head of a batch, all of which has come.
    pub fn read(batch: &[u8]) -> Result<(BatchHead, Messages<'_>), Refusal> {
        let mut from = Reader::new(batch, 0);
        let at = from;
        let magic = from.u16("the batch's magic")?;
        if magic != MAGIC {
            return at.no_value("the batch's magic", u64::from(magic));
        }
        let at = from;
        let version = from.u8("the batch's version")?;
        if version != VERSION {
            return at.no_value("the batch's version", u64::from(version));
        }
        let at = from;
        let flags = from.u8("the batch's flags")?;
        if flags != 0 {
            return at.no_value("the batch's flags", u64::from(flags));
        }
        let at = from;
        let bytes = from.u32("the batch's length")?;
        if bytes as usize != batch.len() || !batch.len().is_multiple_of(WORD) {
            return at.no_value("the batch's length", u64::from(bytes));
        }
        let head = BatchHead { load: from.u32("the batch's load")?, epoch: from.u32("the batch's epoch")? };
        Ok((head, Messages { rest: from, refused: false }))
    }
}

/// The messages of a batch. After a refusal there are no more.
#[derive(Clone)]
pub struct Messages<'a> {
    rest: Reader<'a>,
    refused: bool,
}

impl<'a> Iterator for Messages<'a> {
    type Item = Result<Message<'a>, Refusal>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.refused || self.rest.left() == 0 {
            return None;
        }
        let message = decode::message(&mut self.rest);
        self.refused = message.is_err();
        Some(message)
    }
}

impl Message<'_> {
    /// Adds the message to a batch; the batch stays as it is if the message cannot be sent.
    pub fn add_to(&self, batch: &mut Vec<u8>) -> Result<(), Refusal> {
        let before = batch.len();
        encode::message(self, &mut Writer(batch)).inspect_err(|_| batch.truncate(before))
    }
}
