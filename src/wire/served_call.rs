//! A call of a region that process 0 hands to the processes that serve, inside a message about regions.

use super::refusal::{Refusal, Why};
use super::words::{Reader, Writer};

/// A call of a region, for processes that have not run the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedCall<B> {
    /// The region's number among those that were known before main.
    pub region: u32,
    /// A digest of the program and of the region's table: both processes have the same.
    pub program: u64,
    /// The digest of the region and its parameters.
    pub digest: u64,
    /// The members of the region's context that are numbers, one after another.
    pub values: B,
    /// By array: what is touched.
    pub arrays: Vec<ServedArray>,
}

/// The bytes of an array that a region touches, counted from the array's base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServedArray {
    /// The first one.
    pub begin: i64,
    /// One beyond the last one.
    pub end: i64,
    /// The bytes of an element.
    pub element: u32,
    /// The base's distance from a multiple of [`ServedArray::ALIGNMENT`].
    pub skew: u16,
    /// The program's text names the array itself, not a pointer to it.
    pub named: bool,
}

impl ServedArray {
    /// What arrays are aligned to at most: here and there an address has the same distance from a multiple of it.
    pub const ALIGNMENT: u16 = 4096;
    const BYTES: usize = 24;
}

impl<B: AsRef<[u8]>> ServedCall<B> {
    pub(super) fn write(&self, to: &mut Writer<'_>) {
        let values = self.values.as_ref();
        to.u32(self.region);
        to.u64(self.program);
        to.u64(self.digest);
        to.u32(values.len() as u32);
        to.u32(self.arrays.len() as u32);
        for array in &self.arrays {
            to.u64(array.begin as u64);
            to.u64(array.end as u64);
            to.u32(array.element);
            to.u16(array.skew);
            to.u16(u16::from(array.named));
        }
        to.padded(values);
    }

    /// The call, with its values in memory of its own.
    pub fn owned(self) -> ServedCall<Vec<u8>> {
        let ServedCall { region, program, digest, values, arrays } = self;
        ServedCall { region, program, digest, values: values.as_ref().to_vec(), arrays }
    }
}

impl<'a> ServedCall<&'a [u8]> {
    pub(super) fn read(from: &mut Reader<'a>) -> Result<ServedCall<&'a [u8]>, Refusal> {
        let region = from.u32("a region's number")?;
        let (program, digest) = (from.u64("a program's digest")?, from.u64("a digest")?);
        let length = from.u32("the length of a region's values")? as usize;
        let count = from.u32("a number of arrays")? as usize;
        let needed = count.saturating_mul(ServedArray::BYTES);
        if from.left() < needed {
            return from.refuse(Why::Truncated { what: "arrays", needed, left: from.left() });
        }
        let arrays = (0..count).map(|_| array(from)).collect::<Result<_, Refusal>>()?;
        let values = from.padded("a region's values", length)?;
        Ok(ServedCall { region, program, digest, values, arrays })
    }
}

fn array(from: &mut Reader<'_>) -> Result<ServedArray, Refusal> {
    let begin = from.u64("the begin of an array")? as i64;
    let at = *from;
    let end = from.u64("the end of an array")? as i64;
    if end.checked_sub(begin).is_none_or(|bytes| bytes < 0) {
        return at.no_value("the end of an array", end as u64);
    }
    let element = from.u32("the bytes of an element")?;
    let at = *from;
    let skew = from.u16("an array's distance")?;
    if skew >= ServedArray::ALIGNMENT {
        return at.no_value("an array's distance", skew.into());
    }
    let at = *from;
    let named = match from.u16("whether an array has a name")? {
        0 => false,
        1 => true,
        other => return at.no_value("whether an array has a name", other.into()),
    };
    Ok(ServedArray { begin, end, element, skew, named })
}
