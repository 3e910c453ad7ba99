//! Which functions a region may call: those that only compute a value from their arguments.

use super::ast::{Id, Node};
use super::builder::Builder;
use super::ctype;
use super::inventory::base_variable;
use super::refusal::Refused;

/// Functions of C's math and complex headers without the suffix of their type. Those that write through a
/// pointer or to a global (`frexp`, `modf`, `remquo`, `lgamma`) are not here.
const MATH: &str = "\
    acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 ilogb ldexp log log10 log1p \
    log2 logb scalbn scalbln cbrt fabs hypot pow sqrt erf erfc tgamma ceil floor nearbyint rint lrint llrint round \
    lround llround trunc fmod remainder copysign nextafter nexttoward fdim fmax fmin fma cacos casin catan ccos \
    csin ctan cacosh casinh catanh ccosh csinh ctanh cexp clog cabs cpow csqrt carg cimag conj cproj creal j0 j1 \
    y0 y1";
const INTEGER: [&str; 5] = ["abs", "labs", "llabs", "imaxabs", "isnan"];

impl Builder<'_> {
    /// Refuses a call that may do more than compute a value.
    pub fn check_pure(&self, name: &str, call: &Node) -> Result<(), Refused> {
        if self.pure.iter().any(|f| f == name) {
            return Ok(());
        }
        let all: Vec<&Node> = self.unit.root.inner.iter().filter(|n| n.is("FunctionDecl") && n.name == name).collect();
        let defined = all.iter().find_map(|f| f.body());
        let attribute = |kind: &str| all.iter().any(|f| f.inner.iter().any(|a| a.is(kind)));
        if attribute("ConstAttr") || (defined.is_none() && is_math(name)) {
            return Ok(());
        }
        if attribute("PureAttr") {
            return self.check_reads(name, defined, call);
        }
        Err(Refused::at(
            call,
            format!("the function `{name}` may do more than compute a value"),
            format!(
                "declare it with __attribute__((const)) or __attribute__((pure)), or add pure({name}) to the pragma"
            ),
        ))
    }

    /// Whether another function might find a variable, or the array that it stands for.
    fn is_reachable(&self, id: Id) -> bool {
        let Some(variable) = self.unit.declaration(id) else { return true };
        let plain = variable.ty.plain();
        self.unit.at_file_scope(id)
            || variable.storage == "static"
            || self.inventory.addressed.contains(&id)
            || ctype::is_array(plain)
            || (ctype::is_pointer(plain) && !ctype::is_restrict(plain))
    }

    /// Whether a part of a function's body reads what its names do not tell.
    fn is_opaque(&self, node: &Node) -> bool {
        match node.kind.as_str() {
            "CallExpr" | "MemberExpr" => true,
            "UnaryOperator" => !node.opcode.starts_with(['+', '-', '!', '~']),
            "ArraySubscriptExpr" => base_variable(node)
                .and_then(|id| self.unit.declaration(id))
                .is_none_or(|variable| !ctype::is_array(variable.ty.plain())),
            _ => false,
        }
    }

    /// A pure function may read memory: not what the region writes.
    fn check_reads(&self, name: &str, body: Option<&Node>, call: &Node) -> Result<(), Refused> {
        let changed = || self.inventory.written.keys().chain(self.inventory.counters.keys()).copied();
        let written = |id| changed().any(|c| c == id) && self.unit.at_file_scope(id);
        let any_written = changed().any(|id| self.is_reachable(id));
        let conflict = match body {
            Some(body) => {
                // What it calls may read as well; pointers may lead anywhere.
                let named = body.walk().filter_map(|n| n.reference.as_ref()).any(|r| written(r.id));
                named || (any_written && body.walk().any(|n| self.is_opaque(n)))
            }
            None => any_written,
        };
        if !conflict {
            return Ok(());
        }
        Err(Refused::at(
            call,
            format!("the pure function `{name}` may read what the region writes"),
            format!("declare it with __attribute__((const)) or add pure({name}) to the pragma if it does not"),
        ))
    }
}

fn is_math(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let stem = name.strip_suffix(['f', 'l']).unwrap_or(name);
    INTEGER.contains(&name) || MATH.split_whitespace().any(|f| f == name || f == stem)
}
