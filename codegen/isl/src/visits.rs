//! Reads back the syntax trees that isl builds: which instances loops visit, and what conditions mean.
//!
//! isl sometimes omits a condition (version 0.25, of `i <= 1 or i mod 5 > 0`; see `checked`). So each tree is read back
//! as a set, and accepted only if this set equals the input.
#![allow(unsafe_code)]

use crate::{
    AstExpr, AstExprKind, AstNode, AstNodeKind, Ctx, Error, Operator, PwAff, Result, Set, UnionSet,
    claims::Claims,
    notation::{Side, compared, product, truth, value},
    object::c_text,
    raw,
};

/// Compares the visits of a tree with the wanted set, both under `context`.
pub(crate) fn check(tree: &AstNode, wanted: &UnionSet, context: &Set) -> Result<()> {
    let ctx = tree.ctx();
    ctx.renew_operations();
    let mut walk = Walk { parts: Vec::new() };
    walk.node(tree, &mut Path::default())?;
    let mut claims = Claims::default();
    claims.of_tree(tree, &[], &[])?;
    hold(claims, context)?;
    let visited = read(ctx, &format!("{}{{ {} }}", parameters(context)?, walk.parts.join("; ")))?;
    same(&visited, wanted, context)
}

/// Compares the meaning of a condition with the wanted set, both under `context`.
pub(crate) fn check_condition(condition: &AstExpr, wanted: &Set, context: &Set) -> Result<()> {
    let ctx = condition.ctx();
    ctx.renew_operations();
    let meant = read(ctx, &format!("{}{{ [] : {} }}", parameters(context)?, truth(condition)?))?;
    let mut claims = Claims::default();
    claims.of(condition, &[], &[])?;
    hold(claims, context)?;
    let wanted = read(ctx, &format!("{}{{ [] }}", parameters(context)?))?.intersect_params(wanted)?;
    same(&meant, &wanted, context)
}

/// Compares an expression's value with the input, wherever the input is defined.
pub(crate) fn check_value(expression: &AstExpr, wanted: &PwAff, context: &Set) -> Result<()> {
    let ctx = expression.ctx();
    ctx.renew_operations();
    let known = wanted.domain()?.intersect(context)?;
    let mut claims = Claims::default();
    claims.of(expression, &[], &[])?;
    hold(claims, &known)?;
    let found = read(ctx, &format!("{}{{ [value] : {} }}", parameters(&known)?, graph("value", expression)?))?;
    same(&found, &UnionSet::from_set(&wanted.graph()?)?, &known)
}

/// The condition that a name has the value of an expression, as isl text. Each part of a maximum, minimum or choice is
/// a condition of its own, because isl expands them into all combinations.
fn graph(name: &str, expression: &AstExpr) -> Result<String> {
    let AstExprKind::Op(operator, operands) = expression.kind()? else {
        return Ok(format!("{name} = {}", value(expression)?));
    };
    match (operator, &operands[..]) {
        (Operator::Cond | Operator::Select, [test, yes, no]) => {
            let test = truth(test)?;
            Ok(format!("(({test} and {}) or (not {test} and {}))", graph(name, yes)?, graph(name, no)?))
        }
        _ => Ok(format!("{name} = {}", value(expression)?)),
    }
}

/// Whether no claim is false anywhere under `context`.
fn hold(claims: Claims, context: &Set) -> Result<()> {
    let refuted = |variables: &[String], conditions: &[&String]| {
        let text = conditions.iter().map(|c| c.as_str()).collect::<Vec<_>>().join(" and ");
        let exists = if variables.is_empty() { text } else { format!("exists ({} : {text})", variables.join(", ")) };
        context.ctx().renew_operations();
        let set = read(context.ctx(), &format!("{}{{ claim[] : {exists} }}", parameters(context)?))?;
        set.intersect_params(context)?.is_empty()
    };
    // As in `same`: the effect of a planted defect must show.
    let refutable = if crate::planted("a1-align") { Vec::new() } else { claims.refuted };
    for (variables, conditions) in refutable {
        // Negations of other branches, and minima and maxima of bounds, make many pieces, and are seldom needed.
        let simple = |c: &&String| !["not ", " or ", "max(", "min("].iter().any(|word| c.contains(word));
        let (last, others) = conditions.split_last().ok_or_else(Error::unread)?;
        let few: Vec<&String> = others.iter().filter(simple).chain([last]).collect();
        if !refuted(&variables, &few)? && !refuted(&variables, &conditions.iter().collect::<Vec<_>>())? {
            return Err(Error::unfaithful());
        }
    }
    context.ctx().renew_operations();
    Ok(())
}

fn same(found: &UnionSet, wanted: &UnionSet, context: &Set) -> Result<()> {
    // This check would also find parameters that are not aligned; with that defect planted, its effect must show.
    let planted = crate::planted("a1-align");
    if planted || found.intersect_params(context)?.is_equal(&wanted.intersect_params(context)?)? {
        return Ok(());
    }
    Err(Error::unfaithful())
}

/// The names of a set's parameters, as isl prints them before a set.
fn parameters(set: &Set) -> Result<String> {
    // SAFETY: the set is live and only looked at; isl owns the names.
    let names = unsafe {
        let size = set.ctx().count("isl_set_dim", raw::isl_set_dim(set.keep(), raw::isl_dim_type_isl_dim_param))?;
        (0..size).map(|at| {
            let name = raw::isl_set_get_dim_name(set.keep(), raw::isl_dim_type_isl_dim_param, at as u32);
            if name.is_null() { String::new() } else { std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned() }
        })
    };
    Ok(format!("[{}] -> ", names.collect::<Vec<_>>().join(", ")))
}

/// Parses a text within the limit of operations, since it may be long.
fn read(ctx: &Ctx, text: &str) -> Result<UnionSet> {
    let text = c_text(text);
    // SAFETY: the context is live and the text is a C string; what comes back is handed over.
    let set = unsafe {
        let set = raw::isl_union_set_read_from_str(ctx.as_ptr(), text.as_ptr());
        UnionSet::own(ctx, "isl_union_set_read_from_str", set)
    };
    // If parsing reaches the limit, isl reports another error.
    set.map_err(|_| Error::unread())
}

/// The context of a node in the tree.
#[derive(Clone, Default)]
struct Path {
    /// Counters of the enclosing loops, and auxiliary variables.
    variables: Vec<String>,
    conditions: Vec<String>,
}

struct Walk {
    /// The instances of each call in the tree, as text.
    parts: Vec<String>,
}

impl Walk {
    fn node(&mut self, node: &AstNode, path: &mut Path) -> Result<()> {
        match node.kind()? {
            AstNodeKind::Block(children) => children.iter().try_for_each(|child| self.node(child, path)),
            AstNodeKind::If { cond, then, otherwise } => {
                let cond = truth(&cond)?;
                self.under(&then, path, cond.clone())?;
                otherwise.map_or(Ok(()), |otherwise| self.under(&otherwise, path, format!("not {cond}")))
            }
            AstNodeKind::For { iterator, init, cond, inc, body, degenerate, .. } => {
                let mut inner = path.clone();
                if degenerate {
                    inner.conditions.push(format!("{iterator} = {}", value(&init)?));
                } else if value(&inc)? == "1" {
                    inner.conditions.push(compared(&Side::Text(&iterator), ">=", &Side::Expr(&init))?);
                    inner.conditions.push(truth(&cond)?);
                } else {
                    let init = value(&init)?;
                    let turn = format!("turn{}", inner.variables.len());
                    let gone = product(&value(&inc)?, &turn)?;
                    inner.conditions.push(format!("{iterator} = {init} + {gone} and {turn} >= 0"));
                    inner.conditions.push(truth(&cond)?);
                    inner.variables.push(turn);
                }
                inner.variables.push(iterator);
                self.node(&body, &mut inner)
            }
            AstNodeKind::User(call) => self.call(&call, path),
        }
    }

    fn under(&mut self, node: &AstNode, path: &Path, condition: String) -> Result<()> {
        let mut inner = path.clone();
        inner.conditions.push(condition);
        self.node(node, &mut inner)
    }

    fn call(&mut self, call: &AstExpr, path: &Path) -> Result<()> {
        let AstExprKind::Op(Operator::Call, operands) = call.kind()? else { return Err(Error::unread()) };
        let Some((name, arguments)) = operands.split_first() else { return Err(Error::unread()) };
        let AstExprKind::Id(name) = name.kind()? else { return Err(Error::unread()) };
        let places: Vec<String> = (0..arguments.len()).map(|at| format!("at{at}")).collect();
        let mut conditions = path.conditions.clone();
        for (place, argument) in places.iter().zip(arguments) {
            conditions.push(format!("{place} = {}", value(argument)?));
        }
        let mut text = if conditions.is_empty() { "true".to_owned() } else { conditions.join(" and ") };
        if !path.variables.is_empty() {
            text = format!("exists ({} : {text})", path.variables.join(", "));
        }
        self.parts.push(format!("{name}[{}] : {text}", places.join(", ")));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AstBuild, UnionMap};

    const ORDER: &str = "[n, m] -> { S[i, j] -> [i, -j, 0] : 0 <= i < n and 0 <= j <= i and (j < 2 or i mod 5 > 0); \
        T[i] -> [2i, m, 1] : 3m <= i < n }";

    #[test]
    fn loops_are_compared_with_what_they_were_made_for() {
        let ctx = Ctx::new(1_000_000);
        let (order, context) =
            (UnionMap::parse(&ctx, ORDER).unwrap(), Set::parse(&ctx, "[n, m] -> { : n > 3 }").unwrap());
        let tree = AstBuild::from_context(&context).unwrap().scan(&order, &mut |_| Ok(String::new())).unwrap();
        let wanted = order.domain().unwrap();
        check(&tree, &wanted, &context).unwrap();
        for (other, same) in [
            ("[n, m] -> { S[i, j] : n <= 3 }", true),
            ("[n, m] -> { S[i, j] : i = 5 and j = 3 and n = 9 }", false),
            ("[n, m] -> { U[i] : i = 5 }", false),
        ] {
            let more = wanted.union(&UnionSet::parse(&ctx, other).unwrap()).unwrap();
            assert_eq!(check(&tree, &more, &context).is_ok(), same, "{other}");
        }
        let fewer = UnionSet::parse(&ctx, "[n, m] -> { S[i, j] : j < 7; T[i] }").unwrap();
        assert!(check(&tree, &wanted.intersect(&fewer).unwrap(), &context).unwrap_err().is_unfaithful());
    }

    /// C's divisions round towards zero: a dividend that may be negative makes the tree unfaithful.
    #[test]
    fn divisions_of_negative_values_are_not_believed() {
        let ctx = Ctx::new(1_000_000);
        let set = |text: &str| Set::parse(&ctx, text).unwrap();
        let order =
            UnionMap::parse(&ctx, "[n] -> { S[i, j] -> [i, j] : -n <= i < n and 0 <= j <= floor(i/2) }").unwrap();
        let condition = set("[n] -> { : n mod 5 > 2 }");
        let rest = set("[n] -> { [i] : 3i <= n < 3i + 3 }").dim_max(0).unwrap();
        for (context, fine) in [("[n] -> { : n >= 0 }", true), ("[n] -> { : n > -7 }", false)] {
            // isl made the division for dividends of at least 0.
            let build = AstBuild::from_context(&set("[n] -> { : n >= 0 }")).unwrap();
            let made = build.condition(&condition).unwrap();
            assert!(made.to_string().contains("n % 5"), "{made}");
            assert_eq!(check_condition(&made, &condition, &set(context)).is_ok(), fine, "{context}");
            let value = rest.clone();
            let made = build.expression(&value).unwrap();
            assert!(made.to_string().contains("n % 3") || made.to_string().contains("n / 3"), "{made}");
            assert_eq!(check_value(&made, &value, &set(context)).is_ok(), fine, "{context}");
        }
        let anywhere = set("[n] -> { : }");
        let tree = AstBuild::from_context(&anywhere).unwrap().scan(&order, &mut |_| Ok(String::new())).unwrap();
        check(&tree, &order.domain().unwrap(), &anywhere).unwrap();
    }

    #[test]
    fn conditions_are_compared_with_what_they_were_made_for() {
        let ctx = Ctx::new(1_000_000);
        let set = |text: &str| Set::parse(&ctx, text).unwrap();
        let anything = set("[n, m] -> { : }");
        let wanted = set("[n, m] -> { : n mod 3 = 1 or (m > 4 and n < -2m) or (n + 2m) mod 4 > 1 }");
        let condition = AstBuild::from_context(&anything).unwrap().condition(&wanted).unwrap();
        check_condition(&condition, &wanted, &anything).unwrap();
        for other in ["[n, m] -> { : n != 70 }", "[n, m] -> { : m < 4000 }"] {
            let other = wanted.intersect(&set(other)).unwrap();
            assert!(check_condition(&condition, &other, &anything).unwrap_err().is_unfaithful());
        }
    }

    /// The bounds of such loops are maxima and minima; a loop with a step is read differently.
    #[test]
    fn bounds_of_several_values_are_read_back() {
        let ctx = Ctx::new(1_000_000);
        let context = Set::parse(&ctx, "[a, b, c, d, e] -> { : }").unwrap();
        for step in ["", "and (i - a) mod 3 = 0"] {
            let order = format!(
                "[a, b, c, d, e] -> {{ S[i, j] -> [i, j] : a <= i <= c and b <= i < d {step} and -e <= 2j <= i and j < c }}"
            );
            let order = UnionMap::parse(&ctx, &order).unwrap();
            let tree = AstBuild::from_context(&context).unwrap().scan(&order, &mut |_| Ok(String::new())).unwrap();
            assert!(tree.to_string().contains("max(") && tree.to_string().contains("min("), "{tree}");
            let off = UnionSet::parse(&ctx, "[a, b, c, d, e] -> { S[i, j] : i = d - 1 }").unwrap();
            let fewer = order.domain().unwrap().subtract(&off).unwrap();
            assert!(check(&tree, &fewer, &context).unwrap_err().is_unfaithful());
        }
    }
}
