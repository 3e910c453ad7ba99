//! Other names of an object: those that the linker may know, and pointers whose type may point to it.

use crate::frontend::clang::ast::Node;
use crate::frontend::clang::ctype;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::planted::planted;

impl RegionBuilder<'_> {
    /// Whether the linker may know a variable by another name: its declarations have attributes that are not harmless,
    /// or the file has assembly outside functions.
    pub fn has_other_names(&self, variable: &Node) -> bool {
        const HARMLESS: [SyntaxKind; 8] = [
            SyntaxKind::AlignedAttr,
            SyntaxKind::UnusedAttr,
            SyntaxKind::UsedAttr,
            SyntaxKind::SectionAttr,
            SyntaxKind::VisibilityAttr,
            SyntaxKind::CommonAttr,
            SyntaxKind::NoCommonAttr,
            SyntaxKind::DeprecatedAttr,
        ];
        let outside = self.unit.at_file_scope(variable.id) || variable.storage == "extern";
        if !outside || planted("a11-alias") {
            return false;
        }
        let same = |n: &&Node| n.is(&SyntaxKind::VarDecl) && (n.storage == "extern" || self.unit.at_file_scope(n.id));
        let mut attributes = self
            .unit
            .declarations_of(&variable.name)
            .filter(same)
            .flat_map(|n| &n.inner)
            .filter(|n| n.kind.is_attribute());
        attributes.any(|a| !HARMLESS.contains(&a.kind))
            || self.unit.root.inner.iter().any(|n| n.is(&SyntaxKind::FileScopeAsmDecl))
    }

    /// Whether the types allow a pointer to point to a variable or to an element of it.
    pub fn may_reach_type(&self, pointer: &Node, variable: &Node) -> bool {
        let anything = pointer.inner.iter().any(|n| n.is(&SyntaxKind::MayAliasAttr)) || !self.unit.strict_aliasing;
        (anything && !planted("a11-alias"))
            || may_alias(&element_of(pointer.ty.plain()), &element_of(variable.ty.plain()))
    }
}

fn element_of(plain: &str) -> String {
    let plain = ctype::unqualified(plain);
    let end = plain.find(['*', '[', '(']).unwrap_or(plain.len());
    ctype::unqualified(&plain[..end])
}

/// C's rule: an object is only accessed through its own type, the type of other signedness, or `char`.
fn may_alias(element: &str, scalar: &str) -> bool {
    let plain =
        |t: &str| ctype::unqualified(t).replace("unsigned ", "").replace("signed ", "").replace("_Complex ", "");
    let (e, s) = (plain(element), plain(scalar));
    let enumerated = |t: &str| t.contains("enum ");
    e == s || e == "char" || enumerated(&e) || enumerated(&s) || !known_arithmetic(&e) || !known_arithmetic(&s)
}

fn known_arithmetic(plain: &str) -> bool {
    ctype::size(plain) > 0
}
