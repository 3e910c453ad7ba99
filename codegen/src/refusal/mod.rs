//! Why the tool leaves a region unchanged.

mod code;
mod explanation;
pub use code::{Code, Example};
pub use explanation::{explanation, explanation_of, page};

use serde::{Deserialize, Serialize};
use std::fmt;

/// The reason for leaving a region unchanged, and what the user can do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Which kind of refusal: each has a code that stays the same from version to version.
    pub code: Code,
    /// The bytes of the source at fault, begin and end, if there are such bytes.
    pub span: Option<(usize, usize)>,
    /// What is in the way.
    pub reason: String,
    /// What the user can change.
    pub remedy: String,
    /// What else is in the way.
    pub others: Vec<Refusal>,
}

/// The largest number of obstacles of one region that are told.
const MAX_OBSTACLES: usize = 20;

impl Refusal {
    /// A refusal of the region as a whole.
    pub fn new(code: Code, reason: impl Into<String>, remedy: impl Into<String>) -> Refusal {
        Refusal { code, span: None, reason: reason.into(), remedy: remedy.into(), others: vec![] }
    }

    /// One refusal for all obstacles, in their order; `None` if there are none.
    pub fn all(obstacles: Vec<Refusal>) -> Option<Refusal> {
        let mut told: Vec<Refusal> = Vec::new();
        for obstacle in obstacles {
            if told.len() < MAX_OBSTACLES && !told.contains(&obstacle) {
                told.push(obstacle);
            }
        }
        let mut told = told.into_iter();
        let first = told.next()?;
        Some(Refusal { others: told.collect(), ..first })
    }

    /// A refusal of some bytes of the source.
    pub fn span(code: Code, begin: usize, end: usize, reason: impl Into<String>, remedy: impl Into<String>) -> Refusal {
        Refusal { span: Some((begin, end)), ..Refusal::new(code, reason, remedy) }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.reason, self.remedy)
    }
}

impl std::error::Error for Refusal {}

impl From<dvm_isl::Error> for Refusal {
    fn from(error: dvm_isl::Error) -> Refusal {
        if error.is_quota() {
            Refusal::new(
                Code::AnalysisLimit,
                format!(
                    "the region is too large for the analysis ({} reached its limit of operations)",
                    error.operation
                ),
                "mark each nest with a pragma of its own; within one nest, use fewer different subscripts",
            )
        } else {
            Refusal::new(
                Code::AnalysisLimit,
                format!("the analysis failed ({error})"),
                "simplify the loop bounds and subscripts of the region",
            )
        }
    }
}
