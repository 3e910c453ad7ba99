//! The clause `reassociate`: reductions of floating point update several values in turn, so that no iteration waits for the
//! one before it.

use crate::Refusal;
use crate::frontend::clang::ast::Node;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::refusal::Code;
use crate::source::Directive;

/// Bytes of the values that one variable has: vectors of any usual width, twice or more, and few enough for registers.
const BYTES: u32 = 128;

impl RegionBuilder<'_> {
    /// Gives all reductions of floating point as many values as the largest of their types allows.
    pub fn reassociate(&mut self, roots: &[&Node], pragma: &Directive) -> Result<(), Refusal> {
        let at_pragma = |reason: String, remedy: &str| {
            Refusal::span(Code::ReassociateClause, pragma.begin, pragma.end, reason, remedy)
        };
        let sizes = self.reductions.iter().filter_map(|(_, reduction)| floating_size(&reduction.ctype));
        let Some(largest) = sizes.max() else {
            let reason = match self.reductions.as_slice() {
                [] => "`reassociate` stands without `reduction(op:x)`: it is not told which sum it is about".to_owned(),
                [(_, first), ..] => format!(
                    "`reassociate` is about sums of floating point, and `{}` is an integer, which needs no clause",
                    first.name
                ),
            };
            return Err(at_pragma(reason, "add `reduction(+:x)` for a `double` or `float` x, or remove `reassociate`"));
        };
        let bodies = roots.iter().filter_map(|root| root.inner.last());
        if let Some(inner) = bodies.flat_map(|body| body.walk()).find(|node| node.is(&SyntaxKind::ForStmt)) {
            let reason = "`reassociate` is about a loop without inner loops, and this one stands inside";
            let remedy = "remove `reassociate`, or mark the inner loop instead";
            return Err(Refusal::at(Code::ReassociateClause, inner, reason, remedy));
        }
        for (_, reduction) in &mut self.reductions {
            if floating_size(&reduction.ctype).is_some() {
                reduction.parts = BYTES / largest;
            }
        }
        Ok(())
    }
}

/// The size of a floating-point type in bytes, as all targets have it that have vectors; none for integers.
fn floating_size(ctype: &str) -> Option<u32> {
    match ctype {
        "float" => Some(4),
        "double" => Some(8),
        "long double" => Some(16),
        _ => None,
    }
}
