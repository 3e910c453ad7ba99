//! Scalars with closed forms: their values where a statement begins, and after the region.

use super::statement::declare;
use crate::Refusal;
use crate::c_tokens::identifiers;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::expression_parts::write_target;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::control_flow::ControlFlowGraph;
use crate::frontend::effects::liveness;
use crate::frontend::effects::statement_effects::{Effects, unknown};
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::values::surrounding_loops::Scope;
use crate::planted::planted;
use crate::refusal::Code;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// C texts that give scalars the values which the loops leave.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FinalScalars {
    /// Before the region: computes the values from those at entry, into variables of their own.
    pub values: String,
    /// After the original loops, which may run although the values were computed for others: takes their values.
    pub kept: String,
    /// After the region: assigns the values.
    pub sets: String,
}

impl<'a> RegionBuilder<'a> {
    /// Whether a statement only assigns a scalar whose uses have its closed form.
    pub fn only_sets_closed(&self, node: &Node) -> bool {
        if node.is(&SyntaxKind::BinaryOperator) && node.opcode == "," {
            return node.inner.iter().all(|n| self.only_sets_closed(n));
        }
        let target = write_target(node).and_then(Node::variable).filter(|r| self.closed.contains(&r.id));
        let inner = || node.walk().skip(1);
        target.is_some() && !inner().any(|n| write_target(n).is_some() || n.is(&SyntaxKind::CallExpr))
    }

    /// Declarations of the scalars with closed forms that a statement uses, with their values where it begins.
    pub fn start_values(&mut self, nodes: &[&'a Node], out: &Effects, scope: &Scope) -> Result<String, Refusal> {
        let first = nodes[0];
        let mut scope = scope.clone();
        scope.split = Some(scope.loops.len());
        let mut lines = String::new();
        let (mut names, mut used) = (Vec::new(), Vec::new());
        for id in &out.starts {
            let Some(variable) = self.unit.declaration(*id) else { continue };
            self.check_visible(variable)?;
            let declared = declare(&self.type_name(variable), &variable.name);
            let Some(definition) = self.definitions.before(first, *id) else {
                // Where it begins, the statement does not need the value that it sets itself.
                if liveness::sequence(nodes, variable).exposed {
                    return Err(unknown(first));
                }
                let _ = write!(lines, "{declared}; ");
                names.push((variable, variable.name.clone()));
                continue;
            };
            let text = self.closed_text(variable, definition, first, &scope, true)?;
            let _ = write!(lines, "{declared} = {text}; ");
            used.extend(identifiers(&text));
            names.push((variable, variable.name.clone()));
        }
        let ours = self.type_words(&names);
        for (variable, name) in &names {
            if used.iter().any(|word| word == name && !ours.contains(word)) {
                let reason = format!("`{name}` hides another `{name}` that its value needs");
                return Err(Refusal::at(
                    Code::HiddenName,
                    variable,
                    reason,
                    "give one of the two variables another name",
                ));
            }
        }
        Ok(lines)
    }

    fn type_words(&self, names: &[(&Node, String)]) -> Vec<String> {
        names.iter().flat_map(|(variable, _)| identifiers(&self.type_name(variable))).collect()
    }

    /// C texts for scalars with closed forms that are used after the region.
    pub fn final_scalars(&mut self, graph: &ControlFlowGraph) -> Result<FinalScalars, Refusal> {
        let mut closed: Vec<Id> = self.closed.iter().copied().collect();
        closed.sort_unstable();
        let mut all = FinalScalars::default();
        for id in closed {
            let Some(variable) = self.unit.declaration(id).filter(|v| self.alive_after(graph, v)) else { continue };
            if self.variables.declared.contains_key(&id) {
                continue;
            }
            let definition = self.definitions.at_end(id);
            let definition = definition.ok_or_else(|| unknown(variable))?;
            let text = self.closed_text(variable, definition, variable, &Scope::default(), false)?;
            // What is read at entry has a name only where the tiles are started, after its address is known to be right.
            let words = identifiers(&text);
            let used = self.hoisted.loads.iter().find(|(_, load)| words.contains(load.name.as_str()));
            if let Some((_, load)) = used.filter(|_| !planted("a17-final")) {
                let reason =
                    format!("the value of `{}` after the region depends on `{}`", variable.name, load.path.user);
                let remedy = format!("copy `{}` to a local variable before the region", load.path.user);
                return Err(Refusal::at(Code::UnclearValue, variable, reason, remedy));
            }
            let name = format!("dvm__final_{}", variable.name);
            let declared = declare(&self.type_name(variable), &name);
            let _ = write!(all.values, "{declared} = {text}; ");
            let _ = write!(all.kept, "{name} = {}; ", variable.name);
            let _ = write!(all.sets, "{} = {name}; ", variable.name);
        }
        Ok(all)
    }
}
