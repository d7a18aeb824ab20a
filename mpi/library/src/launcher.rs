//! The launcher that started this process, by the environment variables that it sets.

use core::fmt;

/// A launcher's environment variable, and the number of processes that it started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher {
    /// The variable that gave it away.
    pub variable: &'static str,
    /// The number of processes, if the launcher says it.
    pub processes: Option<usize>,
    /// Whether it is Open MPI's.
    pub is_open_mpi: bool,
}

/// Variables with the number of processes, and the variable that must be set too: Slurm sets its own in allocations without a step.
const SIZES: [(&str, Option<&str>, bool); 4] = [
    ("OMPI_COMM_WORLD_SIZE", None, true),
    ("PMI_SIZE", None, false),
    ("SLURM_STEP_NUM_TASKS", Some("SLURM_PROCID"), false),
    ("PALS_SIZE", None, false),
];

/// Variables of launchers that do not say how many processes there are.
const RANKS: [&str; 3] = ["PMI_RANK", "PMIX_RANK", "PALS_RANKID"];

/// The launcher that started this process, or `None` for a process that was started by itself.
///
/// # Examples
/// ```
/// if let Some(launcher) = spelt_mpi_library::launcher() {
///     println!("started by a launcher of MPI: {launcher}");
/// }
/// ```
#[must_use]
pub fn launcher() -> Option<Launcher> {
    launcher_of(|name| std::env::var(name).ok())
}

fn launcher_of(variable: impl Fn(&str) -> Option<String>) -> Option<Launcher> {
    for (name, other, is_open_mpi) in SIZES {
        if other.is_some_and(|other| variable(other).is_none()) {
            continue;
        }
        if let Some(value) = variable(name) {
            return Some(Launcher { variable: name, processes: value.trim().parse().ok(), is_open_mpi });
        }
    }
    let rank = RANKS.into_iter().find(|name| variable(name).is_some())?;
    Some(Launcher { variable: rank, processes: None, is_open_mpi: false })
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.processes {
            Some(processes) => write!(f, "{}={processes}", self.variable),
            None => write!(f, "{} is set", self.variable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::launcher_of;

    fn found(variables: &[(&str, &str)]) -> Option<String> {
        let value = |name: &str| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        };
        launcher_of(value).map(|launcher| launcher.to_string())
    }

    #[test]
    fn the_number_of_processes_comes_before_the_rank() {
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("PMI_RANK", "1"), ("PMI_SIZE", "4")]).as_deref(), Some("PMI_SIZE=4"));
        assert_eq!(
            found(&[("PMI_SIZE", "1"), ("OMPI_COMM_WORLD_SIZE", "3")]).as_deref(),
            Some("OMPI_COMM_WORLD_SIZE=3")
        );
        assert_eq!(found(&[("PMIX_RANK", "0")]).as_deref(), Some("PMIX_RANK is set"));
    }

    #[test]
    fn an_allocation_without_a_step_is_not_a_launcher() {
        assert_eq!(found(&[("SLURM_STEP_NUM_TASKS", "4")]), None);
        assert_eq!(
            found(&[("SLURM_STEP_NUM_TASKS", "4"), ("SLURM_PROCID", "2")]).as_deref(),
            Some("SLURM_STEP_NUM_TASKS=4")
        );
    }
}
