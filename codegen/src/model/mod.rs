//! The model of a region: the front end's result, and all that the later passes know about the region.
//!
//! Sets and maps are isl text: a model prints, parses and compares as text, and the front end does not need isl. isl's
//! names (`symbol`) are isl-safe and unique in the region; C's names (`name`) are the user's own.

mod chain;
mod condition;
mod kept;
mod parse;
mod print;
mod reduction;

pub use chain::{Chain, ChainStep, Named, Operand};
pub use condition::Condition;
pub use kept::{Entry, Kept};
pub use parse::ParseError;
pub use reduction::{ExtremeForm, NO_NUMBER, Operation, Reduction};

use crate::planted::planted;
use serde::{Deserialize, Serialize};

/// Limit for 64-bit parameters: beyond it the original loops run, by a guard that the front end adds to
/// `Options::serial`. The emitter uses it to prove that no number in the generated code exceeds 64 bits.
pub const WIDE_LIMIT: i64 = 1 << 48;

/// A `#pragma dvm region` (or `#pragma scop` pair) with its loop nest.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Region {
    /// Unique C identifier within the file, e.g. `jacobi_1` (function and ordinal, or the pragma's `name(x)`).
    pub name: String,
    /// Source file, in the user's notation.
    pub file: String,
    /// Line of the pragma, from 1.
    pub line: u32,
    /// Function that encloses the region.
    pub function: String,
    /// The file is compiled as C90: a loop's header declares nothing, and `restrict` is no keyword.
    pub c90: bool,
    /// Options of the pragma.
    pub options: Options,
    /// Integer values that are constant in the region and occur in bounds, conditions or subscripts.
    pub parameters: Vec<Parameter>,
    /// Known constraints on the parameters: an isl parameter set such as `[n] -> { : n >= 0 }`.
    pub context: String,
    /// Other variables that the statements only read (also non-integer, e.g. `double alpha`): passed by value.
    pub values: Vec<Value>,
    /// Arrays and written scalars (rank 0).
    pub arrays: Vec<Array>,
    /// Subscripts that leave their rows for some parameter values.
    pub rows: Vec<Row>,
    /// What else has to hold at entry, in the order of the checks.
    pub conditions: Vec<Condition>,
    /// Scalars that the loop reduces.
    pub reductions: Vec<Reduction>,
    /// What happens at entry before anything else.
    pub entry: Vec<Entry>,
    /// What has to keep its value.
    pub kept: Vec<Kept>,
    /// Symbols of the arrays of which bounds or subscripts read elements: the entry reads them.
    pub entry_arrays: Vec<String>,
    /// What ties the region to a process that has run the program from its beginning, in words; empty: its parameters,
    /// values and arrays are all that it needs.
    pub ties: Vec<String>,
    /// Statements in textual order.
    pub statements: Vec<Statement>,
}

impl Region {
    /// Whether the user declares all instances of the region independent, whatever arrays share storage.
    pub fn is_independent(&self) -> bool {
        matches!(self.statements.as_slice(), [only] if only.independent == Some(0))
    }
}

/// A subscript not known to stay in its row (any but an array's first).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The access in the user's text.
    pub text: String,
    /// isl text: the statement's instances, or the parameters, for which it is outside, e.g. `{ S0[i, j] : j < 1 }`.
    pub outside: String,
}

/// Options of the pragma line.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// `tile(32,32)`: sizes per band coordinate, each a C integer expression, 0 for `auto`; empty: all are `auto`.
    pub tile: Vec<String>,
    /// `serial(condition)`: a C expression; if true, the original loops run.
    pub serial: Option<String>,
    /// `across`: the region runs on all processes of a job.
    pub across: bool,
    /// Without `across`: it runs on all processes where that pays, if it can.
    pub offered: bool,
    /// `keep(a, b)`: arrays that may stay on the processes after the region.
    pub keep: Vec<String>,
    /// The region stands in a loop in which nothing but regions uses their arrays.
    pub in_loop: bool,
    /// `buffers(B)`: how many steps its tiles run ahead of those that they send to; 0: the run-time's number.
    pub buffers: u32,
    /// `ahead(a)`: how many steps a message leaves before its reader's; nothing: at once.
    pub ahead: Option<u32>,
}

/// An integer parameter of the region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// isl name.
    pub symbol: String,
    /// C name in the enclosing function; the statements' text uses it.
    pub name: String,
    /// C type, e.g. `int`, `size_t`.
    pub ctype: String,
    /// Whether the parameter is visible at file scope before the enclosing function: the tiles then read it directly.
    pub global: bool,
    /// C expression for the value, evaluated once on entry; `name` is then a fresh name that does not occur in the
    /// user's text. `None`: `name` is a variable.
    pub expression: Option<String>,
}

/// A read-only variable, passed to the tiles by value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// C name.
    pub name: String,
    /// C type.
    pub ctype: String,
    /// Whether it is visible at file scope before the enclosing function.
    pub global: bool,
}

/// An array, or (rank 0) a scalar written in the region and alive after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// isl name.
    pub symbol: String,
    /// C name.
    pub name: String,
    /// C type of one element, e.g. `double`, `struct cell`.
    pub element: String,
    /// Size of an element in bytes, for the cache model; 0 if unknown.
    pub element_size: u64,
    /// Sizes of the dimensions, outermost first, as C expressions valid at the region; the first is `None` for a
    /// pointer. Variable lengths use `sizeof`, so that a later change of the length variable has no effect. The rank is
    /// `dims.len()`.
    pub dims: Vec<Option<String>>,
    /// Whether the array is visible at file scope before the enclosing function: the statements' text uses its name.
    pub global: bool,
    /// The kind of storage: see [`Array::may_overlap`].
    pub storage: Storage,
    /// The statements' text uses the array with one subscript: the dimensions are recovered from its strides.
    pub linearised: bool,
    /// How many subscripts choose a pointer in memory: 1 for a `double **`. The others choose an element of a row.
    pub tables: usize,
    /// Data tell which pointers of the tables the loops read: the others may be anything, or not be there.
    pub unsure_tables: bool,
    /// Some access may touch any element, since its subscript is not known: the reason and the remedy.
    pub scattered: Option<(String, String)>,
}

impl Region {
    /// The user's text for a name of the model.
    pub fn said<'a>(&'a self, name: &'a str) -> &'a str {
        let read = self.entry.iter().find_map(|entry| match entry {
            Entry::Read { name: own, text, .. } if own == name => Some(text.as_str()),
            _ => None,
        });
        read.unwrap_or(name)
    }
}

impl Array {
    /// Whether the two may share bytes. C excludes that only for `restrict` parameters, among each other and against
    /// objects: any other pointer may be based on a `restrict` one.
    pub fn may_overlap(&self, other: &Array) -> bool {
        let with = |kind: Storage| self.storage == kind || other.storage == kind;
        with(Storage::Pointer) && !(with(Storage::Restrict) && planted("a2-restrict"))
    }
}

/// What an array's name denotes, for aliasing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// An array object (static, automatic, VLA) or scalar object.
    Object,
    /// A `restrict` parameter of the function, never assigned.
    Restrict,
    /// Any other pointer.
    Pointer,
}

/// A statement: text that runs once per point of its domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// isl tuple name and C identifier, e.g. `S0` or the user's label.
    pub name: String,
    /// Line in the source, from 1.
    pub line: u32,
    /// Column in the source, from 1.
    pub column: u32,
    /// Counters of the enclosing loops, outermost first: the domain's dimensions, with their C values.
    pub iterators: Vec<Iterator>,
    /// isl set text, e.g. `[n] -> { S0[i, j] : 0 <= i < n and 0 <= j < n }`.
    pub domain: String,
    /// Original order: isl map text, e.g. `{ S0[i, j] -> [0, i, 1, j, 0] }`; the ranges in a region have one length.
    pub schedule: String,
    /// Reads and writes.
    pub accesses: Vec<Access>,
    /// C text of the statement, complete with its `;` or braces. Iterators, parameters, values and arrays have their C
    /// names, but a rank-0 array that is not global is `(*name)`.
    pub text: String,
    /// Declarations of privatised variables, e.g. `double s;` (empty: none), to insert before the text in its block.
    pub locals: String,
    /// The user declares the instances independent that agree in so many first iterators: no dependence is between them.
    pub independent: Option<usize>,
    /// The statement is arithmetic on elements of one type. The text then means the same with vectors of that type in
    /// the operands' places.
    pub arithmetic: Option<Arithmetic>,
    /// The statement is several such assignments in loops.
    pub chain: Option<Chain>,
}

/// An assignment of sums, products and the like of elements of one type, which `text` computes in that type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arithmetic {
    /// The C type, e.g. `double`.
    pub element: String,
    /// All elements that the text names, in its order: the bytes of the text, and the relation as in the accesses.
    /// `None`: a number of another type, which C converts. All other operands are numbers of the type itself.
    pub operands: Vec<(usize, usize, Option<String>)>,
}

/// The counter of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iterator {
    /// C name; also the domain dimension's name unless isl reserves it.
    pub name: String,
    /// C type that the statement's text expects.
    pub ctype: String,
}

/// A read or write of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The array's symbol.
    pub array: String,
    /// Read, certain write, or possible write.
    pub kind: AccessKind,
    /// isl map text from the statement's domain to the array's index space, e.g. `{ S0[i, j] -> A[i, j + 1] }`.
    pub relation: String,
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessKind {
    /// The value is (or may be) read.
    Read,
    /// The value is certainly written.
    Write,
    /// The value may be written.
    MayWrite,
}
