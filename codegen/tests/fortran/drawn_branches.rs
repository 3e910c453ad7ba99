//! Parts of random nests that choose: `select case`, `cycle` and `exit` in blocks and of loops around, logical arrays and `merge`.

use super::nests::Nest;

/// Kinds of the logical array `mask`.
const KINDS: [&str; 3] = ["1", "4", "8"];

impl Nest {
    /// The declaration of the logical array, and what gives it values.
    pub(super) fn mask(seed: u64) -> (String, &'static str) {
        let kind = KINDS[(seed % 3) as usize];
        let declared = format!("  logical({kind}) :: mask(-30:60,-30:60)\n");
        (
            declared,
            "  do i2 = -30, 60\n    do i1 = -30, 60\n      mask(i1,i2) = mod(i1*i1 + 3*i2, 7) < 3\n    end do\n  end do\n",
        )
    }

    /// What shows the values of the logical array.
    pub(super) const MASK_SHOWN: &str =
        "  do i2 = -30, 60\n    k(i2) = 2*k(i2) + count(mask(:,i2))*3 + count(mask(i2,:))\n  end do\n";

    /// An element of the logical array.
    pub(super) fn mask_element(&mut self) -> String {
        let (x, y) = (self.subscript(), self.subscript());
        format!("mask({x}, {y})")
    }

    /// A logical value, for `if` and for the logical array.
    pub(super) fn truth(&mut self) -> String {
        let (mask, element) = (self.mask_element(), self.element());
        match self.random.below(8) {
            0 => format!(".not. {mask}"),
            1 => format!("{mask} .or. {element} < 0.25d0"),
            2 => format!("{mask} .neqv. {element} > 0.5d0"),
            3 => format!("{mask} .and. .not. {}", self.mask_element()),
            4 => format!("{element} >= 0.75d0"),
            5 => format!("({mask} .eqv. given)"),
            6 => format!("merge(given, {element} < 0.3d0, {} > 3)", self.random.pick(&self.counters)),
            _ => mask,
        }
    }

    /// Assigns to the logical array.
    pub(super) fn set_mask(&mut self) {
        let (to, value) = (self.mask_element(), self.truth());
        self.line(&format!("{to} = {value}"));
    }

    /// A branch for the values of a whole number.
    pub(super) fn choose(&mut self) {
        let (counter, from) = (*self.random.pick(&self.counters), self.subscript());
        let selector = match self.random.below(4) {
            0 => counter.to_owned(),
            1 => format!("mod({}({from}), 5) - 1", self.names[3]),
            2 => format!("{}({from})", self.names[3]),
            _ => format!("mod({counter}*3, 7)"),
        };
        let mut lists = vec!["1", "(:-2)", "(2:4)", "(5, 7:9)", "(0)", "(10:)", "(-1, 6)"];
        self.line(&format!("select case ({selector})"));
        let parts = 1 + self.random.below(3);
        let other = self.random.below(6);
        for at in 0..=parts {
            if at == other {
                self.line("case default");
            } else {
                let which = self.random.below(lists.len());
                let list = lists.remove(which).trim_matches(['(', ')']);
                self.line(&format!("case ({list})"));
            }
            match self.random.below(4) {
                0 => {}
                1 => {
                    let jump = self.jump();
                    self.line(&format!("  {jump}"));
                }
                _ => {
                    let (to, value) = (self.element(), self.term(1, false));
                    if to.starts_with(self.names[3]) {
                        self.line(&format!("  {to} = {counter} - mod({to}, 13)"));
                    } else {
                        self.line(&format!("  {to} = {value}"));
                    }
                }
            }
        }
        self.line("end select");
    }

    /// Begins a loop, which has a name if jumps may need one.
    pub(super) fn open_loop(&mut self, counter: &'static str, range: &str) {
        let name = format!("loop{}", self.opened);
        self.opened += 1;
        if self.branches {
            self.line(&format!("{name}: do {counter} = {range}"));
        } else {
            self.line(&format!("do {counter} = {range}"));
        }
        self.counters.push(counter);
        self.loops.push(name);
    }

    /// Ends the loop that was begun last.
    pub(super) fn close_loop(&mut self) {
        self.counters.pop();
        let name = self.loops.pop().filter(|_| self.branches).unwrap_or_default();
        self.line(&format!("end do {name}"));
    }

    /// A `cycle` of a loop around, or an `exit` of one that is not the outermost.
    fn jump(&mut self) -> String {
        // Of such a loop all is one statement, which seldom meets no other iteration.
        if !self.seed.is_multiple_of(3) {
            return "cycle".to_owned();
        }
        let depth = self.loops.len();
        match self.random.below(6) {
            0 if depth > 1 => "exit".to_owned(),
            1 if depth > 1 => format!("exit {}", self.random.pick(&self.loops[1..])),
            2 => format!("cycle {}", self.random.pick(&self.loops)),
            _ => "cycle".to_owned(),
        }
    }

    /// A block that may end an iteration.
    pub(super) fn leave(&mut self) {
        let (condition, first, value) = (self.truth(), self.element(), self.term(1, false));
        let first = if first.starts_with(self.names[3]) { "s".to_owned() } else { first };
        if first == "s" {
            self.written.insert("s");
        }
        self.line(&format!("if ({condition}) then"));
        self.line(&format!("  {first} = {value}"));
        if self.random.one_in(2) {
            let (inner, jump) = (self.truth(), self.jump());
            self.line(&format!("  if ({inner}) {jump}"));
        } else {
            let jump = self.jump();
            self.line(&format!("  {jump}"));
        }
        self.line("end if");
    }
}
