//! The measurements of a run, from the command line: as many as `count.rs` wants, since valgrind takes longer to start than to count one.

/// Calls `run(kernel, elements, calls)` for every three arguments of the command line.
///
/// # Errors
/// The first error of `run`.
pub(crate) fn run_each(run: impl Fn(&str, usize, usize) -> spelt::Result<()>) -> spelt::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (measurements, rest) = arguments.as_chunks::<3>();
    assert!(!measurements.is_empty() && rest.is_empty(), "usage: PROGRAM [KERNEL ELEMENTS CALLS] ..");
    for [kernel, elements, calls] in measurements {
        let elements = elements.parse().expect("a number of elements");
        let calls = calls.parse().expect("a number of calls");
        run(kernel, elements, calls)?;
        measurement_ends();
    }
    Ok(())
}

/// `count.rs` has valgrind write its counts here, and begin again at 0.
#[inline(never)]
fn measurement_ends() {
    std::hint::black_box(());
}
