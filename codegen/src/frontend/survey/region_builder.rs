//! The state that is built while a region is read.

use super::hoisted_loads::HoistedLoads;
use super::jumps::ForwardJumps;
use super::linear_accesses::Linearised;
use super::reaching_definitions::ReachingDefinitions;
use super::scalar_homes::ScalarHome;
use super::variables::RegionVariables;
use crate::Refusal;
use crate::frontend::clang::ast::Type;
use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::text::preprocess::Macros;
use crate::frontend::values::affine::Affine;
use crate::frontend::values::surrounding_loops::{Ground, Proof, Scope};
use crate::frontend::values::symbols::Symbols;
use crate::model::{AccessKind, Array, Chain, Condition, Kept, Parameter, Reduction, Value};
use crate::source::Source;
use std::collections::{HashMap, HashSet};

/// A parameter and its origin.
#[derive(Debug, Clone)]
pub struct KnownParameter {
    /// The parameter in the model.
    pub parameter: Parameter,
    /// The variable; 0 for a captured expression.
    pub variable: Id,
}

/// A parameter that the shapes of linearised arrays name, when the region is read again.
#[derive(Debug)]
pub struct ParameterOfShape {
    /// The parameter.
    pub known: KnownParameter,
    /// Its minimum and maximum.
    pub range: Option<(i64, i64)>,
}

/// An array with its variable.
#[derive(Debug, Clone)]
pub struct KnownArray {
    /// The array in the model.
    pub array: Array,
    /// The variable.
    pub variable: Id,
    /// Whether some statement writes the array.
    pub written: bool,
    /// A subscript that is not known, as the bytes of the access.
    pub scattered: Option<(usize, usize)>,
}

/// An access, before all parameters are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawAccess {
    /// The array's symbol for isl.
    pub array: String,
    /// Read or write.
    pub kind: AccessKind,
    /// The part of the access map after the statement's tuple: `-> A[i] : ...`.
    pub image: String,
}

/// A statement, before all parameters are known.
#[derive(Debug, Clone)]
pub struct RawStatement<'a> {
    /// Its syntax tree nodes.
    pub nodes: Vec<&'a Node>,
    /// The loops and conditions around it.
    pub scope: Scope,
    /// Its accesses.
    pub accesses: Vec<RawAccess>,
    /// C text.
    pub text: String,
    /// Declarations to insert before the text.
    pub locals: String,
    /// The user declares the instances independent that agree in so many outermost counters.
    pub independent: Option<usize>,
    /// What it computes, if that is arithmetic on elements of one type.
    pub arithmetic: Option<RawArithmetic>,
    /// What it computes, if that is several assignments of such arithmetic.
    pub chain: Option<Chain>,
}

/// Arithmetic on elements of one type, before all parameters are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawArithmetic {
    /// The type.
    pub element: &'static str,
    /// Bytes of the statement's text with the element that they name; `None`: a number that is converted to the type.
    pub operands: Vec<(usize, usize, Option<RawAccess>)>,
}

/// A subscript that may leave its row, before all parameters are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawRow {
    /// Index of the statement in the region's list; `None`: evaluated on entry.
    pub statement: Option<usize>,
    /// The access as the user wrote it.
    pub text: String,
    /// The condition under which the subscript leaves its row.
    pub condition: String,
}

/// An element that may stand for a scalar, if nothing else touches it meanwhile.
pub struct PossibleHome {
    /// The element.
    pub home: ScalarHome,
    /// The statement of the model that the scalar keeps together.
    pub statement: usize,
    /// The access to the element.
    pub element: RawAccess,
    /// What else the statement touches of the array after the scalar's first value is known.
    pub others: Vec<RawAccess>,
}

/// The functions whose bodies are being read as parts of a statement, and their variables.
#[derive(Default)]
pub struct Callees<'a> {
    /// Their names, the caller first.
    pub open: Vec<String>,
    /// The region's call of the first of them.
    pub call: Option<&'a Node>,
    /// The arguments of parameters, and the initial values of locals.
    pub values: HashMap<Id, &'a Node>,
    /// Parameters and locals of these functions and of those read before.
    pub variables: HashSet<Id>,
    /// Those that are assigned after their declaration.
    pub changed: HashSet<Id>,
    /// They name variables of the file.
    pub name_globals: bool,
}

/// Everything known about a region so far.
pub struct RegionBuilder<'a> {
    /// The syntax tree.
    pub unit: &'a Unit,
    /// The file's text.
    pub source: &'a Source,
    /// The enclosing function.
    pub function: &'a Node,
    /// Which nodes read and write which variables.
    pub variables: RegionVariables<'a>,
    /// Macros defined at the pragma.
    pub macros: &'a Macros,
    /// The file after the preprocessor, with line markers and definitions.
    pub preprocessed: &'a str,
    /// Functions that the pragma declares pure.
    pub pure: Vec<String>,
    /// The counters of the loops that the pragma declares independent; no names: the outermost loops.
    pub independent: Option<Vec<String>>,
    /// The variables that the loop reduces.
    pub reductions: Vec<(Id, Reduction)>,
    /// Which of the counters have a loop.
    pub independent_met: HashSet<String>,
    /// Parameters found so far.
    pub parameters: Vec<KnownParameter>,
    /// Why the value of the last unknown subscript is not known.
    pub unknown_subscript: Option<Refusal>,
    /// Counters of loops in a statement whose values are not known, each with the reason.
    pub unknown_loops: HashMap<Id, Refusal>,
    /// Captured values found so far.
    pub values: Vec<(Id, Value)>,
    /// Arrays found so far.
    pub arrays: Vec<KnownArray>,
    /// Statements found so far.
    pub statements: Vec<RawStatement<'a>>,
    /// Known facts about parameters.
    pub ground: Ground,
    /// Reads of captured expressions.
    pub entry_reads: Vec<RawAccess>,
    /// Struct variables that captured expressions read.
    pub entry_objects: Vec<Id>,
    /// Children of blocks that must stay together: block -> ranges.
    pub groups: HashMap<Id, Vec<(usize, usize)>>,
    /// Which assignments give integer scalars of the function their values.
    pub definitions: ReachingDefinitions<'a>,
    /// The jumps that statements may contain.
    pub jumps: ForwardJumps,
    /// Scalars with one such assignment, whose right side each statement repeats that uses them.
    pub forwarded: HashMap<Id, &'a Node>,
    /// Scalars that have a value in terms of counters wherever they are used.
    pub closed: HashSet<Id>,
    /// Whether to look for such scalars.
    pub looks_for_closed: bool,
    /// The number of texts that are being evaluated for uses elsewhere: definitions, initial values, one for another.
    pub definitions_open: u32,
    /// Scalars of the function that each statement copies.
    pub private: HashSet<Id>,
    /// Elements that may stand for some of them.
    pub homes: Vec<PossibleHome>,
    /// The isl names used in this region.
    pub symbols: Symbols,
    /// Subscripts that may leave their rows.
    pub rows: Vec<RawRow>,
    /// Conditions that are checked at entry, beside those on single parameters and the ground's assumptions.
    pub conditions: Vec<Condition>,
    /// What is read at entry.
    pub hoisted: &'a HoistedLoads,
    /// What has to keep its value.
    pub kept: Vec<Kept>,
    /// Arrays of rank 1 whose subscripts have products.
    pub linearised: Linearised<'a>,
    /// By parameter that keeps a sum of parameters as one factor of products: the sum.
    pub sums: HashMap<String, Affine>,
    /// Values may now have products of counters and parameters.
    pub allows_products: bool,
    /// What the region contains that cannot be transformed.
    pub obstacles: Vec<Refusal>,
    /// The functions that the statement being read calls.
    pub callees: Callees<'a>,
    /// Array variables that occur only in `sizeof`.
    pub mentioned: Vec<(Id, &'a Node)>,
}

impl RegionBuilder<'_> {
    /// A name for isl that is not yet in use.
    pub fn fresh(&mut self, base: &str) -> String {
        self.symbols.fresh(base)
    }

    /// The symbol of an integer variable that is constant in the region.
    pub fn parameter(&mut self, declaration: &Node) -> String {
        if let Some(known) = self.parameters.iter().find(|p| p.variable == declaration.id) {
            return known.parameter.symbol.clone();
        }
        let symbol = self.fresh(&declaration.name);
        let parameter = Parameter {
            symbol: symbol.clone(),
            name: declaration.name.clone(),
            ctype: self.type_name(declaration),
            global: self.unit.at_file_scope(declaration.id),
            expression: None,
        };
        self.note_range(&symbol, declaration.ty.plain());
        self.parameters.push(KnownParameter { parameter, variable: declaration.id });
        symbol
    }

    /// The symbol of an expression that is constant in the region.
    pub fn captured(&mut self, text: &str, node: &Node) -> String {
        let same = |p: &&KnownParameter| p.parameter.expression.as_deref() == Some(text);
        if let Some(known) = self.parameters.iter().find(same) {
            return known.parameter.symbol.clone();
        }
        let words: Vec<&str> = ctype::words(text).filter(|w| !w.starts_with(|c: char| c.is_ascii_digit())).collect();
        let symbol = self.fresh(&format!("dvm__of_{}", words.join("_").chars().take(40).collect::<String>()));
        let parameter = Parameter {
            symbol: symbol.clone(),
            name: symbol.clone(),
            ctype: ctype::unqualified(node.ty.plain()),
            global: false,
            expression: Some(text.to_owned()),
        };
        self.note_range(&symbol, node.ty.plain());
        self.parameters.push(KnownParameter { parameter, variable: 0 });
        symbol
    }

    fn note_range(&mut self, symbol: &str, plain: &str) {
        let Some(ty) = self.unit.integer(plain) else { return };
        let limit = i128::from(crate::model::WIDE_LIMIT);
        let (low, high) = (ty.min().max(-limit) as i64, ty.max().min(limit) as i64);
        self.ground.ranges.insert(symbol.to_owned(), (low, high));
    }

    /// Whether a type's text names a declaration of the function, as a word or as the operand of `typeof`.
    pub fn is_local_type(&self, written: &str) -> bool {
        ctype::words(written).any(|w| self.variables.local_types.contains(w)) || written.contains("typeof")
    }

    /// A variable's type, spelled so that it means the same before the enclosing function.
    pub fn type_name(&self, declaration: &Node) -> String {
        self.visible_type(&declaration.ty)
    }

    /// The type of a copy of a variable, spelled so that it means the same before the enclosing function.
    pub fn copied_type(&self, declaration: &Node) -> String {
        let ty = &declaration.ty;
        let written = ctype::of_copy(&ty.written);
        if self.is_local_type(&written) { ctype::of_copy(ty.plain()) } else { written }
    }

    /// A type, spelled so that it means the same before the enclosing function.
    pub fn visible_type(&self, ty: &Type) -> String {
        let written = ctype::unqualified(&ty.written);
        if self.is_local_type(&written) { ctype::unqualified(ty.plain()) } else { written }
    }

    /// Tries to ensure that a value is at least 0; false if that cannot be proven or assumed.
    pub fn require(&mut self, value: &Affine, scope: &Scope, extra: &[Affine]) -> bool {
        match self.ground.prove(value, scope, extra) {
            Proof::Proved => true,
            Proof::Assuming(condition) => {
                self.ground.assumptions.push(condition);
                true
            }
            Proof::Unknown => false,
        }
    }

    /// Has a condition checked at entry.
    pub fn check_at_entry(&mut self, condition: Condition) {
        if !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
    }

    /// Runs an attempt, and undoes its changes if it fails.
    pub fn attempt<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T, Refusal>) -> Result<T, Refusal> {
        let before = (self.parameters.len(), self.ground.clone(), self.entry_reads.len(), self.symbols.clone());
        let arrays = self.arrays.clone();
        let (values, rows, conditions) = (self.values.len(), self.rows.len(), self.conditions.len());
        let sums = self.sums.clone();
        let result = f(self);
        if result.is_err() {
            self.parameters.truncate(before.0);
            self.ground = before.1;
            self.entry_reads.truncate(before.2);
            self.symbols = before.3;
            self.arrays = arrays;
            self.values.truncate(values);
            self.rows.truncate(rows);
            self.conditions.truncate(conditions);
            self.sums = sums;
        }
        result
    }
}
