//! The events of collectives and exchanges.

use std::sync::Mutex;

use spelt_core::tools::{self, ExchangeEvent, Tool};
use spelt_core::{Error, ErrorKind};
use spelt_mpi::InProcess;

/// The events of calls whose label begins with `told`, as lines.
static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Lines;

impl Lines {
    fn add(line: &str, ExchangeEvent { kind, label, rank, ranks, .. }: &ExchangeEvent<'_>) {
        if label.starts_with("told") {
            LINES.lock().expect("no panic").push(format!("{rank} of {ranks} {line} {kind} {label}"));
        }
    }
}

impl Tool for Lines {
    fn begin_exchange(&self, exchange: &ExchangeEvent<'_>) -> u64 {
        Self::add("begins", exchange);
        exchange.rank as u64 + 7
    }
    fn end_exchange(&self, exchange: &ExchangeEvent<'_>, id: u64) {
        assert_eq!(id, exchange.rank as u64 + 7);
        Self::add("ends", exchange);
    }
}

/// Each rank is told of its own calls, also of one that fails.
#[test]
fn calls_of_ranks_are_told() {
    tools::install("lines", Lines);
    let results = InProcess::new(3).run(|ranks| {
        ranks.broadcast("told once", 1, vec![0; 7])?;
        ranks.all_gather_v("another", vec![1])?;
        let label = if ranks.rank() == 2 { "told other" } else { "told" };
        let failed: Result<_, Error> = ranks.all_gather_v(label, vec![1]);
        assert_eq!(failed.expect_err("labels differ").kind(), ErrorKind::Communication);
        Ok(())
    });
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    let lines = LINES.lock().expect("no panic");
    for rank in 0..3 {
        let of_rank = format!("{rank} of 3 ");
        let found: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix(&of_rank)).collect();
        let label = if rank == 2 { "told other" } else { "told" };
        let wanted = [
            "begins broadcast told once".to_owned(),
            "ends broadcast told once".to_owned(),
            format!("begins all_gather_v {label}"),
            format!("ends all_gather_v {label}"),
        ];
        assert_eq!(found, wanted);
    }
}
