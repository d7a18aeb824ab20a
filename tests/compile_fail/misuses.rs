//! Misuses that must not compile, each with a twin that does.
//!
//! The compiler's messages are part of the interface, so they are compared, with the compiler that they were recorded
//! with; `TRYBUILD=overwrite` records them again. Another compiler words them differently: with it the misuses must fail, with
//! any message. Twins are modules of this program, and each is a test.

mod in_one_process;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler whose messages are recorded.
const RECORDED_WITH: &str = "rustc 1.95.";

/// Makes a test of each twin.
macro_rules! twins {
    ($($twin:ident)*) => {
        $(
            #[allow(unused, dropping_copy_types, clippy::all, reason = "a twin is as close to its misuse as it can be")]
            mod $twin;
        )*

        /// Twins compile and run.
        mod twins {
            $(
                #[test]
                fn $twin() {
                    super::$twin::main();
                }
            )*
        }

        const TWINS: &[&str] = &[$(stringify!($twin)),*];
    };
}

twins! {
    a_box_of_ones_own_twin
    a_layout_of_ones_own_twin
    a_map_of_floats_twin
    a_map_with_keys_of_128_bits_twin
    a_policy_of_ones_own_twin
    a_space_of_ones_own_twin
    an_index_of_ones_own_twin
    an_into_range_of_ones_own_twin
    any_index_of_a_distributed_view_twin
    args_changed_below_the_derive_twin
    args_that_deref_to_what_the_derive_saw_twin
    args_with_a_field_of_another_kind_twin
    args_with_a_macro_that_changes_its_mind_twin
    args_with_the_names_of_the_derive_twin
    both_sides_of_a_mirrored_view_twin
    capture_a_cell_twin
    capture_what_is_written_twin
    captured_string_as_argument_twin
    cell_as_element_twin
    change_offsets_in_use_twin
    clone_a_view_twin
    clone_a_write_accessor_twin
    clone_an_accessor_with_an_origin_twin
    collective_in_a_loop_over_scratch_twin
    collective_in_a_nested_loop_twin
    element_changed_below_the_derive_twin
    element_that_holds_one_without_zero_twin
    element_through_an_outer_name_twin
    element_with_another_u8_twin
    element_with_parameters_without_zero_twin
    element_with_the_names_of_the_derive_twin
    element_without_values_twin
    element_without_zero_below_the_derive_twin
    find_while_inserting_twin
    forge_a_witness_twin
    function_as_element_twin
    index_on_the_host_in_any_memory_twin
    keep_a_column_of_scratch_twin
    keep_a_map_that_is_inserted_into_twin
    keep_a_nested_element_of_scratch_twin
    keep_a_nested_witness_twin
    keep_a_node_twin
    keep_a_part_beside_those_of_only_twin
    keep_a_row_of_a_graph_twin
    keep_a_segment_twin
    keep_a_slab_twin
    keep_an_element_of_scratch_twin
    keep_distinct_scratch_twin
    keep_scratch_twin
    keep_the_rest_of_scratch_twin
    launch_a_node_in_a_kernel_twin
    launch_during_an_exchange_twin
    launch_over_what_is_written_twin
    launch_where_memory_is_out_of_reach_twin
    lookup_of_a_distributed_view_twin
    nonzero_as_element_twin
    one_view_twice_in_a_struct_twin
    read_and_add_at_once_twin
    read_and_write_one_view_twin
    read_and_write_one_view_with_an_origin_twin
    read_before_it_is_filled_twin
    read_beside_a_reference_twin
    read_scratch_while_it_is_written_twin
    reducer_with_a_cell_twin
    reference_as_element_twin
    reference_into_a_replica_twin
    replace_a_side_of_a_mirrored_view_twin
    row_of_a_team_by_another_witness_twin
    scatter_into_a_distributed_view_twin
    scratch_of_another_team_twin
    scratch_over_a_collective_twin
    segment_of_a_team_by_another_witness_twin
    send_a_boxed_closure_twin
    set_and_reset_bits_at_once_twin
    share_an_accessor_among_threads_twin
    share_scratch_among_threads_twin
    signed_witness_of_a_plain_view_twin
    signed_witness_of_another_launch_twin
    signed_witness_of_another_rank_twin
    slab_of_a_written_view_with_an_origin_twin
    slab_of_what_is_written_twin
    slices_in_an_array_twin
    stash_a_reference_twin
    stash_a_struct_of_accessors_twin
    stash_a_witness_twin
    stash_an_accessor_twin
    stash_by_other_ways_twin
    static_kernel_twin
    sum_without_a_type_twin
    swap_two_arrays_of_scratch_twin
    swap_two_maps_that_are_inserted_into_twin
    test_bits_while_they_are_set_twin
    too_many_arguments_twin
    two_parts_with_an_origin_to_write_twin
    two_references_to_one_element_twin
    two_rows_of_a_view_with_an_origin_twin
    two_slabs_of_one_block_twin
    two_subviews_to_write_twin
    value_that_stays_on_its_thread_twin
    vector_among_arguments_twin
    vector_in_a_nested_tuple_twin
    what_launches_alone_may_call_twin
    witness_of_another_launch_twin
    witness_of_another_rank_twin
    write_a_part_beside_those_of_only_twin
    write_a_scalar_view_twin
    write_another_segment_twin
    write_any_index_of_a_distributed_view_twin
    write_beside_a_nested_witness_twin
    write_beside_a_signed_witness_twin
    write_beside_the_witness_twin
    write_during_an_exchange_twin
    write_in_a_nested_launch_twin
    write_through_a_slab_twin
    write_with_a_thread_of_lanes_twin
}

/// The programs of this folder that are not twins.
fn misuses() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).expect("the folder of this file");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.retain(|file| {
        let name = file.file_stem().expect("a name").to_string_lossy();
        let is_program = file.extension().is_some_and(|end| end == "rs")
            && !["misuses", "in_one_process", "lib"].contains(&&*name);
        is_program && !TWINS.contains(&&*name)
    });
    files.sort();
    files
}

#[test]
fn every_misuse_has_a_twin() {
    let twin = |file: &PathBuf| format!("{}_twin", file.file_stem().expect("a name").to_string_lossy());
    assert!(!TWINS.is_empty());
    assert_eq!(misuses().iter().map(twin).collect::<Vec<_>>(), TWINS);
}

#[test]
fn misuses_do_not_compile() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("there is a compiler").stdout;
    if String::from_utf8_lossy(&version).starts_with(RECORDED_WITH) {
        // All failures and no success: trybuild checks them in one call of cargo.
        let cases = trybuild::TestCases::new();
        misuses().iter().for_each(|misuse| cases.compile_fail(misuse));
        return;
    }
    // trybuild has no failure without a message: with another compiler, all of them are seen to fail when
    // each, in turn, is not a passing program.
    for misuse in misuses() {
        let attempt = std::panic::catch_unwind(|| {
            let cases = trybuild::TestCases::new();
            cases.pass(&misuse);
        });
        assert!(attempt.is_err(), "{} compiles", misuse.display());
    }
}
