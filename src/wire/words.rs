//! Little-endian fields in a buffer.

use super::refusal::{Refusal, Why};
use crate::id::ProcessId;

/// The length of a message's unit.
pub(super) const WORD: usize = 8;

/// A length, rounded up to whole words.
pub(super) const fn whole_words(bytes: usize) -> usize {
    bytes.div_ceil(WORD) * WORD
}

/// Takes fields from bytes that nobody vouches for.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads these bytes, which begin at this place of the batch.
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Reader<'a> {
        Reader { bytes, at }
    }

    /// Where the next field begins.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Refuses what was read last.
    pub(super) fn refuse<T>(&self, why: Why) -> Result<T, Refusal> {
        Err(Refusal { at: self.at, why })
    }

    /// Refuses a value that cannot be.
    pub(super) fn no_value<T>(&self, what: &'static str, value: u64) -> Result<T, Refusal> {
        self.refuse(Why::Value { what, value })
    }

    /// The next bytes.
    pub(super) fn take(&mut self, what: &'static str, length: usize) -> Result<&'a [u8], Refusal> {
        let Some((field, rest)) = self.bytes.split_at_checked(length) else {
            return self.refuse(Why::Truncated { what, needed: length, left: self.bytes.len() });
        };
        self.bytes = rest;
        self.at += length;
        Ok(field)
    }

    /// The next bytes, as many as the value has.
    pub(super) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Refusal> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(what, N)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, Refusal> {
        self.array::<1>(what).map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self, what: &'static str) -> Result<u16, Refusal> {
        self.array(what).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, Refusal> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, Refusal> {
        self.array(what).map(u64::from_le_bytes)
    }

    pub(super) fn process(&mut self, what: &'static str) -> Result<ProcessId, Refusal> {
        self.u32(what).map(ProcessId::from_index)
    }

    /// A field that says nothing.
    pub(super) fn zero(&mut self, what: &'static str) -> Result<(), Refusal> {
        let at = *self;
        match self.u32(what)? {
            0 => Ok(()),
            value => at.no_value(what, u64::from(value)),
        }
    }

    /// Bytes, and the zeros that fill their last word.
    pub(super) fn padded(&mut self, what: &'static str, length: usize) -> Result<&'a [u8], Refusal> {
        let field = self.take(what, length)?;
        let at = *self;
        match self.take(what, whole_words(length) - length)?.iter().find(|byte| **byte != 0) {
            None => Ok(field),
            Some(byte) => at.no_value("padding", u64::from(*byte)),
        }
    }

    /// A text of at most `most` bytes.
    pub(super) fn text(&mut self, what: &'static str, length: usize, most: usize) -> Result<&'a str, Refusal> {
        if length > most {
            return self.refuse(Why::TooLong { what, length, most });
        }
        let at = *self;
        match std::str::from_utf8(self.padded(what, length)?) {
            Ok(text) => Ok(text),
            Err(_) => at.refuse(Why::NotText { what }),
        }
    }

    /// The end of all fields.
    pub(super) fn end(self, what: &'static str) -> Result<(), Refusal> {
        match self.left() {
            0 => Ok(()),
            bytes => self.refuse(Why::Excess { what, bytes }),
        }
    }
}

/// Appends fields to a buffer.
pub(super) struct Writer<'a>(pub(super) &'a mut Vec<u8>);

impl Writer<'_> {
    /// Where the next field begins.
    pub(super) fn at(&self) -> usize {
        self.0.len()
    }

    /// Refuses the value that is being written.
    pub(super) fn refuse<T>(&self, why: Why) -> Result<T, Refusal> {
        Err(Refusal { at: self.at(), why })
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// A process, whose index takes 32 bits.
    pub(super) fn process(&mut self, process: ProcessId) -> Result<(), Refusal> {
        match u32::try_from(process.index()) {
            Ok(index) => self.u32(index),
            Err(_) => return self.refuse(Why::Value { what: "a process", value: process.index() }),
        }
        Ok(())
    }

    /// A length that may not be above `most`, as 32 bits.
    pub(super) fn length(&mut self, what: &'static str, length: usize, most: usize) -> Result<(), Refusal> {
        match u32::try_from(length) {
            Ok(value) if length <= most => self.u32(value),
            _ => return self.refuse(Why::TooLong { what, length, most }),
        }
        Ok(())
    }

    /// Bytes, and the zeros that fill their last word.
    pub(super) fn padded(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        self.0.resize(self.0.len() + whole_words(bytes.len()) - bytes.len(), 0);
    }
}
