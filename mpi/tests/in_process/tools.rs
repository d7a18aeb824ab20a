//! The events of collectives and exchanges.

use std::cell::Cell;
use std::sync::{Arc, Barrier, Mutex};

use spelt_core::tools::{self, ExchangeEvent, LaunchEvent, Tool};
use spelt_core::{Between, Error, ErrorKind, Serial, parallel_for};
use spelt_mpi::{InProcess, Mpi};

thread_local! {
    /// The rank whose exchange this thread is inside.
    static RANK: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The rank of an event, if it has one, and its line.
type RankAndLine = (Option<usize>, String);

/// Keeps the events of calls whose label begins with `prefix`.
#[derive(Clone)]
struct Lines {
    prefix: &'static str,
    lines: Arc<Mutex<Vec<RankAndLine>>>,
}

impl Lines {
    fn installed(prefix: &'static str) -> Self {
        let lines = Self { prefix, lines: Arc::default() };
        tools::install("lines", lines.clone());
        lines
    }

    fn add(&self, rank: Option<usize>, label: &str, line: String) {
        if label.starts_with(self.prefix) {
            self.lines.lock().expect("no panic").push((rank, line));
        }
    }

    /// The lines of a rank, or of launches outside all exchanges. Launches of pieces of a rank's rows are one line.
    fn of(&self, rank: Option<usize>) -> Vec<String> {
        let lines = self.lines.lock().expect("no panic");
        let mut lines: Vec<_> =
            lines.iter().filter(|line| line.0 == rank).map(|(_, line)| line.clone()).collect();
        lines.dedup();
        lines
    }
}

impl Tool for Lines {
    fn begin_launch(&self, launch: &LaunchEvent<'_>) -> u64 {
        self.add(RANK.get(), launch.label, format!("runs {}", launch.label));
        0
    }
    fn begin_exchange(&self, exchange: &ExchangeEvent<'_>) -> u64 {
        let ExchangeEvent { kind, label, rank, ranks, .. } = exchange;
        self.add(Some(*rank), label, format!("begins {kind} {label} of {ranks}"));
        RANK.set(Some(*rank));
        *rank as u64 + 7
    }
    fn end_exchange(&self, exchange: &ExchangeEvent<'_>, id: u64) {
        let ExchangeEvent { kind, label, rank, ranks, .. } = exchange;
        assert_eq!(id, *rank as u64 + 7);
        RANK.set(None);
        self.add(Some(*rank), label, format!("ends {kind} {label} of {ranks}"));
    }
}

/// Each rank is told of its own calls, also of one that fails.
#[test]
fn calls_of_ranks_are_told() {
    let lines = Lines::installed("told");
    // A rank that is still in a call when another fails has this call fail too.
    let all_have_gathered = Barrier::new(3);
    let results = InProcess::new(3).run(|ranks| {
        let gathered =
            ranks.broadcast("told once", 1, vec![0; 7]).and_then(|_| ranks.all_gather_v("another", vec![1]));
        all_have_gathered.wait();
        gathered?;
        let label = if ranks.rank() == 2 { "told other" } else { "told" };
        let failed: Result<_, Error> = ranks.all_gather_v(label, vec![1]);
        assert_eq!(failed.expect_err("labels differ").kind(), ErrorKind::Communication);
        Ok(())
    });
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    for rank in 0..3 {
        let label = if rank == 2 { "told other" } else { "told" };
        let wanted = [
            "begins broadcast told once of 3".to_owned(),
            "ends broadcast told once of 3".to_owned(),
            format!("begins all_gather_v {label} of 3"),
            format!("ends all_gather_v {label} of 3"),
        ];
        assert_eq!(lines.of(Some(rank)), wanted);
    }
}

/// A launch over all ranks is a call of each, around its launches on the rank's rows; an exchange that is started is two.
#[test]
fn launches_over_all_ranks_and_exchanges_are_told() {
    type Rows = (Between<-1, 1>, Between<0, 0>);
    let lines = Lines::installed("seen");
    let results = InProcess::new(3).run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let mut x = space.view_from_fn("x", [9, 2], |[i, j]| (10 * i + j) as u64)?;
        let mut y = space.zeros::<u64, 2>("y", [9, 2])?;
        parallel_for("seen without", space.md_range([0..9, 0..2]), &mut x, |i, mut x| x[i] += 1)?;
        parallel_for(
            "seen with",
            space.md_range([1..8, 0..2]),
            (x.halo_of::<Rows>(), &mut y),
            |i, (x, mut y)| {
                y[i] = x.at(i, [-1, 0]);
            },
        )?;
        parallel_for("another", space.md_range([0..9, 0..2]), &mut x, |i, mut x| x[i] += 1)?;
        let exchange = space.start_exchange("seen ghosts", x.halo_of::<Rows>())?;
        ranks.broadcast("seen meanwhile", 0, vec![1])?;
        exchange.finish()
    });
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    for rank in 0..3 {
        let wanted = [
            "begins launch seen without of 3",
            "runs seen without",
            "ends launch seen without of 3",
            "begins launch with a halo seen with of 3",
            "runs seen with",
            "ends launch with a halo seen with of 3",
            "begins launch with a halo seen ghosts of 3",
            "ends launch with a halo seen ghosts of 3",
            "begins broadcast seen meanwhile of 3",
            "ends broadcast seen meanwhile of 3",
            "begins launch with a halo seen ghosts of 3",
            "ends launch with a halo seen ghosts of 3",
        ];
        assert_eq!(lines.of(Some(rank)), wanted);
    }
    assert!(lines.of(None).is_empty(), "no launch is outside its call");
}
