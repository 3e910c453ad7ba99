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
    /// All have run a call of the region with these arrays before, so that nobody says that it has come: the sizes of the
    /// tiles, all graphs one after another.
    pub again: Option<Vec<i64>>,
}

/// Most sizes in a call.
pub const SERVED_SIZES: usize = 512;

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
    /// It lies in memory that is kept on the processes between regions.
    pub kept: Option<ServedExtent>,
}

/// Memory that is kept on the processes between regions, and an array in it. Addresses are those of process 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServedExtent {
    /// Its number in the program.
    pub id: u32,
    /// The array stays where its tiles have written it.
    pub keep: bool,
    /// The array's base.
    pub base: u64,
    /// The first byte that regions have touched, and one beyond the last one.
    pub span: (u64, u64),
    /// What regions may touch of it: a process that serves has addresses for these bytes.
    pub window: (u64, u64),
}

/// Flags of an array.
const NAMED: u16 = 1;
const KEPT: u16 = 2;
const KEEP: u16 = 4;

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
        to.u64(self.again.as_ref().map_or(0, |sizes| sizes.len() as u64 + 1));
        for size in self.again.iter().flatten() {
            to.u64(*size as u64);
        }
        for array in &self.arrays {
            to.u64(array.begin as u64);
            to.u64(array.end as u64);
            to.u32(array.element);
            to.u16(array.skew);
            let keep = array.kept.is_some_and(|kept| kept.keep);
            let flags = [(array.named, NAMED), (array.kept.is_some(), KEPT), (keep, KEEP)];
            to.u16(flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum());
            if let Some(ServedExtent { id, base, span, window, .. }) = array.kept {
                to.u64(id.into());
                for address in [base, span.0, span.1, window.0, window.1] {
                    to.u64(address);
                }
            }
        }
        to.padded(values);
    }

    /// The call, with its values in memory of its own.
    pub fn owned(self) -> ServedCall<Vec<u8>> {
        let ServedCall { region, program, digest, values, arrays, again } = self;
        ServedCall { region, program, digest, values: values.as_ref().to_vec(), arrays, again }
    }
}

impl ServedCall<Vec<u8>> {
    /// The call, with its values where they are.
    pub fn borrowed(&self) -> ServedCall<&[u8]> {
        let ServedCall { region, program, digest, values, arrays, again } = self;
        let (arrays, again) = (arrays.clone(), again.clone());
        ServedCall { region: *region, program: *program, digest: *digest, values, arrays, again }
    }
}

impl<'a> ServedCall<&'a [u8]> {
    pub(super) fn read(from: &mut Reader<'a>) -> Result<ServedCall<&'a [u8]>, Refusal> {
        let region = from.u32("a region's number")?;
        let (program, digest) = (from.u64("a program's digest")?, from.u64("a digest")?);
        let length = from.u32("the length of a region's values")? as usize;
        let count = from.u32("a number of arrays")? as usize;
        let again = sizes(from)?;
        let needed = count.saturating_mul(ServedArray::BYTES);
        if from.left() < needed {
            return from.refuse(Why::Truncated { what: "arrays", needed, left: from.left() });
        }
        let arrays = (0..count).map(|_| array(from)).collect::<Result<_, Refusal>>()?;
        let values = from.padded("a region's values", length)?;
        Ok(ServedCall { region, program, digest, values, arrays, again })
    }
}

fn sizes(from: &mut Reader<'_>) -> Result<Option<Vec<i64>>, Refusal> {
    let at = *from;
    let count = from.u64("a number of sizes")?;
    if count > SERVED_SIZES as u64 + 1 {
        return at.no_value("a number of sizes", count);
    }
    let Some(count) = (count as usize).checked_sub(1) else { return Ok(None) };
    let sizes = (0..count).map(|_| Ok(from.u64("a size")? as i64)).collect::<Result<_, Refusal>>()?;
    Ok(Some(sizes))
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
    let flags = from.u16("flags of an array")?;
    if flags & !(NAMED | KEPT | KEEP) != 0 || flags & (KEPT | KEEP) == KEEP {
        return at.no_value("flags of an array", flags.into());
    }
    let kept = if flags & KEPT == 0 { None } else { Some(extent(from, flags & KEEP != 0)?) };
    Ok(ServedArray { begin, end, element, skew, named: flags & NAMED != 0, kept })
}

fn extent(from: &mut Reader<'_>, keep: bool) -> Result<ServedExtent, Refusal> {
    let at = *from;
    let id = from.u64("the number of kept memory")?;
    let Ok(id) = u32::try_from(id) else { return at.no_value("the number of kept memory", id) };
    let base = from.u64("an address")?;
    let at = *from;
    let mut pair = || Ok((from.u64("an address")?, from.u64("an address")?));
    let (span, window) = (pair()?, pair()?);
    let within = window.0 <= span.0 && span.0 < span.1 && span.1 <= window.1 && i64::try_from(window.1).is_ok();
    if !within {
        return at.no_value("the addresses of kept memory", span.0);
    }
    Ok(ServedExtent { id, keep, base, span, window })
}
