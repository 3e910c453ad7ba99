//! What ties a region to a process that has run the program from its beginning. Another process gets the region's
//! parameters, values and arrays; what the region would find elsewhere in memory is not there.

use crate::frontend::clang::ast::Node;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::clang::{ctype, expression_parts};
use crate::frontend::effects::callee_reads::CalleeReads;
use crate::frontend::survey::region_builder::RegionBuilder;

/// All that ties the region, in words.
pub fn ties(builder: &RegionBuilder) -> Vec<String> {
    let parts = builder.variables.roots.iter().copied().chain(builder.forwarded.values().copied());
    let calls = parts.flat_map(Node::walk).filter(|node| node.is(&SyntaxKind::CallExpr));
    let mut ties: Vec<String> = calls.filter_map(|call| of_call(builder, call)).collect();
    for (id, value) in &builder.values {
        let known = builder.unit.declaration(*id).is_some_and(|variable| is_number(variable.ty.plain()));
        if !known {
            ties.push(format!("`{}` is no number, and may hold a pointer", value.name));
        }
    }
    for array in &builder.arrays {
        let name = &array.array.name;
        match builder.unit.declaration(array.variable) {
            Some(variable) if variable.thread_local => ties.push(format!("`{name}` is thread-local")),
            Some(variable) if array.array.global && is_fixed(variable.ty.plain()) => {
                ties.push(format!("the pointer `{name}` cannot be set in another process: it is constant"));
            }
            Some(_) => {}
            None => ties.push(format!("where `{name}` is declared is not known")),
        }
    }
    ties.sort();
    ties.dedup();
    ties
}

/// A call whose value may depend on more than its arguments.
fn of_call(builder: &RegionBuilder, call: &Node) -> Option<String> {
    let Some(name) = expression_parts::callee(call) else {
        return Some("it calls a function through a pointer".to_owned());
    };
    let mut reads = CalleeReads::default();
    let known = builder.reads_of_call(name, &mut reads).is_ok();
    let alone = known && !reads.declared && !reads.memory && reads.named.is_empty();
    (!alone).then(|| format!("`{name}` may read what only the process has that runs main"))
}

/// Numbers hold no address.
fn is_number(plain: &str) -> bool {
    ctype::size(plain) > 0 || ctype::unqualified(plain).starts_with("enum ")
}

/// Whether it is a pointer that nothing may assign.
fn is_fixed(plain: &str) -> bool {
    let own = plain.rsplit('*').next().unwrap_or_default().split(')').next().unwrap_or_default();
    ctype::is_pointer(plain) && ctype::words(own).any(|word| word == "const")
}
