//! Attributes that change nothing of what a region computes. Whatever is not on these lists may.

use super::ast::Node;

/// Of variables: where they lie, who is warned.
const VARIABLES: [&str; 15] = [
    "UnusedAttr",
    "UsedAttr",
    "AlignedAttr",
    "AnnotateAttr",
    "DeprecatedAttr",
    "UnavailableAttr",
    "VisibilityAttr",
    "SectionAttr",
    "CommonAttr",
    "NoCommonAttr",
    "NonNullAttr",
    "NoEscapeAttr",
    "RetainAttr",
    "NoDebugAttr",
    "UninitializedAttr",
];

/// The first attribute of a variable that may matter.
pub fn of_variable(variable: &Node) -> Option<&Node> {
    variable.inner.iter().find(|n| n.kind.ends_with("Attr") && !VARIABLES.contains(&n.kind.as_str()))
}
