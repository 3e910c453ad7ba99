//! Values that no parameters of the context have can be written as well.

use dvm_isl::{AstBuild, Ctx, Set};

fn least(context: &str, set: &str) -> String {
    let ctx = Ctx::new(100_000);
    let build = AstBuild::from_context(&Set::parse(&ctx, context).expect("a context")).expect("a build");
    let value = Set::parse(&ctx, set).expect("a set").dim_min(0).expect("a least value");
    build.expression(&value).expect("an expression").to_string()
}

#[test]
fn values_without_parameters_are_written() {
    assert_eq!(least("[n] -> { : n > 0 }", "[n] -> { A[i] : n < i < 10 }"), "n + 1");
    // Nothing at all, and nothing that the context allows.
    for set in ["[n] -> { A[i] : false }", "[n] -> { A[i] : i = n and n < 0 }", "[m] -> { A[i] : i = m and 2m = 7 }"] {
        assert_eq!(least("[n] -> { : n > 0 }", set), "0", "{set}");
    }
}
