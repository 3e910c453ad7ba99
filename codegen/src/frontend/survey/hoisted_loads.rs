//! Rewrites a region's syntax tree as if its author had copied values in memory to variables before the region.

use super::address_uses::AddressUses;
use super::entry_loads::{EntryLoad, EntryLoads, EntryStep, Finder, LoadKind, Surroundings};
use super::entry_path::form;
use super::used_before::used_before;
use super::variables::RegionVariables;
use crate::frontend::clang::ast::{Id, Node, Reference, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts::write_target;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::model::Entry;
use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The values that a region reads at entry, as variables.
#[derive(Debug, Clone, Default)]
pub struct HoistedLoads {
    /// The values, with the variables that keep them.
    pub loads: Vec<(Id, EntryLoad)>,
    /// The steps at entry.
    pub steps: Vec<EntryStep>,
    /// Text replacements: offset -> (length, new text).
    pub edits: BTreeMap<usize, (usize, String)>,
    /// Variables that statements name in macros, where no text is replaced.
    pub named: BTreeSet<Id>,
    /// Variables that steps use.
    pub variables: HashSet<Id>,
    /// What the function's own text does with addresses.
    pub uses: AddressUses,
    /// Without them the region has arrays that are no arrays of the model.
    pub necessary: bool,
}

impl HoistedLoads {
    /// The tree in which the region uses variables, if it reads anything at entry.
    pub fn of(unit: &Unit, source: &Source, function: &Node, roots: &[&Node]) -> Option<(Unit, HoistedLoads)> {
        let ours = |n: &Node| n.reference.as_ref().map_or(&n.name, |r| &r.name).starts_with("dvm__");
        if roots.iter().flat_map(|root| root.walk()).any(ours) {
            return None;
        }
        let variables = RegionVariables::new(unit, function, roots.to_vec()).ok()?;
        let used_before = used_before(unit, function, roots.first()?);
        let found = Finder::find(unit, roots, surroundings(unit, &variables), used_before);
        if found.loads.is_empty() {
            return None;
        }
        let (texts, kept) = occurrences(unit, source, roots, &found);
        let first = Id::MAX - found.loads.len() as u64;
        let ids: Vec<Id> = (0..found.loads.len()).map(|k| first + k as u64).collect();
        let at = unit.root.inner.iter().position(|n| std::ptr::eq(n, function))?;
        let writer = Writer { found: &found, ids: &ids, kept: &kept };
        let mut rewritten = writer.node(function);
        for (load, id) in found.loads.iter().zip(&ids) {
            rewritten.inner.push(variable(load, *id));
        }
        let mut hoisted = HoistedLoads { steps: found.steps.clone(), variables: found.variables.clone(), ..texts };
        hoisted.uses = AddressUses::until(function, roots);
        for ((id, load), kept) in ids.iter().zip(&found.loads).zip(&kept) {
            if load.is_address() && load.path.object && *kept {
                hoisted.uses.addressed.insert(load.path.root);
            }
            hoisted.necessary |= ctype::is_pointer(load.ty.plain());
            hoisted.loads.push((*id, load.clone()));
        }
        Some((unit.with_function(at, rewritten), hoisted))
    }

    /// A text with the user's expressions instead of the variables.
    pub fn readable(&self, text: &str) -> String {
        self.loads.iter().fold(text.to_owned(), |text, (_, load)| text.replace(&load.name, &load.user()))
    }

    /// The steps in the form of the model.
    pub fn entry(&self) -> Vec<Entry> {
        let step = |step: &EntryStep| match step {
            EntryStep::Condition(text) => Entry::Condition(text.clone()),
            EntryStep::Read(index, guard) => {
                let load = &self.loads[*index].1;
                let (name, ctype) = (load.name.clone(), ctype::of_copy(&load.ty.written));
                let (expression, text) = (load.expression(), load.user());
                Entry::Read { name, ctype, guard: guard.clone(), expression, text }
            }
        };
        self.steps.iter().map(step).collect()
    }
}

/// What the finder has to know of the region's variables.
fn surroundings(unit: &Unit, variables: &RegionVariables) -> Surroundings {
    let mut around = Surroundings::default();
    around.unsteady.extend(variables.declared.keys().chain(variables.counters.keys()));
    for target in variables.roots.iter().flat_map(|root| root.walk()).filter_map(write_target) {
        around.unsteady.extend(target.variable().map(|r| r.id));
        around.written.extend(form(target));
    }
    let followed = |id: &&Id| {
        let own = |v: &Node| matches!(v.storage.as_str(), "" | "auto" | "register");
        !unit.at_file_scope(**id) && !variables.addressed.contains(*id) && unit.declaration(**id).is_some_and(own)
    };
    around.followed = around.unsteady.iter().filter(followed).copied().collect();
    around
}

/// The texts to replace, and by load whether its uses become variables.
fn occurrences(unit: &Unit, source: &Source, roots: &[&Node], found: &EntryLoads) -> (HoistedLoads, Vec<bool>) {
    let mut kept = vec![true; found.loads.len()];
    loop {
        let mut all: Vec<(usize, &Node)> = Vec::new();
        for root in roots {
            outermost(root, found, &kept, &mut all);
        }
        let range = |(load, node): &(usize, &Node)| text_range(source, node, &found.loads[*load]);
        // An array has one name in all statements: each name claims to be the only one.
        let in_macros: BTreeSet<usize> =
            all.iter().filter(|use_| range(use_).is_none()).map(|(load, _)| *load).collect();
        let named = |load: usize| {
            let nodes = all.iter().filter(move |(other, _)| *other == load).flat_map(|(_, node)| node.walk());
            nodes.filter_map(|n| n.reference.as_ref()).filter(|r| r.kind.is_variable()).map(|r| r.id)
        };
        let passable = |id: Id| {
            let plain = unit.declaration(id).map_or("", |v| v.ty.plain());
            unit.at_file_scope(id) || ctype::is_pointer(plain) || ctype::integer(plain).is_some()
        };
        if let Some(lost) = in_macros.iter().find(|load| !named(**load).all(passable)) {
            kept[*lost] = false;
            continue;
        }
        let passed = in_macros.iter().flat_map(|load| named(*load)).filter(|id| !unit.at_file_scope(*id)).collect();
        let mut texts = HoistedLoads { named: passed, ..HoistedLoads::default() };
        for use_ in all.iter().filter(|(load, _)| !in_macros.contains(load)) {
            let Some((begin, end)) = range(use_) else { continue };
            texts.edits.insert(begin, (end - begin, found.loads[use_.0].name.clone()));
        }
        return (texts, kept);
    }
}

/// The outermost uses of loads.
fn outermost<'n>(node: &'n Node, found: &EntryLoads, kept: &[bool], all: &mut Vec<(usize, &'n Node)>) {
    if let Some(load) = found.uses.get(&std::ptr::from_ref(node)).filter(|load| kept[**load]) {
        all.push((*load, node));
        return;
    }
    node.inner.iter().for_each(|inner| outermost(inner, found, kept, all));
}

/// Where the file spells an expression: in plain text, or as a macro's argument.
fn text_range(source: &Source, node: &Node, load: &EntryLoad) -> Option<(usize, usize)> {
    let (begin, end) = (node.begin, node.end);
    if !begin.known || !end.known || begin.made || end.made {
        return None;
    }
    if !begin.expanded && !end.expanded {
        return Some((begin.offset, end.offset + end.length));
    }
    let after = source.skip_token(end.offset);
    if load.kind.is_test() && !begin.expanded && source.text(end.offset, after) == "NULL" {
        return Some((begin.offset, after));
    }
    // The macro may use its argument also as the array itself, in `sizeof`.
    if load.kind != LoadKind::Value {
        return None;
    }
    let (begin, last) = (begin.spelled.filter(|_| begin.expanded)?, end.spelled.filter(|_| end.expanded)?);
    let end = source.skip_token(last);
    let solid = |text: &str| text.split_whitespace().collect::<String>();
    (begin <= last && solid(&source.text(begin, end)) == solid(&load.path.user)).then_some((begin, end))
}

/// The variable of a load.
fn variable(load: &EntryLoad, id: Id) -> Node {
    let (name, ty) = (load.name.clone(), load.ty.clone());
    Node { id, kind: SyntaxKind::VarDecl, name, ty, ..Node::default() }
}

/// Copies a tree with variables for loads.
struct Writer<'a> {
    found: &'a EntryLoads,
    ids: &'a [Id],
    kept: &'a [bool],
}

impl Writer<'_> {
    fn node(&self, node: &Node) -> Node {
        if let Some(load) = self.found.uses.get(&std::ptr::from_ref(node)).filter(|load| self.kept[**load]) {
            return self.value(node, *load);
        }
        let inner = node.inner.iter().map(|inner| self.node(inner)).collect();
        Node { inner, ..without_parts(node) }
    }

    /// The value of a load's variable in place of an expression.
    fn value(&self, node: &Node, load: usize) -> Node {
        let EntryLoad { name, ty, kind, .. } = &self.found.loads[load];
        let reference = Some(Reference { id: self.ids[load], kind: SyntaxKind::VarDecl, name: name.clone() });
        let ty = if kind.is_test() { ty.clone() } else { node.ty.clone() };
        let (begin, end) = (node.begin, node.end);
        let named = Node { kind: SyntaxKind::DeclRefExpr, ty: ty.clone(), reference, begin, end, ..Node::default() };
        let cast = "LValueToRValue".to_owned();
        Node { kind: SyntaxKind::ImplicitCastExpr, ty, cast, begin, end, inner: vec![named], ..Node::default() }
    }
}

/// A copy of a node without its children.
pub fn without_parts(node: &Node) -> Node {
    Node {
        id: node.id,
        previous: node.previous,
        kind: node.kind.clone(),
        name: node.name.clone(),
        ty: node.ty.clone(),
        argument: node.argument.clone(),
        value: node.value.clone(),
        opcode: node.opcode.clone(),
        cast: node.cast.clone(),
        postfix: node.postfix,
        arrow: node.arrow,
        reference: node.reference.clone(),
        member: node.member,
        label: node.label,
        storage: node.storage.clone(),
        thread_local: node.thread_local,
        tag: node.tag.clone(),
        bit_field: node.bit_field,
        initialised: node.initialised,
        inlined: node.inlined,
        system: node.system,
        fixed: node.fixed.clone(),
        begin: node.begin,
        end: node.end,
        inner: vec![],
    }
}
