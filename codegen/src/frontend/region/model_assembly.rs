//! Turns what was gathered into the model: one parameter space, one schedule length, guards and notes.

use crate::Refusal;
use crate::frontend::clang::ast::Node;
use crate::frontend::clang::ctype;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::entry_path::EntryPath;
use crate::frontend::survey::region_builder::{KnownArray, KnownParameter, RawAccess, RawStatement, RegionBuilder};
use crate::frontend::translation::lvalue::TO_POINTER;
use crate::frontend::values::affine::Affine;
use crate::frontend::values::symbols;
use crate::model::{Access, AccessKind, Arithmetic, Condition, Kept, Statement, Storage, Value, WIDE_LIMIT};
use crate::planted::planted;
use crate::refusal::Code;
use crate::source::{Directive, Source};
use std::collections::BTreeSet;

impl RegionBuilder<'_> {
    /// The region's statements in the form of the model.
    pub fn statements_of_model(&self) -> Vec<Statement> {
        let prefix = self.space();
        let length = self.statements.iter().map(|s| s.scope.schedule.len()).max().unwrap_or(0);
        let mut all = Vec::new();
        for (k, raw) in self.statements.iter().enumerate() {
            all.push(statement(self.source, &prefix, &symbols::statement(k), raw, length));
        }
        for access in &self.entry_reads {
            for (statement, raw) in all.iter_mut().zip(&self.statements) {
                let relation = format!("{prefix}{{ {} -> {} }}", tuple(&statement.name, raw), access.image);
                let access = Access { array: access.array.clone(), kind: AccessKind::Read, relation };
                if !statement.accesses.contains(&access) {
                    statement.accesses.push(access);
                }
            }
        }
        all
    }

    /// The arrays of which the entry reads elements, each once.
    pub fn entry_arrays(&self) -> Vec<String> {
        let all: BTreeSet<&String> = self.entry_reads.iter().map(|access| &access.array).collect();
        all.into_iter().cloned().collect()
    }

    /// `[n, m] -> ` for all parameters; empty if there are none.
    pub fn space(&self) -> String {
        let symbols: Vec<&str> = self.parameters.iter().map(|p| p.parameter.symbol.as_str()).collect();
        if symbols.is_empty() { String::new() } else { format!("[{}] -> ", symbols.join(", ")) }
    }

    /// The known constraints on the parameters.
    pub fn context(&self) -> String {
        let mut conditions: Vec<String> = self
            .parameters
            .iter()
            .map(|p| &p.parameter.symbol)
            .filter(|s| self.ground.ranges.get(*s).is_some_and(|r| r.0 == 0))
            .map(|s| format!("{s} >= 0"))
            .collect();
        let ones = self.parameters.iter().map(|p| &p.parameter.symbol);
        let ones = ones.filter(|s| self.ground.ranges.get(*s) == Some(&(1, 1)));
        conditions.extend(ones.map(|s| format!("{s} = 1")));
        for assumption in &self.ground.assumptions {
            let text = format!("{assumption} >= 0");
            if !conditions.contains(&text) {
                conditions.push(text);
            }
        }
        let conditions = conditions.join(" and ");
        format!("{}{{ : {conditions} }}", self.space()).replace("{ :  }", "{ : }")
    }

    /// What has to hold at entry: the guards that make the model exact, and what the front end relies on.
    pub fn conditions_of_model(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for known in &self.parameters {
            let p = &known.parameter;
            let value = p.expression.as_ref().map_or_else(|| p.name.clone(), |e| format!("({e})"));
            let Some(ty) = self.parameter_type(known).filter(|ty| ty.width >= 64) else { continue };
            let reason = format!("`{}` is beyond 2^48", p.expression.as_ref().unwrap_or(&p.name));
            conditions.push(Condition::new(
                reason,
                if ty.signed {
                    format!("{value} > {WIDE_LIMIT}LL || {value} < -{WIDE_LIMIT}LL")
                } else {
                    format!("{value} > {WIDE_LIMIT}ULL")
                },
            ));
        }
        let mut seen = BTreeSet::new();
        for assumption in self.ground.assumptions.iter().filter(|a| seen.insert((*a).clone())) {
            let fails = format!("{} < 0", self.c_sum(assumption));
            conditions.push(Condition::new(format!("{} is negative", self.readable(assumption)), fails));
        }
        conditions.extend(self.conditions.iter().cloned());
        for condition in &mut conditions {
            condition.reason = self.hoisted.readable(&condition.reason);
        }
        conditions
    }

    /// A sum of parameters as the user would write it.
    fn readable(&self, sum: &Affine) -> String {
        let mut text = sum.to_string();
        let captured = |p: &KnownParameter| p.parameter.expression.clone().map(|e| (p.parameter.symbol.clone(), e));
        let mut captured: Vec<(String, String)> = self.parameters.iter().filter_map(captured).collect();
        // A symbol may begin with another.
        captured.sort_by_key(|(symbol, _)| std::cmp::Reverse(symbol.len()));
        for (symbol, expression) in captured {
            text = text.replace(&symbol, &format!("({expression})"));
        }
        format!("`{text}`")
    }

    fn parameter_type(&self, known: &KnownParameter) -> Option<ctype::Integer> {
        let declared = self.unit.declaration(known.variable).map(|d| d.ty.plain().to_owned());
        self.unit.integer(&declared.unwrap_or_else(|| known.parameter.ctype.clone()))
    }

    /// Has sizes and values compared at entry with what is written through plain pointers.
    pub fn check_aliases(&mut self, source: &Source) -> Result<(), Refusal> {
        for access in &self.entry_reads {
            if let Some(array) = self.arrays.iter().find(|a| a.array.symbol == access.array && a.written) {
                let at = self.variables.roots[0];
                let reason = format!("a bound or subscript reads `{}`, which the region writes", array.array.name);
                return Err(Refusal::at(
                    Code::BoundWritten,
                    at,
                    reason,
                    "copy the value to a variable before the region",
                ));
            }
        }
        self.check_names()?;
        self.check_tables(source)?;
        self.check_counters(source)?;
        self.check_extents()?;
        let scalars = self
            .entry_objects
            .iter()
            .copied()
            .chain(self.hoisted.variables.iter().copied())
            .chain(self.parameters.iter().map(|p| p.variable).chain(self.values.iter().map(|(id, _)| *id)));
        let mut kept: Vec<Kept> = Vec::new();
        for id in scalars.filter(|id| *id != 0) {
            let Some(variable) = self.unit.declaration(id).filter(|v| !v.ty.plain().starts_with("const ")) else {
                continue;
            };
            let written = self.arrays.iter().filter(|array| array.written && self.might_reach(array, variable));
            let against: Vec<String> = written.map(|array| array.array.symbol.clone()).collect();
            if !against.is_empty() && !kept.iter().any(|other| other.object == variable.name) {
                kept.push(Kept { object: variable.name.clone(), text: variable.name.clone(), against });
            }
        }
        kept.extend(self.kept_loads());
        self.check_scattered(&kept)?;
        self.kept = kept;
        self.check_loose();
        Ok(())
    }

    /// Refuses tables of tables where the region may write pointers: the entry follows them before the loops write.
    fn check_tables(&self, source: &Source) -> Result<(), Refusal> {
        if !self.arrays.iter().any(|array| array.array.tables > 1) {
            return Ok(());
        }
        for array in self.arrays.iter().filter(|array| array.written) {
            let variable = self.unit.declaration(array.variable);
            let number = array.array.element_size > 1
                && self.unit.strict_aliasing
                && !variable.is_some_and(|v| v.inner.iter().any(|n| n.is(&SyntaxKind::MayAliasAttr)));
            if !number {
                let begin = self.variables.roots[0].begin.offset;
                let reason =
                    format!("`{}` might be written where pointers to pointers are read at entry", array.array.name);
                let remedy = "declare pointers to rows before the region, e.g. `double **rows = a[k];`";
                return Err(Refusal::span(Code::BoundWritten, begin, source.skip_token(begin), reason, remedy));
            }
        }
        Ok(())
    }

    /// Refuses arrays that may share storage, and tables of pointers, if what the region touches of one of them depends on
    /// data: no comparison at entry can tell whether they do.
    fn check_extents(&self) -> Result<(), Refusal> {
        if matches!(self.statements.as_slice(), [only] if only.independent == Some(0)) {
            return Ok(());
        }
        for array in self.arrays.iter().filter(|array| array.array.tables > 0) {
            if let Some((begin, end)) = array.scattered {
                let reason = "it depends on data which pointers or rows of a table in memory (a pointer to pointers) are used here";
                return Err(Refusal::span(Code::PointerInMemory, begin, end, reason, TO_POINTER));
            }
        }
        for (at, one) in self.arrays.iter().enumerate() {
            for other in &self.arrays[at + 1..] {
                let Some((begin, end)) = one.scattered.or(other.scattered) else { continue };
                if !(one.written || other.written) || !one.array.may_overlap(&other.array) {
                    continue;
                }
                let (one, other) = (&one.array.name, &other.array.name);
                return Err(Refusal::span(
                    Code::ScatteredOverlap,
                    begin,
                    end,
                    format!("this subscript depends on data, so it is not known whether `{one}` and `{other}` overlap"),
                    "make both `restrict` parameters that the function never assigns, or arrays that are declared; or \
                     add `independent` to the pragma of this loop alone if no iteration touches what another one writes",
                ));
            }
        }
        Ok(())
    }

    /// Refuses names in `independent(...)` that no loop has whose iterations can be tiled.
    pub fn check_independent(&self, pragma: &Directive) -> Result<(), Refusal> {
        let named = self.independent.iter().flatten();
        let Some(missing) = named.into_iter().find(|name| !self.independent_met.contains(*name)) else { return Ok(()) };
        let reason = format!("`independent({missing})`: the region has no such loop, or not outside of the others");
        let remedy = "name counters of the region's loops; below a named loop, only one that is its whole body";
        Err(Refusal::span(Code::IndependentClause, pragma.begin, pragma.end, reason, remedy))
    }

    /// Refuses values that are read at entry beside an array that may be written at any place.
    fn check_scattered(&self, kept: &[Kept]) -> Result<(), Refusal> {
        for Kept { text, against, .. } in kept {
            let array =
                self.arrays.iter().find(|array| against.contains(&array.array.symbol) && array.scattered.is_some());
            if let Some((array, (begin, end))) = array.and_then(|array| Some((array, array.scattered?))) {
                let name = &array.array.name;
                let reason = format!(
                    "this subscript depends on data, so it is not known whether writing `{name}` changes `{text}`"
                );
                let remedy = format!("copy `{text}` to a local variable before the region");
                return Err(Refusal::span(Code::ScatteredOverlap, begin, end, reason, remedy));
            }
        }
        Ok(())
    }

    /// What is read at entry and may share bytes with something whose address is known elsewhere, and what may not.
    fn read_at_entry(&self) -> impl Iterator<Item = (&EntryPath, bool)> {
        let loads = self.hoisted.loads.iter().filter(|(_, load)| !load.is_address());
        loads.map(|(_, load)| {
            let root = self.unit.declaration(load.path.root);
            (&load.path, load.path.object && root.is_some_and(|root| !self.is_known_elsewhere(root)))
        })
    }

    /// What is read at entry, with the arrays whose elements may be there.
    fn kept_loads(&self) -> Vec<Kept> {
        let hidden = |array: &KnownArray| {
            let variable = self.unit.declaration(array.variable);
            array.array.storage == Storage::Object && variable.is_some_and(|v| !self.is_known_elsewhere(v))
        };
        let mut kept = Vec::new();
        for (path, alone) in self.read_at_entry().filter(|_| !planted("a14-kept")) {
            let may_hold =
                |array: &&KnownArray| array.written && (array.variable == path.root || !(alone || hidden(array)));
            let against: Vec<String> = self.arrays.iter().filter(may_hold).map(|a| a.array.symbol.clone()).collect();
            if !against.is_empty() {
                kept.push(Kept { object: path.text.clone(), text: path.user.clone(), against });
            }
        }
        kept
    }

    /// Has what is read at entry compared with the counters and scalars that the region changes outside the model.
    fn check_loose(&mut self) {
        let changed = self.variables.counters.keys().chain(self.variables.written.keys());
        let loose = |id: &&u64| {
            let declared = self.variables.declared.contains_key(*id);
            !declared && !self.arrays.iter().any(|array| array.variable == **id)
        };
        let changed = changed.filter(loose).filter_map(|id| self.unit.declaration(*id));
        let known = changed.filter(|v| self.is_known_elsewhere(v) && !ctype::is_pointer(v.ty.plain()));
        let changed: BTreeSet<&str> = known.map(|v| v.name.as_str()).collect();
        let mut conditions = Vec::new();
        for (EntryPath { text, user, .. }, _) in self.read_at_entry().filter(|(_, alone)| !alone) {
            let end = |object: &str| format!("(dvm__address)&{object} + sizeof({object})");
            for name in &changed {
                let reason = format!("the region changes `{name}`, and reads it as `{user}` at entry");
                let (one, other) = (end(text), end(name));
                let fails = format!("(dvm__address)&{text} < {other} && (dvm__address)&{name} < {one}");
                conditions.push(Condition::new(reason, fails));
            }
        }
        for condition in conditions {
            self.check_at_entry(condition);
        }
    }

    /// Passes the variables to the tiles that macros name there.
    pub fn pass_named(&mut self) -> Result<(), Refusal> {
        for id in self.hoisted.named.iter().copied() {
            let Some(variable) = self.unit.declaration(id) else { continue };
            let known = self.values.iter().any(|(v, _)| *v == id) || self.parameters.iter().any(|p| p.variable == id);
            if known || self.arrays.iter().any(|array| array.variable == id) {
                continue;
            }
            let ctype = self.copied_type(variable);
            if self.is_local_type(&ctype) {
                let reason = format!("the type `{ctype}` is declared inside the function");
                return Err(Refusal::at(Code::LocalName, variable, reason, "declare the type at file scope"));
            }
            self.values.push((id, Value { name: variable.name.clone(), ctype, global: false }));
        }
        Ok(())
    }

    /// Whether something may know a variable's address.
    fn is_known_elsewhere(&self, variable: &Node) -> bool {
        self.unit.at_file_scope(variable.id)
            || self.variables.addressed.contains(&variable.id)
            || matches!(variable.storage.as_str(), "static" | "extern")
    }

    /// The tiles have their own counters: refuses pointers to the program's counters, which the tiles would not update.
    fn check_counters(&self, source: &Source) -> Result<(), Refusal> {
        for (id, node) in &self.variables.counters {
            let Some(counter) = self.unit.declaration(*id) else { continue };
            if let Some(array) = self.arrays.iter().find(|array| self.might_reach(array, counter)) {
                let (name, begin) = (&counter.name, node.begin.offset);
                let reason = format!("`{}` might lead to the counter `{name}`", array.array.name);
                let remedy = format!("declare `{name}` in the loop's header");
                return Err(Refusal::span(Code::CounterReached, begin, source.skip_token(begin), reason, remedy));
            }
        }
        Ok(())
    }

    /// Whether a plain pointer may point to a variable.
    fn might_reach(&self, array: &KnownArray, variable: &Node) -> bool {
        let reachable = self.is_known_elsewhere(variable);
        let pointer = self.unit.declaration(array.variable);
        let typed = pointer.is_none_or(|pointer| self.may_reach_type(pointer, variable));
        reachable && array.array.storage == Storage::Pointer && typed
    }

    /// Refuses names that may be aliases of one storage, since the analysis takes them for different arrays.
    fn check_names(&self) -> Result<(), Refusal> {
        let named = self.variables.roots.iter().flat_map(|root| root.walk());
        for node in named.filter(|n| n.reference.as_ref().is_some_and(|r| r.kind == SyntaxKind::VarDecl)) {
            let variable = node.reference.as_ref().and_then(|r| self.unit.declaration(r.id));
            if let Some(variable) = variable.filter(|v| self.has_other_names(v)) {
                let reason = format!(
                    "`{}` may be another name of some other storage (an alias, a label for the assembler, a weak symbol)",
                    variable.name
                );
                return Err(Refusal::at(
                    Code::AliasedName,
                    node,
                    reason,
                    "use an object that has one name in the region",
                ));
            }
        }
        Ok(())
    }

    /// Refuses a variable hidden by a loop's counter: it cannot be passed to the tiles under its name.
    pub fn check_hidden(&self) -> Result<(), Refusal> {
        let names = self
            .parameters
            .iter()
            .filter(|p| p.parameter.expression.is_none())
            .map(|p| (&p.parameter.name, p.variable));
        let names = names.chain(self.values.iter().map(|(id, v)| (&v.name, *id)));
        let names = names.chain(self.arrays.iter().map(|a| (&a.array.name, a.variable)));
        for (name, id) in names {
            for (counter, node) in &self.variables.counters {
                if *counter != id && self.unit.declaration(*counter).is_some_and(|d| &d.name == name) {
                    let reason = format!("the counter `{name}` hides another `{name}` that the region uses");
                    return Err(Refusal::at(Code::HiddenName, node, reason, "give the counter another name"));
                }
            }
        }
        for (id, node) in &self.mentioned {
            let known = self.arrays.iter().any(|a| a.variable == *id)
                || self.variables.declared.contains_key(id)
                || self.unit.at_file_scope(*id);
            if !known {
                return Err(Refusal::at(
                    Code::Size,
                    node,
                    "an array is named in `sizeof` only",
                    "compute the size before the region",
                ));
            }
        }
        Ok(())
    }
}

/// A statement's isl tuple.
pub(super) fn tuple(name: &str, raw: &RawStatement) -> String {
    let symbols: Vec<&str> = raw.scope.dimensions().iter().map(|d| d.symbol.as_str()).collect();
    format!("{name}[{}]", symbols.join(", "))
}

fn statement(source: &Source, prefix: &str, name: &str, raw: &RawStatement, length: usize) -> Statement {
    let tuple = tuple(name, raw);
    let domain = if raw.scope.domain.is_true() {
        format!("{prefix}{{ {tuple} }}")
    } else {
        format!("{prefix}{{ {tuple} : {} }}", raw.scope.domain.text())
    };
    let mut time = raw.scope.schedule.clone();
    time.resize(length, "0".to_owned());
    let (line, column) = source.position(raw.nodes[0].begin.offset);
    let relation = |a: &RawAccess| format!("{prefix}{{ {tuple} -> {} }}", a.image);
    let named = |a: &RawAccess| Access { array: a.array.clone(), kind: a.kind, relation: relation(a) };
    let arithmetic = raw.arithmetic.as_ref().map(|known| Arithmetic {
        element: known.element.to_owned(),
        operands: known
            .operands
            .iter()
            .map(|(begin, end, access)| (*begin, *end, access.as_ref().map(relation)))
            .collect(),
    });
    Statement {
        name: name.to_owned(),
        line,
        column,
        iterators: raw.scope.dimensions().iter().map(|d| d.iterator.clone()).collect(),
        domain,
        schedule: format!("{prefix}{{ {tuple} -> [{}] }}", time.join(", ")),
        accesses: raw.accesses.iter().map(named).collect(),
        text: raw.text.clone(),
        locals: raw.locals.clone(),
        independent: raw.independent,
        arithmetic,
        chain: raw.chain.clone(),
    }
}
