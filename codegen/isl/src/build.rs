//! Code that scans sets: isl builds syntax trees, and this crate checks each of them by reading it back.
#![allow(unsafe_code)]

use crate::{AstExpr, AstNode, Error, PwAff, Result, Set, UnionMap, ctx::Ctx, object::c_text, raw};
use std::ffi::c_void;

/// The inputs of a build: constraints on the parameters, options, names.
///
/// isl's own build identifies some parameters by position (a guard `m mod 3 = 0` became one on another parameter), so
/// all inputs of a call must have the same order of parameters. This type keeps the inputs; each call aligns them and
/// makes isl's build in one function (`aligned`).
#[derive(Clone)]
pub struct AstBuild {
    context: Set,
    options: Option<UnionMap>,
    iterators: Vec<String>,
    ctx: Ctx,
}

/// Passes isl's callback to the closure and keeps the first error.
struct Observer<'a> {
    ctx: Ctx,
    note: &'a mut dyn FnMut(&UnionMap) -> Result<String>,
    error: Option<Error>,
}

unsafe extern "C" fn before_for(build: *mut raw::isl_ast_build, user: *mut c_void) -> *mut raw::isl_id {
    // SAFETY: `user` is the observer that `scan` keeps on its stack while isl builds, and nobody else uses
    // it; `build` is live during the call. A panic in the closure ends the process at this boundary.
    unsafe {
        let observer = &mut *user.cast::<Observer>();
        let order = UnionMap::own(&observer.ctx, "isl_ast_build_get_schedule", raw::isl_ast_build_get_schedule(build));
        match order.and_then(|order| (observer.note)(&order)) {
            Ok(note) => raw::isl_id_alloc(observer.ctx.as_ptr(), c_text(&note).as_ptr(), std::ptr::null_mut()),
            Err(error) => {
                observer.error.get_or_insert(error);
                std::ptr::null_mut()
            }
        }
    }
}

/// The subject of a build, with the aligned build.
struct Aligned<T> {
    build: RawBuild,
    subject: T,
}

/// isl's build; only `AstBuild::aligned` makes one.
struct RawBuild(*mut raw::isl_ast_build);

impl RawBuild {
    /// Gives up ownership of the build.
    fn give(self) -> *mut raw::isl_ast_build {
        let build = self.0;
        std::mem::forget(self);
        build
    }
}

impl Drop for RawBuild {
    fn drop(&mut self) {
        // SAFETY: the value owns the build (or null, which isl takes as well).
        unsafe {
            raw::isl_ast_build_free(self.0);
        }
    }
}

impl AstBuild {
    /// Code for parameters in `context`.
    pub fn from_context(context: &Set) -> Result<AstBuild> {
        Ok(AstBuild { context: context.clone(), options: None, iterators: Vec::new(), ctx: context.ctx().clone() })
    }

    /// The same with options for the loops, as a map from schedule space to `separate[i]`, `atomic[i]` or `unroll[i]`.
    pub fn with_options(&self, options: &UnionMap) -> Result<AstBuild> {
        Ok(AstBuild { options: Some(options.clone()), ..self.clone() })
    }

    /// The same with names for the loops' counters, outermost first.
    pub fn with_iterators(&self, names: &[String]) -> Result<AstBuild> {
        Ok(AstBuild { iterators: names.to_vec(), ..self.clone() })
    }

    /// The only function that makes isl's builds: gives all inputs and the subject the same order of parameters.
    fn aligned<T: Parametric>(&self, subject: &T) -> Result<Aligned<T>> {
        let mut space = subject.parameters()?;
        if let Some(options) = &self.options {
            space = options.parameters()?.aligned(&space)?.parameters()?;
        }
        // The context in the order of the others, then the others with all parameters of the context.
        let context = self.context.aligned(&space)?;
        let space = context.parameters()?;
        let context = if crate::planted("a1-align") { self.context.clone() } else { context };
        let subject = subject.aligned(&space)?;
        let options = self.options.as_ref().map(|options| options.aligned(&space)).transpose()?;
        // SAFETY: isl takes the references made here, and the list with its names; the build is owned at once.
        let build = unsafe {
            let mut build = raw::isl_ast_build_from_context(context.give());
            if let Some(options) = options {
                build = raw::isl_ast_build_set_options(build, options.give());
            }
            if !self.iterators.is_empty() {
                let mut list = raw::isl_id_list_alloc(self.ctx.as_ptr(), self.iterators.len() as i32);
                for name in &self.iterators {
                    let id = raw::isl_id_alloc(self.ctx.as_ptr(), c_text(name).as_ptr(), std::ptr::null_mut());
                    list = raw::isl_id_list_add(list, id);
                }
                build = raw::isl_ast_build_set_iterators(build, list);
            }
            RawBuild(build)
        };
        if build.0.is_null() {
            Err(self.ctx.error("isl_ast_build_from_context"))
        } else {
            Ok(Aligned { build, subject })
        }
    }

    /// Code that visits the instances in the order of `schedule`. For each loop, `note` sees the order of the instances
    /// up to the loop's own counter; its result is kept with the loop.
    pub fn scan(&self, schedule: &UnionMap, note: &mut dyn FnMut(&UnionMap) -> Result<String>) -> Result<AstNode> {
        let (wanted, context) = (schedule.domain()?, self.context.aligned(&schedule.parameters()?)?);
        let mut built = |schedule: &UnionMap| {
            let tree = self.built(schedule, note)?;
            crate::visits::check(&tree, &wanted, &context).map(|()| tree)
        };
        match built(&schedule.unshared()?) {
            // isl loses conditions where pieces overlap.
            Err(error) if error.is_unfaithful() => built(&schedule.disjoint()?),
            tree => tree,
        }
    }

    /// Code as isl builds it.
    fn built(&self, schedule: &UnionMap, note: &mut dyn FnMut(&UnionMap) -> Result<String>) -> Result<AstNode> {
        let Aligned { build, subject } = self.aligned(schedule)?;
        let mut observer = Observer { ctx: self.ctx.clone(), note, error: None };
        // SAFETY: the observer outlives the call that uses it, and the build that knows of it is freed here; isl
        // takes the references made for it; the node is handed over.
        let node = unsafe {
            let user = (&raw mut observer).cast::<c_void>();
            let build = RawBuild(raw::isl_ast_build_set_before_each_for(build.give(), Some(before_for), user));
            let node = raw::isl_ast_build_node_from_schedule_map(build.0, subject.give());
            AstNode::own(&self.ctx, "isl_ast_build_node_from_schedule_map", node)
        };
        match observer.error {
            Some(error) => Err(error),
            None => node,
        }
    }

    /// An expression that is true exactly for the parameters in `set`.
    pub fn condition(&self, set: &Set) -> Result<AstExpr> {
        let context = self.context.aligned(&set.parameters()?)?;
        let built = |set: &Set| {
            let Aligned { build, subject } = self.aligned(set)?;
            // SAFETY: the build is kept, the set's reference is made for isl; the expression is handed over.
            let condition = unsafe {
                let expr = raw::isl_ast_build_expr_from_set(build.0, subject.give());
                AstExpr::own(&self.ctx, "isl_ast_build_expr_from_set", expr)?
            };
            crate::visits::check_condition(&condition, set, &context).map(|()| condition)
        };
        match built(set) {
            Err(error) if error.is_unfaithful() => built(&set.disjoint()?),
            condition => condition,
        }
    }

    /// An expression equal to `value` where that is defined.
    pub fn expression(&self, value: &PwAff) -> Result<AstExpr> {
        // isl refuses to write an expression that is undefined for all parameters of the context ("void expression").
        // No code uses its value, so any number will do.
        if value.domain()?.intersect(&self.context)?.is_empty()? {
            // SAFETY: isl takes the number; the expression is handed over.
            return unsafe {
                let zero = raw::isl_val_int_from_si(self.ctx.as_ptr(), 0);
                AstExpr::own(&self.ctx, "isl_ast_expr_from_val", raw::isl_ast_expr_from_val(zero))
            };
        }
        let Aligned { build, subject } = self.aligned(value)?;
        // SAFETY: the build is kept, the value's reference is made for isl; the expression is handed over.
        let expression = unsafe {
            let expr = raw::isl_ast_build_expr_from_pw_aff(build.0, subject.give());
            AstExpr::own(&self.ctx, "isl_ast_build_expr_from_pw_aff", expr)?
        };
        crate::visits::check_value(&expression, value, &self.context.aligned(&value.parameters()?)?)?;
        Ok(expression)
    }
}

/// An object whose parameters can be reordered.
trait Parametric: Sized {
    /// The parameters, as a set of all their values.
    fn parameters(&self) -> Result<Set>;
    /// The same object, with the parameters of `order` first, in that order.
    fn aligned(&self, order: &Set) -> Result<Self>;
}

macro_rules! parametric {
    ($name:ident, $space:ident, $align:ident) => {
        impl Parametric for $name {
            fn parameters(&self) -> Result<Set> {
                // SAFETY: the object is live and only looked at; each space is handed on; the set is handed over.
                unsafe {
                    let space = raw::isl_space_params(raw::$space(self.keep()));
                    Set::own(self.ctx(), stringify!($space), raw::isl_set_universe(space))
                }
            }

            fn aligned(&self, order: &Set) -> Result<$name> {
                // SAFETY: isl takes the references made here; the result is handed over.
                unsafe {
                    let space = raw::isl_set_get_space(order.keep());
                    $name::own(self.ctx(), stringify!($align), raw::$align(self.give(), space))
                }
            }
        }
    };
}

parametric!(Set, isl_set_get_space, isl_set_align_params);
parametric!(UnionMap, isl_union_map_get_space, isl_union_map_align_params);
parametric!(PwAff, isl_pw_aff_get_space, isl_pw_aff_align_params);
