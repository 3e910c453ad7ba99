//! Finds values in memory that the region reads and, as far as names tell, never writes: sizes, factors and pointers to
//! arrays. They are read once, at the region's entry.
//!
//! A read that may trap happens at the entry only if the original loops certainly do it. The finder follows them up to
//! their first iterations: what the conditions on the way are there becomes a condition of the entry.

use super::entry_path::{EntryPath, form, is_ordinary, may_change, plain_field};
use super::loop_header;
use crate::frontend::clang::ast::{Id, Node, Type, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts::write_target;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use std::collections::{HashMap, HashSet};

/// A value that is read at entry.
#[derive(Debug, Clone)]
pub struct EntryLoad {
    /// Name of the variable that keeps it.
    pub name: String,
    /// The variable's type.
    pub ty: Type,
    /// Where it is.
    pub path: EntryPath,
    /// It is the address of an array inside a struct: nothing is read.
    pub address: bool,
}

/// A step at the region's entry.
#[derive(Debug, Clone)]
pub enum EntryStep {
    /// Go on if this C expression is true.
    Condition(String),
    /// Read the load of this index.
    Read(usize),
}

/// What is read at entry, and where the region uses it.
#[derive(Debug, Default)]
pub struct EntryLoads {
    /// The values.
    pub loads: Vec<EntryLoad>,
    /// The order of reads, and of conditions under which the loops do them.
    pub steps: Vec<EntryStep>,
    /// Expressions that have such a value.
    pub uses: HashMap<*const Node, usize>,
    /// Variables that steps use.
    pub variables: HashSet<Id>,
}

/// What the finder knows of the region's variables.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// Variables that the region declares, counts with or assigns as a whole.
    pub unsteady: HashSet<Id>,
    /// Those of them whose values nothing else can change.
    pub followed: HashSet<Id>,
    /// Forms of the lvalues that the region assigns.
    pub written: Vec<String>,
}

/// C text of a value, and the user's text.
type Text = (String, String);

/// Follows the region up to the first iteration of each loop.
pub struct Finder<'a> {
    unit: &'a Unit,
    around: Surroundings,
    found: EntryLoads,
    /// Values of counters and assigned scalars in the first iterations.
    values: HashMap<Id, String>,
    /// Conditions on the way to the current place, and whether they are steps already; `None`: one that is not known.
    conditions: Vec<Option<(String, bool)>>,
    /// Pointers and subscripts that certainly have been used.
    used: HashSet<String>,
    /// Something was met that may leave the loops.
    lost: bool,
    /// Only loads that are known count.
    closed: bool,
}

impl<'a> Finder<'a> {
    /// Finds the loads of a region's statements.
    pub fn find(unit: &'a Unit, roots: &[&'a Node], around: Surroundings) -> EntryLoads {
        let mut finder = Finder {
            unit,
            around,
            found: EntryLoads::default(),
            values: HashMap::new(),
            conditions: vec![],
            used: HashSet::new(),
            lost: false,
            closed: false,
        };
        for root in roots {
            finder.statement(root);
        }
        finder.found
    }

    fn statement(&mut self, node: &'a Node) {
        let parts = || node.inner.iter().filter(|n| !n.kind.is_absent());
        match node.kind {
            SyntaxKind::CompoundStmt => parts().for_each(|n| self.statement(n)),
            SyntaxKind::NullStmt => {}
            SyntaxKind::DeclStmt => {
                for variable in parts() {
                    let initial = variable.inner.iter().find(|n| !n.kind.is_absent() && !n.kind.is_attribute());
                    let initial = initial.filter(|_| variable.initialised);
                    if let Some(initial) = initial {
                        self.expression(initial, ctype::integer(variable.ty.plain()).is_some());
                    }
                    self.assign(variable.id, initial);
                }
            }
            SyntaxKind::ForStmt => self.loop_statement(node),
            SyntaxKind::IfStmt => {
                let Some((test, branches)) = node.inner.split_first() else { return };
                self.expression(test, true);
                self.branches(test, branches, Finder::statement);
                for branch in branches {
                    self.forget(branch);
                }
            }
            _ if node.kind.is_statement() => {
                self.lost = true;
                self.values.clear();
            }
            _ => {
                self.forget(node);
                self.expression(node, false);
                let target = write_target(node).and_then(Node::variable).map(|r| r.id);
                if let (Some(id), true) = (target, node.is(&SyntaxKind::BinaryOperator)) {
                    self.assign(id, node.child(1));
                }
            }
        }
    }

    fn loop_statement(&mut self, node: &'a Node) {
        let Ok(header) = loop_header::header(self.unit, node) else {
            self.lost = true;
            return;
        };
        self.expression(header.first, true);
        self.assign(header.counter, Some(header.first));
        self.expression(header.condition, true);
        self.under(header.condition, false, |finder| finder.statement(header.body));
        self.forget(node);
        self.values.remove(&header.counter);
    }

    /// Visits what happens only if a condition holds, or (with `negate`) does not.
    fn under(&mut self, test: &'a Node, negate: bool, visit: impl FnOnce(&mut Self)) {
        let condition = self.now(test).map(|(text, _)| if negate { format!("!({text})") } else { text });
        self.conditions.push(condition.map(|text| (text, false)));
        visit(self);
        self.conditions.pop();
    }

    /// Visits two alternatives; the entry cannot wait for both.
    fn branches(&mut self, test: &'a Node, branches: &'a [Node], mut visit: impl FnMut(&mut Self, &'a Node)) {
        let (before, values) = (self.found.steps.len(), self.values.clone());
        for (branch, negate) in branches.iter().zip([false, true]) {
            self.values.clone_from(&values);
            if negate && self.found.steps.len() > before {
                self.conditions.push(None);
                visit(self, branch);
                self.conditions.pop();
            } else {
                self.under(test, negate, |finder| visit(finder, branch));
            }
        }
    }

    /// Notes the value of an assigned variable.
    fn assign(&mut self, id: Id, value: Option<&'a Node>) {
        self.values.remove(&id);
        let Some(variable) = self.unit.declaration(id).filter(|_| self.around.followed.contains(&id)) else { return };
        if ctype::integer(variable.ty.plain()).is_some()
            && let Some((text, _)) = value.and_then(|value| self.now(value))
        {
            let name = ctype::unqualified(variable.ty.plain());
            self.values.insert(id, format!("(({name})({text}))"));
        }
    }

    /// Forgets the values of what a statement assigns or declares.
    fn forget(&mut self, node: &Node) {
        for inner in node.walk() {
            let written = write_target(inner).and_then(Node::variable).map_or(inner.id, |r| r.id);
            self.values.remove(&written);
        }
    }

    /// Visits an expression; `integral`: its value is a bound, a subscript or a condition.
    fn expression(&mut self, node: &'a Node, integral: bool) {
        let mut parts = node.inner.iter().filter(|n| !n.kind.is_absent());
        match node.kind {
            SyntaxKind::ImplicitCastExpr if matches!(node.cast.as_str(), "LValueToRValue" | "ArrayToPointerDecay") => {
                if !self.is_wanted(node, integral) || self.load(node).is_none() {
                    parts.for_each(|n| self.expression(n, integral));
                }
            }
            SyntaxKind::ArraySubscriptExpr => {
                for n in parts {
                    self.expression(n, ctype::integer(n.ty.plain()).is_some());
                }
            }
            SyntaxKind::ConditionalOperator if node.inner.len() == 3 => {
                self.expression(&node.inner[0], true);
                let (test, branches) = (&node.inner[0], &node.inner[1..]);
                self.branches(test, branches, |finder, branch| finder.expression(branch, integral));
            }
            SyntaxKind::BinaryOperator if matches!(node.opcode.as_str(), "&&" | "||") && node.inner.len() == 2 => {
                let (left, right) = (&node.inner[0], &node.inner[1]);
                self.expression(left, integral);
                self.under(left, node.opcode == "||", |finder| finder.expression(right, integral));
            }
            SyntaxKind::BinaryOperator if node.opcode == "=" && node.inner.len() == 2 => {
                let scalar = node.inner[0].variable().is_some() && ctype::integer(node.inner[0].ty.plain()).is_some();
                self.expression(&node.inner[1], scalar);
                self.expression(&node.inner[0], false);
            }
            SyntaxKind::CallExpr => parts.skip(1).for_each(|n| self.expression(n, false)),
            // What is not evaluated, or perhaps not.
            SyntaxKind::UnaryExprOrTypeTraitExpr
            | SyntaxKind::StmtExpr
            | SyntaxKind::BinaryConditionalOperator
            | SyntaxKind::GenericSelectionExpr => {}
            _ if parts.any(|n| n.kind.is_statement()) => {}
            _ => node.inner.iter().filter(|n| !n.kind.is_absent()).for_each(|n| self.expression(n, integral)),
        }
    }

    /// Whether a value is of use: a pointer to an array, a member, an integer in a bound or subscript.
    fn is_wanted(&self, node: &Node, integral: bool) -> bool {
        let Some(object) = node.child(0).filter(|object| object.variable().is_none()) else { return false };
        let member = object.bare().is(&SyntaxKind::MemberExpr);
        let plain = node.ty.plain();
        if node.cast == "ArrayToPointerDecay" {
            return member;
        }
        let integer = self.unit.integer(plain).is_some();
        ctype::is_pointer(plain) || (integer && (member || integral)) || (member && ctype::size(plain) > 0)
    }

    /// The name of a value that is read at entry, or of an array's address there; `None` if it cannot be.
    fn load(&mut self, node: &'a Node) -> Option<Text> {
        let path = self.path(node.child(0)?)?;
        let user = path.user.clone();
        if let Some(known) = self.found.loads.iter().position(|load| load.path.text == path.text) {
            self.found.uses.insert(std::ptr::from_ref(node), known);
            return Some((self.found.loads[known].name.clone(), user));
        }
        if self.closed {
            return None;
        }
        let address = node.cast == "ArrayToPointerDecay";
        let form = form(node.child(0)?)?;
        let strange = ["(unnamed", "(anonymous", "typeof", "__attribute"];
        if strange.iter().any(|word| node.ty.written.contains(word))
            || ctype::varies(&node.ty.written)
            || ctype::varies(node.ty.plain())
            || (!address && self.around.written.iter().any(|written| may_change(written, &form)))
            || !self.is_reached(&path.needs)
        {
            return None;
        }
        if !address {
            self.used.extend(path.needs.iter().cloned());
        }
        let index = self.found.loads.len();
        let words: Vec<&str> = ctype::words(&user).collect();
        let name = format!("dvm__{}_{}", index + 1, words.join("_"));
        let ty = node.ty.clone();
        self.found.loads.push(EntryLoad { name: name.clone(), ty, path, address });
        self.found.steps.push(EntryStep::Read(index));
        self.found.uses.insert(std::ptr::from_ref(node), index);
        Some((name, user))
    }

    /// Whether the original loops certainly use these pointers and subscripts; adds the conditions under which they do.
    fn is_reached(&mut self, needs: &[String]) -> bool {
        if needs.iter().all(|need| self.used.contains(need)) || crate::planted::planted("a13-entry") {
            return true;
        }
        if self.lost || self.conditions.iter().any(Option::is_none) {
            return false;
        }
        for (text, told) in self.conditions.iter_mut().flatten().filter(|(_, told)| !told) {
            self.found.steps.push(EntryStep::Condition(text.clone()));
            *told = true;
        }
        true
    }

    /// The object that an lvalue designates during the whole region.
    fn path(&mut self, node: &'a Node) -> Option<EntryPath> {
        if ctype::is_untouchable(node.ty.plain()) {
            return None;
        }
        match node.kind {
            SyntaxKind::ParenExpr => self.path(node.child(0)?),
            SyntaxKind::DeclRefExpr => {
                let (id, variable) = self.steady(node)?;
                EntryPath::variable(variable, id, &variable.name)
            }
            SyntaxKind::MemberExpr => {
                let field = plain_field(self.unit, node)?;
                let base = node.child(0)?;
                if !node.arrow {
                    return Some(self.path(base)?.part(&field.name));
                }
                Some(self.pointer(base)?.followed(Some(&field.name), None))
            }
            SyntaxKind::UnaryOperator if node.opcode == "*" => Some(self.pointer(node.child(0)?)?.followed(None, None)),
            SyntaxKind::ArraySubscriptExpr => {
                let (base, index) = (node.child(0)?, node.child(1)?);
                self.unit.integer(index.ty.plain())?;
                let (text, user) = self.value(index, false)?;
                if base.cast == "ArrayToPointerDecay" {
                    let array = base.child(0)?;
                    return Some(self.path(array)?.element(array.ty.plain(), &text, &user));
                }
                Some(self.pointer(base)?.followed(None, Some((&text, &user))))
            }
            _ => None,
        }
    }

    /// A pointer that keeps its value, as the path of what it points to before that is followed.
    fn pointer(&mut self, node: &'a Node) -> Option<EntryPath> {
        match (&node.kind, node.cast.as_str()) {
            (SyntaxKind::ParenExpr, _) | (SyntaxKind::ImplicitCastExpr, "NoOp") => self.pointer(node.child(0)?),
            (SyntaxKind::ImplicitCastExpr, "LValueToRValue") => {
                let object = node.child(0)?;
                if object.variable().is_some() {
                    let path = self.path(object)?;
                    self.found.variables.insert(path.root);
                    return Some(path);
                }
                let (name, user) = self.load(node)?;
                let load = self.found.loads.iter().find(|load| load.name == name)?;
                let path = EntryPath { text: name, user, needs: vec![], object: false, ..load.path.clone() };
                Some(path)
            }
            _ => None,
        }
    }

    /// A variable that keeps its value.
    fn steady(&self, node: &Node) -> Option<(Id, &'a Node)> {
        let id = node.reference.as_ref()?.id;
        let variable = self.unit.declaration(id)?;
        let plain = matches!(variable.kind, SyntaxKind::VarDecl | SyntaxKind::ParmVarDecl)
            && !variable.thread_local
            && !ctype::is_untouchable(variable.ty.plain())
            && is_ordinary(variable);
        (plain && !self.around.unsteady.contains(&id)).then_some((id, variable))
    }

    /// The value of an expression in the first iterations.
    fn now(&mut self, node: &'a Node) -> Option<Text> {
        if node.walk().any(|n| write_target(n).is_some()) {
            return None;
        }
        // The visit of the expression found its loads, under their own conditions.
        let before = std::mem::replace(&mut self.closed, true);
        let value = self.value(node, true);
        self.closed = before;
        value
    }

    /// The value of an expression, for the entry: with `first` that in the first iterations, else only one that never
    /// changes.
    fn value(&mut self, node: &'a Node, first: bool) -> Option<Text> {
        let all = |(text, user): Text| Some((text, user));
        match node.kind {
            SyntaxKind::IntegerLiteral => {
                let suffix = match node.ty.plain() {
                    "int" => "",
                    "unsigned int" => "u",
                    "long" => "l",
                    "unsigned long" => "ul",
                    _ => return None,
                };
                let text = format!("{}{suffix}", node.value.as_ref()?);
                all((text.clone(), text))
            }
            SyntaxKind::ParenExpr | SyntaxKind::ConstantExpr => self.value(node.child(0)?, first),
            SyntaxKind::DeclRefExpr => {
                let reference = node.reference.as_ref()?;
                if let Some(value) = self.values.get(&reference.id).filter(|_| first) {
                    return all((value.clone(), reference.name.clone()));
                }
                if reference.kind == SyntaxKind::EnumConstantDecl {
                    let text = self.unit.constant(node)?.value.to_string();
                    return all((format!("({text})"), reference.name.clone()));
                }
                let (id, variable) = self.steady(node)?;
                self.unit.integer(variable.ty.plain())?;
                self.found.variables.insert(id);
                all((variable.name.clone(), variable.name.clone()))
            }
            SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr => match node.cast.as_str() {
                "LValueToRValue" if node.child(0)?.variable().is_some() => self.value(node.child(0)?, first),
                "LValueToRValue" => {
                    self.unit.integer(node.ty.plain())?;
                    self.load(node)
                }
                "NoOp" | "IntegralCast" | "IntegralToBoolean" => {
                    let (text, user) = self.value(node.child(0)?, first)?;
                    let ty = ctype::unqualified(node.ty.plain());
                    ctype::integer(&ty)?;
                    all((format!("(({ty})({text}))"), user))
                }
                _ => None,
            },
            SyntaxKind::UnaryOperator if matches!(node.opcode.as_str(), "+" | "-" | "~" | "!") => {
                let (text, user) = self.value(node.child(0)?, first)?;
                all((format!("({}({text}))", node.opcode), format!("{}{user}", node.opcode)))
            }
            SyntaxKind::BinaryOperator => {
                let whole = ["+", "-", "*"].contains(&node.opcode.as_str());
                let tests = ["<", "<=", ">", ">=", "==", "!=", "&&", "||", "/", "%", "<<", ">>", "&", "|", "^"];
                let known = whole || (first && tests.contains(&node.opcode.as_str()));
                if !known {
                    return None;
                }
                let (left, left_user) = self.value(node.child(0)?, first)?;
                let (right, right_user) = self.value(node.child(1)?, first)?;
                let operator = &node.opcode;
                all((format!("({left} {operator} {right})"), format!("{left_user} {operator} {right_user}")))
            }
            SyntaxKind::ConditionalOperator if first => {
                let (test, _) = self.value(node.child(0)?, first)?;
                let (yes, _) = self.value(node.child(1)?, first)?;
                let (no, _) = self.value(node.child(2)?, first)?;
                all((format!("({test} ? {yes} : {no})"), String::new()))
            }
            _ => None,
        }
    }
}
