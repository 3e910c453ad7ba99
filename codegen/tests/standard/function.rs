//! A whole case: declarations, a function with regions, and what surrounds them (6.8.4 to 6.8.6, 6.9).

use super::choices::Choices;
use super::expression::Of;
use super::program::{Odd, Program};
use super::statements::indent;

/// The text of a case; `@` stands for its number in the unit.
pub struct Case {
    pub text: String,
    /// What it uses.
    pub odds: Vec<Odd>,
    pub made: Vec<u32>,
}

/// Makes the case of a list of choices.
pub fn case(choices: Choices) -> Case {
    let mut p = Program::new(choices);
    p.constants();
    p.bounds();
    p.arrays();
    p.scalars();
    let options = p.helpers();
    let regions = 1 + usize::from(p.odd(Odd::Several, 70));
    let mut body = Vec::new();
    for _ in 0..regions {
        let region = p.region(&options);
        body.push(p.surrounded(&region));
    }
    let text = p.finished(&body.join("\n"));
    Case { text, odds: p.odds.iter().copied().collect(), made: p.choices.made }
}

impl Program {
    /// A region with its pragma.
    fn region(&mut self, options: &str) -> String {
        // Most defects show in regions of one or two statements, which cost least.
        let class = self.choices.weighted(&[20, 7, 2]);
        self.budget = [1, 2, 3 + self.choices.below(3)][class];
        let count = 1 + self.choices.weighted(&[5, 2]);
        let mut nests = Vec::new();
        for k in 0..count {
            if k == 0 || self.budget > 0 {
                let deeper = self.choices.weighted(&[4, 6, class]);
                nests.push(self.nest(deeper));
            }
        }
        let text = if nests.len() > 1 || self.choices.chance(15) {
            format!("{{\n{}\n}}", indent(&nests.join("\n")))
        } else {
            nests.remove(0)
        };
        let mut more = options.to_owned();
        if self.odd(Odd::Options, 60) {
            more += self.pick(&[" tile(4,4)", " tile(auto)", " serial(n < 2)", " name(region_@)", " tile(1)"]);
        }
        if self.odd(Odd::Options, 20) && options.is_empty() {
            return format!("#pragma scop\n{text}\n#pragma endscop");
        }
        if self.odd(Odd::PragmaOperator, 70) {
            return format!("_Pragma(\"dvm region{more}\")\n{text}");
        }
        if self.odd(Odd::Conditionals, 70) {
            return format!("#if __STDC_VERSION__ >= 199901L\n#pragma dvm region{more}\n#endif\n{text}");
        }
        if self.odd(Odd::LineDirective, 70) {
            return format!("#line 4000 \"elsewhere.c\"\n#pragma dvm region{more}\n{text}");
        }
        format!("#pragma dvm region{more}\n{text}")
    }

    /// What goes before and after a region, and the statements it stands in.
    fn surrounded(&mut self, region: &str) -> String {
        let before = if self.choices.chance(20) { self.other_statement() + "\n" } else { String::new() };
        let after = if self.odd(Odd::After, 70) { format!("\n{}", self.other_statement()) } else { String::new() };
        let r = format!("{before}{region}{after}");
        let number = self.number();
        if self.odd(Odd::Shadows, 40) {
            return format!("{{\n{}\n}}", indent(&format!("int k = 3; (void)k;\n{r}")));
        }
        let q = format!("r{number}");
        if self.odd(Odd::Jumps, 80) {
            let other = self.other_statement();
            return match self.choices.below(6) {
                0 => format!("int {q} = 0;\nagain{number}:;\n{r}\nif (++{q} < 2)\n  goto again{number};"),
                1 => format!(
                    "for (int {q} = 0; ; {q}++) {{\n{}\n}}",
                    indent(&format!("{r}\nif ({q} == 1)\n  break;\n{other}"))
                ),
                2 => format!(
                    "for (int {q} = 0; {q} < 3; {q}++) {{\n{}\n}}\n{other}",
                    indent(&format!("{r}\nif ({q} < 2)\n  continue;\n{other}"))
                ),
                3 => format!("while (1) {{\n{}\n}}", indent(&format!("{other}\n{r}\nbreak;"))),
                4 => format!("if (n == 3)\n  goto past{number};\n{{\n{}\n}}\npast{number}:;", indent(&r)),
                _ => format!(
                    "int {q} = 2;\ngoto test{number};\ntop{number}:\n{{\n{}\n}}\ntest{number}:\nif ({q}-- > 0)\n  goto top{number};",
                    indent(&r)
                ),
            };
        }
        if self.odd(Odd::Switches, 80) {
            let other = self.other_statement();
            return match self.choices.below(4) {
                0 => format!(
                    "switch (n) {{\ncase 0:\n  break;\ndefault:\n{}\n  break;\ncase 1:\n  {other}\n}}",
                    indent(&format!("{{\n{}\n}}", indent(&r)))
                ),
                1 => format!(
                    "switch (n & 3) {{\ncase 1:\n  {other}\n  /* falls through */\ncase 2:\n{}\ncase 3:\n  {other}\n}}",
                    indent(&format!("{{\n{}\n}}", indent(&r)))
                ),
                2 => format!(
                    "int {q} = n % 4;\nswitch ({q}) {{\ncase 0:\n  do {{\n{}\ncase 3:\n    {other}\ncase 2:;\ncase 1:;\n  }} while (--{q} > 0);\n}}",
                    indent(&indent(&format!("{{\n{}\n}}", indent(&r))))
                ),
                _ => format!(
                    "for (int {q} = 0; {q} < 2; {q}++)\n  switch ({q}) {{\n  case 0: {{\n{}\n    continue;\n  }}\n  default:\n    {other}\n  }}",
                    indent(&indent(&r))
                ),
            };
        }
        if self.odd(Odd::Around, 80) {
            let other = self.other_statement();
            return match self.choices.below(5) {
                0 => format!("for (int {q} = 0; {q} < 2; {q}++) {{\n{}\n}}", indent(&r)),
                1 => format!("do {{\n{}\n}} while (0);", indent(&r)),
                2 => format!("if (n > 2) {{\n{}\n}} else {{\n  {other}\n}}", indent(&r)),
                3 => format!("if (n > 2)\n  if (m < 4) {{\n{}\n  }} else\n    {other}", indent(&indent(&r))),
                _ => format!("int {q} = 3;\nwhile ({q} --> 1) {{\n{}\n{}\n}}", indent(&r), indent(&other)),
            };
        }
        if self.odd(Odd::Returns, 50) {
            return format!("if (n == 1 && m > 1)\n  return 2;\n{r}");
        }
        r
    }

    /// The case's text.
    fn finished(&mut self, body: &str) -> String {
        let returns = self.has(Odd::Returns);
        let last = if returns {
            let e = self.leaf(Of::Integers);
            format!("\nreturn {};", e.text)
        } else {
            String::new()
        };
        let inside = [self.locals.join("\n"), body.to_owned(), self.tells.join("\n")];
        let inside: Vec<&str> = inside.iter().map(String::as_str).filter(|s| !s.is_empty()).collect();
        let inside = inside.join("\n") + &last;
        let result = if returns { "long" } else { "void" };
        let names: Vec<&str> = self.parameters.iter().map(|p| p.1.as_str()).collect();
        let declared: Vec<&str> = self.parameters.iter().map(|p| p.0.as_str()).collect();
        let arguments: Vec<&str> = self.parameters.iter().map(|p| p.2.as_str()).collect();
        let old = self.has(Odd::OldStyle) && declared.iter().all(|d| !d.contains("_Complex"));
        let head = if old {
            format!("static {result} f_@({})\n  {};", names.join(", "), declared.join(";\n  "))
        } else if self.has(Odd::Inline) {
            format!("static inline {result} f_@({})", declared.join(", "))
        } else if self.has(Odd::Specifiers) {
            format!("{result} static f_@({})", declared.join(", "))
        } else {
            format!("static {result} f_@({})", declared.join(", "))
        };
        let mut text = format!("{}\n{head}\n{{\n{}\n}}\n", self.file.join("\n"), indent(&inside));
        let call = format!("f_@({})", arguments.join(", "));
        let call = if returns { format!("show_integer(\"result\", {call});") } else { format!("{call};") };
        let entry = format!("{}\n{call}\n{}", self.fills.join("\n"), self.shows.join("\n"));
        text = self.respelled(&text);
        text + &format!("static void case_@(int n, int m)\n{{\n{}\n}}\n", indent(&entry))
    }

    /// Other spellings of the same tokens: splices, comments, digraphs (5.1.1.2, 6.4.6, 6.4.9).
    fn respelled(&mut self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if self.has(Odd::Splices) {
            for line in &mut lines {
                if line.contains('"') || !self.choices.chance(25) {
                    continue;
                }
                let form = self.choices.below(4);
                let directive = line.trim_start().starts_with('#');
                if let Some(at) = line.rfind(' ') {
                    let with = [" \\\n", " /* ; } */ ", " /**/\\\n ", "/* a\n b */ "][form];
                    if !(directive && form == 3) {
                        line.replace_range(at..=at, with);
                    }
                }
            }
        }
        if self.has(Odd::Digraphs) {
            for line in &mut lines {
                if !line.contains('"') && self.choices.chance(40) {
                    *line = line.replace('[', "<:").replace(']', ":>").replace('{', "<%").replace('}', "%>");
                }
            }
        }
        lines.join("\n") + "\n"
    }
}
