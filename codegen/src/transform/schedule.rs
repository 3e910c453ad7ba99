//! Searches schedules: asks isl with several options; the plan with the most parallelism comes first.

use super::{PhaseKind, Plan, legality::Legality, phase};
use crate::refusal::Code;
use crate::{
    Refusal,
    analysis::{Dependences, IslRegion},
};
use dvm_isl::{ScheduleOptions, ScheduleProblem};

/// The refusal of a region whose schedules have no band with tiles.
pub(crate) const NO_PARALLELISM: &str = "no parallelism was found: every loop waits for the one before it";

/// The options for isl, in order of preference.
const WAYS: [ScheduleOptions; 3] = [
    ScheduleOptions {
        maximize_band_depth: true,
        maximize_coincidence: false,
        serialize: false,
        outer_coincidence: false,
    },
    ScheduleOptions {
        maximize_band_depth: true,
        maximize_coincidence: false,
        serialize: true,
        outer_coincidence: false,
    },
    ScheduleOptions {
        maximize_band_depth: false,
        maximize_coincidence: true,
        serialize: false,
        outer_coincidence: false,
    },
];

/// The plans from isl's schedules, the best first, made on demand.
#[derive(Default)]
pub struct Search {
    /// Number of options tried.
    tried: usize,
    /// Plans found and not yet returned.
    candidates: Vec<(Score, Plan)>,
    /// The refusal of the first plan that failed.
    failure: Option<Refusal>,
}

impl Search {
    /// The next plan, or the reason why there is none.
    pub(crate) fn next(
        &mut self,
        isl_region: &IslRegion,
        dependences: &Dependences,
        legality: &Legality,
    ) -> Result<Plan, Refusal> {
        while let Some(way) = WAYS.get(self.tried) {
            self.tried += 1;
            isl_region.begin_stage();
            let known = |schedule: &str| self.candidates.iter().any(|(_, plan)| plan.schedule == schedule);
            match one_way(isl_region, dependences, legality, *way, known) {
                Ok(Some((score, plan))) if score.is_perfect() => return Ok(plan),
                Ok(candidate) => self.candidates.extend(candidate),
                Err(refusal) => self.failed(refusal),
            }
        }
        // The sort is stable: of equal scores the first wins.
        self.candidates.sort_by_key(|(score, _)| *score);
        if self.candidates.is_empty() {
            let none = || Refusal::new(Code::NoSchedule, "no schedule was found", "simplify the region");
            return Err(self.failure.take().unwrap_or_else(none));
        }
        let (score, plan) = self.candidates.remove(0);
        if score.loops_without_tiles == usize::MAX {
            return Err(Refusal::new(
                Code::NoParallelism,
                NO_PARALLELISM,
                "leave the region sequential, or remove the dependence that all iterations share",
            ));
        }
        Ok(plan)
    }

    /// Keeps the first refusal of a plan.
    pub(crate) fn failed(&mut self, refusal: Refusal) {
        self.failure.get_or_insert(refusal);
    }
}

/// The plan that isl finds with some options; `None` if its schedule is known.
fn one_way(
    isl_region: &IslRegion,
    dependences: &Dependences,
    legality: &Legality,
    way: ScheduleOptions,
    known: impl Fn(&str) -> bool,
) -> Result<Option<(Score, Plan)>, Refusal> {
    let proximity = dependences.flow.union(&dependences.output)?;
    let problem = ScheduleProblem {
        domain: &isl_region.domain,
        context: &isl_region.context,
        validity: &dependences.all,
        proximity: &proximity,
        coincidence: &dependences.all,
    };
    let schedule = problem.solve(way).map_err(unsolved)?;
    let text = schedule.to_string();
    if known(&text) {
        return Ok(None);
    }
    if is_torn(&text, &isl_region.context.to_string()) {
        return Err(Refusal::new(
            Code::NoSchedule,
            "the only schedules found put statements as far apart as their types allow",
            "move the statements into loops of their own, or into regions of their own",
        ));
    }
    let mut plan = phase::phases(isl_region, &schedule.root()?)?;
    plan.schedule = text;
    isl_region.begin_stage();
    legality.bands(&mut plan)?;
    Ok(Some((score(isl_region, &plan)?, plan)))
}

/// The refusal where isl makes no schedule. Besides its limit of operations that is "unable to carry dependences": its
/// linear programs see quotients and remainders as ranges of rational numbers, where an order may contradict itself.
fn unsolved(error: dvm_isl::Error) -> Refusal {
    if error.is_quota() {
        return error.into();
    }
    Refusal::new(
        Code::NoSchedule,
        "no schedule was found that keeps all dependences",
        "use subscripts without quotients and remainders, or move the statements into loops of their own",
    )
}

/// The least number that counts as a limit of a type.
const LIMIT: u64 = 1 << 30;
/// The least number of the context that counts as a limit of a narrower type.
const NARROW_LIMIT: u64 = 1 << 14;
/// Maximum difference of a schedule's number from the limit of the context that it comes from.
const NEAR: u64 = 64;
/// A counter that is multiplied by this part of a limit, or more, has its values that far apart.
const PART: u64 = 4;

/// Whether a band shifts some statements, and not all, by a limit of a type, or multiplies a counter by about one. Billions
/// of tiles without points would lie between the statements, or between the iterations of one.
fn is_torn(schedule: &str, context: &str) -> bool {
    let limits: Vec<u64> = numbers(context).filter(|limit| *limit >= NARROW_LIMIT).collect();
    let least = limits.iter().copied().chain([LIMIT]).min().unwrap_or(LIMIT);
    let far = |n: &u64| *n >= LIMIT || limits.iter().any(|limit| limit.abs_diff(*n) <= NEAR);
    let shifts = |statement: &str| numbers(statement).filter(far).collect::<Vec<u64>>();
    // Bands print as `schedule: "[{ S0[i] -> [(i)]; S1[i] -> [(1 + i)] }, ...]"`.
    let bands = schedule.split("schedule: \"").skip(1).filter_map(|rest| rest.split('"').next());
    bands.flat_map(|band| band.split('}')).filter(|coordinate| coordinate.contains("->")).any(|coordinate| {
        if factors(coordinate).any(|factor| factor >= least / PART) {
            return true;
        }
        let mut statements = coordinate.split(';').map(shifts);
        let first = statements.next();
        statements.any(|other| Some(other) != first)
    })
}

/// The words of a text: names, numbers, and numbers before the names that they multiply.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'))
}

/// The decimal numbers in a text.
fn numbers(text: &str) -> impl Iterator<Item = u64> {
    words(text).filter_map(|word| word.parse().ok())
}

/// The numbers that multiply a name: isl writes `3i`.
fn factors(text: &str) -> impl Iterator<Item = u64> {
    words(text).filter_map(|word| {
        let name = word.trim_start_matches(|c: char| c.is_ascii_digit());
        word[..word.len() - name.len()].parse().ok().filter(|_| !name.is_empty())
    })
}

/// How good a plan is; lower is better, the first differences count most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    /// Loops of the deepest statements that are in no tile: host loops and sequential loops (`MAX`: no graph at all).
    loops_without_tiles: usize,
    /// Host loops around graphs: each is a barrier per iteration.
    hosts: usize,
    /// Coordinates that tiles wait along.
    carried: usize,
    /// Phases: each is a barrier.
    phases: usize,
}

impl Score {
    /// Whether no score is better: one graph of independent tiles has all loops.
    fn is_perfect(self) -> bool {
        self == Score { loops_without_tiles: 0, hosts: 0, carried: 0, phases: 1 }
    }
}

fn score(isl_region: &IslRegion, plan: &Plan) -> Result<Score, Refusal> {
    let mut score = Score { loops_without_tiles: 0, hosts: 0, carried: 0, phases: plan.phases.len() };
    let mut graphs = 0;
    for phase in &plan.phases {
        let mut depth = 0;
        for statement in &isl_region.statements {
            let own = dvm_isl::UnionSet::from_set(&statement.domain)?.intersect(&phase.domain)?;
            if !own.is_empty()? {
                depth = depth.max(statement.domain.dimensions()?);
            }
        }
        match &phase.kind {
            PhaseKind::Sequential => score.loops_without_tiles += depth,
            PhaseKind::Graph { dimension, carried, .. } => {
                graphs += 1;
                score.hosts += phase.depth;
                score.loops_without_tiles += depth.saturating_sub(*dimension);
                score.carried += carried.iter().filter(|carried| **carried).count();
            }
        }
    }
    if graphs == 0 {
        score.loops_without_tiles = usize::MAX;
    }
    Ok(score)
}

#[cfg(test)]
mod tests {
    use super::is_torn;

    #[test]
    fn shifts_by_limits_of_types_are_seen() {
        let context = "[n] -> { : n <= 2147483646 and n >= 0 }";
        let band = |text: &str| {
            format!("{{ domain: \"{{ S0[i] : i < 2147483646; S1[i] }}\", child: {{ schedule: \"{text}\" }} }}")
        };
        assert!(is_torn(&band("[n] -> [{ S0[i] -> [(-i)]; S1[i] -> [(2147483646)] }]"), context));
        assert!(is_torn(&band("[{ S0[i] -> [(-i)]; S1[i] -> [(32766)] }]"), "{ : n <= 32767 }"));
        assert!(!is_torn(&band("[{ S0[i] -> [(-i)]; S1[i] -> [(100000 - i)] }]"), context));
        assert!(!is_torn(&band("[{ S0[i] -> [(-i)]; S1[i2147483646] -> [(i)] }]"), context));
        assert!(!is_torn(&band("[{ S0[i] -> [(2147483646 - i)] }]"), context));
    }

    /// Some 280 million tiles without points made a region of 16 iterations take minutes.
    #[test]
    fn factors_as_large_as_limits_of_types_are_seen() {
        let band = |text: &str| format!("{{ child: {{ schedule: \"[m, n] -> [{{ {text} }}]\" }} }}");
        let narrow = "[n] -> { : n <= 32765 }";
        assert!(is_torn(&band("S0[i, j] -> [(1 + 16377i + j)]; S1[i, j] -> [(16377i + j)]"), narrow));
        assert!(is_torn(&band("S0[i, j] -> [(j - 16377i)]"), narrow));
        assert!(is_torn(&band("S0[i, j] -> [(1073741823i + j)]"), "[n] -> { : n <= 2147483646 }"));
        assert!(!is_torn(&band("S0[i, j] -> [(1000i + j)]; S1[i, j] -> [(1000i + j)]"), narrow));
        assert!(!is_torn(&band("S0[i, j] -> [(16377i + j)]"), "[n] -> { : n <= 2147483646 }"));
        assert!(!is_torn(&band("S0[i16377, j] -> [(i16377 + j)]"), narrow));
    }
}
