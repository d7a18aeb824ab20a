//! Distributed Views and whole ones: scattered, gathered, in checkpoints and images.

use std::path::PathBuf;

use spelt_core::{Between, Serial, View, parallel_for};
use spelt_mpi::{CellField, Communicator, Grid, InProcess, Mpi, Partition};

use super::distributed::{of_root, partitions};
use super::term;

const SIZES: [usize; 5] = [1, 2, 3, 5, 8];
const EXTENTS: [usize; 2] = [11, 300];

type Rows = Between<-1, 1>;
type Columns = Between<0, 0>;

fn path_of(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("spelt-whole-{}-{name}", std::process::id()))
}

fn element([i, j]: [usize; 2]) -> f64 {
    term(i * EXTENTS[1] + j)
}

#[test]
fn what_is_scattered_comes_back() {
    for size in SIZES {
        for partition in partitions(EXTENTS[0], size) {
            for root in [0, size - 1] {
                let results = InProcess::new(size).delays(size as u64, 10).run(|ranks| {
                    let space = Mpi::new(ranks, Serial::new());
                    let mut x = space.zeros_on::<f64, 2>(&partition, "x", EXTENTS)?;
                    let whole = (ranks.rank() == root).then(|| View::from_fn("whole", EXTENTS, element));
                    space.scatter("x", whole.transpose()?.as_ref(), &mut x, root)?;
                    let all = space.all_gather("x", &x)?;
                    assert_eq!((all.label(), all.extents()), ("x", EXTENTS));
                    assert!(all.indexed_iter().all(|(index, x)| x.to_bits() == element(index).to_bits()));
                    space.gather("x", &x, root)
                });
                let whole = of_root(results);
                assert!(whole.indexed_iter().all(|(index, x)| x.to_bits() == element(index).to_bits()));
            }
        }
    }
}

/// Copies of rows on other ranks are old then.
#[test]
fn rows_that_were_scattered_or_read_are_fetched_again() {
    let folder = path_of("fetched");
    for size in [1, 2, 3] {
        let results = InProcess::new(size).run(|ranks| {
            let space = Mpi::new(ranks, Serial::new());
            let mut x = space.view_from_fn("x", [6, 4], |_| 1.0)?;
            let mut y = space.zeros::<f64, 2>("y", [6, 4])?;
            let mut sums = Vec::new();
            for change in 0..3 {
                match change {
                    0 => space.save(&folder, |checkpoint| checkpoint.view("x", &x))?,
                    1 => {
                        let twos = (ranks.rank() == 0).then(|| View::from_fn("twos", [6, 4], |_| 2.0));
                        space.scatter("x", twos.transpose()?.as_ref(), &mut x, 0)?;
                    }
                    _ => space.restore(&folder)?.read_into("x", &mut x)?,
                }
                parallel_for(
                    "sum",
                    space.md_range([1..5, 0..4]),
                    (x.halo_of::<(Rows, Columns)>(), &mut y),
                    |i, (x, mut y)| {
                        y[i] = x.at(i, [-1, 0]) + x.at(i, [1, 0]);
                    },
                )?;
                let inner = space.all_gather("y", &y)?.to_vec();
                assert!(inner[4..20].iter().all(|sum| *sum == inner[4]), "{inner:?}");
                sums.push(inner[4]);
            }
            Ok(sums)
        });
        for sums in results {
            assert_eq!(sums.expect("no error"), [2.0, 4.0, 2.0]);
        }
    }
    std::fs::remove_dir_all(folder).expect("it is there");
}

#[test]
fn checkpoints_are_read_on_other_ranks() {
    let folder = path_of("state");
    for (size, again) in [(1, 3), (3, 1), (2, 5), (8, 2)] {
        for partition in partitions(EXTENTS[0], size) {
            let saved = InProcess::new(size).run(|ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let x = space.view_from_fn_on(&partition, "x", EXTENTS, element)?;
                space.save(&folder, |checkpoint| checkpoint.view("heat", &x))
            });
            saved.into_iter().for_each(|saved| saved.expect("no error"));
            for partition in partitions(EXTENTS[0], again) {
                let restored = InProcess::new(again).run(|ranks| {
                    let space = Mpi::new(ranks, Serial::new());
                    let checkpoint = space.restore(&folder)?;
                    let even = checkpoint.read_view::<f64, 2, _>("heat", &space)?;
                    assert_eq!(
                        (even.label(), even.partition()),
                        ("heat", &Partition::even(EXTENTS[0], again))
                    );
                    let mut own = space.zeros_on::<f64, 2>(&partition, "own", EXTENTS)?;
                    checkpoint.read_into("heat", &mut own)?;
                    Ok([space.all_gather("even", &even)?, space.all_gather("own", &own)?])
                });
                for wholes in restored {
                    for whole in wholes.expect("no error") {
                        assert!(
                            whole.indexed_iter().all(|(index, x)| x.to_bits() == element(index).to_bits())
                        );
                    }
                }
            }
        }
    }
    std::fs::remove_dir_all(folder).expect("it is there");
}

/// Images are those that `Communicator::write_pvti` writes of the own rows.
#[test]
fn images_of_distributed_views() {
    let [one, two] = ["one", "two"].map(path_of);
    for size in SIZES {
        for partition in partitions(5, size) {
            for folder in [&one, &two] {
                std::fs::create_dir_all(folder).expect("a folder");
            }
            let results = InProcess::new(size).run(|ranks| {
                let space = Mpi::new(ranks, Serial::new());
                let heat = space.view_from_fn_on(&partition, "heat", [5, 3], |[i, j]| (10 * i + j) as f32)?;
                let flow = space.view_from_fn_on(&partition, "flow", [5, 3], |[i, j]| [i as u8, j as u8])?;
                let (own_heat, own_flow) = (heat.own(), flow.own());
                let rows: [&dyn CellField; 2] = [&own_heat.as_view(), &own_flow.as_view()];
                ranks.write_pvti(one.join("image"), Grid::default(), partition.cuts(), &rows)?;
                space.write_pvti(two.join("image"), Grid::default(), &[&heat, &flow])?;
                // One that is not distributed has the own rows.
                space.write_pvti(two.join("mixed"), Grid::default(), &[rows[0], &flow])
            });
            results.into_iter().for_each(|result| result.expect("no error"));
            let mut files = 0;
            for file in std::fs::read_dir(&one).expect("written") {
                let name = file.expect("an entry").file_name();
                let bytes = |folder: &PathBuf, name: &str| std::fs::read(folder.join(name)).expect("written");
                let name = name.to_str().expect("ASCII");
                assert!(bytes(&one, name) == bytes(&two, name), "{name} on {size}, {partition:?}");
                let mixed = name.replace("image", "mixed");
                assert!(bytes(&two, &mixed).len() == bytes(&one, name).len(), "{mixed}");
                files += 1;
            }
            let with_rows = (0..size).filter(|rank| !partition.rows(*rank).is_empty()).count();
            assert_eq!(files, 1 + with_rows);
            for folder in [&one, &two] {
                std::fs::remove_dir_all(folder).expect("it is there");
            }
        }
    }
}

#[test]
fn mistakes_name_views_and_extents() {
    let folder = path_of("mistakes");
    let results = InProcess::new(2).run(|ranks| {
        let space = Mpi::new(ranks, Serial::new());
        let mut x = space.view_from_fn("x", [4, 2], |[i, j]| (i + j) as f32)?;
        space.save(&folder, |checkpoint| checkpoint.view("x", &x))?;
        let checkpoint = space.restore(&folder)?;
        let mut short = space.zeros::<f32, 2>("short", [3, 2])?;
        let other = space.zeros_on::<f32, 2>(&Partition::from_cuts(&[0, 1, 4])?, "other", [4, 2])?;
        let (own, image) = (x.own(), folder.join("image"));
        let errors = [
            checkpoint.read_into("x", &mut short).expect_err("other extents"),
            checkpoint.read_view::<f32, 1, _>("x", &space).expect_err("another rank"),
            space.write_pvti(&image, Grid::default(), &[&own.as_view()]).expect_err("not distributed"),
            space.write_pvti(&image, Grid::default(), &[&x, &other]).expect_err("other partitions"),
            space.scatter("s", None, &mut x, 2).expect_err("no such root"),
        ];
        ranks.barrier("the ranks go on")?;
        Ok(errors.map(|error| error.to_string()))
    });
    for errors in results {
        let errors = errors.expect("no error");
        for (error, words) in errors.iter().zip([
            "the array `x` of the checkpoint has the extents [4, 2], and view `short` has [3, 2]",
            "rank 0: ",
            "give at least one distributed View as a field",
            "View `other` is divided at the rows [0, 1, 4], and the cuts are [0, 2, 4]",
            "the root is rank 2 of 2",
        ]) {
            assert!(error.contains(words), "{words}: {error}");
        }
    }
    std::fs::remove_dir_all(folder).expect("it is there");
    for (whole, words) in [(None, "scatters extents None"), (Some([3, 2]), "scatters extents Some([3, 2])")] {
        let ranks = Communicator::alone();
        let space = Mpi::new(&ranks, Serial::new());
        let mut x = space.zeros::<f32, 2>("x", [4, 2]).expect("memory");
        let whole = whole.map(|extents| View::zeros("whole", extents).expect("memory"));
        let error = space.scatter("s", whole.as_ref(), &mut x, 0).expect_err("refused").to_string();
        assert!(error.contains(words) && error.contains("view `x`, which has [4, 2]"), "{error}");
    }
}
