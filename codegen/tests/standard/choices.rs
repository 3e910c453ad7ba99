//! Every program is a function of a list of choices. So a program is shrunk by shrinking its list.

/// Where choices come from: a seeded generator, or a recorded list that is followed by zeros.
///
/// The generator is not `testkit`'s: `LEDGER.md` and `planted.rs` name seeds of this sequence (xorshift64*).
pub struct Choices {
    recorded: Option<Vec<u32>>,
    state: u64,
    /// What was chosen so far.
    pub made: Vec<u32>,
}

impl Choices {
    /// Fresh choices.
    pub fn seeded(seed: u64) -> Choices {
        let state = (seed ^ 0x5DEE_CE66).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut choices = Choices { recorded: None, state, made: Vec::new() };
        for _ in 0..4 {
            choices.random();
        }
        choices
    }

    /// Recorded choices. At the end of the list every choice is the simplest one.
    pub fn replayed(list: &[u32]) -> Choices {
        Choices { recorded: Some(list.to_vec()), state: 1, made: Vec::new() }
    }

    fn random(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 20
    }

    /// A number below `n`. By convention 0 is the simplest choice.
    pub fn below(&mut self, n: usize) -> usize {
        let number = match &self.recorded {
            Some(list) => (list.get(self.made.len()).copied().unwrap_or(0) as usize).min(n - 1),
            None => (self.random() % n as u64) as usize,
        };
        self.made.push(number as u32);
        number
    }

    /// True in so many of a hundred cases; false is simpler.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) + percent >= 100
    }

    /// One of several; the first is the simplest.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// The place of one of several weights; the first is the simplest.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut number = self.below(weights.iter().sum());
        for (place, weight) in weights.iter().enumerate() {
            if number < *weight {
                return place;
            }
            number -= weight;
        }
        0
    }
}
