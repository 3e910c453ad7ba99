//! Finds values in memory that the region reads and, as far as names tell, never writes: sizes, factors and pointers to
//! arrays. They are read once, at the region's entry.
//!
//! A read that may trap happens at the entry only if the original loops certainly do it. The finder follows them up to
//! their first iterations: what the conditions on the way are there becomes a condition of the entry. A condition that
//! never changes guards the read instead: where it is false, the loops do not use the value.

use super::entry_path::{EntryPath, form, is_ordinary, may_change, plain_field};
use super::loop_header;
use super::used_before::Followed;
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
    /// What is kept of it.
    pub kind: LoadKind,
}

/// What is kept of an object that is read at entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadKind {
    /// Its value.
    Value,
    /// The address of an array inside a struct: nothing is read.
    Address,
    /// Whether the pointer is no null pointer: 1 or 0.
    Set,
    /// Whether the pointer is a null pointer: 1 or 0.
    Unset,
}

impl LoadKind {
    /// Whether only the pointer's being null is of use.
    pub fn is_test(self) -> bool {
        matches!(self, LoadKind::Set | LoadKind::Unset)
    }
}

impl EntryLoad {
    /// Whether nothing is read.
    pub fn is_address(&self) -> bool {
        self.kind == LoadKind::Address
    }

    /// The user's text of what is kept.
    pub fn user(&self) -> String {
        match self.kind {
            LoadKind::Value | LoadKind::Address => self.path.user.clone(),
            LoadKind::Set => format!("({} != NULL)", self.path.user),
            LoadKind::Unset => format!("({} == NULL)", self.path.user),
        }
    }

    /// C text of what is kept, for the entry.
    pub fn expression(&self) -> String {
        match self.kind {
            LoadKind::Value | LoadKind::Address => self.path.text.clone(),
            LoadKind::Set => format!("({} != 0)", self.path.text),
            LoadKind::Unset => format!("({} == 0)", self.path.text),
        }
    }
}

/// A step at the region's entry.
#[derive(Debug, Clone)]
pub enum EntryStep {
    /// Go on if this C expression is true.
    Condition(String),
    /// Read the load of this index if the C expression is true; the empty one is.
    Read(usize, String),
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
pub type Text = (String, String);

/// Which values count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Integers that never change, without a test.
    Always,
    /// Values that never change.
    Test,
    /// Values in the first iterations.
    First,
}

/// Whether a value of the type is a floating-point number whose comparisons are the same at the entry as in the loops.
pub fn is_real(plain: &str) -> bool {
    matches!(ctype::unqualified(plain).as_str(), "double" | "float")
}

/// A condition on the way to the current place.
struct OnTheWay {
    /// Its value in the first iterations, if that is known.
    first: Option<String>,
    /// The same if it never changes.
    always: Option<String>,
    /// It says whether a loop has an iteration.
    of_loop: bool,
    /// It is a step already.
    told: bool,
}

/// Follows the region up to the first iteration of each loop.
pub struct Finder<'a> {
    pub unit: &'a Unit,
    pub around: Surroundings,
    pub found: EntryLoads,
    /// Values of counters and assigned scalars in the first iterations.
    pub values: HashMap<Id, String>,
    /// Conditions on the way to the current place, the outermost first.
    conditions: Vec<OnTheWay>,
    /// Loads that are read under some guards only.
    guarded: HashMap<usize, Vec<String>>,
    /// Pointers and subscripts that certainly have been used.
    used: HashSet<String>,
    /// The same before the region.
    used_before: Followed,
    /// Something was met that may leave the loops.
    lost: bool,
    /// Only loads that are known count.
    closed: bool,
}

impl<'a> Finder<'a> {
    /// Finds the loads of a region's statements.
    pub fn find(unit: &'a Unit, roots: &[&'a Node], around: Surroundings, used_before: Followed) -> EntryLoads {
        let mut finder = Finder {
            unit,
            around,
            found: EntryLoads::default(),
            values: HashMap::new(),
            conditions: vec![],
            guarded: HashMap::new(),
            used: HashSet::new(),
            used_before,
            lost: false,
            closed: false,
        };
        for root in roots {
            finder.statement(root);
        }
        // A use under unknown conditions has the value as well, if a later use is certain.
        finder.closed = true;
        (finder.lost, finder.conditions) = (false, vec![]);
        finder.values.clear();
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
                self.truth(test);
                self.branches(test, branches, Finder::statement);
                for branch in branches {
                    self.forget(branch);
                }
            }
            SyntaxKind::WhileStmt
            | SyntaxKind::DoStmt
            | SyntaxKind::SwitchStmt
            | SyntaxKind::CaseStmt
            | SyntaxKind::DefaultStmt => self.somehow(node),
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

    /// Visits a statement whose parts may run or not, in any order and number.
    fn somehow(&mut self, node: &'a Node) {
        self.values.clear();
        self.conditions.push(OnTheWay { first: None, always: None, of_loop: false, told: false });
        for part in node.inner.iter().filter(|n| !n.kind.is_absent()) {
            self.values.clear();
            if part.kind.is_statement() { self.statement(part) } else { self.expression(part, true) }
        }
        self.conditions.pop();
        self.values.clear();
        self.lost = true;
    }

    fn loop_statement(&mut self, node: &'a Node) {
        let Ok(header) = loop_header::header(self.unit, node) else {
            self.lost = true;
            return;
        };
        self.expression(header.first, true);
        self.assign(header.counter, Some(header.first));
        self.expression(header.condition, true);
        self.under(header.condition, false, true, |finder| {
            finder.statement(header.body);
            header.assumed.iter().for_each(|amount| finder.expression(amount, true));
        });
        self.forget(node);
        self.values.remove(&header.counter);
    }

    /// Visits what happens only if a condition holds, or (with `negate`) does not; whether the condition became a step.
    fn under(&mut self, test: &'a Node, negate: bool, of_loop: bool, visit: impl FnOnce(&mut Self)) -> bool {
        let negated = |(text, _): Text| if negate { format!("!({text})") } else { text };
        let first = self.now(test, When::First).map(negated);
        let always = self.now(test, When::Test).map(negated);
        self.conditions.push(OnTheWay { first, always, of_loop, told: false });
        visit(self);
        self.conditions.pop().is_some_and(|condition| condition.told)
    }

    /// Visits two alternatives; the entry cannot wait for both.
    fn branches(&mut self, test: &'a Node, branches: &'a [Node], mut visit: impl FnMut(&mut Self, &'a Node)) {
        let (mut told, values) = (false, self.values.clone());
        for (branch, negate) in branches.iter().zip([false, true]) {
            self.values.clone_from(&values);
            if told {
                self.conditions.push(OnTheWay { first: None, always: None, of_loop: false, told: false });
                visit(self, branch);
                self.conditions.pop();
            } else {
                told = self.under(test, negate, false, |finder| visit(finder, branch));
            }
        }
    }

    /// Notes the value of an assigned variable.
    fn assign(&mut self, id: Id, value: Option<&'a Node>) {
        self.values.remove(&id);
        let Some(variable) = self.unit.declaration(id).filter(|_| self.around.followed.contains(&id)) else { return };
        if ctype::integer(variable.ty.plain()).is_some()
            && let Some((text, _)) = value.and_then(|value| self.now(value, When::First))
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
            SyntaxKind::BinaryOperator if compared_with_null(node).is_some() && self.test(node).is_some() => {}
            SyntaxKind::UnaryOperator if node.opcode == "!" => parts.for_each(|n| self.truth(n)),
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
                self.truth(&node.inner[0]);
                let (test, branches) = (&node.inner[0], &node.inner[1..]);
                self.branches(test, branches, |finder, branch| finder.expression(branch, integral));
            }
            SyntaxKind::BinaryOperator if matches!(node.opcode.as_str(), "&&" | "||") && node.inner.len() == 2 => {
                let (left, right) = (&node.inner[0], &node.inner[1]);
                self.truth(left);
                self.under(left, node.opcode == "||", false, |finder| finder.truth(right));
            }
            SyntaxKind::CompoundAssignOperator | SyntaxKind::BinaryOperator
                if node.inner.len() == 2 && write_target(node).is_some() =>
            {
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

    /// Visits an expression of which only the truth is of use.
    fn truth(&mut self, node: &'a Node) {
        if !ctype::is_pointer(node.ty.plain()) || self.test(node).is_none() {
            self.expression(node, true);
        }
    }

    /// Whether a value is of use: a pointer to an array, a member, a number in a bound, subscript or condition.
    fn is_wanted(&self, node: &Node, integral: bool) -> bool {
        let Some(object) = node.child(0).filter(|object| object.variable().is_none()) else { return false };
        let member = object.bare().is(&SyntaxKind::MemberExpr);
        let plain = node.ty.plain();
        if node.cast == "ArrayToPointerDecay" {
            return member;
        }
        let integer = self.unit.integer(plain).is_some();
        let tested = integral && is_real(plain);
        ctype::is_pointer(plain) || (integer && (member || integral)) || (member && ctype::size(plain) > 0) || tested
    }

    /// The name of a value that is read at entry, or of an array's address there; `None` if it cannot be.
    pub fn load(&mut self, node: &'a Node) -> Option<Text> {
        let kind = if node.cast == "ArrayToPointerDecay" { LoadKind::Address } else { LoadKind::Value };
        self.kept(node, node.child(0)?, kind)
    }

    /// The name of the variable that tells whether a pointer is set, in place of a pointer as a condition, or of its
    /// comparison with a null pointer.
    pub fn test(&mut self, node: &'a Node) -> Option<Text> {
        let mut pointer = compared_with_null(node).unwrap_or(node);
        while pointer.is(&SyntaxKind::ParenExpr) {
            pointer = pointer.child(0)?;
        }
        if pointer.cast != "LValueToRValue" || !ctype::is_pointer(pointer.ty.plain()) {
            return None;
        }
        let unset = node.is(&SyntaxKind::BinaryOperator) && node.opcode == "==";
        self.kept(node, pointer.child(0)?, if unset { LoadKind::Unset } else { LoadKind::Set })
    }

    /// The name of the variable that keeps what a node uses of an object.
    fn kept(&mut self, node: &'a Node, object: &'a Node, kind: LoadKind) -> Option<Text> {
        let path = self.path(object)?;
        let user = path.user.clone();
        let alike = |other: LoadKind| other == kind || !(other.is_test() || kind.is_test());
        let same = |load: &EntryLoad| load.path.text == path.text && alike(load.kind);
        let known = self.found.loads.iter().position(same);
        if let Some(known) = known.filter(|known| !self.guarded.contains_key(known)) {
            self.found.uses.insert(std::ptr::from_ref(node), known);
            return Some((self.found.loads[known].name.clone(), user));
        }
        if self.closed {
            let visited = known.filter(|_| self.found.uses.contains_key(&std::ptr::from_ref(node)))?;
            return Some((self.found.loads[visited].name.clone(), user));
        }
        let form = form(object)?;
        let strange = ["(unnamed", "(anonymous", "typeof", "__attribute"];
        if strange.iter().any(|word| node.ty.written.contains(word))
            || ctype::varies(&node.ty.written)
            || ctype::varies(node.ty.plain())
            || (kind != LoadKind::Address && self.around.written.iter().any(|written| may_change(written, &form)))
        {
            return None;
        }
        let guard = self.guard(&path, !is_real(node.ty.plain()))?;
        if kind != LoadKind::Address && guard.is_empty() {
            self.used.extend(path.needs.iter().cloned());
        }
        if kind.is_test() {
            self.found.variables.insert(path.root);
        }
        let index = known.unwrap_or_else(|| self.add(node, path, kind));
        self.read(index, guard);
        self.found.uses.insert(std::ptr::from_ref(node), index);
        Some((self.found.loads[index].name.clone(), user))
    }

    /// Adds a load.
    fn add(&mut self, node: &Node, path: EntryPath, kind: LoadKind) -> usize {
        let index = self.found.loads.len();
        let words: Vec<&str> = ctype::words(&path.user).collect();
        let name = format!("dvm__{}_{}", index + 1, words.join("_"));
        let ty = if kind.is_test() { Type::named("int") } else { node.ty.clone() };
        self.found.loads.push(EntryLoad { name, ty, path, kind });
        self.guarded.insert(index, vec![]);
        index
    }

    /// Adds the step that reads a load under a guard, unless one does already.
    fn read(&mut self, index: usize, guard: String) {
        let Some(guards) = self.guarded.get_mut(&index).filter(|guards| !guards.contains(&guard)) else { return };
        if guard.is_empty() {
            self.guarded.remove(&index);
        } else {
            guards.push(guard.clone());
        }
        self.found.steps.push(EntryStep::Read(index, guard));
    }

    /// The guard under which the original loops certainly use these pointers and subscripts; empty: they do in any
    /// case. Adds the steps that it needs, but for a value of little use (not `needed`) only that loops have iterations.
    fn guard(&mut self, path: &EntryPath, needed: bool) -> Option<String> {
        let used = |need: &String| self.used.contains(need) || self.used_before.contains(&(path.root, need.clone()));
        if path.needs.iter().all(used) || crate::planted::planted("a13-entry") {
            return Some(String::new());
        }
        let known =
            |way: &OnTheWay| way.told || way.always.is_some() || (way.first.is_some() && (needed || way.of_loop));
        if self.lost || !self.conditions.iter().all(known) {
            return None;
        }
        let mut guard = String::new();
        for way in self.conditions.iter_mut().filter(|way| !way.told) {
            match (&way.always, &way.first) {
                // A loop without iterations has no tiles.
                (Some(always), _) if !way.of_loop => {
                    guard = if guard.is_empty() { always.clone() } else { format!("{guard} && {always}") };
                }
                (_, Some(first)) => {
                    let step = if guard.is_empty() { first.clone() } else { format!("(!({guard}) || {first})") };
                    self.found.steps.push(EntryStep::Condition(step));
                    way.told = true;
                }
                _ => return None,
            }
        }
        Some(guard)
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
                let (text, user) = self.value(index, When::Always)?;
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
    pub fn steady(&self, node: &Node) -> Option<(Id, &'a Node)> {
        let id = node.reference.as_ref()?.id;
        let variable = self.unit.declaration(id)?;
        let plain = matches!(variable.kind, SyntaxKind::VarDecl | SyntaxKind::ParmVarDecl)
            && !variable.thread_local
            && !ctype::is_untouchable(variable.ty.plain())
            && is_ordinary(variable);
        (plain && !self.around.unsteady.contains(&id)).then_some((id, variable))
    }

    /// The value of an expression as the entry knows it.
    fn now(&mut self, node: &'a Node, when: When) -> Option<Text> {
        if node.walk().any(|n| write_target(n).is_some()) {
            return None;
        }
        // The visit of the expression found its loads, under their own conditions.
        let before = std::mem::replace(&mut self.closed, true);
        let value = self.value(node, when);
        self.closed = before;
        value
    }
}

/// The pointer that a comparison tests for being a null pointer.
fn compared_with_null(node: &Node) -> Option<&Node> {
    if !node.is(&SyntaxKind::BinaryOperator) || !matches!(node.opcode.as_str(), "==" | "!=") {
        return None;
    }
    let (left, right) = (node.child(0)?, node.child(1)?);
    match (is_null(left), is_null(right)) {
        (false, true) => Some(left),
        (true, false) => Some(right),
        _ => None,
    }
}

/// Whether an expression is a null pointer, as `NULL` and 0 are.
fn is_null(node: &Node) -> bool {
    let zero = |n: &Node| n.bare().is(&SyntaxKind::IntegerLiteral) && n.bare().value.as_deref() == Some("0");
    match (&node.kind, node.cast.as_str()) {
        (SyntaxKind::ParenExpr, _)
        | (SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr, "BitCast" | "NoOp") => {
            node.child(0).is_some_and(is_null)
        }
        (SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr, "NullToPointer") => node.child(0).is_some_and(zero),
        _ => false,
    }
}
