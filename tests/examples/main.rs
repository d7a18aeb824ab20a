//! The examples, run as programs at small sizes on every space.
//!
//! `cargo test` builds them beside this test; with `--test examples` alone, build them first by `cargo build --examples`.
//!
//! | file | concept |
//! |---|---|
//! | `run.rs` | runs an example and keeps its output |
//! | `tutorials.rs` | each tutorial's results |
//! | `options.rs` | sizes, the messages of wrong options, pipes |
//! | `hostile.rs` | tables of options, files and folders that are wrong |
//! | `elevation.rs` | the example of the README |
//! | `elevation_kernels.rs` | its kernels, from its own files, against naive loops |
//! | `device_code.rs` | kernels over vectors of lanes, as PTX |
//! | `digits.rs`, `heights.rs`, `smoothing.rs`, `temperatures.rs` | the examples with pictures, and their parts, against naive loops |
//! | `fortran.rs` | the kernel that C and Fortran call |
//! | `heat_conduction.rs`, `mpi_exch.rs`, `mpi_pack_unpack.rs`, `vectorshift.rs` | the examples on ranks, against naive loops |
//! | `rank_devices.rs` | ranks that take the devices of their machine in turn |
//! | `out_of_core.rs` | the example without a picture, on files of its own |
//! | `cavity.rs` | the application, its velocities and checks |
//! | `cg.rs` | the application, its matrix and its products |
//! | `linear_algebra.rs` | Kokkos's exercises of linear algebra, and their parts |
//! | `lulesh.rs` | the application, its geometry and its published results |
//! | `miniweather.rs` | the application, air at rest and its checks |
//! | `minimd.rs` | the application, its lists, forces and published results |
//! | `../../cargo-spelt/template/main.rs` | the program of `cargo spelt new`, whose test runs here too |
//! | `spaces.rs` | checks on every space, and on ranks |
//! | `sparse_matrices.rs` | the sparse matrices of the exercises of linear algebra, against dense ones |
//! | `tools_minimd.rs` | a tool of Kokkos and the application `minimd` |
//! | `tracing.rs` | the example that forwards events to the crate of that name |
//! | `numbers.rs` | numbers as C prints them |
//!
//! Another example gets a file here, named after it, that calls `run::on_each_space` or `run::run`.

#[path = "../../examples/common/c_random.rs"]
mod c_random;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod cavity;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod cg;
#[cfg(feature = "cuda")]
mod device_code;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod digits;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod elevation;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod elevation_kernels;
#[cfg(target_os = "linux")]
mod fortran;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod heat_conduction;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod heights;
mod hostile;
mod linear_algebra;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod lulesh;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod minimd;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod miniweather;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod mpi_exch;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod mpi_pack_unpack;
mod numbers;
mod options;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod out_of_core;
#[cfg(all(feature = "threads", feature = "rayon", feature = "cuda"))]
mod rank_devices;
mod run;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod smoothing;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod spaces;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod sparse_matrices;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod temperatures;
#[cfg(all(feature = "threads", feature = "rayon", target_os = "linux"))]
mod tools_minimd;
mod tracing;
mod tutorials;
#[cfg(all(feature = "threads", feature = "rayon"))]
mod vectorshift;

/// The program of `cargo spelt new`, on a host: its own test.
#[allow(dead_code, reason = "it has a `main`")]
#[path = "../../cargo-spelt/template/main.rs"]
mod new_project;

#[cfg(all(feature = "threads", feature = "rayon"))]
#[path = "../../examples/common/program/mod.rs"]
mod program;

#[cfg(all(feature = "threads", feature = "rayon"))]
#[allow(dead_code, reason = "the pictures alone use some of it")]
#[path = "../../examples/elevation/shading.rs"]
mod shading;
#[cfg(all(feature = "threads", feature = "rayon"))]
#[path = "../../examples/elevation/survey.rs"]
mod survey;
#[cfg(all(feature = "threads", feature = "rayon"))]
#[allow(dead_code, reason = "the pictures alone use some of it")]
#[path = "../../examples/elevation/terrain.rs"]
mod terrain;
