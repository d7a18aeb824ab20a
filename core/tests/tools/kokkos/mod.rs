//! `KOKKOS_TOOLS_LIBS`: the calls that libraries get, in child processes: each is this program, which runs the ignored test `child` alone.

mod build;
mod calls;
mod compiled;
mod libraries;
mod program;
