//! Variables beside a loop's counter in its header: `for (int i = 0, k = m; i < n; i++, k += 2)`.

use super::function::Writer;
use super::numbers::{Known, Number, number};
use super::tree::{Node, join};

/// A variable beside a counter.
pub struct Beside {
    /// Its name, and the values that it has in the loop.
    pub known: Known,
    /// Its first value.
    pub first: Node,
    /// The counter stands before it.
    pub after_counter: bool,
    /// What adds to it; nothing if it keeps its value.
    pub step: Option<Node>,
    /// The step stands at the end of the body, and not in the header.
    pub in_body: bool,
}

impl Writer {
    /// A variable beside the counter of a loop, which runs from `counter.low` to `counter.high` at most. It is declared with
    /// the counter, or is one of those from outside.
    pub fn beside(&mut self, counter: &Known, step: i64, declared: bool) -> Option<Beside> {
        let (name, ty) = if declared {
            let wish = *self.dice.pick(&["k", "q", "at"]);
            (self.name_beside(counter, wish), counter.ty)
        } else {
            let free = |k: &&Known| k.name != counter.name && !self.counters.iter().any(|c| c.name == k.name);
            let free: Vec<Known> = self.outer.iter().filter(free).cloned().collect();
            if free.is_empty() {
                return None;
            }
            let known = self.dice.pick(&free);
            (known.name.clone(), known.ty)
        };
        let by_counter = self.dice.one_in(12);
        let first = if by_counter { Number::of(counter) } else { self.first_beside() };
        let amount = *self.dice.pick(&[0, 1, 1, 1, 2, 3, -1]);
        let rounds = (counter.high - counter.low).max(0) / step + 1;
        let (low, high) = (first.low + (amount * rounds).min(0), first.high + (amount * rounds).max(0));
        if !ty.holds(low, high) || (first.ty.is_unsigned() && first.low < 0) {
            return None;
        }
        let size = amount.abs();
        let sign = if amount < 0 { "-" } else { "+" };
        let text = match self.dice.weigh(&[3, 2, 1]) {
            0 if size == 1 => format!("{name}{sign}{sign}"),
            1 if size == 1 => format!("{sign}{sign}{name}"),
            2 => format!("{name} = {name} {sign} {size}"),
            _ => format!("{name} {sign}= {size}"),
        };
        Some(Beside {
            known: Known { name, ty, low, high, over: first.over + (high - first.high) },
            first: first.node,
            after_counter: by_counter || self.dice.one_in(2),
            step: (amount != 0).then(|| join![text]),
            in_body: self.dice.one_in(4),
        })
    }

    /// A name that no counter around has: those are not among the names that are given once only.
    fn name_beside(&mut self, counter: &Known, wish: &str) -> String {
        loop {
            let name = self.name(wish);
            if name != counter.name && !self.counters.iter().any(|c| c.name == name) {
                return name;
            }
        }
    }

    fn first_beside(&mut self) -> Number {
        let known = self.known();
        for _ in 0..4 {
            let depth = self.dice.weigh(&[3, 3, 1]);
            let value = number(&mut self.dice, &known, depth);
            if value.low >= -6 && value.high <= 14 {
                return value;
            }
        }
        Number::plain(0)
    }
}

impl Beside {
    /// The first part of a header, with the counter's.
    pub fn begin(&self, counter: Node) -> Node {
        let own = join![&self.known.name, " = ", &self.first];
        if self.after_counter { join![counter, ", ", own] } else { join![own, ", ", counter] }
    }

    /// The last part of a header, with the counter's.
    pub fn advance(&self, counter: Node) -> Node {
        match self.step.as_ref().filter(|_| !self.in_body) {
            None => counter,
            Some(own) if self.after_counter => join![counter, ", ", own],
            Some(own) => join![own, ", ", counter],
        }
    }

    /// The body, with the step that is not in the header.
    pub fn body(&self, body: Node) -> Node {
        match self.step.as_ref().filter(|_| self.in_body) {
            None => body,
            Some(own) => join![" {\n", body, own, ";\n}\n"],
        }
    }
}
