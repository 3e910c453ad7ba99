//! The model of a region: what the front end found and everything the later stages know of it.
//!
//! Sets and maps are isl text, so that a model prints, parses and is compared as text, and the
//! front end needs no isl. Names that isl sees (`symbol`) are isl-safe and unique in the region; names
//! that C sees (`name`) are the user's own.

mod parse;
mod print;

pub use parse::ParseError;

use crate::planted::planted;
use serde::{Deserialize, Serialize};

/// 64-bit parameters beyond this run the original loops, by a guard that the front end adds to `Options::serial`; the
/// emitter proves from it that no number of the generated code leaves 64 bits.
pub const WIDE_LIMIT: i64 = 1 << 48;

/// One `#pragma dvm region` (or `#pragma scop` pair) and what it means.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Region {
    /// Unique C identifier within the file, e.g. `jacobi_1` (function and ordinal, or the pragma's `name(x)`).
    pub name: String,
    /// Source file as the user named it.
    pub file: String,
    /// Line of the pragma, from 1.
    pub line: u32,
    /// Function that encloses the region.
    pub function: String,
    /// Options of the pragma.
    pub options: Options,
    /// Integer values that do not change in the region and occur in bounds, conditions or subscripts.
    pub parameters: Vec<Parameter>,
    /// What is known of the parameters on entry: an isl parameter set such as `[n] -> { : n >= 0 }`.
    pub context: String,
    /// Other variables that the statements only read (also non-integer, e.g. `double alpha`): passed by value.
    pub values: Vec<Value>,
    /// Arrays and written scalars (rank 0).
    pub arrays: Vec<Array>,
    /// Subscripts that leave their rows for some parameters.
    pub rows: Vec<Row>,
    /// Statements in textual order.
    pub statements: Vec<Statement>,
}

/// A subscript that is not known to stay in its row (all but an array's first have one).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The access as the user wrote it.
    pub text: String,
    /// isl text: the statement's instances, or the parameters, for which it is outside, e.g. `{ S0[i, j] : j < 1 }`.
    pub outside: String,
}

/// Options of the pragma line.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// `tile(32,32)`: sizes per band coordinate, each a C integer expression, 0 for `auto`; empty: all are `auto`.
    pub tile: Vec<String>,
    /// `serial(condition)`: a C expression; when true the original loops run.
    pub serial: Option<String>,
}

/// An integer parameter of the region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// isl name.
    pub symbol: String,
    /// C name (the statements' text uses it) in the enclosing function.
    pub name: String,
    /// C type, e.g. `int`, `size_t`.
    pub ctype: String,
    /// Visible at file scope before the enclosing function: then it is not passed, only read.
    pub global: bool,
    /// C expression that is evaluated once on entry and gives the value; `name` is then a fresh name that no text
    /// of the user's contains. `None`: `name` is a variable.
    pub expression: Option<String>,
}

/// A variable that is only read, passed to the tiles by value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// C name.
    pub name: String,
    /// C type.
    pub ctype: String,
    /// Visible at file scope before the enclosing function.
    pub global: bool,
}

/// An array or (rank 0) a scalar that is written in the region and lives on after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// isl name.
    pub symbol: String,
    /// C name.
    pub name: String,
    /// C type of one element, e.g. `double`, `struct cell`.
    pub element: String,
    /// Size in bytes of one element when the front end knows it (0: unknown), for the cache model.
    pub element_size: u64,
    /// Sizes of the dimensions, outermost first, as C expressions valid at the region's place; the
    /// first is `None` for a pointer. `sizeof` forms are used for variable lengths, so that a length variable that
    /// changed since the declaration does no harm. The rank is `dims.len()`.
    pub dims: Vec<Option<String>>,
    /// Visible at file scope before the enclosing function (then the statements' text reaches it by name).
    pub global: bool,
    /// Whose storage it is: see [`Array::may_overlap`].
    pub storage: Storage,
}

impl Array {
    /// Whether the two may share bytes. C promises that they do not only to `restrict` parameters among themselves
    /// and against objects: any other pointer may be based on a `restrict` one.
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
    /// A `restrict` parameter of the function that keeps its value.
    Restrict,
    /// Any other pointer.
    Pointer,
}

/// A statement: text that is executed once per point of its domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// isl tuple name and C identifier, e.g. `S0` or the user's label.
    pub name: String,
    /// Line in the source, from 1.
    pub line: u32,
    /// Column in the source, from 1.
    pub column: u32,
    /// Enclosing loops' counters, outermost first; the domain's dimensions, with their C values.
    pub iterators: Vec<Iterator>,
    /// isl set text, e.g. `[n] -> { S0[i, j] : 0 <= i < n and 0 <= j < n }`.
    pub domain: String,
    /// Original order: isl map text, e.g. `{ S0[i, j] -> [0, i, 1, j, 0] }`; all of a region have one length.
    pub schedule: String,
    /// What it touches.
    pub accesses: Vec<Access>,
    /// C text of the statement, complete with its `;` or braces; uses the iterators, parameters, values
    /// and arrays under their C names, but a rank-0 array that is not global as `(*name)`.
    pub text: String,
    /// Declarations of privatised variables, e.g. `double s;` (empty: none), to stand before the text in its block.
    pub locals: String,
}

/// A loop counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iterator {
    /// C name; also the domain dimension's name unless isl reserves it.
    pub name: String,
    /// C type that the statement's text expects.
    pub ctype: String,
}

/// One access of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The array's symbol.
    pub array: String,
    /// Read, certain write, or possible write.
    pub kind: AccessKind,
    /// isl map text from the statement's domain to the array's index space, e.g. `{ S0[i, j] -> A[i, j + 1] }`.
    pub relation: String,
}

/// How an access touches its array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessKind {
    /// The value is (or may be) read.
    Read,
    /// The value is certainly written.
    Write,
    /// The value may be written.
    MayWrite,
}
