//! The arguments of a task that is sent: 24 bytes each, and behind all of them the bytes that come along.

use super::datum_at::DatumAt;
use super::refusal::{Refusal, Why};
use super::words::{Reader, Writer};
use crate::id::DatumId;
use std::fmt;

/// How a task uses an argument, and where its bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How<'a> {
    /// An input that the sender does not know to be published: the runner subscribes.
    Promised,
    /// An input whose bytes lie where the argument says.
    There,
    /// An input whose bytes come along.
    Inline(&'a [u8]),
    /// An output that the sender has claimed at home, which is the sender itself.
    Output,
    /// An output whose home is asked at the same time: the runner waits for its answer, which has the size.
    Claimed,
    /// An output that carries on the storage of the input with this place among the arguments, whose size it has.
    Next(u32),
}

/// One argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument<'a> {
    /// The datum, and where its bytes are.
    pub datum: DatumAt,
    /// Its size, where the sender knows it: below 2^48.
    pub size: u64,
    /// How the task uses it.
    pub how: How<'a>,
    /// Whether the task takes the last reference of this input.
    pub last: bool,
}

/// Arguments, as values or as they came.
#[derive(Clone, Copy)]
pub struct Arguments<'a>(Form<'a>);

#[derive(Clone, Copy)]
enum Form<'a> {
    Values(&'a [Argument<'a>]),
    /// Checked: the entries, and the bytes that come along.
    Encoded(Reader<'a>, Reader<'a>),
}

const ENTRY: usize = 24;
const SIZE_BITS: u32 = 48;
/// Bits of an entry's last 16: one of the first six; `LAST`; and `FINAL` on the last entry, where the list ends.
const PROMISED: u64 = 1;
const THERE: u64 = 2;
const INLINE: u64 = 4;
const OUTPUT: u64 = 8;
const CLAIMED: u64 = 16;
const NEXT: u64 = 32;
const LAST: u64 = 64;
const FINAL: u64 = 128;

impl<'a> Arguments<'a> {
    /// These arguments.
    pub fn of(values: &'a [Argument<'a>]) -> Arguments<'a> {
        Arguments(Form::Values(values))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self.0 {
            Form::Values(values) => values.len(),
            Form::Encoded(entries, _) => entries.left() / ENTRY,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = Argument<'a>> + use<'a> {
        let mut form = self.0;
        std::iter::from_fn(move || match &mut form {
            Form::Values(values) => {
                let (first, rest) = values.split_first()?;
                *values = rest;
                Some(*first)
            }
            Form::Encoded(entries, bytes) => (entries.left() > 0).then(|| entry(entries, bytes).ok()).flatten(),
        })
    }

    /// Takes the rest of a message as a list of arguments, and checks all of it.
    pub(super) fn read(message: Reader<'a>) -> Result<Arguments<'a>, Refusal> {
        let mut rest = message;
        let mut length = 0;
        while rest.left() > 0 {
            let word = Reader::new(rest.take("an argument", ENTRY)?, 0).last_word()?;
            length += ENTRY;
            if word >> SIZE_BITS & FINAL != 0 {
                break;
            }
            if rest.left() == 0 {
                return rest.refuse(Why::Truncated { what: "the list of arguments", needed: ENTRY, left: 0 });
            }
        }
        let mut table = message;
        let entries = Reader::new(table.take("arguments", length)?, message.at());
        let (mut unread, mut bytes) = (entries, rest);
        while unread.left() > 0 {
            entry(&mut unread, &mut bytes)?;
        }
        bytes.end("the arguments")?;
        let arguments = Arguments(Form::Encoded(entries, rest));
        arguments.check_successors(message.at())?;
        Ok(arguments)
    }

    /// A successor names an input.
    fn check_successors(&self, at: usize) -> Result<(), Refusal> {
        for argument in self.iter() {
            let How::Next(of) = argument.how else { continue };
            let input = match self.0 {
                Form::Values(values) => values.get(of as usize).is_some_and(Argument::is_input),
                Form::Encoded(mut entries, _) => {
                    let skipped = (of as usize).checked_mul(ENTRY).is_some_and(|bytes| entries.take("", bytes).is_ok());
                    skipped
                        && entries.take("", ENTRY).is_ok_and(|entry| {
                            Reader::new(entry, 0)
                                .last_word()
                                .is_ok_and(|word| word >> SIZE_BITS & (PROMISED | THERE | INLINE) != 0)
                        })
                }
            };
            if !input {
                return Err(Refusal {
                    at,
                    why: Why::Value { what: "the input that an output carries on", value: u64::from(of) },
                });
            }
        }
        Ok(())
    }

    /// Writes the entries, then the bytes that come along.
    pub(super) fn write(&self, to: &mut Writer<'_>) -> Result<(), Refusal> {
        self.check_successors(to.at())?;
        let count = self.len();
        for (place, argument) in self.iter().enumerate() {
            argument.write(place + 1 == count, to)?;
        }
        for argument in self.iter() {
            if let How::Inline(bytes) = argument.how {
                to.padded(bytes);
            }
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// The last of an entry's words, which says what it is.
    fn last_word(mut self) -> Result<u64, Refusal> {
        self.take("an argument", ENTRY - 8)?;
        self.u64("an argument's size and use")
    }
}

impl Argument<'_> {
    /// Whether the task reads it.
    pub fn is_input(&self) -> bool {
        matches!(self.how, How::Promised | How::There | How::Inline(_))
    }

    fn write(&self, ends: bool, to: &mut Writer<'_>) -> Result<(), Refusal> {
        let (bit, size) = match self.how {
            How::Promised => (PROMISED, self.size),
            How::There => (THERE, self.size),
            How::Inline(bytes) => (INLINE, bytes.len() as u64),
            How::Output => (OUTPUT, self.size),
            How::Claimed => (CLAIMED, self.size),
            How::Next(of) => (NEXT, u64::from(of)),
        };
        let stated = if matches!(self.how, How::Next(_)) { 0 } else { size };
        if stated != self.size {
            return to.refuse(Why::Lengths { what: "an argument", stated: self.size, found: stated });
        }
        if size >> SIZE_BITS != 0 {
            return to.refuse(Why::Value { what: "an argument's size", value: size });
        }
        if self.last && !self.is_input() {
            return to.refuse(Why::Value { what: "the last reference of an output", value: 1 });
        }
        let bits = bit | if self.last { LAST } else { 0 } | if ends { FINAL } else { 0 };
        self.datum.write(to)?;
        to.u64(size | bits << SIZE_BITS);
        Ok(())
    }
}

/// The next entry, with its bytes.
fn entry<'a>(entries: &mut Reader<'a>, bytes: &mut Reader<'a>) -> Result<Argument<'a>, Refusal> {
    let datum = DatumAt::read(entries)?;
    let at = *entries;
    let word = entries.u64("an argument's size and use")?;
    let (size, bits) = (word & ((1 << SIZE_BITS) - 1), word >> SIZE_BITS);
    let how = match bits & !(LAST | FINAL) {
        PROMISED => How::Promised,
        THERE => How::There,
        INLINE => How::Inline(bytes.padded("an argument's bytes", usize::try_from(size).unwrap_or(usize::MAX))?),
        OUTPUT => How::Output,
        CLAIMED => How::Claimed,
        NEXT => match u32::try_from(size) {
            Ok(of) => How::Next(of),
            Err(_) => return at.no_value("the input that an output carries on", size),
        },
        _ => return at.no_value("an argument's use", bits),
    };
    let last = bits & LAST != 0;
    let argument = Argument { datum, size: if matches!(how, How::Next(_)) { 0 } else { size }, how, last };
    if last && !argument.is_input() {
        return at.no_value("the last reference of an output", bits);
    }
    if datum.id == DatumId::NONE {
        return at.no_value("an argument's datum", 0);
    }
    Ok(argument)
}

impl PartialEq for Arguments<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other.iter()).all(|(one, two)| one == two)
    }
}

impl Eq for Arguments<'_> {}

impl fmt::Debug for Arguments<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
