//! What tiles hold on the stacks of the workers: read-only structs, which are copied, and the locals of a body.

use super::ast::{Node, Unit};
use super::builder::Builder;
use super::ctype;
use super::refusal::Refused;

/// Read-only variables of more bytes are not copied to each tile.
const COPIED: u64 = 16 << 10;
/// Locals of a region of more bytes do not fit beside what else is on a worker's stack of 8 MiB.
const LOCAL: u64 = 1 << 20;

impl Builder<'_> {
    /// Refuses what is too large for the stack of a worker.
    pub fn check_room(&self) -> Result<(), Refused> {
        let at = self.inventory.roots[0];
        let values = self.values.iter().filter_map(|(id, _)| self.unit.declaration(*id));
        for (variable, bytes) in values.filter_map(|v| Some((v, self.unit.bytes(v.ty.plain())?))) {
            if bytes > COPIED {
                let reason = format!("`{}` has about {bytes} bytes, and each tile would copy it", variable.name);
                let remedy = "copy the members that are used to variables before the region, or use a pointer to it";
                return Err(Refused::at(at, reason, remedy));
            }
        }
        let locals = self.inventory.declared.keys().chain(&self.private).filter_map(|id| self.unit.declaration(*id));
        let locals = locals.filter(|v| v.storage != "static" && v.storage != "extern");
        let mut sizes: Vec<(&Node, u64)> =
            locals.filter_map(|v| Some((v, self.unit.bytes(v.ty.plain())?))).filter(|(_, bytes)| *bytes > 0).collect();
        sizes.sort_by_key(|(variable, bytes)| (*bytes, variable.begin.offset));
        let all = sizes.iter().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
        if let Some((largest, _)) = sizes.last().filter(|_| all > LOCAL) {
            let reason = format!(
                "the region's local variables, `{}` first of all, have about {all} bytes, and tiles run on stacks of workers",
                largest.name
            );
            let remedy = "keep locals below 1 MiB together, or use arrays that are declared before the region";
            return Err(Refused::at(largest, reason, remedy));
        }
        Ok(())
    }
}

impl Unit {
    /// About how many bytes an object of a type (without typedefs at its top) has, where that is known.
    fn bytes(&self, plain: &str) -> Option<u64> {
        let plain = ctype::unqualified(plain);
        if ctype::is_pointer(&plain) {
            return Some(8);
        }
        if let Some(open) = plain.find('[') {
            let mut count = 1_u64;
            for length in plain[open..].split('[').skip(1) {
                count = count.saturating_mul(length.trim_end().strip_suffix(']')?.trim().parse().ok()?);
            }
            return Some(count.saturating_mul(self.bytes(&plain[..open])?));
        }
        let size = ctype::size(&plain);
        if size > 0 {
            return Some(size);
        }
        let fields = self.record(&plain)?.inner.iter().filter(|n| n.is("FieldDecl"));
        fields.map(|field| self.bytes(field.ty.plain())).try_fold(0_u64, |sum, size| Some(sum.saturating_add(size?)))
    }

    /// The definition of a struct or union, or of what a typedef names that has no other name.
    fn record(&self, plain: &str) -> Option<&Node> {
        let whole = |n: &&Node| n.is("RecordDecl") && n.inner.iter().any(|f| f.is("FieldDecl"));
        if let Some(tag) = plain.strip_prefix("struct ").or_else(|| plain.strip_prefix("union ")) {
            return self.root.walk().filter(whole).find(|n| n.name == tag.trim());
        }
        for holder in self.root.walk() {
            for (before, typedef) in holder.inner.iter().zip(holder.inner.iter().skip(1)) {
                if typedef.is("TypedefDecl") && typedef.name == plain {
                    return Some(before).filter(|n| n.name.is_empty()).filter(whole);
                }
            }
        }
        None
    }
}
