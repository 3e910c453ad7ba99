//! Finds the system's isl and writes the declarations that the wrapper uses.

#![allow(clippy::format_collect)]

use std::path::PathBuf;

/// What of isl's interface is declared: whole families where the wrapper uses most of them.
const FUNCTIONS: &[&str] = &[
    "isl_ctx_(alloc|free|set_max_operations|reset_operations|reset_error|last_error|last_error_msg)",
    "isl_options_set_(on_error|schedule_.*|ast_build_.*)",
    "isl_(set|map|union_set|union_map|pw_aff|schedule|schedule_node|schedule_constraints)_(copy|free|to_str)",
    "isl_(set|map|union_set|union_map|schedule)_read_from_str",
    "isl_(set|map)_(coalesce|make_disjoint)",
    "isl_(set|map|union_set|union_map)_(intersect|union|subtract|is_empty|is_equal|is_subset)",
    "isl_(set|union_set)_(params|intersect_params|gist|gist_params|apply|lexmin|get_set_list|unwrap|identity)",
    "isl_(map|union_map)_(reverse|domain|range|apply_range|apply_domain|intersect_domain|intersect_range)",
    "isl_(map|union_map)_(deltas|intersect_params|is_single_valued|is_injective|params|gist_domain|wrap)",
    "isl_union_map_(get_map_list|flat_range_product|range_product|from_map|lex_lt_union_map|from_domain_and_range)",
    "isl_union_map_(uncurry|domain_factor_domain|domain_factor_range)",
    "isl_union_set_(from_set|is_params|get_space|empty)",
    "isl_map_(get_basic_map_list|from_basic_map)",
    "isl_basic_map_list_(get_at|free|size)",
    "isl_set_flatten",
    "isl_set_(dim|dim_min|dim_max|dim_min_val|dim_max_val|dim_has_lower_bound|dim_has_upper_bound|get_tuple_name|get_dim_name|set_dim_name|project_out)",
    "isl_set_(plain_get_val_if_fixed|fix_si|lower_bound_si|get_dim_id|max_val|project_out_all_params|from_params|has_dim_name)",
    "isl_set_(simple_hull|affine_hull|reset_tuple_id|set_tuple_name|has_tuple_name|n_basic_set|polyhedral_hull|remove_divs)",
    "isl_map_(dim|detect_equalities|get_tuple_name|has_tuple_name|set_tuple_name|reset_tuple_id|project_out|fix_si|plain_get_val_if_fixed)",
    "isl_map_(add_dims|from_domain_and_range|move_dims|set_dim_name|get_dim_name|n_basic_map|insert_dims)",
    "isl_basic_set_free",
    "isl_basic_set_(equalities|inequalities)_matrix",
    "isl_mat_(rows|cols|get_element_val|free)",
    "isl_set_(foreach_point|is_bounded|lex_lt_set|from_pw_aff)",
    "isl_point_(free|get_coordinate_val)",
    "isl_set_(from_basic_set|move_dims)",
    "isl_union_map_(eq|lex_lt|lex_gt)_at_multi_union_pw_aff",
    "isl_multi_union_pw_aff_(copy|free|from_union_map|from_union_pw_aff|get_union_pw_aff)",
    "isl_pw_aff_(gist|is_cst|coalesce|get_ctx|n_piece|domain)",
    "isl_(set|map)_list_(get_at|free|size)",
    "isl_schedule_(get_root|get_map|get_domain)",
    "isl_schedule_node_(get_type|n_children|get_child|get_subtree_schedule_union_map|filter_get_filter|domain_get_domain)",
    "isl_schedule_node_band_(n_member|get_permutable|member_get_coincident|get_partial_schedule_union_map)",
    "isl_schedule_constraints_(on_domain|set_context|set_validity|set_coincidence|set_proximity|compute_schedule)",
    "isl_union_access_info_(from_sink|set_must_source|set_may_source|set_schedule_map|compute_flow)",
    "isl_union_flow_(get_must_dependence|get_may_dependence|get_full_must_dependence|free)",
    "isl_id_(alloc|free|get_name)",
    "isl_val_(free|is_int|get_num_si|sgn|to_str|is_zero|read_from_str|cmp_si|get_den_si|n_abs_num_chunks|copy)",
    "isl_val_int_from_si",
    "isl_ast_expr_from_val",
    "isl_(set|union_map|pw_aff)_(get_space|align_params)",
    "isl_set_universe",
    "isl_set_from_pw_aff",
    "isl_space_params",
    "isl_ast_build_(alloc|free|copy|from_context|set_options|set_iterators|set_before_each_for|get_schedule)",
    "isl_ast_build_(node_from_schedule_map|expr_from_set|expr_from_pw_aff)",
    "isl_ast_node_(copy|free|get_type|get_annotation|to_C_str|mark_get_node)",
    "isl_ast_node_for_.*",
    "isl_ast_node_if_.*",
    "isl_ast_node_(block_get_children|user_get_expr)",
    "isl_ast_node_list_(get_at|free|size)",
    "isl_ast_expr_(copy|free|get_type|get_val|get_id|get_op_type|get_op_n_arg|get_op_arg|to_C_str)",
    "isl_id_list_(alloc|add|free)",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let library = pkg_config::Config::new()
        .atleast_version("0.22")
        .probe("isl")
        .expect("isl 0.22 or later (Debian: libisl-dev) is needed to build dvm-codegen");
    let headers =
        ["ctx", "options", "space", "set", "map", "union_set", "union_map", "aff", "flow", "schedule", "schedule_node"];
    let ast = ["ast", "ast_build", "id", "val", "ilp"];
    let includes: String = headers.iter().chain(&ast).map(|name| format!("#include <isl/{name}.h>\n")).collect();
    let mut builder = bindgen::Builder::default().header_contents("isl_all.h", &includes).layout_tests(false);
    for path in &library.include_paths {
        builder = builder.clang_arg(format!("-I{}", path.display()));
    }
    for function in FUNCTIONS {
        builder = builder.allowlist_function(function);
    }
    let raw = builder.allowlist_var("ISL_ON_ERROR_CONTINUE").generate().expect("bindgen reads isl's headers");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    raw.write_to_file(out.join("isl.rs")).expect("OUT_DIR can be written");
}
