//! Reductions of the model.

use std::fmt;
use std::str::FromStr;

/// A scalar that the region's loop only updates with one operator. It is reduced by blocks of iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// C name.
    pub name: String,
    /// C type.
    pub ctype: String,
    /// C type of a block's value: without a sign for sums and products of integers, which may overflow in another order.
    pub partial: String,
    /// What joins two values.
    pub operation: Operation,
    /// C expression of the value that a block begins with.
    pub neutral: String,
    /// How its updates treat what is no number.
    pub form: ExtremeForm,
    /// The updates of a minimum or maximum compare by `<=` or `>=`: of zeros of both signs another one is left.
    pub or_equal: bool,
    /// How many values a block's iterations update in turn: 1, or the number that `reassociate` stands for.
    pub parts: u32,
}

/// What the updates of a minimum or maximum do where a comparison does not hold because one side is no number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExtremeForm {
    /// The variable stays: `e < x ? e : x`. Also of all other operations.
    #[default]
    Keeps,
    /// The value takes its place: `x < e ? x : e`.
    Takes,
    /// The side that is a number counts: `fmin(x, e)`.
    Function,
}

/// What a block begins with whose minimum or maximum passes over what is no number: C99, F.9.9.2.
pub const NO_NUMBER: &str = "(__builtin_inf() - __builtin_inf())";

impl Reduction {
    /// Two values joined, as a C expression; `first` comes first in the original order.
    pub fn joined(&self, first: &str, second: &str) -> String {
        let sign = match self.operation {
            Operation::Minimum if self.or_equal => "<=",
            Operation::Minimum => "<",
            Operation::Maximum if self.or_equal => ">=",
            Operation::Maximum => ">",
            _ => return format!("({first} {} {second})", self.operation.operator()),
        };
        match self.form {
            ExtremeForm::Keeps => format!("({second} {sign} {first} ? {second} : {first})"),
            ExtremeForm::Takes => format!("({first} {sign} {second} ? {first} : {second})"),
            ExtremeForm::Function => {
                format!(
                    "({second} {sign} {first} || ({first} != {first} && {second} == {second}) ? {second} : {first})"
                )
            }
        }
    }
}

/// An operator that joins values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `+`.
    Sum,
    /// `*`.
    Product,
    /// `min`.
    Minimum,
    /// `max`.
    Maximum,
    /// `&`.
    Intersection,
    /// `|`.
    Union,
    /// `^`.
    Difference,
    /// `&&`.
    All,
    /// `||`.
    Any,
}

impl Operation {
    /// All operations with their names in clauses.
    const NAMES: [(Operation, &str); 9] = [
        (Operation::Sum, "+"),
        (Operation::Product, "*"),
        (Operation::Minimum, "min"),
        (Operation::Maximum, "max"),
        (Operation::Intersection, "&"),
        (Operation::Union, "|"),
        (Operation::Difference, "^"),
        (Operation::All, "&&"),
        (Operation::Any, "||"),
    ];

    /// Its name in a clause; C's operator, but for minima and maxima.
    pub fn operator(self) -> &'static str {
        Operation::NAMES.iter().find(|(own, _)| *own == self).map_or("", |(_, name)| name)
    }

    /// An update in C.
    pub fn example(self, name: &str) -> String {
        match self {
            Operation::Minimum => format!("`if (e < {name}) {name} = e;`"),
            Operation::Maximum => format!("`if (e > {name}) {name} = e;`"),
            _ => format!("`{name} = {name} {} e;`", self.operator()),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.operator())
    }
}

impl FromStr for Operation {
    type Err = String;

    fn from_str(text: &str) -> Result<Operation, String> {
        let found = Operation::NAMES.iter().find(|(_, name)| *name == text);
        found.map(|(operation, _)| *operation).ok_or_else(|| format!("`{text}` is no operator of a reduction"))
    }
}
