//! Checks each collective on the ranks that a launcher started: `mpirun -n 4 ranks`. `ranks CASE` shows a failure, and `ranks large` sends
//! 2.5 GiB.

mod collectives;
mod halos;
mod launches;

use spelt_core::{Error, ErrorKind, Result};
use spelt_mpi::Communicator;

fn main() -> Result<()> {
    let case = std::env::args().nth(1).unwrap_or_default();
    spelt_mpi::run(|ranks| match case.as_str() {
        "" => everything(ranks),
        "panic" if ranks.rank() == ranks.size() - 1 => panic!("as it was asked to"),
        "error" if ranks.rank() == 0 => Err(Error::new(ErrorKind::Io, "an error of rank 0 alone")),
        "large" if ranks.size() > 1 => collectives::large_message(ranks),
        "mismatch" => ranks.barrier(if ranks.rank() == 0 { "left" } else { "right" }),
        "quiet" => launches::without_messages(ranks),
        "leave" if ranks.rank() == 0 => Ok(()),
        "mutual" => ranks.receive("mutual", 1 - ranks.rank()).map(drop),
        "silent" if ranks.rank() == 0 => loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        },
        "panic" | "error" | "leave" | "silent" => ranks.barrier("the others wait"),
        other => Err(Error::new(ErrorKind::Configuration, format!("there is no case `{other}`"))),
    })
}

/// One of each call; rank 0 says so.
fn everything(ranks: &Communicator) -> Result<()> {
    collectives::bytes(ranks)?;
    collectives::long_messages(ranks)?;
    collectives::views(ranks)?;
    launches::launches(ranks)?;
    halos::long_rows(ranks)?;
    if ranks.rank() == 0 {
        println!("{}\nall collectives agree on {} ranks", spelt_mpi::configuration(), ranks.size());
    }
    Ok(())
}
