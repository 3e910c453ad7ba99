//! Functions that regions call: of values, and of arrays.

use super::function::Writer;

/// Bodies of functions of two numbers; most only compute a value from what nothing in the region writes.
const VALUES: [&str; 16] = [
    "return (p * 3 + q) & 7;",
    "if (p < q)\n    return q - p;\n  return p & 3;",
    "number t = 1, e;\n  for (e = 0; e < 3; e++)\n    t = (t * 2 + p) & 15;\n  return t & 7;",
    "static const number parts[4] = { 1, 5, 2, 3 };\n  return parts[p & 3] + (q & 1);",
    "number t[3];\n  t[0] = p & 1, t[1] = q & 3, t[2] = 4;\n  return t[(p & 7) % 3];",
    "return (p + gn) & 7;",
    "p += q;\n  q = p & 5;\n  return q;",
    "number t = 0;\n  while (t < 5 && t < p)\n    t++;\n  return t;",
    "return (ga[p & 7] + q) & 7;",
    "switch (p & 3) {\n  case 0: return 1;\n  case 1: return q & 7;\n  default: break;\n  }\n  return 3;",
    "return p <= 0 ? 1 : VALUE_(p - 1, q) & 7;",
    "static number calls;\n  calls++;\n  return (p + calls) & 7;",
    "gn = gn;\n  return p & 7;",
    "return (whole.n + p) & 7;",
    "return (many[3] * p + table[1][0]) & 7;",
    "int *r = abs(-1) ? 0 : (int *)0;\n  return (p + (r == 0)) & 7;",
];

/// Bodies of functions of arrays.
const ARRAYS: [&str; 18] = [
    "int e;\n  for (e = 0; e < 4; e++)\n    to[e] = (to[e] + from[e] + w) & 7;",
    "to[0] = (from[0] + w) & 7;\n  to[1] = from[1] & 7;",
    "int e;\n  for (e = 0; e < 4; e++)\n    if (e < w)\n      to[e] = (from[3 - e] * 3) & 7;",
    "int e;\n  number t = 0;\n  for (e = 0; e < 4; e++)\n    t += from[e];\n  to[0] = t & 7;",
    "int e, f;\n  for (e = 0; e < 2; e++)\n    for (f = 0; f < 2; f++)\n      to[2 * e + f] = (from[2 * f + e] + w) & 7;",
    "int e;\n  for (e = 0; e < 4; e++) {\n    if (from[e] == 3)\n      break;\n    to[e] = (to[e] + w) & 7;\n  }",
    "int e;\n  for (e = 0; e < 4; e++) {\n    if (from[e] & 1)\n      continue;\n    if (w > 5)\n      return;\n    to[e] = w & 7;\n  }",
    "switch (w & 3) {\n  case 0: to[0] = from[1] & 7; break;\n  case 1: to[1] = 2;\n  default: to[2] = from[0] & 7;\n  }",
    "int e = 0;\n  while (e < 4 && from[e] > 1) {\n    to[e] = (to[e] * 3 + 1) & 7;\n    e++;\n  }",
    "if (from[0] > 2)\n    to[w & 3] = 5;\n  else\n    to[1] = 3;",
    "to[from[0] & 3] = (w + 1) & 7;",
    "int e;\n  for (e = 0; e < (w & 3); e++)\n    to[e] = e;",
    "int e;\n  for (e = 3; e >= 0; e--)\n    to[e] = (to[e] + VALUE_(from[e], w)) & 7;",
    "*to = (*from + gn) & 7;",
    "ga[3] = (from[0] + w) & 7;\n  to[2] = 1;",
    "number t = to[0] & 7;\n  w += 1;\n  to[0] = (from[1] + w) & 7;\n  to[3] = t;",
    "if (w > 3)\n    return;\n  to[0] = (from[0] + 1) & 7;",
    "to++;\n  to[0] = (from[0] + w) & 7;",
];

impl Writer {
    /// The functions of this case, to stand before it.
    pub fn callees(&mut self) -> String {
        // The last ones read or write what iterations that truly are independent write.
        let truly = self.claim == super::function::Claim::True;
        let places = if truly || !self.choices.chance(35) { 6 } else { VALUES.len() };
        let value = self.choices.pick(&VALUES[..places]).replace("VALUE_", "value_@");
        let places = if !self.gathers && !self.choices.chance(10) {
            8
        } else if truly {
            14
        } else {
            ARRAYS.len()
        };
        let array = self.choices.pick(&ARRAYS[..places]);
        let apart = !array.contains("ga[") && !array.contains("VALUE_");
        let array = array.replace("VALUE_", "value_@");
        let kind = self.choices.pick(&["static", "static", "static", "static inline"]);
        let kind = if self.old { "static" } else { kind };
        let restrict = if self.strict && apart { "__restrict " } else { "" };
        let reals = self.choices.pick(&["v * w + 1", "v < w ? v : w - 2", "v - w / 4", "(real)fabs(v) + w", "v"]);
        let sums: [&str; 7] = [
            "return p[1] & 7;",
            "return (p[0] + p[2]) & 7;",
            "return p[0] < p[1] ? p[0] & 7 : p[1] & 7;",
            "number t = p[0], w = t;\n  t += p[2] + w;\n  return t & 7;",
            "int e;\n  number t = 0;\n  for (e = 0; e < 3; e++)\n    t += p[e];\n  return t & 7;",
            "number t = *p++;\n  return (t + *p) & 7;",
            "int e;\n  for (e = 0; e < 4; e++)\n    if (p[e] == 3)\n      return e;\n  return 5;",
        ];
        let steps: [&str; 5] = [
            "*p = (*p * 5 + 1) & 7;",
            "if (*p > 3)\n    return;\n  p[0] += 2;",
            "number t = *p, e;\n  for (e = 0; e < 3; e++)\n    t = (t * 3 + 1) & 7;\n  *p = t;",
            "number t = *p & 3;\n  more_@(&t);\n  *p = (*p + t) & 7;",
            "more_@(p);",
        ];
        let steps = self.choices.pick(&steps);
        let places = if self.choices.chance(12) { 7 } else { 5 };
        let sums = self.choices.pick(&sums[..places]);
        format!(
            "{kind} number value_@(number p, number q)\n{{\n  {value}\n}}\n{kind} real real_@(real v, real w)\n{{\n  \
             return {reals};\n}}\n{kind} number sum_@(const number *p)\n{{\n  {sums}\n}}\n\
             {kind} void more_@(number *p)\n{{\n  *p = (*p + 1) & 7;\n}}\n{kind} void step_@(number *p)\n{{\n  {steps}\n}}\n\
             {kind} void array_@(number *{restrict}to, const number *{restrict}from, number w)\n{{\n  {array}\n}}\n"
        )
    }
}
