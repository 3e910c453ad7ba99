//! Prints the blocks of chains: the statement's own text, with vectors in the operands' places. Each assignment runs for
//! all rows and columns of the block before the next one; the scalars are vectors that stay in registers.

use super::{region_context::BlockNames, register_blocks::BlockWriter, text_mark::TextMark};
use crate::{
    lowered::Role,
    model::{Chain, ChainStep, Named, Operand},
};
use std::fmt::Write;

impl BlockWriter<'_> {
    /// The function that runs a block of a chain.
    pub(super) fn chain_function(&self, chain: &Chain) -> String {
        let (shared, block) = (self.shared, self.block);
        let BlockNames { at, place: [row, column], extent: [rows, columns], kept, vector, .. } = &shared.block;
        let element = &chain.element;
        let mut text = format!(
            "/* {} for {}vectors of {}: its scalars stay in registers. */\n",
            self.statement.name,
            self.rows_in_words(),
            self.iterator(block.vector)
        );
        let arguments: String = at[..self.depth()].iter().map(|at| format!(", const dvm__int64 {at}")).collect();
        let _ = writeln!(
            text,
            "static __inline__ __attribute__((__always_inline__)) void {}_block(const struct {} *{}{arguments}, \
             const int {rows}, const int {columns})\n{{",
            self.name, shared.context, shared.own
        );
        let _ = writeln!(text, "  typedef {element} {vector} DVM__VECTOR({element});");
        let named = self.without_scalars(chain);
        text.push_str(&self.locals(&named));
        let [most_rows, most_columns] = self.extent();
        for scalar in 0..chain.scalars {
            let _ = writeln!(text, "  {vector} {kept}{scalar}[{most_rows}][{most_columns}];");
        }
        let _ = writeln!(text, "  int {row}, {column};");
        let around = |k: usize| (k != block.vector && Some(k) != block.rows).then(|| at[k].clone());
        text.push_str(&self.iterators("  ", &named, around));
        let _ = writeln!(text, "{}", TextMark::At(self.statement.line, self.statement.column));
        let own = self.chain_text(chain);
        let own = if chain.counters.is_empty() { own } else { format!("{{ {} {own} }}", chain.counters) };
        let _ = writeln!(text, "  {}\n{}", own.trim(), TextMark::End);
        text + "}\n\n"
    }

    /// The statement's text without its scalars' declarations and assignments' targets that are scalars.
    fn without_scalars(&self, chain: &Chain) -> String {
        let source = &self.statement.text;
        let mut text = String::new();
        let mut done = 0;
        for step in &chain.steps {
            text.push_str(&source[done..step.place.0]);
            done = step.place.1;
            if let Named::Element(_) = step.target.named {
                text.push_str(&source[step.target.place.0..step.target.place.1]);
            }
            text.push(' ');
            text.push_str(&self.value_without_scalars(step));
        }
        text + &source[done..]
    }

    fn value_without_scalars(&self, step: &ChainStep) -> String {
        self.with_each(step, |operand, own| match operand.named {
            Named::Scalar(_) => String::new(),
            _ => own.to_owned(),
        })
    }

    /// A step's value with something in the place of each operand.
    fn with_each(&self, step: &ChainStep, mut each: impl FnMut(&Operand, &str) -> String) -> String {
        let source = &self.statement.text;
        let mut text = String::new();
        let mut done = step.value.0;
        for operand in &step.operands {
            text.push_str(&source[done..operand.place.0]);
            text.push_str(&each(operand, &source[operand.place.0..operand.place.1]));
            done = operand.place.1;
        }
        text + &source[done..step.value.1]
    }

    /// The text with vectors. Each step stays on its line.
    fn chain_text(&self, chain: &Chain) -> String {
        let source = &self.statement.text;
        let mut text = String::new();
        let (mut done, mut role) = (0, 0);
        for step in &chain.steps {
            let roles = &self.block.roles[role..=role + step.operands.len()];
            role += roles.len();
            text.push_str(&source[done..step.place.0]);
            text.push_str(&self.step(step, roles));
            done = step.place.1;
        }
        text + &source[done..]
    }

    /// A step for all rows and columns of a block; the roles are those of its target and its operands.
    fn step(&self, step: &ChainStep, roles: &[Role]) -> String {
        if step.operator.is_empty() {
            return String::new();
        }
        let BlockNames { place: [row, column], extent: [rows, columns], .. } = &self.shared.block;
        let mut own_roles = roles[1..].iter();
        let mut vectors = 0;
        let value = self.with_each(step, |operand, own| {
            let role = own_roles.next().copied().unwrap_or(Role::Single);
            vectors += usize::from(matches!(role, Role::Kept | Role::Vector | Role::Gathered));
            self.in_vectors(operand, role, own)
        });
        let target = &self.statement.text[step.target.place.0..step.target.place.1];
        let place = self.in_vectors(&step.target, roles[0], target).replacen("(const ", "(", 1);
        // C does not convert a number to a vector. One is the factor that changes no number.
        let value = match (vectors, step.operator.as_str()) {
            (0, "=") => format!("({value}) * DVM__ONES({})", self.shared.block.vector),
            _ => value,
        };
        let mut part = self.value_without_scalars(step);
        if let Named::Element(_) = step.target.named {
            part.push(' ');
            part.push_str(target);
        }
        let inside = |k: usize| (k == self.block.vector || Some(k) == self.block.rows).then(|| self.in_block(k));
        let declared = self.iterators("", &part, inside).replace('\n', " ");
        format!(
            "{{ DVM__PLACES({row}, {rows}, {column}, {columns}) {{ {declared}{place} {} {value}; }} }}",
            step.operator
        )
    }

    /// An operand in a vector.
    fn in_vectors(&self, operand: &Operand, role: Role, own: &str) -> String {
        let BlockNames { at, place: [row, column], kept, vector, lane, gathered, .. } = &self.shared.block;
        match (role, &operand.named) {
            (Role::Kept, Named::Scalar(scalar)) => format!("{kept}{scalar}[{row}][{column}]"),
            (Role::Vector, _) => format!("(*(const {vector} *)&{own})"),
            (Role::Gathered, _) => {
                let v = self.block.vector;
                let value = |k: usize| (k == v).then(|| format!("({} + {column} * {} + {lane})", at[v], self.lanes()));
                let declared = self.iterators("", own, value).replace('\n', " ");
                format!("DVM__GATHER({vector}, {gathered}, {lane}, {}, {declared}, {own})", self.lanes())
            }
            (Role::Number, _) => format!("({})({own})", self.element_type()),
            _ => own.to_owned(),
        }
    }
}
