//! From the loops of a region to a function of C.

use super::clauses::FortranClauses;
use super::escape::{escape, reads_first};
use super::external_functions::ExternalFunction;
use super::file::FortranFile;
use super::hlfir::{self, HlfirOp, base};
use super::numeric_functions::{NumericFunction, names_file};
use super::places::{Need, Place};
use super::refused::FortranRefusal;
use super::sections::{NamedElement, Section};
use super::sums::WholeSum;
use super::types::Element;
use super::values::{self, HlfirValue};
use super::variables::{Declared, FortranArray, FortranKind, FortranVariable, HIDDEN, is_of_call};
use super::views::{ArrayView, HeldArray, KEPT};
use std::collections::{BTreeMap, BTreeSet, HashMap};

mod arrays;
mod call_arguments;
mod control;
mod externals;
mod functions;
mod numeric;
mod own_arrays;
mod parts;
mod reads;
mod region_place;
mod updates;
mod views;
mod writes;
mod written_out;

use own_arrays::own_arrays;

pub use functions::constants_of;
pub use own_arrays::OwnArray;
pub use region_place::RegionPlace;

/// A function as C.
#[derive(Debug, Clone)]
pub struct TranslatedFunction {
    /// Flang's name.
    pub symbol: String,
    /// The name in C.
    pub name: String,
    /// The type of the result.
    pub element: Element,
    /// Its parameters, in order.
    pub parameters: Vec<(String, Element)>,
    /// Its local variables.
    pub locals: BTreeMap<String, Element>,
    /// Variables `_b1` and so on, which hold bounds of loops.
    pub bounds: Vec<Element>,
    /// The lines of its body, each with the line of the source.
    pub lines: Vec<(String, u32)>,
    /// Conditions of Fortran under which its constants are those of gfortran.
    pub conditions: Vec<String>,
    /// It computes powers, or `abs` of complex numbers, which compilers compute differently where they know the arguments.
    pub has_power: bool,
}

/// A region as C.
#[derive(Debug, Clone, Default)]
pub struct TranslatedRegion {
    /// The lines of the function's body, each with the line of the source.
    pub lines: Vec<(String, u32)>,
    /// Arrays by their names in C: Fortran's text for each.
    pub arrays: BTreeMap<String, (String, FortranArray)>,
    /// Arrays of which each iteration has its own, by their names.
    pub own_arrays: BTreeMap<String, OwnArray>,
    /// Scalars that are only read.
    pub parameters: BTreeMap<String, Element>,
    /// Numbers that are only read, but that others may write: by their names in C, with Fortran's text.
    pub references: BTreeMap<String, (String, Element)>,
    /// Whole numbers that are computed from bounds of arrays before the call: by their names in C, with Fortran's text.
    pub captured: BTreeMap<String, (String, Element)>,
    /// What must be true before the texts of arrays and references are evaluated, in order.
    pub needs: Vec<Need>,
    /// Arrays whose last extent the lines need, by their names in C.
    pub sized: BTreeSet<String>,
    /// Subscripts may be numbers that the region computes from data.
    pub has_computed: bool,
    /// Variables `_b1` and so on, which hold bounds of loops.
    pub bounds: Vec<Element>,
    /// Counters and private scalars.
    pub locals: BTreeMap<String, Element>,
    /// Scalars whose value the region takes from before it and leaves behind it: those of a `reduction`, and whole numbers.
    pub carried: BTreeMap<String, Element>,
    /// Declarations of the locals, by the name of their result.
    pub declarations: BTreeSet<String>,
    /// Functions that the lines call; each stands behind those that it calls.
    pub functions: Vec<TranslatedFunction>,
    /// Functions of the clause `pure` that the lines call.
    pub externals: Vec<ExternalFunction>,
    /// Functions of numbers that the lines call.
    pub numeric: Vec<NumericFunction>,
    /// Names of all functions that the lines call.
    pub called: BTreeSet<String>,
    /// It computes powers, or `abs` of complex numbers, which compilers compute differently where they know the operands.
    pub has_power: bool,
    /// Logical values are passed as they are stored.
    pub has_logical: bool,
    /// Conditions of Fortran under which arrays have the extents that subroutines declare, and steps are positive.
    pub conditions: Vec<String>,
    /// Procedures of other files whose texts the lines have: names for the linker, and those that their objects have there.
    pub identities: BTreeSet<(String, String)>,
}

type Answer<T> = Result<T, FortranRefusal>;

/// An element of an array, or a number that is no variable of its own.
#[derive(Clone)]
struct FoundElement {
    /// As C.
    text: String,
    element: Element,
    statement: usize,
    /// Its subscripts have one value in the whole region.
    steady: bool,
    /// It may be written.
    writable: bool,
    /// The array, and the subscripts.
    of: Option<(Place, FortranArray, Vec<HlfirValue>)>,
}

struct Translator<'a> {
    file: &'a FortranFile<'a>,
    declared: &'a Declared<'a>,
    clauses: &'a FortranClauses,
    made: TranslatedRegion,
    /// Scalars that the region writes, counters aside.
    written: BTreeSet<&'a str>,
    /// Those that the region takes from before it, or leaves behind it.
    carried: BTreeSet<&'a str>,
    /// All counters of its loops.
    counters: BTreeSet<&'a str>,
    /// Arrays that the region may have for itself, by their names.
    own: BTreeMap<String, OwnArray>,
    /// Counters of the loops around, and scalars that were written on the way here.
    active: Vec<&'a str>,
    defined: Vec<&'a str>,
    /// Scalars whose last value all iterations may share.
    shared: BTreeSet<&'a str>,
    values: HashMap<&'a str, HlfirValue>,
    elements: HashMap<&'a str, FoundElement>,
    /// Objects, arrays and numbers that are no elements, with the statement that names them.
    places: HashMap<&'a str, (Place, usize)>,
    /// Sections, and expressions of arrays with the statement that names them.
    sections: HashMap<&'a str, Section>,
    expressions: HashMap<&'a str, (&'a HlfirOp, usize)>,
    /// Arrays that are arguments of subroutines whose text stands for a call: as they are passed, and as they are declared.
    held: HashMap<&'a str, HeldArray>,
    views: HashMap<&'a str, ArrayView>,
    /// What is computed now is computed once in such a text.
    enters: bool,
    /// Elements that statements name.
    accesses: Vec<NamedElement>,
    /// Operations up to here, by the names of their results.
    seen: HashMap<&'a str, &'a HlfirOp>,
    /// The last value that was kept, and for differences the one before.
    last_kept: Option<&'a str>,
    kept_before: HashMap<&'a str, &'a str>,
    statement: usize,
    depth: usize,
    /// What follows is an assignment, which computes all its operands.
    before_assignment: bool,
    /// Variables for parts of expressions.
    computed: usize,
    /// Flags of loops that are left early, by the names of their results.
    flags: HashMap<&'a str, String>,
    /// The functions that are being translated, the outermost first.
    callers: Vec<String>,
    /// What the procedure of the region declares.
    of_region: &'a Declared<'a>,
}

/// Translates operations of a procedure that follow each other in one block.
pub fn translate<'a>(
    file: &'a FortranFile<'a>,
    place: &RegionPlace,
    ops: &[&'a HlfirOp],
    declared: &'a Declared<'a>,
    clauses: &'a FortranClauses,
) -> Answer<TranslatedRegion> {
    let mut translator = Translator::new(file, declared, clauses, ops);
    // Whole numbers that others see, or that keep a value between iterations: C finds what they are in each iteration.
    let is_carried = |key: &&&'a str| {
        let Some(variable) = declared.variables.get(**key) else { return false };
        // Local variables of subroutines whose text stands for a call have no value before it.
        if is_of_call(&variable.name) || translator.counters.contains(**key) {
            return false;
        }
        let whole = match variable.kind {
            FortranKind::Scalar { element, private, target: false } if element.is_whole() => {
                !private || reads_first(ops, key) || escape(place.function, key, place.lines).is_some()
            }
            _ => false,
        };
        clauses.reduces(&variable.name) || whole && !clauses.private.contains(&variable.name)
    };
    translator.carried = translator.written.iter().filter(is_carried).copied().collect();
    translator.own = own_arrays(place, ops, declared, clauses);
    translator.block(ops)?;
    translator.clauses_hold(place.mark)?;
    Ok(translator.made)
}

impl<'a> Translator<'a> {
    fn new(
        file: &'a FortranFile<'a>,
        declared: &'a Declared<'a>,
        clauses: &'a FortranClauses,
        ops: &[&'a HlfirOp],
    ) -> Translator<'a> {
        let (mut written, mut counters) = (BTreeSet::new(), BTreeSet::new());
        for op in ops.iter().flat_map(|op| std::iter::once(*op).chain(op.inner())) {
            let operands = op.operands();
            let variable = operands.get(1).and_then(|to| declared.variables.get_key_value(base(to)));
            let Some((key, _)) = variable.filter(|(_, variable)| !matches!(variable.kind, FortranKind::Array(_)))
            else {
                continue;
            };
            match op.name.as_str() {
                "hlfir.assign" => written.insert(*key),
                "fir.store" => counters.insert(*key),
                _ => continue,
            };
        }
        Translator {
            file,
            declared,
            clauses,
            made: TranslatedRegion::default(),
            written,
            carried: BTreeSet::new(),
            counters,
            own: BTreeMap::new(),
            active: Vec::new(),
            defined: Vec::new(),
            shared: BTreeSet::new(),
            values: HashMap::new(),
            elements: HashMap::new(),
            places: HashMap::new(),
            sections: HashMap::new(),
            expressions: HashMap::new(),
            held: HashMap::new(),
            views: HashMap::new(),
            enters: false,
            accesses: Vec::new(),
            seen: HashMap::new(),
            last_kept: None,
            kept_before: HashMap::new(),
            statement: 1,
            depth: 1,
            before_assignment: false,
            computed: 0,
            flags: HashMap::new(),
            callers: Vec::new(),
            of_region: declared,
        }
    }

    /// Refuses clauses that name what the region does not have.
    fn clauses_hold(&self, line: u32) -> Answer<()> {
        let refuse = |reason: String, remedy: &str| Err(FortranRefusal::new(line, &reason, remedy));
        let is_counter = |name: &String| {
            self.counters.iter().any(|key| self.declared.variables.get(key).is_some_and(|v| v.name == *name))
        };
        if let Some(name) = self.clauses.independent.iter().flatten().find(|name| !is_counter(name)) {
            return refuse(
                format!("`independent({name})`: no loop of the region has this counter"),
                "name the counters of loops of the region, or none",
            );
        }
        let made = &self.made;
        // The counter of a `do concurrent` may have the name of a variable around it.
        let is_both = |name: &&String| made.parameters.contains_key(*name) || made.carried.contains_key(*name);
        if let Some(name) = made.locals.keys().find(is_both) {
            return refuse(
                format!("the counter `{name}` has the name of another variable of the region"),
                "give the counter of the `do concurrent` another name",
            );
        }
        if let Some((operator, name)) = self.clauses.reductions.iter().find(|(_, n)| !made.carried.contains_key(n)) {
            return refuse(
                format!("`reduction({operator}:{name})`: the region updates no scalar `{name}`"),
                "name a scalar that the region updates, as in `s = s + a(i)`",
            );
        }
        let is_array = |name: &String| {
            let mut all = self.declared.variables.values();
            all.any(|variable| variable.name == *name && matches!(variable.kind, FortranKind::Array(_)))
        };
        let of_run = |name: &&String| is_array(name) && !self.own.contains_key(*name);
        if let Some(name) = self.clauses.private.iter().find(of_run) {
            return refuse(
                format!(
                    "`private({name})`: the array is an argument, has extents of the run, or may be reached by a pointer"
                ),
                "use an array of constant extents that is no argument, and neither `allocatable`, `pointer` nor `target`",
            );
        }
        let has_own = |name: &String| made.own_arrays.contains_key(name) || made.locals.contains_key(name);
        if let Some(name) = self.clauses.private.iter().find(|n| !has_own(n) || is_counter(n)) {
            return refuse(
                format!("`private({name})`: the region writes no scalar `{name}`, and uses no such array"),
                "name a scalar or an array that each iteration writes before it reads it; counters need no clause",
            );
        }
        let is_called =
            |name: &&String| made.called.iter().any(|called| self.file.functions.means(&[(**name).clone()], called));
        if let Some(name) = self.clauses.pure.iter().find(|name| !is_called(name)) {
            return refuse(
                format!("`pure({name})`: the region calls no function `{name}`"),
                "name functions that the region calls",
            );
        }
        Ok(())
    }

    /// Translates operations; gives the scalars that they surely write.
    fn block(&mut self, ops: &[&'a HlfirOp]) -> Answer<Vec<&'a str>> {
        let before = self.defined.len();
        for (at, op) in ops.iter().enumerate() {
            let effect = ops[at..].iter().find(|op| !op.regions.is_empty() || op.name == "hlfir.assign");
            self.before_assignment = effect.is_some_and(|effect| effect.name == "hlfir.assign");
            // Names of inner blocks are used again: what this operation hides is gone.
            for result in &op.results {
                self.elements.remove(result.as_str());
                self.places.remove(result.as_str());
                self.sections.remove(result.as_str());
                self.expressions.remove(result.as_str());
            }
            let done = self.operation(op).map_err(|why| call_arguments::refused_call(&ops[at..]).unwrap_or(why));
            done.map_err(|why| match &op.inlined {
                Some((name, line)) => FortranRefusal { line: *line, ..why }.of_call(op.place.0, name, ""),
                None => why,
            })?;
            for result in &op.results {
                self.seen.insert(result.as_str(), op);
            }
        }
        Ok(self.defined.split_off(before))
    }

    fn operation(&mut self, op: &'a HlfirOp) -> Answer<()> {
        match op.name.as_str() {
            "fir.do_loop" => self.do_loop(op),
            "fir.if" => self.branch(op),
            "hlfir.assign" => self.assign(op),
            "hlfir.designate" => self.designate(op),
            "hlfir.apply" => self.applied(op),
            "hlfir.exactly_once" => self.once(op),
            "hlfir.where" => self.where_construct(op),
            "hlfir.elemental" => {
                let [result] = op.results.as_slice() else { return unknown(op) };
                self.values.remove(result.as_str());
                self.expressions.insert(result.as_str(), (op, self.statement));
                Ok(())
            }
            "fir.box_dims" | "fir.result" | "fir.shape" | "fir.shape_shift" | "fir.shift" | "hlfir.destroy" => {
                op.results.iter().for_each(|result| _ = self.values.remove(result.as_str()));
                Ok(())
            }
            _ if names_file(op) => {
                op.results.iter().for_each(|result| _ = self.values.remove(result.as_str()));
                Ok(())
            }
            "fir.load" if op.types().starts_with("!fir.ref<!fir.box<") => self.same_place(op),
            "fir.box_addr" => self.same_place(op),
            "fir.embox" => self.described(op),
            "fir.store" => self.last_value(op),
            "hlfir.associate" => self.argument(op),
            "hlfir.end_associate" => Ok(()),
            hlfir::KEEP => self.keep_conditions(op),
            hlfir::EXIT => self.leave(op),
            hlfir::FLAG => self.flag(op),
            hlfir::RAISED => self.raised(op),
            hlfir::BIND => self.bind(op),
            hlfir::HOLD => self.hold(op),
            hlfir::VIEW => self.view(op),
            hlfir::LOCAL => self.local_array(op),
            hlfir::ENTER | hlfir::ENTERED => {
                self.enters = op.name == hlfir::ENTER;
                // What is passed belongs to no statement of the subroutine.
                self.statement += 1;
                Ok(())
            }
            name if name.starts_with("fir.call") => self.call(op),
            _ => {
                let value = self.value(op)?;
                self.keep(op, value)
            }
        }
    }

    fn variable(&self, op: &'a HlfirOp, operand: &str) -> Answer<(&'a str, &'a FortranVariable)> {
        let found = self.declared.variables.get_key_value(base(operand));
        match (found, self.declared.hidden.get(base(operand))) {
            (Some((key, variable)), _) => Ok((*key, variable)),
            (None, Some(name)) => refuse(op, &format!("`{name}` {}", HIDDEN.0), HIDDEN.1),
            (None, None) => unknown(op),
        }
    }

    /// The name in C of a number that others may write.
    fn reference(&mut self, place: &Place, element: Element) -> String {
        self.access(&place.text, place, Vec::new());
        let known = self.made.references.iter().find(|(_, (text, _))| *text == place.text);
        if let Some((name, _)) = known {
            return name.clone();
        }
        let name = self.new_name(place);
        self.note_logical(element);
        self.made.references.insert(name.clone(), (place.text.clone(), element));
        self.need(place);
        name
    }

    /// The name in C of an array.
    fn array(&mut self, place: &Place, array: &FortranArray) -> String {
        if let Some((name, _)) = self.made.arrays.iter().find(|(_, (text, _))| *text == place.text) {
            return name.clone();
        }
        // It is declared where the text begins that stands for the call.
        if place.is_variable && is_of_call(&place.name) {
            return place.name.clone();
        }
        if let Some(own) = self.own.get(&place.name).filter(|_| place.is_variable) {
            self.made.own_arrays.insert(place.name.clone(), own.clone());
            return place.name.clone();
        }
        let name = if place.is_variable { place.name.clone() } else { self.new_name(place) };
        self.note_logical(array.element);
        self.made.arrays.insert(name.clone(), (place.text.clone(), array.clone()));
        self.need(place);
        name
    }

    /// Notes that the call passes logical values: C takes them for 1 and 0.
    fn note_logical(&mut self, element: Element) {
        if element.is_logical() && !self.made.has_logical {
            self.made.has_logical = true;
            let is_stored = |value: &str, number: u32| format!("transfer(.{value}._4,0_4)=={number}");
            self.made.conditions.extend([is_stored("true", 1), is_stored("false", 0)]);
        }
    }

    /// A name that begins as none of Fortran.
    fn new_name(&self, place: &Place) -> String {
        format!("_p{}_{}", self.made.arrays.len() + self.made.references.len() + 1, place.name)
    }

    fn need(&mut self, place: &Place) {
        for need in &place.needs {
            if !self.made.needs.contains(need) {
                self.made.needs.push(need.clone());
            }
        }
    }

    /// The place that an operand names.
    fn place(&self, op: &'a HlfirOp, operand: &str) -> Answer<Place> {
        match self.places.get(base(operand)) {
            Some((place, statement)) if *statement == self.statement => return Ok(place.clone()),
            Some(_) => return unknown(op),
            None => {}
        }
        let (key, variable) = self.variable(op, operand)?;
        if self.written.contains(key) || self.counters.contains(key) {
            return unknown(op);
        }
        Place::of(variable).map_or_else(|| Self::not_scalar(op, variable), Ok)
    }

    /// What a descriptor holds.
    fn same_place(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let (operands, results) = (op.operands(), op.results.as_slice());
        let ([from], [result]) = (operands.as_slice(), results) else { return unknown(op) };
        let place = self.place(op, from)?;
        self.places.insert(result.as_str(), (place, self.statement));
        self.values.remove(result.as_str());
        Ok(())
    }

    fn not_scalar<T>(op: &HlfirOp, variable: &FortranVariable) -> Answer<T> {
        match &variable.kind {
            FortranKind::Other(reason, remedy) => refuse(op, &format!("`{}` {reason}", variable.name), remedy),
            _ => refuse(op, &format!("`{}` is used as a whole", variable.name), "write loops over its elements"),
        }
    }

    fn element(&mut self, place: &Place, array: &FortranArray, all: &[HlfirValue]) -> FoundElement {
        let name = self.array(place, array);
        self.access(&name, place, all.iter().map(|value| value.sum.clone()).collect());
        let (mut text, mut steady) = (c_name(&name), true);
        for (at, value) in all.iter().enumerate().rev() {
            let spelled = value.sum.as_ref().filter(|sum| sum.has_own()).map_or(value.text.clone(), WholeSum::text);
            // Which elements data choose is looked at in C: there, each is one that may be touched.
            if !value.shape.is_affine() {
                self.made.has_computed = true;
            }
            steady &= value.fortran.is_some();
            let subscript = match array.lower[at] {
                Some(0) => format!("[{spelled}]"),
                Some(lower) if lower < 0 => format!("[{spelled} + {}]", lower.unsigned_abs()),
                Some(lower) => format!("[{spelled} - {lower}]"),
                None => format!("[{spelled} - _l{}_{name}]", at + 1),
            };
            text.push_str(&subscript);
        }
        let of = Some((place.clone(), array.clone(), all.to_vec()));
        FoundElement { text, element: array.element, statement: self.statement, steady, writable: true, of }
    }

    /// Notes that another statement names an element.
    fn access_again(&mut self, found: &FoundElement) {
        if let Some((place, array, subscripts)) = found.of.as_ref().filter(|_| found.statement == KEPT) {
            let name = self.array(place, array);
            self.access(&name, place, subscripts.iter().map(|value| value.sum.clone()).collect());
        }
    }

    fn line(&mut self, op: &'a HlfirOp, text: &str) {
        self.made.lines.push((format!("{}{text}", "    ".repeat(self.depth)), op.place.0));
    }
}

/// The name in C: Fortran's, unless it means something else there.
pub fn c_name(name: &str) -> String {
    const TAKEN: &str = "auto break case char const continue default do double else enum extern float for goto if inline int \
        long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while \
        asm typeof unix linux i386 sqrt sqrtf fabs fabsf copysign copysignf main";
    if TAKEN.split_whitespace().any(|word| word == name) { format!("_{name}") } else { name.to_owned() }
}

fn refusal(op: &HlfirOp, reason: &str, remedy: &str) -> FortranRefusal {
    FortranRefusal::new(op.place.0, reason, remedy)
}

fn refuse<T>(op: &HlfirOp, reason: &str, remedy: &str) -> Answer<T> {
    Err(refusal(op, reason, remedy))
}

fn unknown<T>(op: &HlfirOp) -> Answer<T> {
    let (reason, remedy) = match op.name.as_str() {
        "arith.select" => ("a choice between values of different types", "write it as `if (...) then`"),
        "math.fpowi" | "math.ipowi" => {
            ("a power whose exponent is no `integer(4)`, or of an integer by other than 2, 3 or 4", "write products")
        }
        "hlfir.assign" => ("an assignment that is not of one number", "assign single elements of the declared type"),
        "fir.absent" => ("an argument that is left out", "call a function without `optional` arguments"),
        name if name.starts_with("hlfir.") => {
            ("an expression of whole arrays that is not taken", "write loops over its elements")
        }
        name if name.starts_with("cf.") || name == "^" => ("a jump", "write conditions as `if (...) then`"),
        name if name.starts_with("complex.") => ("a complex number", "compute with its parts, which are real"),
        name if name.starts_with("math.") => ("a function that is not taken", "compute it before the region"),
        name if name.starts_with("arith.") => {
            ("an operation on numbers that is not taken", "compute it before the region")
        }
        // The operation's own name would say nothing to the user.
        _ => ("an expression that is not taken", "compute it before the region"),
    };
    refuse(op, reason, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_c_keeps_get_another_beginning() {
        assert_eq!((c_name("u"), c_name("double"), c_name("linux")), ("u".into(), "_double".into(), "_linux".into()));
    }
}
