//! Limits the stack space of tiles: copies of read-only structs, and the locals of a body.

use crate::Refusal;
use crate::frontend::clang::ast::{Node, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::refusal::Code;
use std::collections::{HashMap, HashSet};

/// The largest size in bytes of a read-only variable that each tile copies.
const MAX_COPIED_BYTES: u64 = 16 << 10;
/// The largest size in bytes of a region's locals, which share a worker's stack of 8 MiB.
const MAX_LOCAL_BYTES: u64 = 1 << 20;

impl RegionBuilder<'_> {
    /// Refuses variables too large for the stack of a worker.
    pub fn check_room(&self) -> Result<(), Refusal> {
        let at = self.variables.roots[0];
        let mut types = Types { unit: self.unit, known: HashMap::new() };
        for variable in self.values.iter().filter_map(|(id, _)| self.unit.declaration(*id)) {
            let bytes = types.of(variable)?;
            if bytes > MAX_COPIED_BYTES {
                let reason = format!("`{}` has about {bytes} bytes, and each tile would copy it", variable.name);
                let remedy = "copy the members that are used to variables before the region, or use a pointer to it";
                return Err(Refusal::at(Code::StackSpace, at, reason, remedy));
            }
        }
        let locals = self.variables.declared.keys().chain(&self.private).filter_map(|id| self.unit.declaration(*id));
        let locals = locals.chain(self.called_bodies().into_iter().flat_map(Node::walk));
        let locals = locals.filter(|v| v.is(&SyntaxKind::VarDecl) && v.storage != "static" && v.storage != "extern");
        let mut sizes = Vec::new();
        for variable in locals {
            sizes.push((variable, types.of(variable)?));
        }
        sizes.sort_by_key(|(variable, bytes)| (*bytes, variable.begin.offset));
        let all = sizes.iter().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
        if let Some((largest, _)) = sizes.last().filter(|_| all > MAX_LOCAL_BYTES) {
            let reason = format!(
                "the region's local variables, `{}` first of all, have about {all} bytes, and tiles run on stacks of workers",
                largest.name
            );
            let remedy = "keep locals below 1 MiB together, or use arrays that are declared before the region";
            return Err(Refusal::at(Code::StackSpace, largest, reason, remedy));
        }
        Ok(())
    }

    /// The bodies of the functions that the region calls, directly or through others. For functions that are declared
    /// const or pure their author answers.
    fn called_bodies(&self) -> Vec<&Node> {
        let all = || self.unit.root.inner.iter().filter(|n| n.is(&SyntaxKind::FunctionDecl));
        let declares = |f: &Node| f.inner.iter().any(|a| a.is(&SyntaxKind::ConstAttr) || a.is(&SyntaxKind::PureAttr));
        let (mut open, mut met, mut bodies) = (self.variables.roots.clone(), HashSet::new(), Vec::new());
        while let Some(node) = open.pop() {
            for name in node.walk().filter(|n| n.is(&SyntaxKind::CallExpr)).filter_map(expression_parts::callee) {
                if !met.insert(name) || self.pure.iter().any(|f| f == name) {
                    continue;
                }
                if !all().any(|f| f.name == name && declares(f)) {
                    let found: Vec<&Node> = all().filter(|f| f.name == name).filter_map(Node::body).collect();
                    open.extend(&found);
                    bodies.extend(found);
                }
            }
        }
        bodies
    }
}

/// Known sizes of types, by their text.
struct Types<'a> {
    unit: &'a Unit,
    known: HashMap<String, Option<u64>>,
}

impl<'a> Types<'a> {
    /// Approximate size of a variable in bytes; refused if unknown.
    fn of(&mut self, variable: &Node) -> Result<u64, Refusal> {
        self.bytes(variable.ty.plain(), None).ok_or_else(|| {
            let reason = format!(
                "it is not known how many bytes `{}` has, which tiles hold on the stacks of workers",
                variable.name
            );
            Refusal::at(
                Code::StackSpace,
                variable,
                reason,
                "give its type, and those of its members, a name of its own",
            )
        })
    }

    /// Approximate size in bytes of a type (without typedefs at the top level), if known. `holder` declares an unnamed
    /// type.
    fn bytes(&mut self, plain: &str, holder: Option<&'a Node>) -> Option<u64> {
        let plain = ctype::unqualified(plain);
        if ctype::is_pointer(&plain) {
            return Some(8);
        }
        // If the text contains the location of an unnamed type, brackets may be part of a file name.
        let name_end = if plain.contains("(unnamed") || plain.contains("(anonymous") { plain.rfind(')')? } else { 0 };
        if let Some(open) = plain[name_end..].find('[').map(|at| at + name_end) {
            let mut count = 1_u64;
            for length in plain[open..].split('[').skip(1) {
                count = count.saturating_mul(length.trim_end().strip_suffix(']')?.trim().parse().ok()?);
            }
            return Some(count.saturating_mul(self.bytes(&plain[..open], holder)?));
        }
        if name_end > 0 {
            let nameless =
                |n: &&Node| matches!(n.kind, SyntaxKind::RecordDecl | SyntaxKind::EnumDecl) && n.name.is_empty();
            let all: Vec<&Node> = holder?.inner.iter().filter(nameless).collect();
            return all.into_iter().map(|one| self.declared(one)).try_fold(0, |most: u64, size| Some(most.max(size?)));
        }
        if let Some(known) = self.known.get(&plain) {
            return *known;
        }
        let size = match ctype::size(&plain) {
            0 if matches!(plain.as_str(), "__int128" | "unsigned __int128" | "_Float128" | "__float128") => Some(16),
            0 if matches!(plain.as_str(), "_Float16" | "__fp16" | "__bf16") => Some(2),
            0 if plain.starts_with("enum ") => Some(8),
            0 => self.of_typedef(&plain).or_else(|| self.declaration(&plain).and_then(|one| self.declared(one))),
            size => Some(size),
        };
        self.known.insert(plain, size);
        size
    }

    /// The size of the type that a typedef names: the largest if several types have the name in turn.
    fn of_typedef(&mut self, name: &str) -> Option<u64> {
        let unit = self.unit;
        let all = unit.root.walk().filter(|n| n.is(&SyntaxKind::TypedefDecl) && n.name == name);
        // An unnamed type is known by the typedef's name only.
        let sizes = all.map(|one| if one.ty.plain() == name { None } else { self.bytes(one.ty.plain(), None) });
        sizes.collect::<Vec<_>>().into_iter().try_fold(None, |most: Option<u64>, size| Some(most.max(Some(size?))))?
    }

    /// The size of a declared struct, union or enumeration.
    fn declared(&mut self, one: &'a Node) -> Option<u64> {
        if one.is(&SyntaxKind::EnumDecl) {
            return Some(8);
        }
        let fields = one.inner.iter().filter(|n| n.is(&SyntaxKind::FieldDecl));
        let sizes = fields.map(|field| self.bytes(field.ty.plain(), Some(one)));
        sizes.collect::<Vec<_>>().into_iter().try_fold(0_u64, |sum, size| Some(sum.saturating_add(size?)))
    }

    /// The definition of a struct or union, or of the unnamed type that a typedef names.
    fn declaration(&self, plain: &str) -> Option<&'a Node> {
        let root = &self.unit.root;
        let whole = |n: &&Node| n.is(&SyntaxKind::RecordDecl) && n.inner.iter().any(|f| f.is(&SyntaxKind::FieldDecl));
        if let Some(tag) = plain.strip_prefix("struct ").or_else(|| plain.strip_prefix("union ")) {
            return root.walk().filter(whole).find(|n| n.name == tag.trim());
        }
        for holder in root.walk() {
            let Some(at) = holder.inner.iter().position(|n| n.is(&SyntaxKind::TypedefDecl) && n.name == plain) else {
                continue;
            };
            let before = holder.inner[..at].iter().rev();
            // One declaration may declare several types; all begin at its first token.
            let begin = holder.inner[at].begin.offset;
            let mut before = before.skip_while(|n| n.is(&SyntaxKind::TypedefDecl) && n.begin.offset == begin);
            return before.next().filter(|n| n.name.is_empty() && (n.is(&SyntaxKind::EnumDecl) || whole(n)));
        }
        None
    }
}
