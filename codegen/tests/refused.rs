//! Wrong inputs: each gets its message, stays byte for byte as it was, and is an error when that is asked for.

mod clangs;

use std::path::Path;
use std::process::{Command, Output};

fn tile(clang: &str, file: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    command.arg("tile").arg(file).args(more).env("DVM_CLANG", clang).output().expect("dvm-codegen runs")
}

/// Reads one file with each clang.
fn check(name: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/refused/{name}.c"));
    let text = std::fs::read_to_string(&file).expect("a readable file");
    let first = text.lines().next().unwrap_or_default();
    let expected = first.strip_prefix("/* expect: ").and_then(|l| l.strip_suffix(" */")).expect("an expectation");
    for clang in clangs::all(name) {
        let output = tile(clang, &file, &["--print=c"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(expected), "{clang}: {said}");
        assert!(said.starts_with(&format!("{}:", file.display())), "{clang}: {said}");
        let complete = ["stays sequential: ", ": note: ", "^", " [DVM"].iter().all(|part| said.contains(part));
        assert!(complete && output.status.code() == Some(0), "{clang}: {:?}: {said}", output.status);
        assert!(output.stdout == text.as_bytes(), "{clang}: the text changed");
        let strict = tile(clang, &file, &["--strict"]);
        let said = String::from_utf8_lossy(&strict.stderr).into_owned();
        assert_eq!(strict.status.code(), Some(1), "{clang}: strict: {said}");
        assert!(strict.stdout.is_empty() && said.contains(": error: region"), "{clang}: strict: {said}");
    }
}

testkit::file_tests! {
    check in "tests/refused", "c":
    address_passed address_taken after_the_last_function after_unroll alias_attribute alias_in_pure
    alignment_of_an_object all_obstacles assembler_label assertion assembly assembly_at_file_scope atomic_data atomic_member_copied
    atomic_member_in_callee atomic_operation atomic_pointer
    attribute_of_prototype attribute_optimize attribute_target bad_tile before_a_condition beside_a_type beside_by_counter beside_untold beside_without_step
    before_nothing before_unroll bound_written break_ends_counter break_inside callee_changes_counter callee_changes_index
    callee_global_hidden callee_ignores callee_keeps_address callee_keeps_count callee_moves_pointer callee_of_other_type
    callee_variable_length callee_writes_global callee_writes_scalar chosen_function clang_fp cleanup_inside
    complex_in_region const_assembly const_counts const_writes continue_inside counter_after_data counter_after_independent
    counter_after_reduction
    counter_behind_pointer counter_in_bound counter_in_pure counter_in_sizeof counter_written data_bound
    data_subscript declare_simd declared_for_later designated_values do_loop double_counter empty_region empty_scop
    endscop_inside enumeration_large_local enumerator_in_a_length fenv_access final_of_memory fp_contract
    function_in_a_size generated_name goto_inside helper_macro hiding_local imported_inside in_a_size independent_of_nothing in_an_expression included_keeps included_of_system initial_value_of_itself
    keyword_macro keyword_name jump_back jump_into_branch jump_out_of_inner jump_over_counter label large_local length_inside line_number line_number_in_macro
    local_enumerator local_type local_typedef lost_extent lost_size macro_defined_inside macro_before_semicolon macro_of_a_member macro_of_statements macro_past_region
    macro_scalar member_by_data member_offset missing_condition mode_inside named_array named_dependence
    named_large_local
    nonaffine_subscript not_a_loop not_equal_stride number_name openmp_before_a_conditional openmp_inside
    operator_pragma other_lines outside_function own_call own_counts own_fprintf own_inline own_large own_math own_memory own_prints own_reads_written own_recursive passed_counter passed_number_cast passed_number_kept pasted_line pasted_name_of_a_counter
    pasted_variable_of_a_line pointer_call pointer_moves pointer_to_pointer pointers_as_structs pointers_swapped pointers_to_rows pragma_in_macro
    private_comes_back private_not_static private_of_address private_of_pointer private_passed_elsewhere private_read_after private_read_first private_static_addressed private_static_called
    pragma_operator_before_function pure_by_address pure_by_calls pure_by_pointer_sum pure_reads_written
    pure_thread_local pure_through_pointer pure_through_restrict pure_unseen pure_vouched_thread_local pure_weak
    reassociate_alone reassociate_around_a_loop reassociate_of_integers
    reduction_and_dependence reduction_at_times reduction_copy_alive reduction_copy_read reduction_over_continue reduction_over_jump reduction_by_another reduction_by_own_function reduction_by_real_function reduction_downwards reduction_of_address reduction_of_index
    reduction_of_another_order reduction_of_narrow_function reduction_of_narrow_order reduction_of_nothing reduction_of_reals reduction_of_two_forms reduction_of_two_values reduction_read_inside reduction_wrong_way
    region_in_scop register_scalar return_inside product_of_counters row_before row_of_no_sign row_passed shadowed_counter shared_by_iterations size_of_a_row
    size_of_computed statement_expression step_of_product statements_in_a_size static_inside strides_without_order switch_declares switch_inside switch_labels switch_without_block
    thread_local thread_of_system too_many_tiles two_shapes torn_region torn_statement type_in_head
    type_in_parameters type_macro type_of_a_variable unclosed_scop union_member universal_name unknown_call
    unknown_option unknown_pure unnamed_large_local unnamed_struct variable_in_a_size variable_macro variable_step
    vector vla_inside volatile_counter volatile_data volatile_member weak_symbol while_loop whole_array_size
    wide_large_local with_openmp wrapping_subscript wrong_direction
}
