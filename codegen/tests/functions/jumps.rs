//! Jumps inside of loops: `continue`, `break`, `switch`, and loops of which data tell how often they run.

use super::function::Writer;
use super::numbers::{condition, number};
use super::tree::{Node, join};

impl Writer {
    /// Statements of which jumps leave some out.
    pub fn jump(&mut self, depth: usize) -> Node {
        let inner = self.counters.len() > 1;
        let jump = match self.dice.weigh(&[6, if inner { 4 } else { 0 }, 3, 2, 2]) {
            0 => self.skip(depth),
            1 => join!["if (", self.test(), ") break;\n"],
            2 => self.switch(depth),
            3 => {
                let count = self.name("w");
                let test = if self.dice.one_in(2) { join![" && ", self.test()] } else { join![""] };
                join!["int ", &count, " = 0;\nwhile (", &count, "++ < 3", test, ")", self.body(depth + 1)]
            }
            _ => {
                let count = self.name("w");
                let test = if self.dice.one_in(2) { join![" && ", self.test()] } else { join![""] };
                join!["int ", &count, " = 0;\ndo", self.body(depth + 1), "while (++", &count, " < 3", test, ");\n"]
            }
        };
        join![jump.statement(), self.statement()]
    }

    fn test(&mut self) -> Node {
        if self.dice.one_in(2) {
            return self.data_condition();
        }
        let known = self.known();
        condition(&mut self.dice, &known)
    }

    /// A `continue`, in the places where authors put it.
    fn skip(&mut self, depth: usize) -> Node {
        let test = self.test();
        match self.dice.weigh(&[6, 2, 1, 1, 1]) {
            0 => join!["if (", test, ") continue;\n"],
            1 => join!["if (", test, ") {\n", self.enclosed(), "continue;\n}\n"],
            2 => join!["if (", test, ") continue;\nelse", self.body(depth + 1)],
            3 => join!["if (", test, ")", self.body(depth + 1), "else continue;\n"],
            _ => join!["{\nif (", test, ") continue;\n", self.enclosed(), "}\n"],
        }
    }

    /// A statement in a block: what it declares is not known after it.
    fn enclosed(&mut self) -> Node {
        let before = self.scalars.len();
        let statement = self.statement();
        self.scalars.truncate(before);
        statement
    }

    fn switch(&mut self, depth: usize) -> Node {
        let known = self.known();
        let value = number(&mut self.dice, &known, 1);
        let mut parts = vec![join!["switch ((int)(", value.node, ") & 3) {\n"]];
        for labels in ["case 0:\n", "case 1:\ncase 2:\n", "default:\n"] {
            if self.dice.one_in(4) {
                continue;
            }
            let end = *self.dice.pick(&["break;\n", "break;\n", "break;\n", "", "continue;\n"]);
            parts.push(join![labels, self.body(depth + 1), end]);
        }
        join![parts, "}\n"]
    }
}
