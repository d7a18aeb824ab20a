//! A rank that dies in each phase of each kind of call.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use spelt_core::reducers::Sum;
use spelt_core::{AUTO, Between, Error, Result, Serial, View, parallel_for, parallel_reduce, parallel_scan};
use spelt_mpi::{Communicator, DistributedView, Grid, InProcess, Mpi};

use super::failures::{all_phases, errors};

/// One of each launch over distributed Views.
fn all_launches(ranks: &Communicator) -> Result<()> {
    let space = Mpi::new(ranks, Serial::new());
    let mut x = space.view_from_fn("x", [12, 300], |[i, j]| (i + j) as f64)?;
    let mut y = space.zeros::<f64, 2>("y", [12, 300])?;
    parallel_for("step", space.md_range([1..11, 1..299]), (x.halo::<1>(), &mut y), |i, (x, mut y)| {
        y[i] = x.at(i, [1, 1])
    })?;
    let all = || space.md_range([0..12, 0..300]);
    parallel_reduce(
        "sum",
        all(),
        (y.halo::<0>(), &x),
        |i, sum, (y, x)| *sum += y[i] + x[i],
        Sum::<f64>::new(),
    )?;
    parallel_scan(
        "scan",
        all(),
        &mut y,
        |i, sum, last, mut y| {
            *sum += 1.0;
            if last {
                y[i] = *sum;
            }
        },
        Sum::<f64>::new(),
    )?;
    space.gather("y", &y, 0).map(|_| ())
}

/// Reductions and scans that fetch rows of other ranks, by one and by both sides, of a View that is written in between.
fn halos_of_reductions(ranks: &Communicator) -> Result<()> {
    let space = Mpi::new(ranks, Serial::new());
    let mut x = space.view_from_fn("x", [19, 300], |[i, j]| (i + j) as f64)?;
    let mut y = space.zeros::<f64, 2>("y", [19, 300])?;
    let inner = || space.md_range([1..18, 1..299]);
    let steps = |x: &mut DistributedView<f64, 2>, y: &mut DistributedView<f64, 2>| {
        let sum = parallel_reduce(
            "sum",
            inner(),
            (x.halo::<1>(), &mut *y),
            |i, sum, (x, mut y)| {
                y[i] = x.at(i, [1, 0]);
                *sum += y[i];
            },
            Sum::<f64>::new(),
        )?;
        let (below, total) = (y.halo_of::<(Between<-1, 0>, Between<0, 0>)>(), Sum::<f64>::new());
        let total = parallel_scan("scan", inner(), below, |i, sum, _, y| *sum += y.at(i, [-1, 0]), total)?;
        Ok::<_, Error>(sum + total)
    };
    steps(&mut x, &mut y)?;
    steps(&mut y, &mut x).map(drop)
}

/// A league over distributed Views: a loop and a reduction.
fn leagues(ranks: &Communicator) -> Result<()> {
    let space = Mpi::new(ranks, Serial::new());
    let mut x = space.view_from_fn("x", [11, 300], |[i, j]| (i + j) as f64)?;
    let mut y = space.zeros::<f64, 2>("y", [11, 300])?;
    for _ in 0..3 {
        parallel_for("rows", space.team(11, AUTO), (&x, &mut y), |team, (x, mut y)| {
            team.parallel_for(team.thread_range(300), |ij| y[ij] = x[ij]);
        })?;
        // The last rows of a rank go to the next one.
        parallel_for(
            "step",
            space.md_range([1..11, 0..300]),
            (y.halo_of::<(Between<-1, 0>, Between<0, 0>)>(), &mut x),
            |i, (y, mut x)| {
                x[i] = y.at(i, [-1, 0]);
            },
        )?;
        parallel_reduce(
            "sum",
            space.team(11, AUTO),
            &y,
            |team, y| {
                let sum =
                    team.parallel_reduce(team.thread_range(300), |ij, sum| *sum += y[ij], Sum::<f64>::new());
                team.contribute(sum);
            },
            Sum::<f64>::new(),
        )?;
    }
    Ok(())
}

/// Messages of pairs of ranks around a ring, of bytes and of Views, and those of neighbours.
fn points(ranks: &Communicator) -> Result<()> {
    let (rank, size) = (ranks.rank(), ranks.size());
    let (left, right) = ((rank + size - 1) % size, (rank + 1) % size);
    let mut x = View::from_fn("x", [700], |[i]| (rank + i) as f64)?;
    for _ in 0..2 {
        ranks.send("bytes", right, vec![1; 5000])?;
        ranks.receive("bytes", left)?;
        ranks.send_view("view", left, &x)?;
        ranks.receive_view("view", right, &mut x)?;
        ranks.exchange("neighbours", vec![(right, vec![1; 10]), (left, vec![2; 5000])], &[right, left])?;
    }
    Ok(())
}

/// Pieces that find their receivers, and Views in collectives.
fn views(ranks: &Communicator) -> Result<()> {
    let (rank, size) = (ranks.rank(), ranks.size());
    ranks.deliver("pieces", vec![(rank / 2, vec![1; 5000]), (size - 1, vec![2])])?;
    let mut x = View::from_fn("x", [size, 200], |[i, j]| (rank + i + j) as f64)?;
    let cuts: Vec<_> = (0..=size).collect();
    ranks.broadcast_view("broadcast", size - 1, &mut x)?;
    ranks.gather_view("gather", 0, &x)?;
    ranks.all_gather_view("all_gather", &x)?;
    ranks.scatter_view("scatter", 0, &cuts, &x, &mut View::<f64, 2>::zeros("row", [1, 200])?)?;
    ranks.all_to_all_view("all_to_all", &x, &cuts).map(drop)
}

/// Files that ranks replace: whatever happens, each is the one before or the new one.
struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Self {
        let files = Self(std::env::temp_dir().join(format!("spelt-deaths-{}-{name}", std::process::id())));
        std::fs::create_dir_all(&files.0).expect("a folder");
        files
    }

    /// Replaces an array, a checkpoint and an image by ones with this number in all places, and reads them.
    fn replace(&self, ranks: &Communicator, number: f64) -> Result<()> {
        let (rank, size) = (ranks.rank(), ranks.size());
        let cuts: Vec<_> = (0..=size).map(|rank| 9 * rank / size).collect();
        let x = View::from_fn("x", [cuts[rank + 1] - cuts[rank], 100], |_| number)?;
        ranks.write_npy(self.0.join("x.npy"), &cuts, &x)?;
        ranks.read_npy::<f64, 2>(self.0.join("x.npy"), &cuts)?;
        ranks.save(self.0.join("state"), |checkpoint| {
            checkpoint.array("x", &cuts, &x)?;
            checkpoint.value("number", &number)
        })?;
        ranks.restore(self.0.join("state"))?.read_array::<f64, 2>("x", &cuts)?;
        ranks.write_pvti(self.0.join("image"), Grid::default(), &cuts, &[&x])
    }

    /// Each has one number in all places.
    fn check(&self) {
        let is_whole = |numbers: Vec<f64>| {
            assert!(numbers.iter().all(|number| *number == numbers[0]), "a mixture");
            numbers[0]
        };
        let array = |view: View<f64, 2>| {
            assert_eq!(view.extents(), [9, 100]);
            is_whole(view.to_vec())
        };
        array(View::read_npy(self.0.join("x.npy")).expect("a whole file"));
        let ranks = Communicator::alone();
        let state = ranks.restore(self.0.join("state")).expect("a whole checkpoint");
        let number = array(state.read_array("x", &[0, 9]).expect("a whole array"));
        assert_eq!(state.read_value::<f64>("number").expect("a value"), number);
        let image: Vec<_> = self.pieces().iter().flat_map(|piece| self.rows(piece)).collect();
        assert_eq!(image.len(), 900);
        is_whole(image);
    }

    /// The files that the index of the image names.
    fn pieces(&self) -> Vec<String> {
        let index = std::fs::read_to_string(self.0.join("image.pvti")).expect("a whole index");
        assert!(index.ends_with("</VTKFile>\n"), "{index}");
        let names = index.split("Source=\"").skip(1).filter_map(|rest| rest.split('"').next());
        names.map(str::to_owned).collect()
    }

    /// The numbers of a piece of the image.
    fn rows(&self, piece: &str) -> Vec<f64> {
        let bytes = std::fs::read(self.0.join(piece)).expect("a whole piece");
        let marker = b"encoding=\"raw\">\n_";
        let data =
            bytes.windows(marker.len()).position(|window| window == marker).expect("data") + marker.len();
        let (len, rest) = bytes[data..].split_first_chunk().expect("a length");
        let (numbers, _) = rest[..u64::from_le_bytes(*len) as usize].as_chunks();
        numbers.iter().map(|number| f64::from_le_bytes(*number)).collect()
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Wherever a rank dies, every rank that has not finished learns of it, with the dead rank's message, and none hangs.
#[test]
fn a_rank_dies_in_each_phase() {
    dies_in_each_phase(all_phases);
}

#[test]
fn a_rank_dies_in_each_phase_of_launches() {
    dies_in_each_phase(all_launches);
}

#[test]
fn a_rank_dies_in_each_phase_of_reductions_with_halos() {
    dies_in_each_phase(halos_of_reductions);
}

#[test]
fn a_rank_dies_in_each_phase_of_leagues() {
    dies_in_each_phase(leagues);
}

#[test]
fn a_rank_dies_in_each_phase_of_messages() {
    dies_in_each_phase(points);
}

#[test]
fn a_rank_dies_in_each_phase_of_views() {
    dies_in_each_phase(views);
}

#[test]
fn a_rank_dies_in_each_phase_of_files() {
    let files = Files::new("files");
    files.replace(&Communicator::alone(), 0.5).expect("no error");
    let number = AtomicU64::new(0);
    // Each phase has several operations, of which every second one will do.
    dies_in_each_phase_with(
        2,
        |ranks| files.replace(ranks, number.load(Relaxed) as f64),
        || {
            files.check();
            number.fetch_add(1, Relaxed);
        },
    );
}

fn dies_in_each_phase(all_phases: fn(&Communicator) -> Result<()>) {
    dies_in_each_phase_with(1, all_phases, || {});
}

/// A rank dies at each operation, or at some of them. `after` runs after each death.
fn dies_in_each_phase_with(
    step: usize,
    all_phases: impl Fn(&Communicator) -> Result<()> + Sync,
    after: impl Fn(),
) {
    for size in [2, 3, 5, 7, 8] {
        for rank in [0, size - 1] {
            let mut deaths = 0;
            for operation in (0..).step_by(step) {
                let world = InProcess::new(size).delays(operation, 10).timeout(Duration::from_secs(60));
                let errors = errors(world.dies_at(rank, operation).run(&all_phases));
                if errors.is_empty() {
                    break;
                }
                let words = format!("rank {rank} panicked: it was to die at operation {operation}");
                assert!(errors.iter().all(|error| *error == words), "{errors:?}");
                after();
                deaths += 1;
            }
            assert!(deaths > 10, "{deaths} operations of rank {rank} of {size}");
        }
    }
}
