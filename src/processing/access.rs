//! What a program says of the arguments of a processing, and what its tasks have of each.
//!
//! A task has inputs and outputs alone. An argument that the program updates is two of a task: the datum that it reads, and
//! the promise that carries on its storage; the function gets the latter. An argument that the program keeps is an input
//! of which the task takes a new reference.

use crate::error::Error;
use crate::memory;

/// What a task does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// Reads it.
    In,
    /// Produces it.
    Out,
}

/// What a program says of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ArgumentAccess {
    /// The task reads it and takes a reference over.
    In,
    /// The task produces it.
    Out,
    /// The task reads it and takes a reference of its own.
    Read,
    /// The task updates it in place.
    InOut,
}

impl ArgumentAccess {
    /// In the order of their numbers, as C and messages have them.
    const ALL: [ArgumentAccess; 4] =
        [ArgumentAccess::In, ArgumentAccess::Out, ArgumentAccess::Read, ArgumentAccess::InOut];

    /// The one with this number.
    pub(crate) fn from_number(number: u8) -> Option<ArgumentAccess> {
        ArgumentAccess::ALL.get(usize::from(number)).copied()
    }

    /// Its number, of two bits.
    pub(super) fn number(self) -> u8 {
        self as u8
    }

    /// What a task has of it.
    pub(crate) fn modes(self) -> &'static [Mode] {
        match self {
            ArgumentAccess::In | ArgumentAccess::Read => &[Mode::In],
            ArgumentAccess::Out => &[Mode::Out],
            ArgumentAccess::InOut => &[Mode::In, Mode::Out],
        }
    }

    /// Whether a task has of it just what the program gives.
    fn is_plain(self) -> bool {
        matches!(self, ArgumentAccess::In | ArgumentAccess::Out)
    }
}

/// The modes of a task's arguments.
pub(super) fn modes(accesses: &[ArgumentAccess]) -> Result<Vec<Mode>, Error> {
    let mut modes = Vec::new();
    memory::room_for(&mut modes, accesses.iter().map(|access| access.modes().len()).sum())?;
    for access in accesses {
        modes.extend_from_slice(access.modes());
    }
    Ok(modes)
}

/// Whether tasks have just what the program gives.
pub(super) fn are_plain(accesses: &[ArgumentAccess]) -> bool {
    accesses.iter().all(|access| access.is_plain())
}

/// What the function of a task gets of the task's arguments: the last that the task has of each. In the same array, as each
/// comes no later there.
pub(crate) fn for_function<'a, T: Copy>(accesses: &[ArgumentAccess], of_task: &'a mut [T]) -> &'a mut [T] {
    let mut next = 0;
    for (place, access) in accesses.iter().enumerate() {
        next += access.modes().len();
        of_task[place] = of_task[next - 1];
    }
    &mut of_task[..accesses.len()]
}

/// The accesses in a message: two bits each, the lowest first.
pub(super) fn packed(accesses: impl ExactSizeIterator<Item = ArgumentAccess>) -> Result<Vec<u8>, Error> {
    let mut packed = memory::list((0..accesses.len().div_ceil(4)).map(|_| 0_u8))?;
    accesses.enumerate().for_each(|(place, access)| packed[place / 4] |= access.number() << (place % 4 * 2));
    Ok(packed)
}

/// The access at this place of a message.
pub(super) fn unpacked(packed: &[u8], place: usize) -> ArgumentAccess {
    packed
        .get(place / 4)
        .map_or(ArgumentAccess::In, |part| ArgumentAccess::ALL[usize::from(part >> (place % 4 * 2) & 3)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_gets_what_the_program_gave() {
        use ArgumentAccess::{In, InOut, Out, Read};
        let accesses = [InOut, In, Read, Out, InOut];
        assert_eq!(
            modes(&accesses).unwrap(),
            [Mode::In, Mode::Out, Mode::In, Mode::In, Mode::Out, Mode::In, Mode::Out]
        );
        assert_eq!(for_function(&accesses, &mut [0, 1, 2, 3, 4, 5, 6]), [1, 2, 3, 4, 6]);
        assert_eq!(for_function(&[Read, In], &mut [0, 1]), [0, 1]);
        assert!(for_function::<u8>(&[], &mut []).is_empty());
        assert!(!are_plain(&accesses) && are_plain(&[In, Out]) && !are_plain(&[Read]));
    }

    #[test]
    fn messages_keep_each_access() {
        for count in 0..20 {
            let access = |place: usize| ArgumentAccess::ALL[place * 7 % 4];
            let packed = packed((0..count).map(access)).unwrap();
            assert_eq!(packed.len(), count.div_ceil(4));
            assert!((0..count).all(|place| unpacked(&packed, place) == access(place)));
        }
        assert!(ArgumentAccess::ALL.iter().all(|access| ArgumentAccess::from_number(access.number()) == Some(*access)));
        assert_eq!(ArgumentAccess::from_number(4), None);
    }
}
