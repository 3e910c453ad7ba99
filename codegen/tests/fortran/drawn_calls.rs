//! Random subroutines that random nests call: of elements, of vectors that begin at an element, and of whole arrays.

use super::nests::Nest;
use std::fmt::Write as _;

impl Nest {
    /// A call of a new subroutine. Of what it passes, only `a` and `c` are written, and each is passed once.
    pub(super) fn call(&mut self) {
        let kind = self.random.below(4);
        let number = self.subroutines.len() + 1;
        let name = format!("part_{}_{number}", self.seed);
        let [first_array, other_array, vector, _] = self.names;
        let counter = *self.random.pick(&self.counters);
        let (x, y) = (self.subscript(), self.subscript());
        let mut text = String::new();
        let (heads, arguments) = match kind {
            0 => {
                let other =
                    if self.random.one_in(2) { format!("{other_array}({y}, {x})") } else { self.term(1, false) };
                let other =
                    if self.real == "real(8)" { format!("real({other}, 8)") } else { format!("real({other}, 4)") };
                let whole = [format!("{counter} + 2"), "n".to_owned(), "3".to_owned()];
                let whole = self.random.pick(&whole).clone();
                (self.elements(&name), format!("{first_array}({x}, {y}), {other}, {vector}({x}), {whole}"))
            }
            1 => {
                // From an element on, or a section.
                let end = ["n", "m", "n + 2"][self.random.below(3)];
                let first = match self.random.below(3) {
                    _ if !self.passes.0 => format!("{first_array}(-30:60, {y})"),
                    0 => format!("{first_array}(1, {y})"),
                    1 => format!("{first_array}(-30:60, {y})"),
                    _ => format!("{first_array}({}, {y})", self.random.between(-2, 2)),
                };
                let second = match self.random.below(3) {
                    0 => vector.to_owned(),
                    1 => format!("{vector}(-29:60)"),
                    _ => format!("{vector}(-30:60)"),
                };
                (self.vectors(&name), format!("{first}, {second}, {end}, {counter}"))
            }
            2 => {
                let fixed = !self.passes.1 || self.random.one_in(2);
                (
                    self.wholes(&name, fixed),
                    format!("{first_array}, {other_array}, {counter}, {}", self.random.between(-2, 3)),
                )
            }
            _ => {
                // A scalar that the call sets.
                self.written.insert("s");
                let value = self.term(1, false);
                let set = format!("set_{}_{number}", self.seed);
                let _ = write!(
                    text,
                    "subroutine {set}(s, x)\n  real(8), intent(out) :: s\n  real(8), intent(in) :: x\n  s = x*0.25d0 + half\n  if (x > 0.5d0) s = 0.5d0\nend subroutine\n"
                );
                self.line(&format!("call {set}(s, real({value}, 8))"));
                let element = self.element();
                if !element.starts_with(self.names[3]) {
                    self.line(&format!("{element} = s*0.5d0"));
                }
                self.subroutines.push(text);
                return;
            }
        };
        let condition = if self.random.one_in(4) { format!("if ({counter} > 3) ") } else { String::new() };
        self.line(&format!("{condition}call {name}({arguments})"));
        self.subroutines.push(heads);
    }

    /// A value of the scalars in scope: values stay small.
    fn scalar(&mut self, names: &[&str]) -> String {
        let (x, y) = (*self.random.pick(names), *self.random.pick(names));
        match self.random.below(6) {
            0 => format!("0.5d0*{x} + 0.25d0*{y}"),
            1 => format!("bent(real({x}, 8), real({y}, 8))"),
            2 => format!("0.25*{x} - (0.5*{y} - 0.125d0)"),
            3 => format!("sqrt(abs(real({x}, 8)))*0.5d0"),
            4 => format!("min(real({x}, 8), real({y}, 8))*0.5"),
            _ => format!("({x} + mod(p, 4))*0.25d0"),
        }
    }

    fn elements(&mut self, name: &str) -> String {
        let real = self.real;
        let (one, two, three) =
            (self.scalar(&["x", "y", "z"]), self.scalar(&["x", "y", "t"]), self.scalar(&["x", "t", "z"]));
        let inner = match self.random.below(5) {
            3 | 4 => self.of_local_array(),
            0 => format!("  if (y > 0.5d0) then\n    z = {two}\n  else\n    x = {three}\n  end if\n"),
            1 => format!("  do at = 1, p\n    t = t*0.5d0 + at*0.0625d0\n  end do\n  x = {three}\n"),
            _ => format!("  call {name}_inner(x, t)\n  z = {two}\n"),
        };
        let mut text = format!(
            "subroutine {name}(x, y, z, p)\n  {real}, intent(inout) :: x, z\n  {real}, intent(in) :: y\n  \
             integer, intent(in) :: p\n  {real} :: t, w(-1:2), v(2,4)\n  integer :: at, to\n  t = {one}\n{inner}end subroutine\n"
        );
        if inner.contains("_inner") {
            let value = self.scalar(&["u", "v"]);
            let value = value.replace("mod(p, 4)", "half");
            let _ = write!(
                text,
                "subroutine {name}_inner(u, v)\n  {real} :: u, v\n  u = {value}\n  v = v*half + u*0.25d0\n  return\nend subroutine\n"
            );
        }
        text
    }

    /// Statements about arrays that each call has for itself.
    fn of_local_array(&mut self) -> String {
        let (one, two) = (self.scalar(&["x", "y", "t"]), self.scalar(&["w(at)", "x", "v(2, 4)"]));
        let shift = match self.random.below(3) {
            0 => "  w(-1:1) = w(0:2)*0.5d0\n",
            1 => "  do at = 2, 0, -1\n    w(at) = w(at - 1)*0.5d0 + v(1, at + 2)\n  end do\n",
            _ => "  if (y > 0.25d0) then\n    w = v(2, :)\n  end if\n",
        };
        format!(
            "  do at = -1, 2\n    w(at) = {one}\n    do to = 1, 2\n      v(to, at + 2) = w(at)*0.25d0 + to*0.0625d0\n    end do\n  \
             end do\n{shift}  do at = 1, 2\n    x = x*0.5d0 + ({two})*0.25d0\n  end do\n  z = w(0)*0.5d0 + v(2, 1)\n"
        )
    }

    fn vectors(&mut self, name: &str) -> String {
        let real = self.real;
        let declared = *self.random.pick(&["x(l), y(l)", "x(*), y(*)", "x(0:l), y(l + p)", "x(l), y(0:*)"]);
        let (from, shift) = (self.random.between(1, 2), self.random.between(0, 1));
        let value = self.scalar(&["x(at)", "y(at)", "t"]);
        let write = match self.random.below(5) {
            0 => format!("    y(at) = {value}\n"),
            1 => format!("    x(at) = {value}\n    y(at) = x(at)*0.5d0 + t*0.25d0\n"),
            3 | 4 => format!("    y(at) = {value} + w(l + {from} - at)*0.25d0 - w(at - 1)*0.125d0\n"),
            _ => format!("    if (x(at) > 0.25d0) x(at) = {value}\n"),
        };
        let filled = match write.contains("w(") {
            true if self.random.one_in(2) => "  w = 0.5d0\n  w(1:l) = x(1:l)*0.5d0 + 0.25d0\n",
            true => "  do at = 0, l\n    w(at) = at*0.0625d0\n  end do\n",
            false => "",
        };
        format!(
            "subroutine {name}(x, y, l, p)\n  integer :: l, p, at\n  {real} :: {declared}, t, w(0:90)\n{filled}  do at = {from}, l - {shift}\n    \
             t = x(at)*0.5d0 + p*0.03125d0\n{write}  end do\nend subroutine\n"
        )
    }

    fn wholes(&mut self, name: &str, fixed: bool) -> String {
        let real = self.real;
        let declared = if fixed { "x(-30:60,-30:60), y(-30:60,-30:*)" } else { "x(-30:,-30:), y(-30:,-30:)" };
        let declared = if self.random.one_in(3) {
            declared.replace("-30:", "1:").replace(":60", ":91")
        } else {
            declared.to_owned()
        };
        let value = self.scalar(&["x(at, p)", "y(at, p)", "y(at + 1, p + 2)"]);
        let body = match self.random.below(3) {
            0 => format!("  do at = 1, 9\n    x(at, p) = {value}\n  end do\n"),
            1 => "  x(2:9, p) = x(2:9, p)*0.5d0 + y(1:8, 3)*0.25d0\n".to_owned(),
            _ => format!(
                "  do at = 9, 3, -1\n    if (y(at, p) > 0.3d0) x(at, p + k) = {}\n  end do\n",
                value.replace("x(at, p)", "x(at, p + k)")
            ),
        };
        let body =
            if declared.contains("1:") && !declared.contains("-30") { body.replace(", p", ", p + 3") } else { body };
        let body = body.replace("mod(p + 3, 4)", "mod(p, 4)");
        format!("subroutine {name}(x, y, p, k)\n  {real} :: {declared}\n  integer :: p, k, at\n{body}end subroutine\n")
    }
}
