//! What a called function reads besides its arguments: an allow-list searches its body, and the bodies of the functions
//! that it calls.

use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::RegionBuilder;
use std::collections::HashSet;

/// Reads of a call besides its arguments.
#[derive(Debug, Default)]
pub struct CalleeReads {
    /// A read through a pointer: of anything whose address is known.
    pub memory: bool,
    /// Variables outside the function that it names and that are not constant.
    pub named: HashSet<Id>,
    /// A function is called that the user declares pure: it may read what it likes.
    pub declared: bool,
    /// Functions already searched.
    searched: HashSet<String>,
}

/// Function attributes without an effect of their own; a call still runs the function's body.
const HARMLESS: [SyntaxKind; 22] = [
    SyntaxKind::ConstAttr,
    SyntaxKind::PureAttr,
    SyntaxKind::NoThrowAttr,
    SyntaxKind::LeafAttr,
    SyntaxKind::BuiltinAttr,
    SyntaxKind::AlwaysInlineAttr,
    SyntaxKind::NoInlineAttr,
    SyntaxKind::FlattenAttr,
    SyntaxKind::ColdAttr,
    SyntaxKind::HotAttr,
    SyntaxKind::UnusedAttr,
    SyntaxKind::UsedAttr,
    SyntaxKind::NonNullAttr,
    SyntaxKind::ReturnsNonNullAttr,
    SyntaxKind::WarnUnusedResultAttr,
    SyntaxKind::VisibilityAttr,
    SyntaxKind::DeprecatedAttr,
    SyntaxKind::ArtificialAttr,
    SyntaxKind::MinSizeAttr,
    SyntaxKind::OptimizeNoneAttr,
    SyntaxKind::NoInstrumentFunctionAttr,
    SyntaxKind::TargetAttr,
];

/// Statements and expressions whose only effects are those of their parts.
const PLAIN: [SyntaxKind; 51] = [
    SyntaxKind::CompoundStmt,
    SyntaxKind::DeclStmt,
    SyntaxKind::IfStmt,
    SyntaxKind::ForStmt,
    SyntaxKind::WhileStmt,
    SyntaxKind::DoStmt,
    SyntaxKind::ReturnStmt,
    SyntaxKind::BreakStmt,
    SyntaxKind::ContinueStmt,
    SyntaxKind::NullStmt,
    SyntaxKind::SwitchStmt,
    SyntaxKind::CaseStmt,
    SyntaxKind::DefaultStmt,
    SyntaxKind::LabelStmt,
    SyntaxKind::GotoStmt,
    SyntaxKind::StmtExpr,
    SyntaxKind::IntegerLiteral,
    SyntaxKind::FloatingLiteral,
    SyntaxKind::CharacterLiteral,
    SyntaxKind::ImaginaryLiteral,
    SyntaxKind::StringLiteral,
    SyntaxKind::PredefinedExpr,
    SyntaxKind::ParenExpr,
    SyntaxKind::ConstantExpr,
    SyntaxKind::InitListExpr,
    SyntaxKind::ImplicitValueInitExpr,
    SyntaxKind::ConditionalOperator,
    SyntaxKind::BinaryConditionalOperator,
    SyntaxKind::OpaqueValueExpr,
    SyntaxKind::ImplicitCastExpr,
    SyntaxKind::CStyleCastExpr,
    SyntaxKind::CompoundLiteralExpr,
    SyntaxKind::UnaryExprOrTypeTraitExpr,
    SyntaxKind::OffsetOfExpr,
    SyntaxKind::RecordDecl,
    SyntaxKind::FieldDecl,
    SyntaxKind::EnumDecl,
    SyntaxKind::EnumConstantDecl,
    SyntaxKind::TypedefDecl,
    SyntaxKind::AlignedAttr,
    SyntaxKind::UnusedAttr,
    SyntaxKind::PackedAttr,
    SyntaxKind::BuiltinType,
    SyntaxKind::RecordType,
    SyntaxKind::ElaboratedType,
    SyntaxKind::TypedefType,
    SyntaxKind::PointerType,
    SyntaxKind::ConstantArrayType,
    SyntaxKind::QualType,
    SyntaxKind::EnumType,
    SyntaxKind::ParenType,
];

/// Calls that end the program, after which nothing is computed.
const LAST: [&str; 4] = ["__assert_fail", "abort", "__builtin_unreachable", "__builtin_trap"];

/// The body among all declarations of a function, if calls certainly run it: a weak one may give way to another file's.
pub fn certain_body<'a>(all: &[&'a Node]) -> Option<&'a Node> {
    let mut attributes = all.iter().flat_map(|f| &f.inner).filter(|a| a.kind.is_attribute());
    let certain = attributes.all(|a| HARMLESS.contains(&a.kind));
    all.iter().find_map(|f| f.body()).filter(|_| certain)
}

impl RegionBuilder<'_> {
    /// All declarations of a function.
    pub fn functions(&self, name: &str) -> Vec<&Node> {
        self.unit.root.inner.iter().filter(|n| n.is(&SyntaxKind::FunctionDecl) && n.name == name).collect()
    }

    /// The body that a call certainly runs, if that is known.
    pub fn certain_body(&self, name: &str) -> Option<&Node> {
        certain_body(&self.functions(name))
    }

    /// Adds the reads of a body; `Err` says what else it may do.
    pub fn search(&self, name: &str, body: &Node, reads: &mut CalleeReads) -> Result<(), String> {
        if reads.searched.insert(name.to_owned()) { self.part(body, reads) } else { Ok(()) }
    }

    fn part(&self, node: &Node, reads: &mut CalleeReads) -> Result<(), String> {
        let copied =
            matches!(node.kind, SyntaxKind::VarDecl | SyntaxKind::BinaryOperator | SyntaxKind::ImplicitCastExpr);
        if ctype::is_untouchable(node.ty.plain()) || copied && self.unit.is_ordered(node.ty.plain()) {
            return Err("uses a volatile or atomic object".to_owned());
        }
        if has_variable_length(&node.ty.written) {
            return Err("has an array of variable length".to_owned());
        }
        match node.kind {
            SyntaxKind::VarDecl if node.inner.iter().any(|n| n.is(&SyntaxKind::CleanupAttr)) => {
                return Err(format!("cleans up `{}`", node.name));
            }
            SyntaxKind::VarDecl if node.storage == "static" && !is_constant(node) => {
                return Err(format!("keeps `{}` from call to call", node.name));
            }
            SyntaxKind::VarDecl => {}
            SyntaxKind::DeclRefExpr => return self.variable_read(node, reads),
            SyntaxKind::CallExpr => return self.call(node, reads),
            SyntaxKind::BinaryOperator | SyntaxKind::CompoundAssignOperator | SyntaxKind::UnaryOperator => {
                let target = expression_parts::write_target(node);
                if target.is_some_and(|t| !self.is_own(t)) {
                    return Err("writes to what is not its own".to_owned());
                }
                let pointer = node.inner.first().filter(|_| node.is(&SyntaxKind::UnaryOperator) && node.opcode == "*");
                reads.memory |= pointer.is_some_and(|p| !is_array(p));
            }
            SyntaxKind::MemberExpr => reads.memory |= node.arrow && !node.inner.first().is_some_and(is_array),
            SyntaxKind::ArraySubscriptExpr => reads.memory |= !node.inner.iter().any(is_array),
            _ if PLAIN.contains(&node.kind) => {}
            ref kind => return Err(format!("has a part ({kind}) that is not known to be harmless")),
        }
        node.inner.iter().filter(|n| !n.kind.is_absent()).try_for_each(|n| self.part(n, reads))
    }

    fn variable_read(&self, node: &Node, reads: &mut CalleeReads) -> Result<(), String> {
        let Some(reference) = node.reference.as_ref().filter(|r| r.kind == SyntaxKind::VarDecl) else { return Ok(()) };
        let Some(variable) = self.unit.declaration(reference.id) else {
            return Err(format!("uses `{}`, whose declaration is not known", reference.name));
        };
        if variable.thread_local {
            return Err(format!("reads `{}`, which is thread-local, and tiles run on other threads", reference.name));
        }
        let outside = self.unit.at_file_scope(variable.id) || variable.storage == "extern";
        if outside && !is_constant(variable) {
            reads.memory |= self.has_other_names(variable);
            reads.named.insert(variable.id);
        }
        Ok(())
    }

    /// A thread-local variable in a body that a call may run. `pure` does not excuse such a read: each thread has its
    /// own object.
    pub fn thread_local_read(&self, name: &str) -> Option<String> {
        let (mut open, mut met) = (vec![name.to_owned()], HashSet::new());
        while let Some(name) = open.pop().filter(|name| met.insert(name.clone())) {
            for node in self.functions(&name).into_iter().filter_map(Node::body).flat_map(Node::walk) {
                let Some(reference) = node.reference.as_ref().filter(|_| node.is(&SyntaxKind::DeclRefExpr)) else {
                    continue;
                };
                if self.unit.declaration(reference.id).is_some_and(|variable| variable.thread_local) {
                    return Some(reference.name.clone());
                }
                if reference.kind == SyntaxKind::FunctionDecl {
                    open.push(reference.name.clone());
                }
            }
        }
        None
    }

    fn call(&self, node: &Node, reads: &mut CalleeReads) -> Result<(), String> {
        let callee = expression_parts::callee(node).ok_or("calls a function through a pointer")?;
        node.inner[1..].iter().try_for_each(|n| self.part(n, reads))?;
        if LAST.contains(&callee) {
            return Ok(());
        }
        self.reads_of_call(callee, reads).map_err(|why| format!("calls `{callee}`, which {why}"))
    }

    /// Whether an lvalue is in a local variable of the searched function.
    fn is_own(&self, target: &Node) -> bool {
        match target.kind {
            SyntaxKind::DeclRefExpr => target.reference.as_ref().is_some_and(|r| {
                let variable = self.unit.declaration(r.id);
                variable.is_some_and(|v| v.storage.is_empty() || v.storage == "auto" || v.storage == "register")
                    && !self.unit.at_file_scope(r.id)
            }),
            SyntaxKind::ParenExpr => target.inner.first().is_some_and(|n| self.is_own(n)),
            SyntaxKind::MemberExpr if !target.arrow => target.inner.first().is_some_and(|n| self.is_own(n)),
            SyntaxKind::ArraySubscriptExpr => {
                let base = target.inner.iter().find(|n| is_array(n));
                base.and_then(array_of).is_some_and(|n| self.is_own(n))
            }
            _ => false,
        }
    }
}

/// Whether a pointer is a named array.
fn is_array(node: &Node) -> bool {
    array_of(node).is_some()
}

fn array_of(node: &Node) -> Option<&Node> {
    match node.kind {
        SyntaxKind::ParenExpr => array_of(node.inner.first()?),
        SyntaxKind::ImplicitCastExpr if node.cast == "ArrayToPointerDecay" => node.inner.first(),
        _ => None,
    }
}

/// Whether the program may not change a variable.
fn is_constant(variable: &Node) -> bool {
    let plain = variable.ty.plain();
    let pointer = ctype::is_pointer(plain);
    !variable.thread_local && if pointer { plain.ends_with("*const") } else { plain.starts_with("const ") }
}

fn has_variable_length(written: &str) -> bool {
    let mut lengths = written.split('[').skip(1).map(|part| part.split(']').next().unwrap_or_default());
    lengths.any(|length| !length.bytes().all(|b| b.is_ascii_digit()))
}
