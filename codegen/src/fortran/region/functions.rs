//! Calls of functions of the file. A function of numbers becomes a function of C: what its text does is then known, and
//! it has no effect, as it has only its arguments and local variables.

use super::numeric::KNOWN_POWER;
use super::{Answer, TranslatedFunction, TranslatedRegion, Translator, c_name, call_arguments, refuse, unknown};
use crate::fortran::clauses::FortranClauses;
use crate::fortran::constants::{self, NamedConstant, named_constants, same_constant};
use crate::fortran::file::FortranFile;
use crate::fortran::hlfir::{HlfirOp, base};
use crate::fortran::passing::difference;
use crate::fortran::refused::FortranRefusal;
use crate::fortran::values::{HlfirValue, ValueShape};
use crate::fortran::variables::{Declared, FortranKind, FortranVariable, attribute};
use crate::fortran::words::loops_begun;
use std::collections::BTreeMap;

/// A function of which only the head was read.
struct FunctionHead<'a> {
    parameters: Vec<&'a FortranVariable>,
    ops: Vec<&'a HlfirOp>,
    /// The variable that holds the result.
    result: &'a str,
}

const OUTSIDE: &str = "compute it before the region, or write the function's statements into the loop";

impl<'a> Translator<'a> {
    /// `hlfir.associate`: a value that is an argument.
    pub(super) fn argument(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let operands = op.operands();
        let ([value], true) = (operands.as_slice(), op.text.contains("{adapt.valuebyref}")) else {
            return unknown(op);
        };
        let value = self.operand(op, value)?;
        self.keep(op, value)
    }

    /// A call of a function of numbers.
    pub(super) fn call(&mut self, op: &'a HlfirOp) -> Answer<()> {
        if let Some(value) = self.numeric(op)? {
            return self.keep(op, HlfirValue { reads: true, varies: true, ..value });
        }
        let symbol = attribute(&op.text, "@", '(').unwrap_or_default();
        let name = self.file.functions.name_of(symbol).to_owned();
        self.made.called.insert(name.clone());
        let is_pure = self.is_declared_pure(&name);
        if let Some(why) = call_arguments::of_arguments(op).filter(|_| !is_pure) {
            return Err(why);
        }
        // A text that is seen is better than a promise: it stands where the function is called.
        if is_pure {
            let before = (self.made.functions.clone(), self.made.externals.clone(), self.made.identities.clone());
            if call_arguments::of_arguments(op).is_none() && self.function(op, symbol).is_ok() {
                return self.known_call(op, symbol);
            }
            (self.made.functions, self.made.externals, self.made.identities) = before;
            return self.external_call(op, symbol);
        }
        if !symbol.starts_with("_Q") || symbol.starts_with("_QQ") {
            return refuse(op, "a call of a function that is not taken", "compute it before the region");
        }
        self.known_call(op, symbol)
    }

    /// A call of a function whose text is in the file.
    fn known_call(&mut self, op: &'a HlfirOp, symbol: &str) -> Answer<()> {
        let called = self.file.spoken(symbol);
        if let Some(found) = self.file.find(symbol).ok().filter(|found| found.identity.is_some())
            && let Some(why) = difference(op, found.procedure)
        {
            return Err(FortranRefusal::new(op.place.0, &why, OUTSIDE).of_call(op.place.0, &called, OUTSIDE));
        }
        let function = self.function(op, symbol).map_err(|why| why.of_call(op.place.0, &called, OUTSIDE))?;
        let operands = op.operands();
        if operands.len() != function.parameters.len() {
            return unknown(op);
        }
        let (mut arguments, mut varies) = (Vec::new(), false);
        for (operand, (_, element)) in operands.iter().zip(&function.parameters) {
            let is_value = self.values.get(base(operand)).is_some_and(|value| value.statement == self.statement);
            let value = if is_value { self.operand(op, operand)? } else { self.read(op, operand)? };
            if value.element != *element {
                return refuse(op, &format!("an argument of `{called}` has another type"), OUTSIDE);
            }
            if function.has_power && !element.is_whole() && !value.varies {
                let remedy = "write `pure(pow)` in the mark, if its last bits may differ";
                let reason = format!("`{called}` has a power or `abs` of a complex number, and {KNOWN_POWER}");
                return refuse(op, &reason, remedy);
            }
            varies |= value.varies;
            arguments.push(value.whole_text());
        }
        let text = format!("{}({})", function.name, arguments.join(", "));
        let value = HlfirValue::of(text, function.element, ValueShape::Other("a call of a function"));
        // Compilers write its text for the call: of constants they know the result.
        self.keep(op, HlfirValue { reads: true, varies, ..value })
    }

    /// The function of C for a function of the file.
    fn function(&mut self, op: &'a HlfirOp, symbol: &str) -> Answer<TranslatedFunction> {
        if let Some(known) = self.made.functions.iter().find(|known| known.symbol == symbol) {
            return Ok(known.clone());
        }
        let refuse = |reason: &str| Err(FortranRefusal::new(op.place.0, reason, OUTSIDE));
        if self.callers.iter().any(|caller| caller == symbol) {
            return refuse("it calls itself");
        }
        let found = match self.file.find(symbol) {
            Ok(found) => found,
            Err(why) => {
                let name = self.file.functions.name_of(symbol);
                let pure = format!(
                    "write `pure({name})` in the mark, if it only computes a value from its arguments and from what the region leaves as it is"
                );
                let (reason, remedy) = why.unwrap_or(("its text is in another file".to_owned(), String::new()));
                let remedy = if remedy.is_empty() { pure } else { format!("{remedy}; or {pure}") };
                return Err(FortranRefusal::new(op.place.0, &reason, &remedy));
            }
        };
        let (file, procedure) = (&found.file, found.procedure);
        self.made.identities.extend(found.identity);
        let declared = Declared::read(procedure, file.all, file.modules);
        let constants = constants_of(file, procedure, &declared, &self.clauses.pure)?;
        let conditions =
            constants.into_iter().map(|constant| same_constant(self.of_region, &declared, constant, procedure));
        let conditions = conditions.collect::<Answer<Vec<_>>>()?.concat();
        let head = head_of(procedure, &declared)?;
        writes_only_locals(&head, &declared)?;
        let clauses = FortranClauses { pure: self.clauses.pure.clone(), ..FortranClauses::default() };
        let mut inner = Translator::new(file, &declared, &clauses, &head.ops);
        inner.made.functions = std::mem::take(&mut self.made.functions);
        inner.made.externals = std::mem::take(&mut self.made.externals);
        inner.made.identities = std::mem::take(&mut self.made.identities);
        inner.made.numeric = std::mem::take(&mut self.made.numeric);
        inner.callers.clone_from(&self.callers);
        inner.callers.push(symbol.to_owned());
        inner.of_region = self.of_region;
        let defined = inner.block(&head.ops)?;
        if !defined.contains(&head.result) {
            return refuse("not every path through it sets the result");
        }
        let made = std::mem::take(&mut inner.made);
        let name = format!("_f{}_{}", made.functions.len() + 1, symbol.rsplit_once('P').map_or("f", |(_, name)| name));
        let function = finished(symbol, name, &head, &declared, &made, conditions)?;
        self.made.functions = made.functions;
        self.made.externals = made.externals;
        self.made.identities = made.identities;
        self.made.numeric = made.numeric;
        self.made.called.extend(made.called);
        self.made.has_power |= made.has_power;
        self.made.functions.push(function.clone());
        Ok(function)
    }
}

/// Operations that act.
const ACTS: [&str; 6] = ["hlfir.assign", "fir.do_loop", "fir.if", "fir.call", "fir.store", "hlfir.where"];

/// Checks the words of a procedure; gives the constants that it names.
pub fn constants_of(
    file: &FortranFile,
    procedure: &HlfirOp,
    declared: &Declared,
    pure: &[String],
) -> Answer<Vec<NamedConstant>> {
    let actions = file.actions(procedure)?;
    if procedure.inner().iter().any(|op| !op.is_own && ACTS.contains(&op.name.as_str())) {
        return Err(FortranRefusal::new(procedure.place.0, "it includes statements of another file", OUTSIDE));
    }
    let used = file.names_used(procedure, declared, &actions, pure)?;
    file.without_macros(&used, procedure.place.0)?;
    let mut loops: Vec<u32> = actions.iter().flat_map(|s| vec![s.first; loops_begun(&s.text)]).collect();
    let mut shown: Vec<u32> =
        procedure.inner().iter().filter(|op| op.name == "fir.do_loop").map(|op| op.place.0).collect();
    loops.sort_unstable();
    shown.sort_unstable();
    if loops != shown {
        return Err(FortranRefusal::new(
            procedure.place.0,
            "flang does not show its loops as they are written",
            OUTSIDE,
        ));
    }
    let seen = constants::declared_by(file, procedure, declared)?;
    let constants = named_constants(declared, &used, procedure.place.0)?;
    let is_seen = |constant: &NamedConstant| seen.contains(&constant.name);
    Ok(constants.into_iter().map(|one| NamedConstant { is_seen: is_seen(&one), ..one }).collect())
}

/// Takes a function apart: what it declares, what it does, and the return of its result.
fn head_of<'d>(procedure: &'d HlfirOp, declared: &'d Declared<'d>) -> Answer<FunctionHead<'d>> {
    let bad = |line: u32, reason: &str| FortranRefusal::new(line, reason, OUTSIDE);
    let line = procedure.place.0;
    let [body] = procedure.regions.as_slice() else { return Err(bad(line, "it has no body")) };
    let [before @ .., load, end] = body.as_slice() else { return Err(bad(line, "it has no body")) };
    let of = load.operands().first().map_or("", |from| base(from));
    let result = declared.variables.get_key_value(of).map(|(key, _)| *key);
    let returns = load.name == "fir.load" && end.name == "return" && load.results.len() == 1;
    let is_result = returns && end.operands().first() == load.results.first().map(String::as_str).as_ref();
    let (Some(result), true) = (result, is_result) else {
        return Err(bad(line, "its result is no number"));
    };
    // A `return` at the end is a jump to there.
    let before = match before {
        [before @ .., jump, label] if jump.name == "cf.br" && label.name == "^" => before,
        before => before,
    };
    let declares = |op: &HlfirOp| op.name == "hlfir.declare" || op.name == "fir.alloca";
    let first = before.iter().rposition(declares).map_or(0, |at| at + 1);
    let mut parameters = BTreeMap::new();
    for (key, variable) in &declared.variables {
        let from = declared.definitions.get(key).and_then(|op| op.operands().first().map(|from| (*from).to_owned()));
        let number = from.and_then(|from| from.strip_prefix("%arg")?.parse::<usize>().ok());
        if let Some(number) = number {
            parameters.insert(number, variable);
        }
    }
    let by_value = |op: &&HlfirOp| attribute(&op.text, "var_attrs<", '>').is_some_and(|all| all.contains("value"));
    if let Some(declare) = before.iter().filter(|op| op.name == "hlfir.declare").find(by_value) {
        let name = declare.results.first().and_then(|key| declared.variables.get(key.as_str())).map_or("", |v| &v.name);
        let reason = format!("its argument `{name}` has the attribute `value`");
        return Err(FortranRefusal::new(line, &reason, "declare the argument without `value`"));
    }
    let arguments = procedure.text.split("-> ").next().unwrap_or_default().matches("%arg").count();
    if parameters.keys().copied().ne(0..arguments) {
        return Err(bad(line, "it uses variables of the procedure around it, or has an argument that is not taken"));
    }
    for variable in parameters.values() {
        let reason = match &variable.kind {
            FortranKind::Scalar { .. } => continue,
            FortranKind::Other(reason, _) => format!("its argument `{}` {reason}", variable.name),
            _ => format!("its argument `{}` is no number", variable.name),
        };
        return Err(bad(line, &reason));
    }
    Ok(FunctionHead { parameters: parameters.into_values().collect(), ops: before[first..].iter().collect(), result })
}

/// Refuses a function that writes what its caller, or a later call of it, can see.
fn writes_only_locals(head: &FunctionHead, declared: &Declared) -> Answer<()> {
    let all = head.ops.iter().flat_map(|op| std::iter::once(*op).chain(op.inner()));
    for op in all.filter(|op| ["hlfir.assign", "fir.store"].contains(&op.name.as_str())) {
        let written = op.operands().get(1).and_then(|to| declared.variables.get(base(to)));
        let Some(variable) = written.filter(|v| !matches!(v.kind, FortranKind::Scalar { private: true, .. })) else {
            continue;
        };
        let name = &variable.name;
        let (reason, remedy) = if head.parameters.contains(&variable) {
            (format!("it writes its argument `{name}`, which is the caller's"), "copy it to a local variable first")
        } else if let Some(owner) = module_of(variable) {
            (format!("it writes `{name}`, a variable of the module `{owner}`"), OUTSIDE)
        } else if matches!(variable.kind, FortranKind::Scalar { .. }) {
            (
                format!("it writes `{name}`, which keeps its value between calls, or which others can see"),
                "use a local variable without SAVE, and without a value in its declaration",
            )
        } else {
            continue;
        };
        return Err(FortranRefusal::new(op.place.0, &reason, remedy));
    }
    Ok(())
}

/// The module that has a variable.
fn module_of(variable: &FortranVariable) -> Option<&str> {
    let module = variable.scope.strip_prefix("_QM")?;
    (!module.contains(|c: char| c.is_ascii_uppercase())).then_some(module)
}

/// Puts a function together, if it needs nothing but its arguments.
fn finished(
    symbol: &str,
    name: String,
    head: &FunctionHead,
    declared: &Declared,
    made: &TranslatedRegion,
    conditions: Vec<String>,
) -> Answer<TranslatedFunction> {
    let is_own = |name: &String| head.parameters.iter().any(|parameter| parameter.name == *name);
    let others = made.parameters.keys().find(|name| !is_own(name));
    let others = others.cloned().or(made.arrays.values().next().map(|(text, _)| text.clone()));
    let others = others.or(made.references.values().next().map(|(text, _)| text.clone()));
    let others = others.or(made.captured.values().next().map(|(text, _)| text.clone()));
    let line = head.ops.first().map_or(0, |op| op.place.0);
    if let Some(other) = others {
        let of_module = declared.variables.values().find(|v| v.name == other).and_then(module_of);
        let what = of_module.map_or("which is no argument".to_owned(), |m| format!("a variable of the module `{m}`"));
        let key = declared.variables.iter().find(|(_, v)| v.name == other).map_or("", |(key, _)| *key);
        let mut all = head.ops.iter().flat_map(|op| std::iter::once(*op).chain(op.inner()));
        let line = all.find(|op| op.operands().iter().any(|o| base(o) == key)).map_or(line, |op| op.place.0);
        let remedy = "pass it as an argument; what never changes may be a named constant (`parameter`)";
        return Err(FortranRefusal::new(line, &format!("it needs `{other}`, {what}"), remedy));
    }
    if !made.conditions.is_empty() {
        let remedy = "use a number as the step, and pass bounds as arguments";
        return Err(FortranRefusal::new(line, "it has a loop with a step of the run, or asks for bounds", remedy));
    }
    let number = |variable: &FortranVariable| match variable.kind {
        FortranKind::Scalar { element, .. } => Ok((variable.name.clone(), element)),
        _ => Err(FortranRefusal::new(line, &format!("`{}` is no number", variable.name), OUTSIDE)),
    };
    let parameters = head.parameters.iter().map(|parameter| number(parameter)).collect::<Answer<Vec<_>>>()?;
    let (result, element) = declared
        .variables
        .get(head.result)
        .map_or_else(|| Err(FortranRefusal::new(line, "its result is no number", OUTSIDE)), number)?;
    let mut lines = made.lines.clone();
    let last = lines.last().map_or(line, |(_, line)| *line);
    lines.push((format!("    return {};", c_name(&result)), last));
    let (symbol, locals, bounds) = (symbol.to_owned(), made.locals.clone(), made.bounds.clone());
    let has_power = made.has_power;
    Ok(TranslatedFunction { symbol, name, element, parameters, locals, bounds, lines, conditions, has_power })
}
