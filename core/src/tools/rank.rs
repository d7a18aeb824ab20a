//! The rank of this process, by the variables of its launcher.
//!
//! The trace begins before the program initialises MPI, so it cannot ask MPI.

use std::path::{Path, PathBuf};

/// The number of this process among those of a launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rank {
    pub(super) rank: u32,
    /// If the launcher says it.
    pub(super) ranks: Option<u32>,
}

/// The variables of rank and number of ranks, by launcher: Open MPI, those with PMI, Slurm, PALS, those with PMIx alone. Slurm sets its rank
/// in allocations without a step too, where it has no number.
const VARIABLES: [(&str, &str, bool); 5] = [
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", false),
    ("PMI_RANK", "PMI_SIZE", false),
    ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", true),
    ("PALS_RANKID", "PALS_SIZE", false),
    ("PMIX_RANK", "", false),
];

impl Rank {
    /// That of this process, or `None` if no launcher has started it.
    pub(super) fn of_process() -> Option<Self> {
        Self::of(|name| std::env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| variable(name)?.trim().parse().ok();
        VARIABLES.into_iter().find_map(|(rank, ranks, needs_both)| {
            let (rank, ranks) = (number(rank)?, number(ranks));
            (!needs_both || ranks.is_some()).then_some(Self { rank, ranks })
        })
    }

    /// The file of this process: that of its rank, where a launcher has started several.
    pub(super) fn file_of_process(file: &Path) -> PathBuf {
        Self::of_process().map_or_else(|| file.to_owned(), |rank| rank.file(file))
    }

    /// The file of this rank: its number before the extension.
    pub(super) fn file(self, file: &Path) -> PathBuf {
        match file.extension() {
            Some(extension) => file.with_extension(format!("{}.{}", self.rank, extension.to_string_lossy())),
            None => file.with_extension(self.rank.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Rank;

    fn of(variables: &[(&str, &str)]) -> Option<Rank> {
        Rank::of(|name| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn launchers_say_the_rank() {
        assert_eq!(of(&[]), None);
        let rank = |rank, ranks| Some(Rank { rank, ranks });
        assert_eq!(
            of(&[("PMI_RANK", "1"), ("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "3")]),
            rank(2, Some(3))
        );
        assert_eq!(of(&[("PMIX_RANK", "5")]), rank(5, None));
        assert_eq!(of(&[("SLURM_PROCID", "0")]), None);
        assert_eq!(of(&[("SLURM_PROCID", "0"), ("SLURM_STEP_NUM_TASKS", "2")]), rank(0, Some(2)));
        assert_eq!(of(&[("PMI_RANK", "first")]), None);
    }

    #[test]
    fn each_rank_has_its_file() {
        let rank = Rank { rank: 12, ranks: None };
        assert_eq!(rank.file(Path::new("a.b/trace.json")), Path::new("a.b/trace.12.json"));
        assert_eq!(rank.file(Path::new("a.b/trace")), Path::new("a.b/trace.12"));
    }
}
