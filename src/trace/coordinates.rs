//! The coordinates of a tile in the fixed size of an event: the more there are, the fewer bits each has.

/// The words of an event for what it is about.
pub(super) const WORDS: usize = 4;

/// Up to how many coordinates have so many bits each.
const WIDTHS: [(usize, u32); 3] = [(WORDS, 64), (2 * WORDS, 32), (4 * WORDS, 16)];

/// Packs coordinates; says how many were kept: all, if each fits into its bits, else the first of them that do.
pub(super) fn pack(tile: &[i64]) -> ([i64; WORDS], u8) {
    let mut words = [0; WORDS];
    let places = WIDTHS.iter().rev().map(|&(most, bits)| (&tile[..tile.len().min(most)], bits));
    let all = |kept: &[i64], bits: u32| bits == bits_of(kept.len()) && kept.iter().all(|&value| fits(value, bits));
    let Some((kept, bits)) = places.filter(|&(kept, bits)| all(kept, bits)).max_by_key(|(kept, _)| kept.len()) else {
        return (words, 0);
    };
    let in_word = (u64::BITS / bits) as usize;
    for (k, value) in kept.iter().enumerate() {
        let part = value.cast_unsigned() & (u64::MAX >> (u64::BITS - bits));
        words[k / in_word] |= (part << (bits * (k % in_word) as u32)).cast_signed();
    }
    (words, kept.len() as u8)
}

/// The coordinates that `pack` has kept.
pub(super) fn unpack(words: [i64; WORDS], kept: u8) -> impl ExactSizeIterator<Item = i64> {
    let bits = bits_of(kept.into());
    let in_word = u64::BITS / bits;
    (0..u32::from(kept)).map(move |k| {
        let above = u64::BITS - bits * (k % in_word + 1);
        words[(k / in_word) as usize] << above >> (u64::BITS - bits)
    })
}

/// The bits of each of so many coordinates.
fn bits_of(kept: usize) -> u32 {
    WIDTHS.iter().find(|(most, _)| kept <= *most).map_or(16, |&(_, bits)| bits)
}

/// Whether a value has so many bits, one of which is its sign.
fn fits(value: i64, bits: u32) -> bool {
    let above = u64::BITS - bits;
    value << above >> above == value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_that_fit_come_back() {
        let mut random = testkit::Random::new(5);
        for _ in 0..2000 {
            let count = random.below(17);
            let bits = bits_of(count);
            let value = |random: &mut testkit::Random| match random.below(4) {
                0 => i64::MIN >> (u64::BITS - bits),
                1 => i64::MAX >> (u64::BITS - bits),
                _ => random.number().cast_signed() >> (u64::BITS - bits),
            };
            let tile: Vec<i64> = (0..count).map(|_| value(&mut random)).collect();
            let (words, kept) = pack(&tile);
            assert_eq!(unpack(words, kept).collect::<Vec<_>>(), tile, "{bits} bits");
        }
    }

    #[test]
    fn what_does_not_fit_leaves_the_first_that_do() {
        let kept = |tile: &[i64]| {
            let (words, kept) = pack(tile);
            unpack(words, kept).collect::<Vec<_>>()
        };
        let beyond = i64::from(i32::MAX) + 1;
        assert_eq!(kept(&[i64::MIN, -1, beyond, i64::MAX, 5, 6]), [i64::MIN, -1, beyond, i64::MAX]);
        assert_eq!(kept(&[1, 2, 3, 4, 5, 6, 7, 40_000, 9, 10]), [1, 2, 3, 4, 5, 6, 7, 40_000]);
        assert_eq!(kept(&[1, 2, 3, 4, 5, 6, 7, 8, beyond, 10]), [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
