//! Blocks of operations, and where they go on.

use crate::fortran::hlfir::HlfirOp;

/// Operations up to a jump.
#[derive(Debug, Clone, Default)]
pub(super) struct JumpBlock {
    pub label: String,
    /// Its operations without the last one.
    pub ops: Vec<HlfirOp>,
    /// The last one.
    pub end: HlfirOp,
    /// The block is part of another one now.
    pub gone: bool,
}

/// Where a block goes on.
pub(super) enum Way<'b> {
    To(&'b str),
    /// The condition, and where it leads if it is true or false.
    Either(&'b str, &'b str, &'b str),
    Select(Vec<Case<'b>>),
    /// It returns, or jumps in a way that is not listed.
    Unknown,
}

/// One part of a `fir.select_case`: the comparisons of the selected value with others, and the label.
pub(super) struct Case<'b> {
    pub tests: Vec<(&'static str, &'b str)>,
    pub label: &'b str,
}

/// The labels in a text, with their sign.
pub(super) fn labels(text: &str) -> impl Iterator<Item = &str> {
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '^');
    text.match_indices('^').map(move |(at, _)| text[at..].split(is_end).next().unwrap_or_default())
}

impl JumpBlock {
    pub fn only_compares(&self) -> bool {
        let is_listed = |op: &HlfirOp| ["arith.constant", "arith.cmpi"].contains(&op.name.as_str());
        self.end.name == "cf.cond_br" && self.ops.iter().all(is_listed)
    }

    pub fn way(&self) -> Way<'_> {
        let text = self.end.text.as_str();
        let parts: Vec<&str> = text.split(", ").collect();
        let is_label = |text: &str| labels(text).next() == Some(text);
        match (self.end.name.as_str(), parts.as_slice()) {
            ("cf.br", [to]) if is_label(to) => Way::To(to),
            ("cf.cond_br", [condition, one, other]) if is_label(one) && is_label(other) => {
                Way::Either(condition, one, other)
            }
            ("fir.select_case", _) => cases(text).map_or(Way::Unknown, Way::Select),
            _ => Way::Unknown,
        }
    }
}

impl<'b> Way<'b> {
    pub fn labels(&self) -> Vec<&'b str> {
        match self {
            Way::To(to) => vec![to],
            Way::Either(_, one, other) => vec![one, other],
            Way::Select(cases) => cases.iter().map(|case| case.label).collect(),
            Way::Unknown => Vec::new(),
        }
    }
}

/// The cases of `fir.select_case %55 : i32 [#fir.point, %c1, ^bb3, #fir.interval, %c5, %c7, ^bb3, unit, ^bb6]`.
fn cases(text: &str) -> Option<Vec<Case<'_>>> {
    let (head, list) = text.split_once(" [")?;
    if !["i32", "i64"].contains(&head.split_once(" : ")?.1) {
        return None;
    }
    let mut words = list.strip_suffix(']')?.split(", ");
    let mut all = Vec::new();
    while let Some(kind) = words.next() {
        let mut value = || words.next().filter(|word| word.starts_with('%'));
        let tests = match kind {
            "#fir.point" => vec![("eq", value()?)],
            "#fir.interval" => vec![("sge", value()?), ("sle", value()?)],
            "#fir.lower" => vec![("sge", value()?)],
            "#fir.upper" => vec![("sle", value()?)],
            "unit" => Vec::new(),
            _ => return None,
        };
        all.push(Case { tests, label: words.next().filter(|word| labels(word).next() == Some(word))? });
    }
    Some(all)
}
