//! Puts the text of subroutines of the file where a region calls them. Names of values get an ending of their own, local
//! variables become ones of the region's procedure, and arguments are named by operations that flang does not print.

use super::constants::same_constant;
use super::file::FortranFile;
use super::hlfir::{BIND, ENTER, ENTERED, HOLD, HlfirOp, LOCAL, VIEW, base};
use super::passing::difference;
use super::refused::FortranRefusal;
use super::region::constants_of;
use super::types::{Content, Element, Holder, SpelledType};
use super::variables::{Declared, FortranKind, FortranVariable, attribute, is_around, scope_of};
use callee::{Callee, member_of_common, shape_of, unknown_variable, used_in};
use local_arrays::{declaration, local_array, spelling};
use made::{Argument, Made};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use written::WrittenNames;

mod callee;
mod local_arrays;
mod made;
mod written;

/// Calls within calls.
const DEPTH: usize = 8;
/// Operations that calls may add to a region.
const LARGE: usize = 20_000;

const OUTSIDE: &str = "write the subroutine's statements into the loop, or end the region before the call";

type Answer<T> = Result<T, FortranRefusal>;

/// A procedure with the text of subroutines in the place of calls.
pub struct ExpandedProcedure {
    /// The procedure.
    pub function: HlfirOp,
    /// Conditions of Fortran under which constants of the subroutines are those of gfortran.
    pub conditions: Vec<String>,
    /// Variables of modules, of COMMON and of the host that the subroutines name, with the line of the call.
    pub names: BTreeMap<String, u32>,
    /// Procedures of other files: names for the linker, and those that their objects have at the same places.
    pub identities: BTreeSet<(String, String)>,
}

/// Replaces the calls in `lines` of a procedure that declares `root`; `None` if there are none.
pub fn expand<'f>(
    file: &FortranFile<'f>,
    function: &HlfirOp,
    lines: (u32, u32),
    root: &'f Declared<'f>,
    pure: &'f [String],
) -> Answer<Option<ExpandedProcedure>> {
    let here = |op: &HlfirOp| op.is_own && (lines.0..=lines.1).contains(&op.place.0);
    if !function.inner().iter().any(|op| is_subroutine_call(op) && here(op)) {
        return Ok(None);
    }
    let (expanded, inliner) = Inliner::run(file, function, lines, root, pure, None)?;
    let (conditions, names, identities) = (inliner.conditions, inliner.names, inliner.identities);
    Ok(Some(ExpandedProcedure { function: expanded, conditions, names, identities }))
}

/// A procedure in which calls elsewhere than in a region are replaced as well, where that is possible: only to see what the
/// procedure does.
pub fn expand_others<'f>(
    file: &FortranFile<'f>,
    function: &HlfirOp,
    root: &'f Declared<'f>,
    pure: &'f [String],
) -> HlfirOp {
    let made = Inliner::run(file, function, (0, u32::MAX), root, pure, Some("o"));
    made.map_or_else(|_| function.clone(), |(expanded, _)| expanded)
}

/// Whether an operation is a call without a result, and none of Fortran's library.
fn is_subroutine_call(op: &HlfirOp) -> bool {
    op.name == "fir.call" && op.results.is_empty() && !op.text.starts_with("@_FortranA")
}

struct Inliner<'f> {
    /// The file whose text is looked at.
    file: FortranFile<'f>,
    /// What the region's procedure declares, and the scope of its own variables.
    root: &'f Declared<'f>,
    scope: String,
    pure: &'f [String],
    lines: (u32, u32),
    /// The begin of endings of names, where calls that are not taken stay.
    others: Option<&'static str>,
    /// Calls that were replaced, and operations that stand in their places.
    number: usize,
    added: usize,
    /// Declarations of local variables of subroutines, and their types by the names of the results.
    hoisted: Vec<HlfirOp>,
    scalars: BTreeMap<String, Element>,
    /// The same for arrays: the types of their elements, and the names that the user gave them.
    arrays: BTreeMap<String, (Element, String)>,
    /// Operations up to here, without their regions.
    defined: HashMap<String, HlfirOp>,
    /// Variables of subroutines that are not taken: a reason and a remedy.
    unknown: HashMap<String, (String, &'static str)>,
    /// Results of `hlfir.copy_in` whose copies are not made.
    copies: BTreeSet<String>,
    callers: Vec<String>,
    conditions: Vec<String>,
    names: BTreeMap<String, u32>,
    identities: BTreeSet<(String, String)>,
}

impl<'f> Inliner<'f> {
    /// Replaces the calls in lines of a procedure. With an ending of names of its own, calls that are not taken stay.
    fn run(
        file: &FortranFile<'f>,
        function: &HlfirOp,
        lines: (u32, u32),
        root: &'f Declared<'f>,
        pure: &'f [String],
        others: Option<&'static str>,
    ) -> Answer<(HlfirOp, Inliner<'f>)> {
        let mut inliner = Inliner {
            file: file.clone(),
            root,
            scope: scope_of(&function.text),
            pure,
            lines,
            others,
            number: 0,
            added: 0,
            hoisted: Vec::new(),
            scalars: BTreeMap::new(),
            arrays: BTreeMap::new(),
            defined: HashMap::new(),
            unknown: HashMap::new(),
            copies: BTreeSet::new(),
            callers: Vec::new(),
            conditions: Vec::new(),
            names: BTreeMap::new(),
            identities: BTreeSet::new(),
        };
        let mut expanded = function.clone();
        for region in &mut expanded.regions {
            *region = inliner.block(std::mem::take(region))?;
        }
        if let Some(first) = expanded.regions.first_mut() {
            first.splice(0..0, std::mem::take(&mut inliner.hoisted));
        }
        Ok((expanded, inliner))
    }

    fn block(&mut self, ops: Vec<HlfirOp>) -> Answer<Vec<HlfirOp>> {
        let mut out: Vec<HlfirOp> = Vec::new();
        for mut op in ops {
            let here = op.is_own && (self.lines.0..=self.lines.1).contains(&op.place.0);
            if here && is_subroutine_call(&op) {
                let name = self.file.spoken(symbol_of(&op));
                let made = self.call(&op).map_err(|why| why.of_call(op.place.0, &name, OUTSIDE));
                if made.is_err() && self.others.is_some() {
                    out.push(op);
                    continue;
                }
                let (body, unused) = made?;
                out.retain(|op| !op.results.iter().any(|result| unused.contains(result)) || !prepares(op));
                out.extend(body);
                continue;
            }
            let of_copy = |operand: &&str| self.copies.contains(base(operand));
            if here && op.name == "hlfir.copy_out" && op.operands().iter().any(of_copy) {
                continue;
            }
            self.define(std::slice::from_ref(&op));
            for region in &mut op.regions {
                *region = self.block(std::mem::take(region))?;
            }
            out.push(op);
        }
        Ok(out)
    }

    /// The operations that stand for a call, and the results of those before it that are not needed any more.
    fn call(&mut self, op: &HlfirOp) -> Answer<(Vec<HlfirOp>, BTreeSet<String>)> {
        let bad = |reason: &str| Err(FortranRefusal::new(op.place.0, reason, OUTSIDE));
        let Some(symbol) = attribute(&op.text, "@", '(') else {
            return bad("which procedure is called shows only when the program runs");
        };
        if !symbol.starts_with("_Q") {
            return bad("it has `bind(c)`");
        }
        let found = match self.file.find(symbol) {
            Ok(found) => found,
            Err(Some((reason, remedy))) => return Err(FortranRefusal::new(op.place.0, &reason, &remedy)),
            Err(None) => return bad("its text is not in this file"),
        };
        if self.callers.iter().any(|caller| caller == symbol) {
            return bad("it calls itself");
        }
        if self.callers.len() >= DEPTH {
            return bad("there are too many calls within calls");
        }
        if let Some(identity) = found.identity {
            if let Some(why) = difference(op, found.procedure) {
                return bad(&why);
            }
            self.identities.insert(identity);
        }
        let around = std::mem::replace(&mut self.file, found.file);
        let made = self.inlined(op, symbol, found.procedure);
        self.file = around;
        made
    }

    /// The same with a procedure of the file that is looked at.
    fn inlined(
        &mut self,
        op: &HlfirOp,
        symbol: &str,
        procedure: &'f HlfirOp,
    ) -> Answer<(Vec<HlfirOp>, BTreeSet<String>)> {
        let bad = |reason: &str| Err(FortranRefusal::new(op.place.0, reason, OUTSIDE));
        let callee = self.callee(procedure)?;
        self.number += 1;
        let mut made = Made {
            ending: format!("{}{}", self.others.unwrap_or("k"), self.number),
            names: HashMap::new(),
            unknown: HashMap::new(),
            arguments: Vec::new(),
            local_arrays: Vec::new(),
            whole: Vec::new(),
        };
        self.variables(op, &callee, &mut made);
        let unused = self.arguments(op, &callee, &mut made)?;
        self.unknown.extend(made.unknown.iter().map(|(name, why)| (name.clone(), why.clone())));
        self.callers.push(symbol.to_owned());
        let body: Vec<HlfirOp> = callee.body.iter().map(|one| made.renamed(one, op, &callee.name)).collect();
        let body = self.block(body);
        self.callers.pop();
        let body = body?;
        uses_only_known(&made, &body)?;
        self.added += body.iter().map(|one| 1 + one.inner().len()).sum::<usize>();
        if self.added > LARGE {
            return bad("the calls make the region too large");
        }
        let begin = self.begin(op, &callee, &made, &body)?;
        Ok((begin.into_iter().chain(body).collect(), unused))
    }

    /// Takes a subroutine apart.
    fn callee(&mut self, procedure: &'f HlfirOp) -> Answer<Callee<'f>> {
        let line = procedure.place.0;
        let bad = |reason: &str| Err(FortranRefusal::new(line, reason, OUTSIDE));
        let name = self.file.spoken(attribute(&procedure.text, "@", '(').unwrap_or_default());
        let mut declared = Declared::read(procedure, self.file.all, self.file.modules);
        // What the region's procedure declares as well is known there, but for values of constants.
        let is_constant = |own: &FortranVariable| matches!(own.kind, FortranKind::Constant { .. });
        let known: Vec<(&str, FortranKind)> = declared
            .variables
            .iter()
            .filter(|(_, own)| !is_constant(own))
            .filter_map(|(key, own)| Some((*key, self.same_variable(&declared, key, own)?.1.kind.clone())))
            .collect();
        for (key, kind) in known {
            declared.variables.entry(key).and_modify(|variable| variable.kind = kind);
        }
        for constant in constants_of(&self.file, procedure, &declared, self.pure)? {
            self.conditions.extend(same_constant(self.root, &declared, constant, procedure)?);
        }
        let [block] = procedure.regions.as_slice() else { return bad("it has no body") };
        let [before @ .., end] = block.as_slice() else { return bad("it has no body") };
        // A `return` at the end is a jump to there.
        let before = match before {
            [before @ .., jump, label] if jump.name == "cf.br" && label.name == "^" => before,
            before => before,
        };
        let is_jump = |op: &HlfirOp| op.name == "^" || op.name.starts_with("cf.") || op.name == "fir.unreachable";
        if let Some(jump) = before.iter().find(|op| is_jump(op)) {
            return Err(FortranRefusal::new(jump.place.0, "a jump", "write conditions as `if (...) then`"));
        }
        if end.name != "return" {
            return bad("it has alternate returns");
        }
        let first = before.iter().rposition(|op| ["hlfir.declare", "fir.alloca"].contains(&op.name.as_str()));
        let (entry, body) = before.split_at(first.map_or(0, |at| at + 1));
        Ok(Callee { name, declared, entry, body })
    }

    /// The variable of the region's procedure that one of a subroutine is.
    fn same_variable<'s>(
        &'s self,
        of: &Declared,
        key: &str,
        own: &FortranVariable,
    ) -> Option<(&'s str, &'s FortranVariable)> {
        let declare = of.definitions.get(key)?;
        if declare.operands().first()?.starts_with("%arg") {
            return None;
        }
        let unique = |op: &HlfirOp| attribute(&op.text, "uniq_name = \"", '"').map(str::to_owned);
        let (name, member) = (unique(declare)?, member_of_common(of, declare));
        let mut all = self.root.variables.iter();
        let found = all.find(|(key, variable)| {
            let Some(other) = self.root.definitions.get(*key) else { return false };
            match &member {
                Some(member) => {
                    member_of_common(self.root, other).as_ref() == Some(member) && variable.kind == own.kind
                }
                None => unique(other).as_ref() == Some(&name),
            }
        });
        found.map(|(key, variable)| (*key, variable))
    }

    /// Says what the variables of a subroutine are that are no arguments.
    fn variables(&mut self, call: &HlfirOp, callee: &Callee, made: &mut Made) {
        let used = used_in(callee);
        for (key, own) in callee.declared.variables.iter().filter(|(key, _)| used.contains(*key)) {
            let Some(declare) = callee.declared.definitions.get(key) else { continue };
            let from = declare.operands().first().copied().unwrap_or_default();
            if from.starts_with("%arg") || matches!(own.kind, FortranKind::Constant { .. }) {
                continue;
            }
            if let Some((root, variable)) = self.same_variable(&callee.declared, key, own) {
                let (root, name) = (root.to_owned(), variable.name.clone());
                // An `associate` declares a name in the same scope.
                let hides = self.root.variables.iter().any(|(key, other)| other.name == name && *key != root)
                    || self.root.hidden.values().any(|hidden| *hidden == name);
                if hides {
                    made.unknown.insert(made.own(key), means_else(&name));
                    continue;
                }
                made.names.insert((*key).to_owned(), root.clone());
                made.whole.push((root, name));
                continue;
            }
            if is_around(&own.scope, &self.scope) && self.root.variables.values().any(|other| other.name == own.name) {
                made.unknown.insert(made.own(key), means_else(&own.name));
                continue;
            }
            match &own.kind {
                FortranKind::Scalar { element, private: true, .. } => {
                    let name = made.own(key);
                    self.hoist(call, &name, &own.name, *element, made);
                }
                kind => match local_array(callee, declare, kind) {
                    Some(array) => {
                        let name = made.own(key);
                        self.hoisted.extend(declaration(&name, &self.unique(made, &own.name), array));
                        self.arrays.insert(name.clone(), (array.element, own.name.clone()));
                        made.local_arrays.push(name);
                    }
                    None => _ = made.unknown.insert(made.own(key), unknown_variable(callee, own, kind)),
                },
            }
        }
    }

    /// Flang's name for a local variable of a subroutine, as one of the region's procedure.
    fn unique(&self, made: &Made, own: &str) -> String {
        format!("{}E_c{}_{own}", self.scope, &made.ending[1..])
    }

    /// Declares a scalar in the region's procedure, as `name`.
    fn hoist(&mut self, call: &HlfirOp, name: &str, own: &str, element: Element, made: &Made) {
        let (spelling, unique) = (spelling(element), self.unique(made, own));
        let put = |op: &str, result: &str, text: String| HlfirOp {
            name: op.to_owned(),
            results: vec![result.to_owned()],
            text,
            is_own: call.is_own,
            ..HlfirOp::default()
        };
        let storage = format!("{name}m");
        self.hoisted.push(put("fir.alloca", &storage, format!("{spelling} {{uniq_name = \"{unique}\"}}")));
        let reference = format!("!fir.ref<{spelling}>");
        let text = format!("{storage} {{uniq_name = \"{unique}\"}} : ({reference}) -> ({reference}, {reference})");
        self.hoisted.push(put("hlfir.declare", name, text));
        self.scalars.insert(name.to_owned(), element);
    }

    /// Says what the arguments are; gives the results of operations that only pass them.
    fn arguments(&mut self, call: &HlfirOp, callee: &Callee, made: &mut Made) -> Answer<BTreeSet<String>> {
        let (actuals, mut unused) = (call.operands(), BTreeSet::new());
        let mut keys: Vec<(&str, usize)> = Vec::new();
        for key in callee.declared.variables.keys() {
            let from = callee.declared.definitions.get(key).and_then(|op| op.operands().first().copied());
            if let Some(number) = from.and_then(|from| from.strip_prefix("%arg")?.parse().ok()) {
                keys.push((key, number));
            }
        }
        keys.sort_by_key(|(_, number)| *number);
        for (key, number) in keys {
            let own = &callee.declared.variables[key];
            let Some(actual) = actuals.get(number) else {
                return Err(FortranRefusal::new(call.place.0, "its arguments are not recognised", OUTSIDE));
            };
            let declare = callee.declared.definitions[key];
            let attributes = attribute(&declare.text, "var_attrs<", '>').unwrap_or_default();
            let is = |word: &str| attributes.split(", ").any(|one| one == word);
            let refused = ["value", "optional", "allocatable", "pointer", "volatile", "asynchronous"];
            if let Some(word) = refused.into_iter().find(|word| is(word)) {
                let reason = format!("its argument `{}` has the attribute `{word}`", own.name);
                return Err(FortranRefusal::new(
                    call.place.0,
                    &reason,
                    &format!("declare the argument without `{word}`"),
                ));
            }
            match &own.kind {
                FortranKind::Scalar { element, .. } => {
                    self.number(call, actual, (key, declare), own, *element, made)?;
                }
                FortranKind::Array(array) if matches!(array.holder, Holder::Itself | Holder::AssumedShape) => {
                    let as_shape = array.holder == Holder::AssumedShape;
                    let actual = self.passed(actual, &mut unused);
                    if let Some((reason, remedy)) = self.unknown.get(&actual) {
                        return Err(FortranRefusal::new(call.place.0, reason, remedy));
                    }
                    if self.content(&actual) != Some(Content::Number(array.element)) {
                        return Err(other_type(call, own));
                    }
                    self.define_argument(&made.own(key), VIEW, &actual);
                    let (lower, extents) = shape_of(callee, declare, array.extents.len(), made);
                    made.arguments.push((made.own(key), Argument::Array { actual, as_shape, lower, extents }));
                }
                kind => {
                    let why = if let FortranKind::Other(reason, _) = kind {
                        reason.as_str()
                    } else {
                        "is no number and no array of numbers"
                    };
                    made.unknown.insert(made.own(key), (format!("its argument `{}` {why}", own.name), OUTSIDE));
                }
            }
        }
        self.copies.extend(unused.iter().cloned());
        Ok(unused)
    }

    /// A scalar argument.
    fn number(
        &mut self,
        call: &HlfirOp,
        actual: &str,
        (key, declare): (&str, &HlfirOp),
        own: &FortranVariable,
        element: Element,
        made: &mut Made,
    ) -> Answer<()> {
        let actual = base(actual);
        let is_scalar = |variable: &FortranVariable| matches!(variable.kind, FortranKind::Scalar { element: e, .. } if e == element);
        if let Some(variable) = self.root.variables.get(actual) {
            if !is_scalar(variable) {
                return Err(other_type(call, own));
            }
            made.names.insert(key.to_owned(), actual.to_owned());
            made.whole.push((actual.to_owned(), variable.name.clone()));
            return Ok(());
        }
        if let Some(known) = self.scalars.get(actual) {
            if *known != element {
                return Err(other_type(call, own));
            }
            made.names.insert(key.to_owned(), actual.to_owned());
            made.whole.push((actual.to_owned(), own.name.clone()));
            return Ok(());
        }
        let argument = match self.defined.get(actual).map_or("", |op| op.name.as_str()) {
            "hlfir.designate" | BIND => Argument::Element(actual.to_owned()),
            "hlfir.associate" if element.is_whole() => Argument::Value(actual.to_owned()),
            "hlfir.associate" => Argument::Copy(actual.to_owned()),
            _ => {
                let reason = format!("what is passed as `{}` is not taken", own.name);
                return Err(FortranRefusal::new(
                    call.place.0,
                    &reason,
                    "pass variables, elements and expressions of numbers",
                ));
            }
        };
        let stored = match self.content(actual) {
            Some(Content::Number(of)) if of.is_logical() => {
                let kind = format!("!fir.logical<{}>", of.bytes());
                declare.types().contains(&kind).then_some(of.value())
            }
            Some(Content::Number(of)) => Some(of),
            _ => None,
        };
        if stored != Some(element) {
            return Err(other_type(call, own));
        }
        let dummy = made.own(key);
        if let Argument::Copy(_) = argument {
            self.hoist(call, &dummy, &own.name, element, made);
        } else {
            self.define_argument(&dummy, BIND, actual);
        }
        made.arguments.push((dummy, argument));
        Ok(())
    }

    /// Makes the name of an argument known to calls in the subroutine.
    fn define_argument(&mut self, dummy: &str, name: &str, actual: &str) {
        let text = format!("{actual} : {}", self.type_of(actual));
        let op = HlfirOp { name: name.to_owned(), results: vec![dummy.to_owned()], text, ..HlfirOp::default() };
        self.define(&[op]);
    }

    /// What is passed, behind operations that give it another type; those are not needed any more.
    fn passed(&self, actual: &str, unused: &mut BTreeSet<String>) -> String {
        let mut at = base(actual).to_owned();
        while let Some(op) = self.defined.get(&at).filter(|op| prepares(op)) {
            unused.insert(at.clone());
            let Some(from) = op.operands().first().map(|from| base(from).to_owned()) else { break };
            at = from;
        }
        at
    }

    /// What the elements of a value are.
    fn content(&self, name: &str) -> Option<Content> {
        if let Some(variable) = self.root.variables.get(name) {
            return match &variable.kind {
                FortranKind::Array(array) => Some(Content::Number(array.element)),
                _ => None,
            };
        }
        if let Some(element) = self.scalars.get(name) {
            return Some(Content::Number(*element));
        }
        if let Some((element, _)) = self.arrays.get(name) {
            return Some(Content::Number(*element));
        }
        let op = self.defined.get(name)?;
        let (_, made) = op.text.rsplit_once("-> ").or_else(|| op.text.rsplit_once(" : "))?;
        let made = made.trim_start_matches('(');
        if op.name == "hlfir.associate" && made.starts_with("!fir.ref<!fir.logical<") {
            return Some(Content::Number(Element::Condition));
        }
        SpelledType::read(made).map(|spelled| spelled.content)
    }

    /// What stands before the text of a subroutine: its arguments, and what it computes of them when it is entered.
    fn begin(&mut self, call: &HlfirOp, callee: &Callee, made: &Made, body: &[HlfirOp]) -> Answer<Vec<HlfirOp>> {
        let put = |name: &str, result: Option<&str>, text: String| HlfirOp {
            name: name.to_owned(),
            results: result.map(str::to_owned).into_iter().collect(),
            text,
            inlined: Some((callee.name.clone(), call.place.0)),
            ..call.clone()
        };
        let entry = needed(made, callee, body);
        let mut written = WrittenNames::default();
        written.gather(body, |name| self.is_scalar(name));
        let bad = |reason: String, remedy: &str| Err(FortranRefusal::new(call.place.0, &reason, remedy));
        for (at, (key, name)) in made.whole.iter().enumerate() {
            let again = made.whole[..at].iter().any(|(other, _)| other == key);
            if again && (written.names.contains(key) || written.arrays.contains(key)) {
                let remedy = "pass a copy of one of them";
                return bad(
                    format!("`{name}` is passed twice, or passed and used by itself, and it is written"),
                    remedy,
                );
            }
            self.names.entry(name.clone()).or_insert(call.place.0);
        }
        self.arrays_are_apart(call, made, &written)?;
        let (mut bound, mut copied, mut views) = (Vec::new(), Vec::new(), Vec::new());
        for (dummy, argument) in &made.arguments {
            match argument {
                Argument::Element(actual) => {
                    if self.changes(actual, &written) {
                        let remedy = "copy the subscript to another variable before the call";
                        return bad("it changes a subscript of an element that is passed to it".to_owned(), remedy);
                    }
                    bound.push(put(BIND, Some(dummy), format!("{actual} : {}", self.type_of(actual))));
                }
                Argument::Value(_) | Argument::Copy(_) if written.arrays.contains(dummy) => {
                    return bad("an expression is passed as an argument that it writes".to_owned(), "pass a variable");
                }
                Argument::Value(actual) => {
                    if self.changes(actual, &written) {
                        let remedy = "copy the value to another variable before the call";
                        return bad("it changes a variable of an expression that is passed to it".to_owned(), remedy);
                    }
                    bound.push(put(BIND, Some(dummy), format!("{actual} : {}", self.type_of(actual))));
                }
                Argument::Copy(actual) => {
                    let (held, spelling) = (format!("{dummy}t"), self.type_of(actual));
                    bound.push(put(BIND, Some(&held), format!("{actual} : {spelling}")));
                    copied.push(put("hlfir.assign", None, format!("{held} to {dummy}#0 : {spelling}, {spelling}")));
                }
                Argument::Array { actual, as_shape, lower, extents } => {
                    if self.changes(actual, &written) {
                        let remedy = "copy the subscript to another variable before the call";
                        return bad("it changes a subscript of an array that is passed to it".to_owned(), remedy);
                    }
                    let held = format!("{dummy}h");
                    bound.push(put(HOLD, Some(&held), actual.clone()));
                    let kind = if *as_shape { "as_shape" } else { "as_sequence" };
                    let spelling = self.type_of(actual);
                    let text = format!("{held} {kind} ({}) ({}) : {spelling}", lower.join(", "), extents.join(", "));
                    views.push(put(VIEW, Some(dummy), text));
                }
            }
        }
        self.define(&bound);
        let entry: Vec<HlfirOp> = entry.into_iter().map(|one| made.renamed(one, call, &callee.name)).collect();
        if entry.iter().any(|one| one.name == "fir.load" && self.reads_written(one, &written)) {
            return bad(
                "it changes a bound of an array that is passed to it".to_owned(),
                "copy the bound to a local variable in it",
            );
        }
        let locals = made.local_arrays.iter().map(|array| put(LOCAL, None, array.clone()));
        let all = locals.chain(bound).chain(copied).chain([put(ENTER, None, String::new())]);
        let all: Vec<HlfirOp> = all.chain(entry).chain(views).chain([put(ENTERED, None, String::new())]).collect();
        self.define(&all);
        Ok(all)
    }

    fn define(&mut self, ops: &[HlfirOp]) {
        for op in ops {
            for result in &op.results {
                self.defined.insert(result.clone(), HlfirOp { regions: Vec::new(), ..op.clone() });
            }
        }
    }

    /// Refuses an array that two names have, if it is written.
    fn arrays_are_apart(&self, call: &HlfirOp, made: &Made, written: &WrittenNames) -> Answer<()> {
        for (at, (dummy, argument)) in made.arguments.iter().enumerate() {
            let Argument::Array { actual, .. } = argument else { continue };
            let of_root = self.root.variables.get(actual.as_str()).map(|variable| &variable.name);
            let Some(name) = of_root.or(self.arrays.get(actual).map(|(_, name)| name)) else { continue };
            let others = made.arguments[..at].iter().filter_map(|(other, argument)| match argument {
                Argument::Array { actual: same, .. } if same == actual => Some(other),
                _ => None,
            });
            let others: Vec<&String> =
                others.chain(made.whole.iter().map(|(key, _)| key).filter(|key| *key == actual)).collect();
            if !others.is_empty() && others.into_iter().chain([dummy]).any(|name| written.arrays.contains(name)) {
                let reason = format!("`{name}` is passed twice, or passed and used by itself, and it is written");
                return Err(FortranRefusal::new(call.place.0, &reason, "pass a copy of one of them"));
            }
        }
        Ok(())
    }

    /// The type of a reference to elements of a value.
    fn type_of(&self, name: &str) -> String {
        let element = match self.content(name) {
            Some(Content::Number(element)) => element,
            _ => Element::F64,
        };
        format!("!fir.ref<{}>", spelling(element))
    }

    /// Whether what a value is computed from is written.
    fn changes(&self, name: &str, written: &WrittenNames) -> bool {
        let (mut waiting, mut seen) = (vec![name.to_owned()], BTreeSet::new());
        while let Some(name) = waiting.pop() {
            let Some(op) = self.defined.get(&name).filter(|_| seen.insert(name.clone())) else { continue };
            if self.root.variables.contains_key(name.as_str()) {
                continue;
            }
            if op.name == "fir.load" && self.reads_written(op, written) || self.call_reads_written(op, written) {
                return true;
            }
            waiting.extend(op.operands().iter().map(|operand| base(operand).to_owned()));
        }
        false
    }

    /// Whether a name is that of a variable of the region's procedure, or of a local one of a subroutine.
    fn is_scalar(&self, name: &str) -> bool {
        let of_root = self.root.variables.get(name);
        self.scalars.contains_key(name) || of_root.is_some_and(|v| matches!(v.kind, FortranKind::Scalar { .. }))
    }

    /// Whether a function takes, by its address, a variable that is written, or an element of a type of which some are.
    fn call_reads_written(&self, op: &HlfirOp, written: &WrittenNames) -> bool {
        let reads = |operand: &&str| {
            let from = base(operand);
            if self.is_scalar(from) {
                return written.names.contains(from);
            }
            let place = self.defined.get(from).filter(|op| op.name == "hlfir.designate");
            let element = place.and_then(|op| op.types().rsplit_once("!fir.ref<")?.1.strip_suffix('>'));
            match self.defined.get(from).map(|op| op.name.as_str()) {
                // What is computed before the call.
                Some("hlfir.associate") => false,
                Some(_) => written.may_be(element.unwrap_or_default()),
                None => true,
            }
        };
        op.name.starts_with("fir.call") && op.operands().iter().any(reads)
    }

    /// Whether a load reads a variable that is written, or an element of a type of which some are.
    fn reads_written(&self, load: &HlfirOp, written: &WrittenNames) -> bool {
        let operands = load.operands();
        let Some(from) = operands.first().map(|from| base(from)) else { return true };
        if self.is_scalar(from) {
            return written.names.contains(from);
        }
        // A value that is an argument was computed before.
        let bound = self.defined.get(from).filter(|op| op.name == BIND).map(|op| op.operands()[0].to_owned());
        if bound.and_then(|bound| self.defined.get(&bound)).is_some_and(|op| op.name == "hlfir.associate") {
            return false;
        }
        let element = load.types().strip_prefix("!fir.ref<").and_then(|rest| rest.strip_suffix('>'));
        // No statement that is taken changes a descriptor.
        let is_descriptor = element.is_some_and(|element| element.starts_with("!fir.box<"));
        !is_descriptor && written.may_be(element.unwrap_or_default())
    }
}

/// Operations that give an argument another type.
fn prepares(op: &HlfirOp) -> bool {
    match op.name.as_str() {
        "fir.embox" | "fir.rebox" | "hlfir.copy_in" | "fir.box_addr" => true,
        "fir.convert" => op.types().starts_with("(!fir."),
        _ => false,
    }
}

/// The operations of the entry whose results are used.
fn needed<'c>(made: &Made, callee: &Callee<'c>, body: &[HlfirOp]) -> Vec<&'c HlfirOp> {
    let mut used: BTreeSet<String> = BTreeSet::new();
    for op in body.iter().flat_map(|op| std::iter::once(op).chain(op.inner())) {
        used.extend(op.operands().iter().map(|operand| base(operand).to_owned()));
        used.extend(op.text.split(['%']).skip(1).map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_-$.".contains(c)).unwrap_or(rest.len());
            format!("%{}", &rest[..end])
        }));
    }
    for (_, argument) in &made.arguments {
        if let Argument::Array { lower, extents, .. } = argument {
            used.extend(lower.iter().chain(extents).cloned());
        }
    }
    let mut all = Vec::new();
    for op in callee.entry.iter().rev() {
        let declares = ["hlfir.declare", "fir.alloca", "fir.dummy_scope"].contains(&op.name.as_str());
        if !declares && op.results.iter().any(|result| used.contains(&made.own(result))) {
            used.extend(op.operands().iter().map(|operand| made.own(base(operand))));
            all.push(op);
        }
    }
    all.reverse();
    all
}

/// Refuses a subroutine that uses a variable which is not taken.
fn uses_only_known(made: &Made, body: &[HlfirOp]) -> Answer<()> {
    for op in body.iter().flat_map(|op| std::iter::once(op).chain(op.inner())) {
        if let Some((reason, remedy)) = op.operands().iter().find_map(|operand| made.unknown.get(base(operand))) {
            let line = op.inlined.as_ref().map_or(op.place.0, |(_, line)| *line);
            return Err(FortranRefusal::new(line, reason, remedy));
        }
    }
    Ok(())
}

fn other_type(call: &HlfirOp, own: &FortranVariable) -> FortranRefusal {
    let reason = format!("what is passed as `{}` has another type, or is no such variable or array", own.name);
    FortranRefusal::new(call.place.0, &reason, "pass a variable of the declared type")
}

/// Flang's name of the procedure that is called.
fn symbol_of(call: &HlfirOp) -> &str {
    attribute(&call.text, "@", '(').unwrap_or("a procedure")
}

/// Why a name of a subroutine cannot stand in the region.
fn means_else(name: &str) -> (String, &'static str) {
    let reason = format!("it uses `{name}`, a name that means something else in the region's procedure");
    (reason, "give one of the two another name")
}
