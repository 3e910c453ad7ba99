//! Lvalues that designate one object during the whole region: a variable, and members, elements and targets of pointers
//! that are such lvalues.

use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::syntax_kind::SyntaxKind;

/// What an lvalue designates at the region's entry.
#[derive(Debug, Clone)]
pub struct EntryPath {
    /// C text for the entry, with the names of values that were read before.
    pub text: String,
    /// The user's text.
    pub user: String,
    /// The variable at its root.
    pub root: Id,
    /// No pointer is followed: it is a part of the variable.
    pub object: bool,
    /// A member of a struct is on the path.
    pub member: bool,
    /// Pointers and subscripts that the program must have used before it is safe to use them.
    pub needs: Vec<String>,
}

impl EntryPath {
    /// The path of a variable.
    pub fn variable(node: &Node, id: Id, name: &str) -> Option<EntryPath> {
        (!ctype::is_untouchable(node.ty.plain())).then(|| EntryPath {
            text: name.to_owned(),
            user: name.to_owned(),
            root: id,
            object: true,
            member: false,
            needs: vec![],
        })
    }

    /// The target of a pointer with this path: a member of it, or an element.
    pub fn followed(mut self, member: Option<&str>, index: Option<(&str, &str)>) -> EntryPath {
        self.object = false;
        let need = index.map_or_else(|| self.text.clone(), |(index, _)| format!("{}[{index}]", self.text));
        self.needs.push(need);
        (self.text, self.user) = match (member, index) {
            (Some(name), _) => (format!("{}->{name}", self.text), format!("{}->{name}", self.user)),
            (None, Some((index, user))) => (format!("{}[{index}]", self.text), format!("{}[{user}]", self.user)),
            (None, None) => (format!("(*{})", self.text), format!("*{}", self.user)),
        };
        self.member |= member.is_some();
        self
    }

    /// A member of a struct with this path.
    pub fn part(mut self, name: &str) -> EntryPath {
        let user = if self.user.starts_with('*') { format!("({})", self.user) } else { self.user };
        (self.text, self.user) = (format!("{}.{name}", self.text), format!("{user}.{name}"));
        self.member = true;
        self
    }

    /// An element of an array with this path and type.
    pub fn element(mut self, array: &str, index: &str, user: &str) -> EntryPath {
        let within = ctype::first_length(array)
            .and_then(|length| length.parse::<u64>().ok())
            .is_some_and(|length| index.parse::<u64>().is_ok_and(|index| index < length));
        (self.text, self.user) = (format!("{}[{index}]", self.text), format!("{}[{user}]", self.user));
        if !within {
            self.needs.push(self.text.clone());
        }
        self
    }
}

/// The field that a member expression names, if it has bytes of its own.
pub fn plain_field<'a>(unit: &'a Unit, node: &Node) -> Option<&'a Node> {
    let field = unit.declaration(node.member).filter(|field| !field.bit_field && !field.name.is_empty())?;
    let record = unit.holder(node.member).filter(|record| record.tag == "struct")?;
    (is_ordinary(record) && is_ordinary(field) && !ctype::is_untouchable(node.ty.plain())).then_some(field)
}

/// Whether a declaration has only attributes that change neither alignment (but upwards) nor identity: a member of a
/// packed struct has no address of its type, and a weak variable may have none.
pub fn is_ordinary(declaration: &Node) -> bool {
    const HARMLESS: [SyntaxKind; 7] = [
        SyntaxKind::AlignedAttr,
        SyntaxKind::UnusedAttr,
        SyntaxKind::UsedAttr,
        SyntaxKind::SectionAttr,
        SyntaxKind::VisibilityAttr,
        SyntaxKind::DeprecatedAttr,
        SyntaxKind::NonNullAttr,
    ];
    declaration.inner.iter().filter(|n| n.kind.is_attribute()).all(|a| HARMLESS.contains(&a.kind))
}

/// The variable, members and steps of an lvalue without its subscripts: two lvalues that overlap by their names have
/// forms of which one begins with the other.
pub fn form(node: &Node) -> Option<String> {
    let child = |k: usize| node.child(k).and_then(form);
    match node.kind {
        SyntaxKind::ParenExpr
        | SyntaxKind::ConstantExpr
        | SyntaxKind::ImplicitCastExpr
        | SyntaxKind::CStyleCastExpr => child(0),
        SyntaxKind::DeclRefExpr => node.reference.as_ref().map(|r| format!("#{}", r.id)),
        SyntaxKind::MemberExpr if node.arrow => Some(format!("{}[].{}", child(0)?, node.name)),
        SyntaxKind::MemberExpr => Some(format!("{}.{}", child(0)?, node.name)),
        SyntaxKind::UnaryOperator if node.opcode == "*" => Some(format!("{}[]", child(0)?)),
        SyntaxKind::UnaryOperator if node.opcode == "&" => child(0)?.strip_suffix("[]").map(str::to_owned),
        SyntaxKind::ArraySubscriptExpr | SyntaxKind::BinaryOperator => {
            let address = |n: &&Node| ctype::is_pointer(n.ty.plain()) || ctype::is_array(n.ty.plain());
            let base = node.inner.iter().find(address).and_then(form)?;
            Some(if node.is(&SyntaxKind::ArraySubscriptExpr) { format!("{base}[]") } else { base })
        }
        _ => None,
    }
}

/// Whether a write of the form `written` may change an lvalue of the form `read`, going by their names.
pub fn may_change(written: &str, read: &str) -> bool {
    read.strip_prefix(written).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
