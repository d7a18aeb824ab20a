//! Conformance: the promises of the specification, tested on every space.
//!
//! The modules `t..` are a ladder: each builds on those before it, and a new space is brought up by making them pass
//! from the first to the last. A test is one text, generic over the space; `spaces` runs it on all of them, and
//! `oracle` computes the expected results from the text of the promise rather than from the code. `equal` owns the meaning
//! of "the same": bit for bit.
//!
//! With `--cfg spelt_vector_code` only those modules are compiled whose results depend on how loops are vectorised: CI runs them in
//! release mode, in which each launch takes long to compile. With `--cfg spelt_levels` besides, the golden results at each level of
//! instructions are left.

#[cfg(feature = "cuda")]
mod device;
mod equal;
mod oracle;
#[cfg_attr(feature = "cuda", allow(dead_code))]
mod spaces;

#[cfg(not(spelt_levels))]
mod t01_spaces;
#[cfg(not(spelt_levels))]
mod t02_range_for;
#[cfg(not(spelt_levels))]
mod t03_range_reduce;
#[cfg(not(spelt_levels))]
mod t04_reducers;
#[cfg(not(spelt_levels))]
mod t05_md_for;
#[cfg(not(spelt_levels))]
mod t06_md_reduce;
#[cfg(not(spelt_levels))]
mod t07_scan;
#[cfg(not(spelt_levels))]
mod t08_layouts;
#[cfg(not(spelt_vector_code))]
mod t09_launches;
#[cfg(not(spelt_vector_code))]
mod t10_panics;
#[cfg(not(spelt_vector_code))]
mod t11_errors;
mod t12_instructions;
#[cfg(not(spelt_levels))]
mod t13_teams;
#[cfg(not(spelt_levels))]
mod t14_opening;
#[cfg(not(spelt_levels))]
mod t15_at_index;
#[cfg(not(spelt_vector_code))]
mod t16_deep_copy;
#[cfg(not(spelt_levels))]
mod t17_fill;
#[cfg(not(spelt_vector_code))]
mod t18_print;
#[cfg(not(spelt_vector_code))]
mod t19_unmanaged;
mod t20_golden;
#[cfg(not(spelt_levels))]
mod t21_parts;
#[cfg(not(spelt_levels))]
mod t22_composite_arguments;
#[cfg(not(spelt_vector_code))]
mod t23_team_sizes;
#[cfg(not(spelt_vector_code))]
mod t24_same_memory;
#[cfg(not(spelt_levels))]
mod t25_origin;
#[cfg(not(spelt_vector_code))]
mod t26_integer_indices;
#[cfg(not(spelt_levels))]
mod t27_scratch;
#[cfg(not(spelt_levels))]
mod t28_reduce_parts;
#[cfg(not(spelt_levels))]
mod t29_scan_parts;
#[cfg(not(spelt_levels))]
mod t30_origin_adapters;
#[cfg(not(spelt_vector_code))]
mod t31_ranks;
#[cfg(not(spelt_vector_code))]
mod t32_plans;
#[cfg(not(spelt_vector_code))]
mod t33_kernel_subviews;
#[cfg(not(spelt_levels))]
mod t34_random;
#[cfg(not(spelt_vector_code))]
mod t35_csr;
#[cfg(not(spelt_vector_code))]
mod t36_mirrored;
#[cfg(not(spelt_vector_code))]
mod t37_maps;
#[cfg(not(spelt_vector_code))]
mod t38_bitsets;
#[cfg(not(spelt_levels))]
mod t39_simd;
#[cfg(not(spelt_vector_code))]
mod t40_graphs;
#[cfg(not(spelt_vector_code))]
mod t41_partition;
#[cfg(not(spelt_vector_code))]
mod t42_only;
#[cfg(not(spelt_levels))]
mod t43_scatter;
#[cfg(not(spelt_levels))]
mod t44_written;

#[cfg(not(spelt_vector_code))]
mod facade;
