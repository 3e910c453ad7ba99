//! The clock of process 0, as another process knows it. On one host all processes have one clock; of another host's the
//! distance is measured by questions and answers, at the beginning and at the end: clocks of two hosts drift apart.

/// How many questions are asked at a time; the one that is answered soonest counts.
const QUESTIONS: u32 = 16;

/// A question and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Measurement {
    /// This process's clock in the middle between both.
    middle: u64,
    /// How far process 0's is ahead of it.
    ahead: i64,
    /// How long the answer took: the error is at most half of that.
    took: u64,
}

/// How far process 0's clock is ahead of this one's, all in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alignment {
    /// Of the beginning, and of the end.
    best: [Option<Measurement>; 2],
    late: bool,
    answers: u32,
}

impl Alignment {
    /// The measurements of the end begin.
    pub(crate) fn begin_late(&mut self) {
        (self.late, self.answers) = (true, 0);
    }

    /// Process 0 has answered with its time what was asked then; says whether to ask again.
    pub(crate) fn answered(&mut self, asked: u64, theirs: u64, now: u64) -> bool {
        let took = now.saturating_sub(asked);
        let middle = asked + took / 2;
        let measured = Measurement { middle, ahead: theirs.wrapping_sub(middle).cast_signed(), took };
        let best = &mut self.best[usize::from(self.late)];
        if best.is_none_or(|best| took < best.took) {
            *best = Some(measured);
        }
        self.answers += 1;
        !self.is_measured()
    }

    /// Whether enough questions of this time were answered.
    pub(crate) fn is_measured(&self) -> bool {
        self.answers >= QUESTIONS
    }

    /// Process 0's clock at this moment of this process's.
    pub(super) fn theirs(&self, time: u64) -> u64 {
        let ahead = match self.best {
            [None, None] => 0,
            [Some(only), None] | [None, Some(only)] => only.ahead,
            [Some(first), Some(last)] if last.middle <= first.middle => first.ahead,
            [Some(first), Some(last)] => {
                let part = (time as f64 - first.middle as f64) / (last.middle - first.middle) as f64;
                first.ahead + (part * (last.ahead - first.ahead) as f64) as i64
            }
        };
        time.saturating_add_signed(ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_of_one_host_have_one_clock() {
        assert_eq!(Alignment::default().theirs(1234), 1234);
    }

    /// A clock that is ahead by `ahead`, and gains 50 millionths.
    #[test]
    fn a_clock_that_drifts_is_followed() {
        let mut random = testkit::Random::new(5);
        for ahead in [-7_000_000_000_i64, 0, 3_000_000] {
            let theirs = |mine: u64| mine.saturating_add_signed(ahead) + mine / 20_000;
            let mut alignment = Alignment::default();
            let mut now = 10_000_000_000;
            for late in [false, true] {
                if late {
                    alignment.begin_late();
                    now += 1_000_000_000_000;
                }
                assert!(!alignment.is_measured());
                loop {
                    // The ways there and back differ, but the shortest are nearly alike.
                    let (there, back) = (20_000 + random.below(100_000) as u64, 20_000 + random.below(100_000) as u64);
                    let again = alignment.answered(now, theirs(now + there), now + there + back);
                    now += there + back;
                    if !again {
                        break;
                    }
                }
            }
            for time in (10_000_000_000..now).step_by(10_000_000_000) {
                let error = alignment.theirs(time).abs_diff(theirs(time));
                assert!(error < 60_000, "{error} at {time}");
            }
        }
    }
}
