//! Calls of functions whose bodies are seen: the body's accesses are those of the statement that calls, with the
//! arguments in place of the parameters. The call stays in the text.

use super::statement_effects::Effects;
use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts::base_variable;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::address_uses::AddressUses;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::values::surrounding_loops::Scope;
use crate::model::Storage;
use crate::planted::planted;
use crate::refusal::Code;

/// The largest number of such calls in one another.
const MAX_DEPTH: usize = 8;

impl<'a> RegionBuilder<'a> {
    /// Whether an argument of a call is an address.
    pub fn passes_address(call: &Node) -> bool {
        call.inner[1..].iter().any(|argument| ctype::is_pointer(argument.ty.plain()))
    }

    /// Adds the effects of a call by the callee's body.
    pub fn seen_call(&mut self, name: &str, call: &'a Node, scope: &Scope, out: &mut Effects) -> Result<(), Refusal> {
        let refuse = |reason: &str| {
            let remedy = "call a static function of this file or of an included one that only computes and assigns, or write it out";
            Refusal::at(
                Code::CallNotFollowed,
                call,
                format!("the call of `{name}` cannot be followed: {reason}"),
                remedy,
            )
        };
        let unit = self.unit;
        let all = || unit.root.inner.iter().filter(|n| n.is(&SyntaxKind::FunctionDecl) && n.name == name);
        let function = all().find(|f| f.body().is_some()).ok_or_else(|| refuse("its body is not in this file"))?;
        if !self.unit.is_compared(function) {
            return Err(refuse("it stands in a header of the system"));
        }
        let body = function.body().filter(|_| self.certain_body(name).is_some());
        let body = body.ok_or_else(|| refuse("it has attributes"))?;
        if !self.is_only_definition(name) {
            return Err(refuse("it is not static, so that another definition may replace it"));
        }
        if self.callees.open.len() >= MAX_DEPTH || self.callees.open.iter().any(|open| open == name) {
            return Err(refuse("it calls itself, or calls others too deeply"));
        }
        let parameters: Vec<&'a Node> = function.inner.iter().filter(|n| n.is(&SyntaxKind::ParmVarDecl)).collect();
        let arguments = &call.inner[1..];
        if parameters.len() != arguments.len() || function.ty.plain().contains("...") {
            return Err(refuse("its parameters are not those of the call"));
        }
        let last = body.inner.last();
        let ends = |n: &Node| last.is_some_and(|last| std::ptr::eq(last, n));
        let early = body.walk().any(|n| n.is(&SyntaxKind::ReturnStmt) && !ends(n));
        let uses = AddressUses::of(function);
        self.check_globals(body).map_err(|reason| refuse(&reason))?;
        Self::check_callee_variables(function, &uses).map_err(|reason| refuse(&reason))?;
        for (parameter, argument) in parameters.iter().zip(arguments) {
            if ctype::is_pointer(parameter.ty.plain()) {
                if !same_pointers(argument, parameter.ty.plain()) {
                    return Err(refuse("an argument is converted to a pointer of another type"));
                }
                if !self.pass_number(argument, scope, out)? {
                    self.subscript_effects(argument, scope, out)?;
                }
            } else {
                if ctype::unqualified(argument.ty.plain()) != ctype::unqualified(parameter.ty.plain()) {
                    return Err(refuse("an argument has not the type of its parameter"));
                }
                self.effects(argument, scope, out)?;
            }
        }
        // Arguments are evaluated before any name of the callee has a meaning.
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.callees.values.insert(parameter.id, argument);
            self.callees.variables.insert(parameter.id);
            out.own.insert(parameter.id);
        }
        let declared = function.walk().filter(|n| n.is(&SyntaxKind::VarDecl));
        self.callees.variables.extend(declared.map(|n| n.id));
        self.callees.changed.extend(uses.changed.iter().chain(&uses.addressed));
        if self.callees.open.is_empty() {
            self.callees.call = Some(call);
        }
        self.callees.open.push(name.to_owned());
        // What comes after a `return` may not run.
        let effects = self.effects(body, &if early { scope.perhaps() } else { scope.clone() }, out);
        self.callees.open.pop();
        effects.map_err(|refusal| Self::seen_from(call, name, refusal))?;
        let pointers = parameters.iter().zip(arguments).filter(|(p, _)| ctype::is_pointer(p.ty.plain()));
        for (_, argument) in pointers.filter(|(_, argument)| !self.passes_number(argument)) {
            self.check_named(argument, out).map_err(|reason| refuse(&reason))?;
        }
        Ok(())
    }

    /// A refusal without a place is one of an included file: its place is the call.
    fn seen_from(call: &Node, name: &str, refusal: Refusal) -> Refusal {
        if refusal.span.is_some() || !call.begin.known {
            return refusal;
        }
        let reason = format!("{} (in `{name}`, of an included file)", refusal.reason);
        Refusal { others: refusal.others, ..Refusal::at(refusal.code, call, reason, refusal.remedy) }
    }

    /// What this file shows of a node: the node, or the call of the function of an included file that it is in.
    pub fn shown<'n>(&'n self, node: &'n Node) -> &'n Node {
        if node.begin.known && node.end.known { node } else { self.callees.call.unwrap_or(node) }
    }

    /// Notes that a callee's variable has no known value: what its declaration reads may change before it is used, as a
    /// counter does that is named outside of its loop.
    pub fn note_stale(&mut self, variable: &Node, initial: &Node, scope: &Scope) {
        let changed = |n: &Node| {
            n.variable().is_some_and(|r| self.callees.changed.contains(&r.id) && scope.symbol(r.id).is_none())
        };
        if initial.walk().any(changed) && !planted("a43-stale") {
            self.callees.changed.insert(variable.id);
        }
    }

    /// A function's author may not know of the caller's `restrict`: where a called body names variables of the file, the
    /// caller's pointers are compared at entry.
    pub fn doubt_restrict(&mut self) {
        if self.callees.name_globals {
            let believed = self.arrays.iter_mut().filter(|a| a.array.storage == Storage::Restrict);
            believed.for_each(|a| a.array.storage = Storage::Pointer);
        }
    }

    /// An array that a call's text names must be one of the region's arrays, so that the tiles know it.
    fn check_named(&self, argument: &Node, out: &Effects) -> Result<(), String> {
        let Some(root) = self.root_of(argument) else { return Err("an argument has no array".to_owned()) };
        let known = out.own.contains(&root)
            || self.unit.at_file_scope(root)
            || self.variables.declared.contains_key(&root)
            || self.private.contains(&root)
            || self.arrays.iter().any(|array| array.variable == root);
        if known { Ok(()) } else { Err("it does not use one of its arguments".to_owned()) }
    }

    /// The caller's variable at the root of an lvalue or address.
    pub fn root_of(&self, node: &Node) -> Option<Id> {
        let mut root = base_variable(node)?;
        while let Some(argument) = self.callees.values.get(&root) {
            root = base_variable(argument)?;
        }
        Some(root)
    }

    /// A global must have its one meaning in the generated text, which stands in and before the enclosing function.
    fn check_globals(&mut self, body: &Node) -> Result<(), String> {
        let inner = &self.unit.root.inner;
        let here = inner.iter().position(|n| n.id == self.function.id);
        for node in body.walk() {
            let Some(reference) = node.reference.as_ref().filter(|r| r.kind == SyntaxKind::VarDecl) else { continue };
            if !self.unit.at_file_scope(reference.id) {
                continue;
            }
            let name = &reference.name;
            let variable = self.unit.declaration(reference.id);
            // Tiles have their own counters.
            if self.variables.is_counter(reference.id) {
                return Err(format!("it uses the loop counter `{name}`"));
            }
            self.callees.name_globals |= variable.is_none_or(|v| !v.ty.plain().starts_with("const "));
            if variable.is_none_or(|v| self.has_other_names(v)) {
                return Err(format!("`{name}` may be another name of some other storage"));
            }
            let before = inner.iter().position(|n| n.is(&SyntaxKind::VarDecl) && n.name == *name);
            if here.is_none() || before.is_none_or(|before| Some(before) > here) {
                return Err(format!("`{name}` is declared after the region"));
            }
            if self.variables.names.contains_key(name) || self.macros.contains_key(name) {
                return Err(format!("`{name}` means something else in the region"));
            }
        }
        Ok(())
    }

    /// Pointers of the callee must keep their values, and types must have the same meaning in the region.
    fn check_callee_variables(function: &Node, uses: &AddressUses) -> Result<(), String> {
        for variable in function.walk().filter(|n| n.is(&SyntaxKind::VarDecl) || n.is(&SyntaxKind::ParmVarDecl)) {
            let (plain, name) = (variable.ty.plain(), &variable.name);
            if ctype::varies(plain) || ctype::varies(&variable.ty.written) {
                return Err(format!("the type of `{name}` has a length that is no number"));
            }
            if ctype::is_untouchable(plain) {
                return Err(format!("`{name}` is volatile or atomic"));
            }
            let moved = uses.changed.contains(&variable.id) || uses.addressed.contains(&variable.id);
            if ctype::is_pointer(plain) && moved {
                return Err(format!("the pointer `{name}` changes, or its own address is taken"));
            }
        }
        Ok(())
    }
}

/// Whether all pointers in the conversions of an argument have the type of the parameter, qualifiers apart.
fn same_pointers(argument: &Node, parameter: &str) -> bool {
    let plain = |ty: &str| -> String {
        let words = ty.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|w| !w.is_empty());
        let qualifier = |w: &&str| !matches!(*w, "const" | "restrict" | "__restrict");
        let marks = ty.chars().filter(|c| matches!(c, '*' | '[' | ']' | '(' | ')'));
        words.filter(qualifier).map(|w| format!("{w} ")).chain(marks.map(String::from)).collect()
    };
    let mut node = argument;
    loop {
        if ctype::varies(node.ty.plain())
            || (ctype::is_pointer(node.ty.plain()) && plain(node.ty.plain()) != plain(parameter))
        {
            return false;
        }
        match (&node.kind, node.inner.first()) {
            (SyntaxKind::ParenExpr | SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr, Some(inner)) => {
                node = inner;
            }
            _ => return true,
        }
    }
}
