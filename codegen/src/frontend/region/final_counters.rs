//! Gives counters that are read after the region the final values that the loops would have left.

use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::extent::token_end;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::control_flow::ControlFlowGraph;
use crate::frontend::survey::jumps::is_structured;
use crate::frontend::survey::loop_header;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::refusal::Code;
use std::collections::BTreeSet;

impl<'a> RegionBuilder<'a> {
    /// C text that runs only the loops' headers, for counters alive after the region; empty if there are none.
    pub fn final_counters(&self, roots: &[&'a Node], graph: &ControlFlowGraph) -> Result<String, Refusal> {
        let alive: BTreeSet<Id> = self
            .variables
            .counters
            .keys()
            .copied()
            .filter(|id| !self.variables.declared.contains_key(id))
            .filter(|id| self.unit.declaration(*id).is_none_or(|d| self.alive_after(graph, d)))
            .collect();
        for root in roots.iter().filter(|root| !is_structured(root)) {
            // A jump may pass over a loop inside, or end it.
            let mut inner = root.walk().filter(|n| !std::ptr::eq(*n, *root) && n.is(&SyntaxKind::ForStmt));
            let counts = |n: &&Node| loop_header::header(self.unit, n).is_ok_and(|h| alive.contains(&h.counter));
            if let Some(node) = inner.find(counts) {
                let reason = "a loop counter is used after the region, and jumps, `while` or `switch` tell whether its loop runs to its end";
                return Err(Refusal::at(Code::CounterLeft, node, reason, "declare the counters in the loops' headers"));
            }
        }
        let parts: Result<Vec<String>, Refusal> = roots.iter().map(|r| self.headers(r, &alive)).collect();
        Ok(parts?.join(""))
    }

    fn headers(&self, node: &'a Node, alive: &BTreeSet<Id>) -> Result<String, Refusal> {
        let concerned = node.walk().any(|n| {
            n.is(&SyntaxKind::ForStmt) && loop_header::header(self.unit, n).is_ok_and(|h| alive.contains(&h.counter))
        });
        if !concerned {
            return Ok(String::new());
        }
        match node.kind {
            SyntaxKind::ForStmt => {
                let header = loop_header::header(self.unit, node)?;
                let head = self.head(node, node.begin.offset, &node.inner[..4])?;
                let inner = self.headers(header.body, alive)?;
                Ok(format!("{head} {}", if inner.is_empty() { ";".to_owned() } else { format!("{{ {inner} }}") }))
            }
            SyntaxKind::IfStmt => {
                let head = self.head(node, node.begin.offset, &node.inner[..1])?;
                let then = self.headers(&node.inner[1], alive)?;
                let other = node.inner.get(2).map(|n| self.headers(n, alive)).transpose()?.unwrap_or_default();
                Ok(format!("{head} {{ {then} }} else {{ {other} }}"))
            }
            _ => {
                let parts: Result<Vec<String>, Refusal> = node.inner.iter().map(|n| self.headers(n, alive)).collect();
                Ok(parts?.join(" "))
            }
        }
    }

    /// The text of `for (...)` or `if (...)`, if it evaluates to the same after the region as inside.
    fn head(&self, node: &Node, begin: usize, parts: &[Node]) -> Result<String, Refusal> {
        let refuse = |what: &str| {
            Refusal::at(
                Code::CounterLeft,
                node,
                format!("a loop counter is used after the region, and {what}"),
                "declare the counters in the loops' headers, or do not use them after the region",
            )
        };
        let changing = parts.iter().flat_map(Node::walk).any(|n| {
            n.reference.as_ref().is_some_and(|r| {
                let counter = self.variables.is_counter(r.id);
                !counter && (self.variables.written.contains_key(&r.id) || self.variables.declared.contains_key(&r.id))
            })
        });
        // The tiles run although arrays share storage where iterations are independent, and in order where values are
        // reduced: then a write may change what the header reads.
        let loads = |n: &Node| {
            let from = n.inner.first().filter(|_| n.is(&SyntaxKind::ImplicitCastExpr) && n.cast == "LValueToRValue");
            from.is_some_and(|from| from.bare().variable().is_none())
        };
        let runs = self.independent.is_some() || !self.reductions.is_empty();
        let is_changed = runs && parts.iter().flat_map(Node::walk).any(loads);
        if changing || is_changed {
            return Err(refuse("its loop's header cannot be repeated after the region"));
        }
        let open = self.source.skip_blank(self.source.skip_token(begin));
        if node.begin.expanded || self.source.byte(open) != b'(' {
            return Err(refuse("its loop's header is inside a macro"));
        }
        let close = self.source.skip_brackets(open);
        if parts.iter().any(|p| !p.kind.is_absent() && token_end(self.source, p) > close) {
            return Err(refuse("its loop's header is inside a macro"));
        }
        Ok(self.source.text(begin, close))
    }
}
