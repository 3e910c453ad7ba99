//! The statements around regions: jumps, switches, loops, and what is read afterwards.

use super::function::Writer;
use super::numbers::{Known, Type};
use super::tree::{Node, join};

impl Writer {
    /// The function's statements.
    pub fn around(&mut self) -> Node {
        let mut all = Vec::new();
        for at in 0..=self.dice.weigh(&[5, 2]) {
            all.push(self.placed(at));
        }
        all.push(self.reads());
        if self.dice.one_in(30) {
            // Another rounding mode, for the function's own threads only.
            all.insert(
                0,
                join![*self.dice.pick(&["fesetround(0x400);\n", "fesetround(0x800);\n", "fesetround(0xc00);\n"])]
                    .statement(),
            );
            self.leave.push_str("  fesetround(0);\n");
        }
        join![all]
    }

    /// Reads what regions may have written.
    fn reads(&mut self) -> Node {
        let mut all = Vec::new();
        let mut names: Vec<(String, Type)> =
            self.scalars.iter().filter(|s| s.writable).map(|s| (s.name.clone(), s.ty)).collect();
        names.extend(self.outer.iter().map(|k| (k.name.clone(), k.ty)));
        for (at, (name, ty)) in names.into_iter().enumerate() {
            if self.dice.one_in(5) {
                continue;
            }
            let node = if ty.is_float() {
                join![format!("record_[{}] = {name};\n", 4 + at % 4)]
            } else {
                join![format!("result_ = result_ * 31 + (unsigned long long){name};\n")]
            };
            if self.dice.one_in(4) {
                all.push(self.perhaps(&name));
            }
            all.push(node.statement());
        }
        join![all]
    }

    /// Looks like a definition and is none, or one that does not always happen.
    fn perhaps(&mut self, name: &str) -> Node {
        let size = &self.size;
        let text = match self.dice.below(7) {
            0 => format!("(void)_Generic(({name} = 4), default: 0);\n"),
            1 => format!("(void)sizeof({name} = 4);\n"),
            2 => format!("if ({size} > 2) {name} = 7;\n"),
            3 => format!("(void)({size} > 2 && ({name} = 7));\n"),
            4 => format!("{size} > 2 ? (void)({name} = 7) : (void)0;\n"),
            5 => format!("while ({size} > 100) {{ {name} = 7; break; }}\n"),
            _ => format!("switch ({size}) {{ case 1: case 3: {name} = 7; break; default: break; }}\n"),
        };
        join![text].statement()
    }

    /// Writes a scalar or counter that a region may have written.
    fn overwrite(&mut self) -> Node {
        let mut names: Vec<String> = self.scalars.iter().filter(|s| s.writable).map(|s| s.name.clone()).collect();
        names.extend(self.outer.iter().map(|k| k.name.clone()));
        if names.is_empty() {
            return join!["result_ += 3;\n"].statement();
        }
        let all: Vec<Node> = names.iter().map(|name| join![format!("{name} = 3;\n")].statement()).collect();
        join![all].statement()
    }

    /// A region where the control flow goes ways of its own.
    fn placed(&mut self, at: usize) -> Node {
        let size = self.size.clone();
        let w = self.name("w");
        match self.dice.weigh(&[16, 4, 2, 3, 2, 3, 2, 2, 2, 4, 1, 2, 2]) {
            0 => self.region(),
            1 => {
                let (first, test) = (self.perhaps_overwrite(), self.dice.below(3));
                let region = self.region();
                match test {
                    0 => join!["for (;;) {\n", first, region, "break;\n}\n"],
                    1 => join![
                        format!("for (int {w} = 0;;) {{\n"),
                        first,
                        region,
                        format!("if ({w}++ > 1) break;\n"),
                        self.overwrite(),
                        "}\n"
                    ],
                    _ => join![
                        format!("int {w} = 0;\nfor (;;) {{\n"),
                        region,
                        format!("if (++{w} > 2)\nbreak;\n"),
                        self.overwrite(),
                        "}\n"
                    ],
                }
            }
            2 => {
                let region = self.region();
                join!["while (1) {\n", region, format!("if ({size} > 1) break;\n"), self.overwrite(), "break;\n}\n"]
            }
            3 => {
                let (one, other) = (self.region(), self.overwrite());
                let tests = [format!("{size} % 3"), size.clone(), "1".to_owned()];
                join![
                    format!("switch ((int)({})) {{\ncase 1:\ncase 2: {{\n", self.dice.pick(&tests)),
                    one,
                    "}\n",
                    *self.dice.pick(&["break;\n", "break;\n", ""]),
                    "case 0:\n",
                    other,
                    "break;\ndefault: result_ += 2;\n}\n"
                ]
            }
            4 => {
                let region = self.region();
                join![
                    format!("int {w} = 0;\ndo {{\n"),
                    region,
                    format!("if ({w} > 0) continue;\n"),
                    self.overwrite(),
                    format!("}} while (++{w} < 2);\n")
                ]
            }
            5 => {
                let region = self.region();
                let (both, other) = (self.dice.one_in(2), self.overwrite());
                let other = if both { join![" else {\n", other, "}\n"] } else { join![""] };
                join![format!("if ({size} > 1) {{\n"), region, "}", other, "\n"]
            }
            6 => {
                let region = self.region();
                join![region, format!("goto out{at};\n"), self.overwrite(), format!("out{at}:;\n")]
            }
            7 => {
                let region = self.region();
                join![format!("int {w} = 0;\nagain{at}:;\n"), region, format!("if (++{w} < 3) goto again{at};\n")]
            }
            8 => {
                let (region, reads) = (self.region(), self.reads());
                let (end, size) = (self.end.clone(), &size);
                join![format!("if ({size} > 2) {{\n"), region, reads, end, "return;\n}\n", self.overwrite()]
            }
            9 => {
                // A sequential loop, whose counter the region sees.
                let known = Known { name: w.clone(), ty: Type::I32, low: 0, high: 2, over: 2 };
                self.constants.push(known);
                let region = self.region();
                self.constants.pop();
                let (before, after) = (self.perhaps_overwrite(), self.perhaps_overwrite());
                let skip = if self.dice.one_in(2) { format!("if ({w} == 1) continue;\n") } else { String::new() };
                join![format!("for (int {w} = 0; {w} < 3; {w}++) {{\n"), before, region, skip, after, "}\n"]
            }
            10 => {
                let region = self.region();
                join!["result_ += ({\n", region, format!("(unsigned long long){size};\n}});\n")]
            }
            11 => {
                let region = self.region();
                join!["{\n", region, "}\n", self.overwrite_some()]
            }
            _ => {
                let (one, other) = (self.region(), self.region());
                join![format!("if ({size} % 2) {{\n"), one, "} else {\n", other, "}\n"]
            }
        }
    }

    fn perhaps_overwrite(&mut self) -> Node {
        if self.dice.one_in(2) { self.overwrite() } else { join![""] }
    }

    fn overwrite_some(&mut self) -> Node {
        if self.dice.one_in(2) {
            return join![""];
        }
        let names: Vec<String> = self.outer.iter().map(|k| k.name.clone()).collect();
        match names.first() {
            Some(name) => self.perhaps(name),
            None => join![""],
        }
    }
}
