//! Calls of mathematical functions with arguments that the plain compiler may know.
//!
//! Where a compiler knows all arguments of `exp` it puts the exact value, rounded, in place of the call; the library's function may
//! have another last bit. A tile is a function of its own: what the compiler knows of the variables around a region it does not
//! know there. So such a call is refused, unless each iteration has arguments of its own, or both compilers know them.

use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::expression_parts::{base_variable, callee, write_target};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::loop_header::{self, LoopHeader};
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::values::surrounding_loops::Scope;
use crate::model::Condition;
use crate::refusal::Code;
use std::collections::HashSet;

/// Functions, without their type suffix, whose results compilers and libraries may round differently. The others of the headers are
/// exact, or correctly rounded (`sqrt`, `fma`).
const ROUNDED: &str = "\
    acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 log log10 log1p log2 cbrt hypot pow \
    erf erfc tgamma cacos casin catan ccos csin ctan cacosh casinh catanh ccosh csinh ctanh cexp clog cabs cpow csqrt carg";

/// The largest number of functions that call one another, from one that the region calls.
const MAX_DEPTH: usize = 8;

/// GCC unrolls no loop with more iterations as a whole (`max-completely-peel-times`).
const MOST_UNROLLED: u128 = 16;

/// Exponents for which compilers multiply or divide instead of a call of `pow`.
const WRITTEN_OUT: [&str; 2] = ["2", "-1"];

/// A call that a compiler may compute.
struct Known {
    /// The function of the library.
    function: String,
    /// The variable that is the exponent of a power whose base differs between iterations; else all arguments are shared.
    exponent: Option<String>,
}

impl<'a> RegionBuilder<'a> {
    /// Refuses the call of a mathematical function, also by a function that the call runs, with arguments that all iterations share.
    pub fn check_known_arguments(&mut self, name: &str, call: &'a Node, scope: &Scope) -> Result<(), Refusal> {
        // Bodies of followed functions are looked at with the call.
        if scope.loops.is_empty() || !self.callees.open.is_empty() {
            return Ok(());
        }
        let differing = self.differing(&self.variables.roots, self.long_counters());
        let Some(known) = self.known_call(call, &differing, 0) else { return Ok(()) };
        let Known { function, exponent } = known;
        if let Some(exponent) = exponent {
            let fails: Vec<String> = WRITTEN_OUT.iter().map(|n| format!("{exponent} == {n}")).collect();
            let reason =
                format!("the exponent `{exponent}` of `{function}` is 2 or -1, for which compilers multiply or divide");
            self.check_at_entry(Condition::new(reason, fails.join(" || ")));
            return Ok(());
        }
        let function = function.strip_prefix("__builtin_").unwrap_or(&function);
        Err(Refusal::at(
            Code::KnownArguments,
            call,
            format!(
                "`{function}` is called with what all iterations share: a compiler that knows it rounds otherwise than the library"
            ),
            format!(
                "assign the call to a variable before the region, or add pure({name}) to the pragma if its last bit may differ"
            ),
        ))
    }

    /// The counters of loops that compilers do not unroll as a whole: in one that they do they know each counter.
    fn long_counters(&self) -> HashSet<Id> {
        let loops = self.variables.roots.iter().flat_map(|root| root.walk()).filter(|n| n.is(&SyntaxKind::ForStmt));
        let headers = loops.filter_map(|node| loop_header::header(self.unit, node).ok());
        headers.filter(|header| !self.is_short(header)).map(|header| header.counter).collect()
    }

    /// Whether the number of iterations is a small constant.
    fn is_short(&self, header: &LoopHeader<'_>) -> bool {
        let constant = |node: &Node| Some(self.unit.constant(node)?.value);
        let bound = header.condition.inner.iter().find_map(constant);
        let (Some(first), Some(bound)) = (constant(header.first), bound) else { return false };
        (bound - first).unsigned_abs() <= MOST_UNROLLED * u128::from(header.step.unsigned_abs())
    }

    /// A call in it whose value a compiler may know. `differing`: variables that each iteration has for itself.
    fn known_call(&self, call: &Node, differing: &HashSet<Id>, depth: usize) -> Option<Known> {
        let name = callee(call)?;
        let arguments = &call.inner[1..];
        let differs = |argument: &Node| names(argument).any(|id| differing.contains(&id));
        if self.pure.iter().any(|vouched| vouched == name) {
            return None;
        }
        if self.is_library(name) {
            let is_literal = |argument: &Node| names(argument).next().is_none();
            if !is_rounded(name) || arguments.iter().all(is_literal) {
                return None;
            }
            let known = |exponent| Some(Known { function: name.to_owned(), exponent });
            if !arguments.iter().any(differs) {
                return known(None);
            }
            let known_power = |exponent| known(Some(exponent));
            let [_, exponent] = arguments else { return None };
            if stem(name) != "pow" || differs(exponent) || is_literal(exponent) || depth > 0 {
                return None;
            }
            return self.held_at_entry(exponent).and_then(known_power);
        }
        let function = self.functions(name).into_iter().find(|f| f.body().is_some())?;
        let body = self.certain_body(name).filter(|_| depth < MAX_DEPTH)?;
        let parameters = function.inner.iter().filter(|n| n.is(&SyntaxKind::ParmVarDecl));
        let inside =
            parameters.zip(arguments).filter(|(_, argument)| differs(argument)).map(|(own, _)| own.id).collect();
        let inside = self.differing(&[body], inside);
        let calls = body.walk().filter(|n| n.is(&SyntaxKind::CallExpr));
        calls.into_iter().find_map(|inner| self.known_call(inner, &inside, depth + 1))
    }

    /// The name of the variable that is the value of an expression, if it has this value at entry.
    fn held_at_entry(&self, value: &Node) -> Option<String> {
        let mut value = value;
        loop {
            let inner = value.child(0);
            value = match (&value.kind, value.cast.as_str()) {
                (SyntaxKind::ParenExpr, _)
                | (SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr, "NoOp" | "IntegralToFloating") => inner?,
                (SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr, "FloatingCast")
                    if inner?.ty.plain() == "float" =>
                {
                    inner?
                }
                _ => break,
            };
        }
        let variable = value.variable()?;
        let own =
            self.variables.declared.contains_key(&variable.id) || self.variables.written.contains_key(&variable.id);
        (!own).then(|| variable.name.clone())
    }

    /// The variables that differ between iterations: those of `known`, arrays that are written, and scalars that are made of these.
    fn differing(&self, roots: &[&Node], known: HashSet<Id>) -> HashSet<Id> {
        let mut all = known;
        let differs = |all: &HashSet<Id>, node: &Node| names(node).any(|id| all.contains(&id));
        loop {
            let before = all.len();
            for node in roots.iter().flat_map(|root| root.walk()) {
                if node.is(&SyntaxKind::VarDecl) {
                    if node.inner.iter().any(|part| differs(&all, part)) {
                        all.insert(node.id);
                    }
                    continue;
                }
                let Some(target) = write_target(node) else { continue };
                let Some(variable) = base_variable(target).filter(|id| !self.variables.counters.contains_key(id))
                else {
                    continue;
                };
                let is_element = target.bare().variable().is_none();
                let grows = !node.is(&SyntaxKind::BinaryOperator);
                if is_element || grows || node.inner[1..].iter().any(|value| differs(&all, value)) {
                    all.insert(variable);
                }
            }
            if all.len() == before {
                return all;
            }
        }
    }
}

/// The variables that an expression names.
fn names(node: &Node) -> impl Iterator<Item = Id> {
    let is_variable = |kind: &SyntaxKind| matches!(kind, SyntaxKind::VarDecl | SyntaxKind::ParmVarDecl);
    node.walk().filter_map(|n| n.reference.as_ref()).filter(move |r| is_variable(&r.kind)).map(|r| r.id)
}

fn stem(name: &str) -> &str {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let listed = |name: &str| ROUNDED.split_whitespace().any(|f| f == name);
    if listed(plain) { plain } else { plain.strip_suffix(['f', 'l']).unwrap_or(plain) }
}

fn is_rounded(name: &str) -> bool {
    ROUNDED.split_whitespace().any(|f| f == stem(name))
}
