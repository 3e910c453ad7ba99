//! Random numbers that a seed determines: splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators).

/// A generator of random numbers.
///
/// `codegen/tests/LEDGER.md` and `codegen/tests/planted.rs` name seeds: a change of the sequence makes both void.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed. Sequences of neighbouring seeds have nothing in common.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_add(1).wrapping_mul(0xd1b5_4a32_d192_ed03));
        random.0 = random.number();
        random
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// 0 .. `count` - 1.
    pub fn below(&mut self, count: usize) -> usize {
        (self.number() % count as u64) as usize
    }

    /// `low` .. `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.number() % (high - low + 1) as u64) as i64
    }

    /// True once in `count` times.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.number() % 100 < percent
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// An index, by weights.
    pub fn weigh(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, weight) in weights.iter().enumerate() {
            if left < *weight {
                return index;
            }
            left -= weight;
        }
        unreachable!("the weights add up")
    }

    /// Any order of a list.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

/// Mixes the bits of a number.
pub fn mix(number: u64) -> u64 {
    let mut mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[test]
fn the_sequence_of_a_seed_stays() {
    // The first numbers from state 0, as they are published for splitmix64.
    let mut plain = Random(0);
    assert_eq!([plain.number(), plain.number()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    // What the ledger's seeds mean.
    let mut seeded = Random::new(1);
    assert_eq!([seeded.number(), seeded.number()], [0xfb4a_b228_0832_a34b, 0x99bb_65ff_2e51_1a04]);
}

#[test]
fn numbers_stay_in_their_range_and_reach_all_of_it() {
    let mut random = Random::new(5);
    let (mut below, mut between, mut weighed) = ([0; 3], [0; 3], [0; 3]);
    for _ in 0..300 {
        below[random.below(3)] += 1;
        between[(random.between(-1, 1) + 1) as usize] += 1;
        weighed[random.weigh(&[1, 0, 9])] += 1;
    }
    assert!(below.iter().chain(&between).all(|&n| n > 60), "{below:?} {between:?}");
    assert!(weighed[0] > 10 && weighed[1] == 0 && weighed[2] > 200, "{weighed:?}");
    let mut list = [0, 1, 2, 3, 4, 5, 6, 7];
    random.shuffle(&mut list);
    assert_ne!(list, [0, 1, 2, 3, 4, 5, 6, 7]);
    list.sort_unstable();
    assert_eq!(list, [0, 1, 2, 3, 4, 5, 6, 7]);
}
