//! Memory for lists that grow with the problem is asked for before the work begins: a vector that cannot grow ends the process.

use crate::error::{Error, Result};

/// Less than this is not asked for.
const SMALL: usize = 1 << 20;

/// Makes sure that so many bytes for each of so many items are to be had in one piece at this moment.
///
/// # Errors
/// [`Error::is_no_memory`].
pub fn at_hand(items: usize, each: usize, place: &str) -> Result<()> {
    let bytes = items.saturating_mul(each);
    if bytes < SMALL || Vec::<u8>::new().try_reserve_exact(bytes).is_ok() {
        Ok(())
    } else {
        Err(Error::no_memory(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_can_be_is_refused() {
        assert!(at_hand(1 << 20, 8, "here").is_ok());
        let refused = at_hand(1 << 62, 1, "here").unwrap_err();
        assert!(refused.is_no_memory() && refused.place == "here");
        assert!(at_hand(usize::MAX, 3, "").unwrap_err().is_no_memory());
    }
}
