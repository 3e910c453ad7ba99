//! An allow-list of attributes that do not change what a region computes. Any other attribute may.

use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::refusal::Code;

/// Attributes of variables about placement and warnings.
const VARIABLES: [SyntaxKind; 15] = [
    SyntaxKind::UnusedAttr,
    SyntaxKind::UsedAttr,
    SyntaxKind::AlignedAttr,
    SyntaxKind::AnnotateAttr,
    SyntaxKind::DeprecatedAttr,
    SyntaxKind::UnavailableAttr,
    SyntaxKind::VisibilityAttr,
    SyntaxKind::SectionAttr,
    SyntaxKind::CommonAttr,
    SyntaxKind::NoCommonAttr,
    SyntaxKind::NonNullAttr,
    SyntaxKind::NoEscapeAttr,
    SyntaxKind::RetainAttr,
    SyntaxKind::NoDebugAttr,
    SyntaxKind::UninitializedAttr,
];

/// Attributes of variables outside the region that other checks judge: which functions are called with the variable,
/// and which other names it has.
const JUDGED: [SyntaxKind; 7] = [
    SyntaxKind::MayAliasAttr,
    SyntaxKind::CleanupAttr,
    SyntaxKind::AliasAttr,
    SyntaxKind::AsmLabelAttr,
    SyntaxKind::WeakAttr,
    SyntaxKind::WeakRefAttr,
    SyntaxKind::WeakImportAttr,
];

impl RegionBuilder<'_> {
    /// Refuses variables from outside the region whose attributes may change the result.
    pub fn check_attributes(&self) -> Result<(), Refusal> {
        let used = self.arrays.iter().map(|a| a.variable).chain(self.parameters.iter().map(|p| p.variable));
        let used = used.chain(self.values.iter().map(|(id, _)| *id)).chain(self.private.iter().copied());
        let mut used: Vec<Id> = used.chain(self.variables.counters.keys().copied()).collect();
        used.sort_unstable();
        for variable in used.into_iter().filter_map(|id| self.unit.declaration(id)) {
            let matters = |n: &&Node| n.kind.is_attribute() && !VARIABLES.contains(&n.kind);
            let strange = |n: &&Node| matters(n) && !JUDGED.contains(&n.kind);
            if let Some(attribute) = variable.inner.iter().find(strange) {
                let place = self.variables.roots.iter().flat_map(|r| r.walk());
                let place = place.into_iter().find(|n| n.reference.as_ref().is_some_and(|r| r.id == variable.id));
                let reason =
                    format!("`{}` has an attribute ({}) that the tiles would not know", variable.name, attribute.kind);
                return Err(Refusal::at(
                    Code::Attribute,
                    place.unwrap_or(variable),
                    reason,
                    "remove the attribute from what the region uses",
                ));
            }
        }
        Ok(())
    }
}

/// The first attribute of a variable that may change the result.
pub fn of_variable(variable: &Node) -> Option<&Node> {
    variable.inner.iter().find(|n| n.kind.is_attribute() && !VARIABLES.contains(&n.kind))
}
