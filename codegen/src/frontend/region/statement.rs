//! Turns the region's syntax tree into statements with domains, schedules and accesses.

use super::atomic_groups::children;
use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::expression_parts;
use crate::frontend::clang::extent::{statement_end, token_end, wants_semicolon};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::statement_effects::{Effects, unknown};
use crate::frontend::survey::jumps;
use crate::frontend::survey::loop_header::{self, LoopHeader};
use crate::frontend::survey::region_builder::{RawStatement, RegionBuilder};
use crate::frontend::values::surrounding_loops::Scope;
use crate::refusal::Code;
use crate::source::Directive;
use std::collections::{BTreeMap, HashSet};

impl<'a> RegionBuilder<'a> {
    /// Makes the statements of a block; `block` identifies it for the groups.
    pub fn block(&mut self, block: Id, statements: &[&'a Node], scope: &Scope) {
        if statements.iter().any(|statement| jumps::is_open(statement)) {
            let mut here = scope.clone();
            here.schedule.push("0".to_owned());
            let made = self.leaf(statements, &here);
            return self.note_obstacle(made);
        }
        let groups = self.groups.get(&block).cloned().unwrap_or_default();
        let mut k = 0;
        let mut position = 0;
        while k < statements.len() {
            let mut here = scope.clone();
            here.schedule.push(position.to_string());
            let before = self.statements.len();
            if let Some((_, last)) = groups.iter().find(|(first, _)| *first == k) {
                let last = (*last).min(statements.len() - 1);
                self.note_home(&statements[k..=last], &here);
                let made = self.leaf(&statements[k..=last], &here);
                self.note_obstacle(made);
                k = last + 1;
            } else {
                let made = self.statement(statements[k], &here);
                self.note_obstacle(made);
                k += 1;
            }
            position += usize::from(self.statements.len() > before);
        }
    }

    /// Keeps what is in the way, and goes on: a refused region tells all its obstacles at once.
    fn note_obstacle(&mut self, made: Result<(), Refusal>) {
        self.obstacles.extend(made.err());
    }

    fn statement(&mut self, node: &'a Node, scope: &Scope) -> Result<(), Refusal> {
        match node.kind {
            SyntaxKind::NullStmt => Ok(()),
            _ if self.is_forwarded(node) || self.only_sets_closed(node) => Ok(()),
            SyntaxKind::CompoundStmt => {
                let mut inside = scope.clone();
                inside.schedule.push("0".to_owned());
                self.block(node.id, &children(node), &inside);
                Ok(())
            }
            SyntaxKind::ForStmt => {
                let header = loop_header::header(self.unit, node)?;
                // Data tell how many iterations run: the loop is a part of an iteration of the one around it.
                if let Some(jump) = jumps::open_break(header.body) {
                    return if scope.loops.is_empty() { Err(unknown(jump)) } else { self.leaf(&[node], scope) };
                }
                let inside = match self.attempt(|b| b.enter(&header, scope)) {
                    Ok(inside) => inside,
                    // A loop in another one is a single statement, if its bounds depend on data.
                    Err(_) if !scope.loops.is_empty() => return self.leaf(&[node], scope),
                    Err(refused) => return Err(refused),
                };
                let beside = || header.beside_first.iter().chain(&header.beside_step);
                let told = |b: &Self, part: &Node| {
                    if part.is(&SyntaxKind::VarDecl) { b.is_declared_only(part) } else { b.only_sets_closed(part) }
                };
                if let Some(part) = beside().find(|part| !told(self, part)) {
                    if !scope.loops.is_empty() {
                        return self.leaf(&[node], scope);
                    }
                    let reason = "this loop's header also changes a variable whose value is not told by the counter";
                    return Err(Refusal::at(Code::LoopHeader, part, reason, loop_header::CANONICAL));
                }
                if self.is_independent(&header, scope) {
                    return self.independent(&header, scope.independent.unwrap_or(scope.loops.len()), inside);
                }
                if !self.reductions.is_empty() {
                    return self.whole_body(&header, inside);
                }
                self.block(header.body.id, &children(header.body), &inside);
                Ok(())
            }
            SyntaxKind::IfStmt => {
                let test = &node.inner[0];
                let both = self.attempt(|b| Ok((b.condition(test, scope, false)?, b.condition(test, scope, true)?)));
                let Ok((holds, fails)) = both else { return self.leaf(&[node], scope) };
                if test.walk().any(|n| expression_parts::write_target(n).is_some()) {
                    return self.leaf(&[node], scope);
                }
                // The branches exclude each other, so they may share their times.
                for (branch, formula) in node.inner[1..].iter().zip([holds, fails]) {
                    let mut inside = scope.clone();
                    inside.restrict(formula);
                    inside.uncertain = true;
                    inside.schedule.push("0".to_owned());
                    self.block(branch.id, &children(branch), &inside);
                }
                Ok(())
            }
            SyntaxKind::DeclStmt => {
                let variables = node.inner.iter();
                let mut idle = true;
                for v in variables {
                    idle &= !v.initialised
                        || self.repeatable(v)
                        || self.variables.is_counter(v.id)
                        || self.closed.contains(&v.id);
                }
                if idle { Ok(()) } else { self.leaf(&[node], scope) }
            }
            _ if jumps::is_told_by_data(node) => self.leaf(&[node], scope),
            _ if node.kind.is_statement() => Err(unknown(node)),
            _ => self.leaf(&[node], scope),
        }
    }

    /// Whether the pragma declares a loop's iterations independent.
    fn is_independent(&mut self, header: &LoopHeader, scope: &Scope) -> bool {
        let name = &header.declaration.name;
        let Some(names) = &self.independent else { return false };
        let named = names.contains(name);
        if named {
            self.independent_met.insert(name.clone());
        }
        named || (names.is_empty() && scope.loops.is_empty())
    }

    /// The body of an independent loop: one statement, so that nothing within an iteration changes its order. A loop that
    /// is the whole body and independent as well is tiled, too.
    fn independent(&mut self, header: &LoopHeader<'a>, outer: usize, mut inside: Scope) -> Result<(), Refusal> {
        let nodes: Vec<&'a Node> = children(header.body).into_iter().filter(|n| !n.is(&SyntaxKind::NullStmt)).collect();
        inside.independent = Some(outer);
        if let [only] = nodes.as_slice()
            && only.is(&SyntaxKind::ForStmt)
            && loop_header::header(self.unit, only).is_ok_and(|h| self.is_independent(&h, &inside))
        {
            inside.schedule.push("0".to_owned());
            return self.statement(only, &inside);
        }
        self.whole_body(header, inside)
    }

    /// The body of a loop as one statement.
    fn whole_body(&mut self, header: &LoopHeader<'a>, mut inside: Scope) -> Result<(), Refusal> {
        let nodes: Vec<&'a Node> = children(header.body).into_iter().filter(|n| !n.is(&SyntaxKind::NullStmt)).collect();
        inside.schedule.push("0".to_owned());
        if nodes.is_empty() { Ok(()) } else { self.leaf(&nodes, &inside) }
    }

    /// One statement of the model.
    fn leaf(&mut self, nodes: &[&'a Node], scope: &Scope) -> Result<(), Refusal> {
        let mut inside = scope.clone();
        inside.split = Some(inside.loops.len());
        let mut all = nodes.iter().flat_map(|node| node.walk());
        let alone = all.find(|n| scope.loops.is_empty() && jumps::is_told_by_data(n));
        if let Some(jump) = jumps::leaves(nodes).or(alone) {
            return Err(unknown(jump));
        }
        let labels: Vec<&str> = jumps::labels(nodes).iter().map(|label| label.name.as_str()).collect();
        // A jump may pass over anything.
        let passed = !labels.is_empty() || nodes.iter().any(|node| jumps::open_continue(node).is_some());
        inside.conditional |= passed;
        inside.uncertain |= passed;
        let mut out = Effects::default();
        for node in nodes {
            self.effects(node, &inside, &mut out)?;
        }
        let independent = inside.independent;
        let (begin, end) = self.text_range(nodes)?;
        self.check_conditionals(begin, end)?;
        let mut text = self.edited(begin, end, &out);
        let arithmetic = self.arithmetic_form(nodes, begin, &out);
        let skips = nodes.iter().any(|node| jumps::has_open_text(node));
        let plain = !passed && !skips && !text.contains('#');
        let mut chain = if plain { self.chain_form(nodes, begin, &out, &inside) } else { None };
        let block = nodes.len() > 1 || !matches!(nodes[0].kind, SyntaxKind::CompoundStmt);
        if block && (nodes.len() > 1 || nodes[0].kind.is_statement()) {
            text = format!("{{ {text} }}");
            if let Some(chain) = &mut chain {
                chain.shift(2);
            }
        }
        if skips {
            // A `continue` ends what the statement does: nothing of the iteration comes after it.
            text = format!("do {{ {text} }} while (0);");
        }
        if !labels.is_empty() {
            // The body may stand more than once in a function.
            text = format!("__extension__ ({{ __label__ {}; {text} }});", labels.join(", "));
        }
        self.check_meanings(nodes, &out)?;
        let locals = self.start_values(nodes, &out, scope)? + &self.declarations(&out)?;
        self.statements.push(RawStatement {
            nodes: nodes.to_vec(),
            scope: inside,
            accesses: out.accesses,
            text,
            locals,
            independent,
            arithmetic,
            chain,
        });
        Ok(())
    }

    /// The byte range of a sequence of statements, including the last one's `;`.
    fn text_range(&self, nodes: &[&'a Node]) -> Result<(usize, usize), Refusal> {
        let (first, last) = (nodes[0], nodes[nodes.len() - 1]);
        let begin = first.begin.offset;
        let end = statement_end(self.source, last);
        let own: HashSet<*const Node> = nodes.iter().flat_map(|n| n.walk()).map(std::ptr::from_ref).collect();
        let mixed = self.variables.roots.iter().flat_map(|r| r.walk()).find(|n| {
            let at = n.begin.offset;
            !own.contains(&std::ptr::from_ref(*n)) && n.begin.known && begin <= at && at < end
        });
        if mixed.is_some() || !first.begin.known || !last.end.known {
            return Err(Refusal::at(
                Code::MacroStatements,
                first,
                "a macro (or an included file) holds several statements or parts of loops",
                "write the loops and statements out in the region, macros only inside expressions",
            ));
        }
        if wants_semicolon(last) && self.source.byte(end.saturating_sub(1)) != b';' {
            return Err(Refusal::at(
                Code::MacroStatements,
                last,
                "a macro stands before the `;` of this statement, or holds it",
                "write the `;` directly behind the statement",
            ));
        }
        Ok((begin, end))
    }

    /// The text of a range with all edits.
    pub fn edited(&self, begin: usize, end: usize, out: &Effects) -> String {
        let mut text = String::new();
        let mut at = begin;
        let mut edits: BTreeMap<usize, &(usize, String)> =
            self.hoisted.edits.range(begin..end).map(|(at, e)| (*at, e)).collect();
        edits.extend(out.edits.range(begin..end).map(|(at, edit)| (*at, edit)));
        for (offset, (length, new)) in edits {
            text += &self.source.text(at, offset);
            text += new;
            at = offset + length;
        }
        text + &self.source.text(at, end)
    }

    /// Refuses a preprocessor conditional that a statement's text contains in part: the generated code has each text
    /// alone.
    fn check_conditionals(&self, begin: usize, end: usize) -> Result<(), Refusal> {
        self.source.torn(begin, end).map_or(Ok(()), |directive| Err(torn(&directive)))
    }

    /// All declarations that a statement repeats share a block: each name must have one meaning there.
    fn check_meanings(&self, nodes: &[&'a Node], out: &Effects) -> Result<(), Refusal> {
        let locals: Vec<&Node> = out
            .repeated
            .iter()
            .chain(&out.copies)
            .chain(&out.starts)
            .filter_map(|id| self.unit.declaration(*id))
            .collect();
        let initials = out.repeated.iter().filter_map(|id| self.repeated_value(*id));
        let texts: Vec<&Node> = nodes.iter().copied().chain(initials).collect();
        for local in &locals {
            let other = |id, name: &str| id != local.id && name == local.name && !out.own.contains(&id);
            let named = texts
                .iter()
                .flat_map(|text| text.walk())
                .find(|n| n.reference.as_ref().is_some_and(|r| r.kind.is_variable() && other(r.id, &r.name)));
            if let Some(place) = named.or_else(|| locals.iter().copied().find(|l| other(l.id, &l.name))) {
                let reason = format!("`{0}` hides another `{0}` that the same statement needs", local.name);
                return Err(Refusal::at(Code::HiddenName, place, reason, "give one of the two variables another name"));
            }
        }
        Ok(())
    }

    /// Declarations of variables that a statement uses and that the region declares outside it.
    fn declarations(&self, out: &Effects) -> Result<String, Refusal> {
        let mut lines = Vec::new();
        for id in &out.copies {
            let Some(variable) = self.unit.declaration(*id) else { continue };
            self.check_visible(variable)?;
            lines.push(format!("{};", declare(&self.type_name(variable), &variable.name)));
        }
        // A declaration comes after those that it uses, which were noted before it.
        for id in &out.repeated {
            let Some(variable) = self.unit.declaration(*id) else { continue };
            let Some(initial) = self.repeated_value(*id) else { continue };
            self.check_visible(variable)?;
            let end = token_end(self.source, initial);
            self.check_conditionals(initial.begin.offset, end)?;
            let text = self.edited(initial.begin.offset, end, &Effects::default());
            lines.push(format!("{} = {text};", declare(&self.copied_type(variable), &variable.name)));
        }
        Ok(lines.join(" "))
    }

    pub fn check_visible(&self, variable: &Node) -> Result<(), Refusal> {
        let name = self.type_name(variable);
        if self.is_local_type(&name) {
            return Err(Refusal::at(
                Code::LocalName,
                variable,
                format!("the type `{name}` is declared inside the function"),
                "declare the type at file scope",
            ));
        }
        Ok(())
    }
}

/// The refusal of a preprocessor conditional that reaches into a text from outside.
pub fn torn(directive: &Directive) -> Refusal {
    Refusal::span(
        Code::Directive,
        directive.begin,
        directive.end,
        "a conditional of the preprocessor begins or ends inside a statement of the region",
        "put the whole conditional around the region, or choose by a macro inside the statement",
    )
}

/// Declares a name with a type as clang prints it.
pub fn declare(ty: &str, name: &str) -> String {
    if let Some(at) = ty.find("(*") {
        let close = ty[at..].find(')').map_or(ty.len(), |k| at + k);
        let blank = if ty[at + 2..close].is_empty() { "" } else { " " };
        return format!("{}{blank}{name}{}", &ty[..close], &ty[close..]);
    }
    match ty.find('[') {
        Some(at) => format!("{} {name}{}", ty[..at].trim_end(), &ty[at..]),
        None if ty.ends_with('*') => format!("{ty}{name}"),
        None => format!("{ty} {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::declare;

    #[test]
    fn declarators_wrap_names() {
        assert_eq!(declare("int", "i"), "int i");
        assert_eq!(declare("double *", "p"), "double *p");
        assert_eq!(declare("double (*)[m]", "p"), "double (*p)[m]");
        assert_eq!(declare("double (*restrict)[m]", "p"), "double (*restrict p)[m]");
        assert_eq!(declare("double[4][5]", "t"), "double t[4][5]");
    }
}
