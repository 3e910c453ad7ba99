//! Selection of one source copy per element: the exact rule of test sets, and the paper's strategies, corrected.

use crate::distribution::domain::Domain;
use crate::error::{Error, Result};
use crate::integer::number::gcd;
use crate::periodic::graver::Cuts;
use crate::plan::choice::Table;
use crate::plan::recursive_cuts::RecursiveCuts;
use crate::room;

/// How redundant copies at the source are eliminated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Whatever gives the fewest descriptors; each element from one copy.
    #[default]
    Exact,
    /// Cutting planes, case A: the lexicographically smallest copy.
    CutA,
    /// Cutting planes, case B: the lexicographically largest copy.
    CutB,
    /// The paper's sliding windows with their corrections: two variables.
    Sliding,
    /// Windows per residue class, better balanced: two variables.
    Windows,
    /// The paper's recursive cuts with the missing points put back: three variables.
    Recursive,
}

impl Strategy {
    /// All strategies, for menus and tests.
    pub const ALL: [Self; 6] = [Self::Exact, Self::CutA, Self::CutB, Self::Sliding, Self::Windows, Self::Recursive];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::CutA => "cut-a",
            Self::CutB => "cut-b",
            Self::Sliding => "sliding",
            Self::Windows => "windows",
            Self::Recursive => "recursive",
        }
    }
}

/// Whether a source location serves its element.
type Rule = Box<dyn Fn(&[i64]) -> bool>;

/// For every element the index of the one source location that serves it, and a note when the strategy does not
/// apply to this component and the exact rule stood in. Fails rather than serve an element twice or never.
pub fn select(table: &Table, strategy: Strategy) -> Result<(Vec<u32>, Option<String>)> {
    let domain = &table.source.domain;
    let rule: Option<Rule> = match strategy {
        Strategy::CutA => Cuts::of_domain(domain, false)?.map(|c| Box::new(move |a: &[i64]| c.keeps(a)) as _),
        Strategy::CutB => Cuts::of_domain(domain, true)?.map(|c| Box::new(move |a: &[i64]| c.keeps(a)) as _),
        Strategy::Sliding => Pair::new(domain).map(|p| Box::new(move |a: &[i64]| p.sliding(a)) as _),
        Strategy::Windows => Pair::new(domain).map(|p| Box::new(move |a: &[i64]| p.windows(a)) as _),
        Strategy::Recursive => recursive(domain)?,
        Strategy::Exact => None,
    };
    let Some(rule) = rule else {
        let last = strategy == Strategy::CutB;
        let of = |e: usize| {
            let copies = table.owners.copies(e as u32);
            copies[if last { copies.len() - 1 } else { 0 }]
        };
        let needs = match strategy {
            Strategy::Exact => None,
            Strategy::CutA => Some("finds too many cuts to list; the smallest copies are taken from a table"),
            Strategy::CutB => Some("finds too many cuts to list; the largest copies are taken from a table"),
            Strategy::Sliding | Strategy::Windows => {
                Some("needs two variables of one dimension with constant bounds; the smallest copies are taken instead")
            }
            Strategy::Recursive => Some(
                "needs three variables of one dimension with constant bounds and positive coefficients, and not too many \
                 values; the smallest copies are taken instead",
            ),
        };
        let note = needs.map(|needs| format!("({}): strategy {} {needs}", domain.names.join(", "), strategy.name()));
        return Ok((room::collected((0..table.owners.elements()).map(of))?, note));
    };
    let mut found = room::list(table.owners.elements())?;
    for e in 0..table.owners.elements() {
        let mut kept = table
            .owners
            .copies(e as u32)
            .iter()
            .filter(|&&l| rule(&table.source.coordinates(&table.source.locations[l as usize])));
        match (kept.next(), kept.next()) {
            (Some(&l), None) => found.push(l),
            (first, _) => {
                let wrong = if first.is_none() { "drops" } else { "keeps two copies of" };
                let t = &table.source.locations[table.owners.copies(e as u32)[0] as usize].element;
                let what = format!("strategy {} {wrong} element {:?}", strategy.name(), table.elements.decode(*t));
                return Err(Error::new("source", what, "use the strategy exact, and report this"));
            }
        }
    }
    Ok((found, None))
}

/// The values that the recursive cuts look at one by one are at most so many.
const MOST_VALUES: i128 = 1 << 22;

/// The rule of the recursive cuts; `None` when the domain is not a box of three variables with positive coefficients.
fn recursive(domain: &Domain) -> Result<Option<Rule>> {
    let (&[alpha, beta, gamma], &[x, y, z]) = (&domain.coef[..], &domain.bounding[..]) else { return Ok(None) };
    if domain.offset.len() != 1 || !domain.is_box() || domain.empty.is_some() || alpha.min(beta).min(gamma) < 1 {
        return Ok(None);
    }
    let upper = (x.1 - x.0, y.1 - y.0, z.1 - z.0);
    let g = gcd(alpha, beta);
    let values = i128::from(alpha / g) * i128::from(upper.0) + i128::from(beta / g) * i128::from(upper.1);
    if (values + 1) * i128::from(upper.0 + 1) > MOST_VALUES || i128::from(upper.2) > MOST_VALUES {
        return Ok(None);
    }
    let cuts = RecursiveCuts::new((alpha, beta, gamma), upper)?;
    Ok(Some(Box::new(move |a: &[i64]| cuts.keeps((a[0] - x.0, a[1] - y.0, a[2] - z.0)))))
}

/// Two variables x, y of one dimension in a box: copies lie at multiples of (beta, -alpha).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    x: (i64, i64),
    y: (i64, i64),
    alpha: i64,
    beta: i64,
    /// The coefficients have opposite signs: y is counted from its upper end.
    mirrored: bool,
}

impl Pair {
    /// The pair of a domain; `None` when it is not two variables of one dimension with constant bounds.
    pub fn new(domain: &Domain) -> Option<Self> {
        let constant = |f: &crate::distribution::domain::Form| f.terms.is_empty();
        let boxed = domain.lower.iter().chain(&domain.upper).flatten().all(constant);
        if domain.len() != 2 || domain.offset.len() != 1 || !boxed || domain.coef[1] == 0 {
            return None;
        }
        let (a, b) = (domain.coef[0], domain.coef[1]);
        let g = gcd(a, b);
        Some(Self {
            x: domain.bounding[0],
            y: domain.bounding[1],
            alpha: (a / g).abs(),
            beta: (b / g).abs(),
            mirrored: (a < 0) != (b < 0) && a != 0,
        })
    }

    /// Relative coordinates with equal signs, and the widths.
    fn relative(&self, at: &[i64]) -> (i64, i64, i64, i64) {
        let y = if self.mirrored { self.y.1 - at[1] } else { at[1] - self.y.0 };
        (at[0] - self.x.0, y, self.x.1 - self.x.0 + 1, self.y.1 - self.y.0 + 1)
    }

    /// Whether any element has two copies.
    pub fn redundant(&self) -> bool {
        self.x.1 - self.x.0 >= self.beta && self.y.1 - self.y.0 >= self.alpha
    }

    /// Windows of equal height on y, one per block of beta on x; open where there is no block to the right.
    pub fn sliding(&self, at: &[i64]) -> bool {
        let (x, y, nx, ny) = self.relative(at);
        if !self.redundant() {
            return true;
        }
        let blocks = (nx + self.beta - 1) / self.beta;
        let (h, height) = (x / self.beta, (ny - self.alpha) / blocks);
        let last = x >= nx - self.beta;
        height * h <= y && (last || y < height * (h + 1) + self.alpha)
    }

    /// Windows cut evenly inside each residue class of x, the only places where copies meet.
    pub fn windows(&self, at: &[i64]) -> bool {
        let (x, y, nx, ny) = self.relative(at);
        if !self.redundant() {
            return true;
        }
        let (h, residue) = (i128::from(x / self.beta), x % self.beta);
        let count = i128::from((nx - residue + self.beta - 1) / self.beta);
        let spare = i128::from(ny - self.alpha);
        h * spare / count <= y.into() && i128::from(y) < (h + 1) * spare / count + i128::from(self.alpha)
    }
}
