//! Functions that a region may call: they only compute a value from their arguments and from memory that the region
//! does not write.

use super::callee_reads::CalleeReads;
use crate::Refusal;
use crate::frontend::clang::ast::Node;
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::planted::planted;
use crate::refusal::Code;
use std::collections::HashSet;

/// Functions of C's math and complex headers without their type suffix, except those that write through a pointer or to
/// a global (`frexp`, `modf`, `remquo`, `lgamma`).
const MATH: &str = "\
    acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 ilogb ldexp log log10 log1p \
    log2 logb scalbn scalbln cbrt fabs hypot pow sqrt erf erfc tgamma ceil floor nearbyint rint lrint llrint round \
    lround llround trunc fmod remainder copysign nextafter nexttoward fdim fmax fmin fma cacos casin catan ccos \
    csin ctan cacosh casinh catanh ccosh csinh ctanh cexp clog cabs cpow csqrt carg cimag conj cproj creal";
const INTEGER: [&str; 4] = ["abs", "labs", "llabs", "imaxabs"];
/// Functions that compilers also know with the prefix `__builtin_`.
const BUILTIN: &str = "\
    complex isnan isinf isinf_sign isfinite isnormal signbit fpclassify isgreater isgreaterequal isless islessequal \
    islessgreater isunordered huge_val inf expect clz ctz popcount parity ffs clrsb clzll ctzll popcountll parityll \
    ffsll bswap16 bswap32 bswap64";

/// What is said of a function whose body is not there.
const UNSEEN: &str = "may do more than compute a value";

/// The largest number of functions that call one another, from one that the region calls.
const MAX_CALL_DEPTH: u32 = 16;

impl RegionBuilder<'_> {
    /// Refuses a call that may do more than compute a value, or may read what the region writes.
    pub fn check_pure(&self, name: &str, call: &Node) -> Result<(), Refusal> {
        let vouch = format!("add pure({name}) to the pragma if it only computes a value from what stays as it is");
        let attribute = |kind: &SyntaxKind| self.functions(name).iter().any(|f| f.inner.iter().any(|a| a.is(kind)));
        let declared = attribute(&SyntaxKind::ConstAttr) || attribute(&SyntaxKind::PureAttr);
        let mut reads = CalleeReads::default();
        self.reads_of_call(name, &mut reads).map_err(|why| {
            let reason = format!("`{name}` is declared const or pure, but {why}");
            if declared {
                Refusal::at(Code::UnseenFunction, call, reason, vouch.clone())
            } else {
                undeclared(name, &why, call)
            }
        })?;
        // An author who declares a function pure answers for its depth, and for other definitions of the name.
        if !declared && !self.is_vouched(name) {
            self.check_inferred(name).map_err(|why| undeclared(name, &why, call))?;
        }
        if let Some(variable) = self.thread_local_read(name) {
            return Err(Refusal::at(
                Code::ThreadLocal,
                call,
                format!("`{name}` reads `{variable}`, which is thread-local, and tiles run on other threads"),
                "pass the variable's value to the function as an argument",
            ));
        }
        match self.conflict(&reads) {
            Some(written) if !planted("a8-pure") => {
                let reason = format!("the pure function `{name}` may read what the region writes (`{written}`)");
                Err(Refusal::at(Code::PureConflict, call, reason, vouch))
            }
            _ => Ok(()),
        }
    }

    /// Refuses what only the author of a function can answer for; `Err` says what that is.
    fn check_inferred(&self, name: &str) -> Result<(), String> {
        let (mut open, mut met) = (vec![(name, 0)], HashSet::new());
        while let Some((name, depth)) = open.pop() {
            if depth > MAX_CALL_DEPTH {
                return Err("calls itself, or calls others too deeply".to_owned());
            }
            let Some(body) = self.certain_body(name).filter(|_| !self.is_vouched(name)) else { continue };
            if !self.is_only_definition(name) {
                return Err("may have another definition than the one seen here: it is not static".to_owned());
            }
            if !met.insert((name, depth)) {
                continue;
            }
            let calls = body.walk().filter(|n| n.is(&SyntaxKind::CallExpr));
            open.extend(calls.filter_map(expression_parts::callee).map(|callee| (callee, depth + 1)));
        }
        Ok(())
    }

    /// Whether every call of the name runs the body that is seen: the function is static, or external in a file that
    /// does not go into a shared library, whose functions other objects may replace.
    pub fn is_only_definition(&self, name: &str) -> bool {
        let all = self.functions(name);
        let replaceable = self.macros.contains_key("__PIC__") && !self.macros.contains_key("__PIE__");
        all.iter().any(|f| f.storage == "static") || !(replaceable || all.iter().any(|f| f.inlined))
    }

    fn is_vouched(&self, name: &str) -> bool {
        self.pure.iter().any(|f| f == name) || self.is_library(name)
    }

    /// Adds the reads of a call; `Err` says why it may do anything else.
    pub fn reads_of_call(&self, name: &str, reads: &mut CalleeReads) -> Result<(), String> {
        if self.is_vouched(name) {
            reads.declared |= !self.is_library(name);
            return Ok(());
        }
        if let Some(body) = self.certain_body(name) {
            return self.search(name, body, reads);
        }
        let all = self.functions(name);
        let attribute = |kind: &SyntaxKind| all.iter().any(|f| f.inner.iter().any(|a| a.is(kind)));
        // With `const`, the author declares that the function reads no memory. System headers do not count: they also mark
        // pthread_self with it.
        if attribute(&SyntaxKind::ConstAttr) && !all.iter().any(|f| f.system) && !name.starts_with("__builtin_") {
            return Ok(());
        }
        let declared = attribute(&SyntaxKind::PureAttr) || attribute(&SyntaxKind::ConstAttr);
        let unseen = "may read what the region writes: its body is not here to be seen";
        Err(if declared { unseen } else { UNSEEN }.to_owned())
    }

    /// Whether C reserves the name for its library, and the file does not define it or give it another symbol.
    pub fn is_library(&self, name: &str) -> bool {
        let own = |f: &&Node| {
            f.body().is_some() || f.storage == "static" || f.inner.iter().any(|a| a.is(&SyntaxKind::AsmLabelAttr))
        };
        is_math(name) && !self.functions(name).iter().any(own)
    }

    /// Whether another function might access a variable, or memory that the region writes through it.
    fn is_reachable(&self, variable: &Node) -> bool {
        self.is_outside(variable)
            || variable.storage == "static"
            || self.variables.addressed.contains(&variable.id)
            || ctype::is_pointer(variable.ty.plain())
    }

    fn is_outside(&self, variable: &Node) -> bool {
        self.unit.at_file_scope(variable.id) || variable.storage == "extern"
    }

    /// An object that the region writes and the call may read.
    fn conflict(&self, reads: &CalleeReads) -> Option<String> {
        let mut changed: Vec<&Node> = self
            .variables
            .written
            .keys()
            .chain(self.variables.counters.keys())
            .filter_map(|id| self.unit.declaration(*id))
            .collect();
        changed.sort_by_key(|v| v.begin.offset);
        let read: Vec<&Node> = reads.named.iter().filter_map(|id| self.unit.declaration(*id)).collect();
        let hit = |written: &&Node| {
            let same = |r: &Node| r.id == written.id || (self.is_outside(written) && r.name == written.name);
            let through = |r: &Node| ctype::is_pointer(written.ty.plain()) && self.may_reach_type(written, r);
            (reads.memory && self.is_reachable(written)) || read.iter().any(|r| same(r) || through(r))
        };
        changed.into_iter().find(hit).map(|v| v.name.clone())
    }
}

fn undeclared(name: &str, why: &str, call: &Node) -> Refusal {
    let why = if why == UNSEEN { String::new() } else { format!(": it {why}") };
    Refusal::at(
        Code::UnseenFunction,
        call,
        format!("the function `{name}` {UNSEEN}{why}"),
        format!("declare it with __attribute__((const)) or __attribute__((pure)), or add pure({name}) to the pragma"),
    )
}

/// Whether C's library, or a compiler, has a function of this name that computes a number from its arguments alone.
pub fn is_math(name: &str) -> bool {
    let listed = |list: &str, name: &str| {
        let stem = name.strip_suffix(['f', 'l']).unwrap_or(name);
        list.split_whitespace().any(|f| f == name || f == stem)
    };
    match name.strip_prefix("__builtin_") {
        Some(built) => listed(BUILTIN, built) || listed(MATH, built) || INTEGER.contains(&built),
        None => INTEGER.contains(&name) || listed(MATH, name),
    }
}
