use std::path::PathBuf;

use spelt_core::{Left, Result, View};
use spelt_mpi::{CellField, Communicator, Grid, InProcess};

use super::{cuts, term};

/// A path for one test.
fn path_of(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("spelt-ranks-{}-{name}", std::process::id()))
}

fn all<T: Send>(size: usize, main: impl Fn(&Communicator) -> Result<T> + Sync) -> Vec<T> {
    let world = InProcess::new(size).delays(size as u64, 10);
    world.run(main).into_iter().map(|result| result.expect("no error")).collect()
}

/// The own rows of an array.
fn rows(ranks: &Communicator, cuts: &[usize]) -> Result<View<f64, 2, spelt_core::HostSpace, Left>> {
    let (first, past) = (cuts[ranks.rank()], cuts[ranks.rank() + 1]);
    View::from_fn_in(Left, "rows", [past - first, 3], |[i, j]| term(3 * (first + i) + j))
}

/// The bytes of a file do not depend on the ranks that write it, and each division reads them.
#[test]
fn files_have_the_bytes_of_one_process() {
    let n = 23;
    let [alone, together] = ["alone.npy", "together.npy"].map(path_of);
    let whole = View::from_fn("whole", [n, 3], |[i, j]| term(3 * i + j)).expect("memory");
    whole.write_npy(&alone).expect("a file");
    let expected = std::fs::read(&alone).expect("written");
    for size in [1, 2, 3, 5, 8] {
        for written in cuts(n, size) {
            all(size, |ranks| ranks.write_npy(&together, &written, &rows(ranks, &written)?));
            assert_eq!(std::fs::read(&together).expect("written"), expected, "{written:?}");
        }
        for read in cuts(n, size) {
            all(size, |ranks| {
                let part = ranks.read_npy::<f64, 2>(&together, &read)?;
                assert_eq!(part, rows(ranks, &read)?);
                Ok(())
            });
        }
    }
    [alone, together].iter().for_each(|path| std::fs::remove_file(path).expect("it is there"));
}

/// A state that is saved on some ranks goes on with the same bits on others.
#[test]
fn a_restart_on_other_ranks_keeps_the_bits() {
    let n = 20;
    let folder = path_of("state");
    let step = |x: &mut View<f64, 1>| x.iter_mut().for_each(|x| *x = *x * 1.1 + 0.3);
    let run = |first: usize, second: usize| {
        let even = |size: usize| (0..=size).map(|rank| n * rank / size).collect::<Vec<_>>();
        all(first, |ranks| {
            let cuts = even(first);
            let own = cuts[ranks.rank()]..cuts[ranks.rank() + 1];
            let mut x = View::from_fn("x", [own.len()], |[i]| term(own.start + i))?;
            step(&mut x);
            // The second checkpoint replaces the first.
            for time in [0, 1] {
                ranks.save(&folder, |checkpoint| {
                    checkpoint.array("x", &cuts, &x)?;
                    checkpoint.array("same x", &cuts, &x)?;
                    checkpoint.value("time", &(time, vec![0.5_f32; 3]))
                })?;
            }
            Ok(())
        });
        let results = all(second, |ranks| {
            let (cuts, checkpoint) = (even(second), ranks.restore(&folder)?);
            assert_eq!(checkpoint.extents::<f64, 1>("same x")?, [n]);
            assert_eq!(checkpoint.read_value::<(i32, Vec<f32>)>("time")?, (1, vec![0.5; 3]));
            let mut x = checkpoint.read_array::<f64, 1>("x", &cuts)?;
            step(&mut x);
            ranks.all_gather_view("x", &x)
        });
        results[0].iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    let alone = run(1, 1);
    for (first, second) in [(1, 3), (3, 1), (2, 5), (5, 2), (8, 3)] {
        assert_eq!(run(first, second), alone, "{first} and {second} ranks");
    }
    let parent = folder.parent().expect("a folder");
    let left = std::fs::read_dir(parent).expect("it is there").filter(|entry| {
        let name = entry.as_ref().expect("an entry").file_name().to_string_lossy().into_owned();
        name.contains(&format!("{}-state", std::process::id())) && name.starts_with('.')
    });
    assert_eq!(left.count(), 0, "no unfinished folder");
    std::fs::remove_dir_all(folder).expect("it is there");
}

/// An error of one rank is that of all, which go on.
#[test]
fn errors_of_files_reach_all_ranks() {
    let (missing, folder) = (path_of("no-such-folder"), path_of("half"));
    let results = all(3, |ranks| {
        let rank = ranks.rank();
        let one = View::<f64, 1>::zeros("one", [1])?;
        let cuts = [0, 1, 2, 3];
        let mut errors = vec![
            ranks.write_npy(missing.join("x.npy"), &cuts, &one).expect_err("no folder"),
            ranks.read_npy::<f64, 1>(missing.join("x.npy"), &cuts).expect_err("no file"),
            ranks
                .write_npy(path_of("rows.npy"), &cuts, &View::<f64, 1>::zeros("one", [1 + rank / 2])?)
                .expect_err("rows"),
            ranks.restore(&missing).expect_err("no folder"),
            ranks.write_pvti(missing.join("x"), Grid::default(), &cuts, &[&one]).expect_err("no folder"),
            ranks.write_pvti(path_of("x"), Grid::default(), &cuts, &[]).expect_err("no field"),
        ];
        // A checkpoint of which one rank fails is not there afterwards.
        errors.push(
            ranks
                .save(&folder, |checkpoint| {
                    checkpoint.array("x", &cuts, &one)?;
                    match rank {
                        1 => Err(spelt_core::Error::new(spelt_core::ErrorKind::Io, "no disk")),
                        _ => Ok(()),
                    }
                })
                .expect_err("rank 1 fails"),
        );
        errors.push(ranks.restore(&folder).expect_err("it was not finished"));
        ranks.barrier("the ranks go on")?;
        Ok(errors.iter().map(ToString::to_string).collect::<Vec<_>>())
    });
    assert!(results.iter().all(|errors| *errors == results[0]), "{results:?}");
    assert!(results[0].iter().all(|error| error.starts_with("rank ")), "{results:?}");
    let rows = format!(".spelt-ranks-{}-rows.npy.unfinished", std::process::id());
    assert!(!path_of("x").with_file_name(rows).exists(), "a file that some rank cannot write is removed");
    assert!(results[0][2].starts_with("rank 2: ") && results[0][6] == "rank 1: no disk", "{results:?}");
    let saved = all(2, |ranks| {
        ranks.save(&folder, |checkpoint| checkpoint.value("n", &1_u8))?;
        let checkpoint = ranks.restore(&folder)?;
        for name in ["", "../n", ".n", "a/b"] {
            checkpoint.read_value::<u8>(name).expect_err("not a name");
        }
        checkpoint.read_value::<u16>("n").expect_err("another type");
        checkpoint.read_value::<u8>("n")
    });
    assert_eq!(saved, [1, 1]);
    std::fs::remove_dir_all(folder).expect("it is there");
    let unfinished =
        path_of("half").with_file_name(format!(".spelt-ranks-{}-half.unfinished", std::process::id()));
    assert!(!unfinished.exists(), "the next save takes its place");
}

/// The values of a raw appended array with this number, after its length.
fn appended(file: &[u8], offset: usize, len: usize) -> &[u8] {
    let marker = b"<AppendedData encoding=\"raw\">\n_";
    let start =
        file.windows(marker.len()).position(|bytes| bytes == marker).expect("data") + marker.len() + offset;
    assert_eq!(file[start..start + 8], (len as u64).to_le_bytes());
    &file[start + 8..start + 8 + len]
}

#[test]
fn images_have_the_elements_of_each_rank() {
    let path = path_of("image");
    // Rank 1 has no rows, and so no file.
    let cuts = [0, 2, 2, 5];
    all(3, |ranks| {
        let own = cuts[ranks.rank()]..cuts[ranks.rank() + 1];
        let heat = View::from_fn_in(Left, "heat & <flow>", [own.len(), 3, 4], |[i, j, k]| {
            (100 * (own.start + i) + 10 * j + k) as f32
        })?;
        let flow = View::from_fn("flow", [own.len(), 3, 4], |[i, j, k]| {
            [(own.start + i) as i16, j as i16 - k as i16]
        })?;
        let grid = Grid { origin: [0.5, 0.0, -1.0], spacing: [1.0, 2.0, 0.25] };
        let fields: [&dyn CellField; 2] = [&heat, &flow.view()];
        ranks.write_pvti(&path, grid, &cuts, &fields)
    });
    let index = std::fs::read_to_string(path.with_extension("pvti")).expect("written");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    for words in [
        r#"<PImageData WholeExtent="0 4 0 3 0 5" GhostLevel="0" Origin="0.5 0 -1" Spacing="1 2 0.25">"#
            .to_owned(),
        r#"<PDataArray type="Float32" Name="heat &amp; &lt;flow>" NumberOfComponents="1"/>"#.to_owned(),
        r#"<PDataArray type="Int16" Name="flow" NumberOfComponents="2"/>"#.to_owned(),
        format!(r#"<Piece Extent="0 4 0 3 0 2" Source="{name}_0.vti"/>"#),
        format!(r#"<Piece Extent="0 4 0 3 2 5" Source="{name}_2.vti"/>"#),
    ] {
        assert!(index.contains(&words), "{words}: {index}");
    }
    assert_eq!(index.matches("<Piece").count(), 2);
    let piece = std::fs::read(path.with_file_name(format!("{name}_2.vti"))).expect("written");
    let text = String::from_utf8_lossy(&piece);
    assert!(
        text.contains(r#"Name="flow" NumberOfComponents="2" format="appended" offset="152"/>"#),
        "{text}"
    );
    // x runs fastest, and is the last index.
    let heat =
        (2..5).flat_map(|i| (0..3).flat_map(move |j| (0..4).map(move |k| (100 * i + 10 * j + k) as f32)));
    assert_eq!(appended(&piece, 0, 144), heat.flat_map(f32::to_le_bytes).collect::<Vec<_>>());
    let flow = (2..5).flat_map(|i| (0..3).flat_map(move |j| (0..4).flat_map(move |k| [i as i16, j - k])));
    assert_eq!(appended(&piece, 152, 144), flow.flat_map(i16::to_le_bytes).collect::<Vec<_>>());
    assert!(!path.with_file_name(format!("{name}_1.vti")).exists());
    for file in [
        path.with_extension("pvti"),
        path.with_file_name(format!("{name}_0.vti")),
        path.with_file_name(format!("{name}_2.vti")),
    ] {
        std::fs::remove_file(file).expect("it is there");
    }
}
