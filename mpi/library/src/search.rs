//! The files to try, in order.

use crate::launcher;

const STANDARD: &[&str] = &["libmpi_abi.so.1"];
const OPEN_MPI: &[&str] = &["libmpi.so.40"];
const MPICH: &[&str] = &["libmpi.so.12", "libmpich.so.12", "libmpi_cray.so.12"];

/// The files of MPI to try, in order: `SPELT_MPI_LIBRARY` alone if it is set, otherwise those of the launcher's family first.
///
/// # Examples
/// ```
/// assert!(!spelt_mpi_library::candidates().is_empty());
/// ```
#[must_use]
pub fn candidates() -> Vec<String> {
    let named = std::env::var("SPELT_MPI_LIBRARY").ok();
    candidates_of(named.as_deref(), launcher().is_some_and(|launcher| launcher.is_open_mpi))
}

fn candidates_of(named: Option<&str>, is_open_mpi: bool) -> Vec<String> {
    match named.map(str::trim) {
        Some(named) if !named.is_empty() => return vec![named.to_owned()],
        _ => {}
    }
    let families = if is_open_mpi { [OPEN_MPI, STANDARD, MPICH] } else { [STANDARD, MPICH, OPEN_MPI] };
    families.concat().into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::candidates_of;

    #[test]
    fn the_family_of_the_launcher_comes_first() {
        assert_eq!(candidates_of(None, true)[0], "libmpi.so.40");
        assert_eq!(candidates_of(Some("  "), false)[0], "libmpi_abi.so.1");
        assert_eq!(candidates_of(None, false).len(), 5);
        assert_eq!(candidates_of(Some(" /opt/libmpi.so "), true), ["/opt/libmpi.so"]);
    }
}
