//! Prints loops whose reductions have several values (`reassociate`): each iteration updates the next one of them, in turn,
//! and a tree of neighbours joins them. What is left of the loop updates the joined value.
//!
//! The number of values is a constant of the region, so the result follows from the number of iterations of the block.

use super::generated_names::declare_const;
use crate::model::{Reduction, Region};

/// The reductions of a region that have several values.
pub struct Parted<'a> {
    reductions: Vec<&'a Reduction>,
    count: u32,
}

impl<'a> Parted<'a> {
    /// Those of a region, if it has any.
    pub fn of(region: &'a Region) -> Option<Parted<'a>> {
        let reductions: Vec<&Reduction> = region.reductions.iter().filter(|r| r.parts > 1).collect();
        let count = reductions.first()?.parts;
        Some(Parted { reductions, count })
    }

    /// From the loop's bounds to the beginning of an iteration of a whole round.
    pub fn begin(&self, first: &str, step: &str, limit: &str) -> String {
        let Parted { count, .. } = self;
        let declared = self.each(|r| format!(" {} {}[{count}];", r.partial, values(r)));
        let neutral = self.each(|r| format!("\n      {}[dvm__part] = ({})({});", values(r), r.partial, r.neutral));
        format!(
            "{{ /* {names}: {count} values in turn, then joined. */\n  dvm__int64 dvm__at = {first};\n  \
             const dvm__int64 dvm__last = {limit}, dvm__step = {step};\n  \
             if (dvm__last - dvm__at >= {last} * dvm__step) {{\n    {declared}\n    int dvm__part, dvm__apart;\n    \
             for (dvm__part = 0; dvm__part < {count}; ++dvm__part) {{{neutral}\n    }}\n    \
             for (; dvm__last - dvm__at >= {last} * dvm__step; dvm__at += {count} * dvm__step) {{\n      \
             DVM__PARTS\n      for (dvm__part = 0; dvm__part < {count}; ++dvm__part) {{",
            names = self.reductions.iter().map(|r| r.name.as_str()).collect::<Vec<_>>().join(", "),
            declared = declared.trim_start(),
            last = count - 1,
        )
    }

    /// The counter of an iteration of a whole round.
    pub fn counter(ctype: &str, name: &str) -> String {
        format!("{} = ({ctype})(dvm__at + dvm__part * dvm__step); (void){name};", declare_const(ctype, name))
    }

    /// The iteration's own values of the variables.
    pub fn take(&self) -> String {
        self.each(|r| format!(" {} {} = {}[dvm__part];", r.partial, r.name, values(r))).trim_start().to_owned()
    }

    /// The end of an iteration: the values are kept.
    pub fn put(&self) -> String {
        self.each(|r| format!(" {}[dvm__part] = {};", values(r), r.name)).trim_start().to_owned()
    }

    /// After the whole rounds: neighbours are joined first.
    pub fn end(&self) -> String {
        let Parted { count, .. } = self;
        let joined = self.each(|r| {
            let (first, second) =
                (format!("{}[dvm__part]", values(r)), format!("{}[dvm__part + dvm__apart]", values(r)));
            format!("\n        {first} = ({}){};", r.partial, r.joined(&first, &second))
        });
        let last = self.each(|r| {
            let value = r.joined(&r.name, &format!("{}[0]", values(r)));
            format!(" {} = ({}){value};", r.name, r.partial)
        });
        format!(
            "      }}\n    }}\n    for (dvm__apart = 1; dvm__apart < {count}; dvm__apart *= 2)\n      \
             for (dvm__part = 0; dvm__part + dvm__apart < {count}; dvm__part += 2 * dvm__apart) {{{joined}\n      }}\n   {last}\n  }}"
        )
    }

    fn each(&self, text: impl Fn(&Reduction) -> String) -> String {
        self.reductions.iter().map(|r| text(r)).collect()
    }
}

/// The name of a variable's values.
fn values(reduction: &Reduction) -> String {
    format!("dvm__values_of_{}", reduction.name)
}
