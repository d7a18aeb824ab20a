use std::path::PathBuf;

use spelt_core::{Error, ErrorKind, Left, Result, View};
use spelt_mpi::{CellField, Communicator, Grid, InProcess};

use super::counts::count;
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
    for size in [1, 2, 3, 5, 7, 8] {
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
    for (first, second) in [(1, 3), (3, 1), (2, 5), (5, 2), (8, 7), (7, 3)] {
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
                        1 => Err(Error::new(ErrorKind::Io, "no disk")),
                        _ => Ok(()),
                    }
                })
                .expect_err("rank 1 fails"),
        );
        errors.push(ranks.restore(&folder).expect_err("it was not finished"));
        ranks.barrier("the ranks go on")?;
        Ok(errors.iter().map(|error| (error.kind(), error.to_string())).collect::<Vec<_>>())
    });
    assert!(results.iter().all(|errors| *errors == results[0]), "{results:?}");
    assert!(results[0].iter().all(|(_, error)| error.starts_with("rank ")), "{results:?}");
    assert_eq!(results[0][2].0, ErrorKind::Extents);
    let rows = format!(".spelt-ranks-{}-rows.npy.unfinished", std::process::id());
    assert!(!path_of("x").with_file_name(rows).exists(), "a file that some rank cannot write is removed");
    assert!(results[0][2].1.starts_with("rank 2: ") && results[0][6].1 == "rank 1: no disk", "{results:?}");
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

/// Kind and message are those of the first rank with an error, also on ranks that have another error or none.
#[test]
fn kinds_of_errors_reach_all_ranks() {
    let kinds = [
        ErrorKind::Extents,
        ErrorKind::Overflow,
        ErrorKind::Policy,
        ErrorKind::OutOfMemory,
        ErrorKind::Configuration,
        ErrorKind::Io,
        ErrorKind::Format,
        ErrorKind::Layout,
        ErrorKind::Driver,
        ErrorKind::Device,
        ErrorKind::DeviceCode,
        ErrorKind::Communication,
        ErrorKind::Capacity,
        ErrorKind::Failures,
    ];
    for (at, kind) in kinds.into_iter().enumerate() {
        let other = kinds[(at + 1) % kinds.len()];
        let errors = all(4, |ranks| {
            let own = match ranks.rank() {
                1 => Err(Error::new(kind, "")),
                2 => Err(Error::new(other, "too late")),
                rank => Ok(rank),
            };
            Ok(ranks.all_or_none("own", own).expect_err("two ranks fail"))
        });
        for error in errors {
            assert_eq!((error.kind(), error.to_string().as_str()), (kind, "rank 1: "));
        }
    }
}

/// The files that `restore` finds and those that `save` refuses to replace.
#[test]
fn a_file_in_place_of_a_checkpoint_stays() {
    let folder = path_of("file");
    let [unfinished, old] = ["unfinished", "old"]
        .map(|ending| folder.with_file_name(format!(".spelt-ranks-{}-file.{ending}", std::process::id())));
    let refused = |call: &(dyn Fn(&Communicator) -> Result<()> + Sync)| {
        for error in all(3, |ranks| Ok(call(ranks).expect_err("a file").to_string())) {
            assert!(error.starts_with("rank 0: ") && error.contains("is a file"), "{error}");
        }
    };
    std::fs::write(&folder, "not a checkpoint").expect("a file");
    for _ in 0..2 {
        refused(&|ranks| ranks.save(&folder, |checkpoint| checkpoint.value("n", &1_u8)));
        refused(&|ranks| ranks.restore(&folder).map(drop));
    }
    assert_eq!(std::fs::read(&folder).expect("it stays"), b"not a checkpoint");
    assert!(!unfinished.exists() && !old.exists(), "nothing was moved");
    std::fs::remove_file(&folder).expect("it is there");
    all(3, |ranks| ranks.save(&folder, |checkpoint| checkpoint.value("n", &1_u8)));
    std::fs::remove_dir_all(folder).expect("it is there");
}

/// Arrays and values have one set of names. The name of an array that was not written is free.
#[test]
fn a_checkpoint_takes_each_name_once() {
    let folder = path_of("names");
    let restored = all(2, |ranks| {
        let (rank, cuts) = (ranks.rank(), [0, 1, 2]);
        let x = View::from_fn("x", [1], |_| rank as f64)?;
        ranks.save(&folder, |checkpoint| {
            // Rank 1 has too many rows.
            let rows = View::<f64, 1>::zeros("x", [1 + rank])?;
            checkpoint.array("x", &cuts, &rows).expect_err("rows");
            checkpoint.array("x", &cuts, &x)?;
            checkpoint.value("n", &7_u8)?;
            for error in [
                checkpoint.value("x", &1_u8).expect_err("an array has this name"),
                checkpoint.array("n", &cuts, &x).expect_err("a value has this name"),
                checkpoint.array("x", &cuts, &x).expect_err("an array has this name"),
            ] {
                assert_eq!(error.kind(), ErrorKind::Configuration);
                assert!(error.to_string().contains("already has an array or a value"), "{error}");
            }
            Ok(())
        })?;
        let checkpoint = ranks.restore(&folder)?;
        Ok((checkpoint.read_array::<f64, 1>("x", &cuts)?.to_vec(), checkpoint.read_value::<u8>("n")?))
    });
    assert_eq!(restored, [(vec![0.0], 7), (vec![1.0], 7)]);
    std::fs::remove_dir_all(folder).expect("it is there");
}

/// Ranks to which a network file system shows different states of a folder: here, different folders whose paths look the same.
#[cfg(target_os = "linux")]
#[test]
fn all_ranks_read_the_folder_that_rank_0_finds() {
    use std::os::unix::ffi::OsStringExt;

    let parent = path_of("views-of-rank");
    let folders = [0xff, 0xfe].map(|byte| parent.join(std::ffi::OsString::from_vec(vec![b's', byte])));
    let olds = folders.each_ref().map(|folder| {
        let name = folder.file_name().expect("a name").to_os_string().into_vec();
        folder.with_file_name(std::ffi::OsString::from_vec([b".", &name[..], b".old"].concat()))
    });
    let save = |folder: &PathBuf, number: u8| {
        Communicator::alone().save(folder, |checkpoint| checkpoint.value("n", &number)).expect("no error");
    };
    let restored = || {
        InProcess::new(2).run(|ranks| {
            let checkpoint = ranks.restore(&folders[ranks.rank()])?;
            ranks.barrier("the ranks go on")?;
            checkpoint.read_value::<u8>("n")
        })
    };
    // Rank 0 sees an old checkpoint alone, rank 1 also its replacement.
    save(&folders[1], 2);
    olds.iter().for_each(|old| save(old, 1));
    assert_eq!(restored().into_iter().map(|n| n.expect("no error")).collect::<Vec<_>>(), [1, 1]);
    // Rank 0 sees the replacement, rank 1 the old checkpoint alone.
    save(&folders[0], 2);
    std::fs::remove_dir_all(&folders[1]).expect("it is there");
    for result in restored() {
        let error = result.expect_err("rank 1 does not see it").to_string();
        assert!(error.starts_with("rank 1: ") && error.contains("opening the checkpoint"), "{error}");
    }
    std::fs::remove_dir_all(parent).expect("it is there");
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

/// What follows a dot in the name of an image is no ending, but for `.pvti`.
#[test]
fn images_keep_the_dots_of_their_names() {
    let folder = path_of("dots");
    std::fs::create_dir(&folder).expect("a folder");
    let cuts = [0, 1, 2];
    all(2, |ranks| {
        for (name, number) in [("heat_0.25", 0.25), ("heat_0.50", 0.5), ("heat_1.pvti", 1.0)] {
            let x = View::from_fn("x", [1], |_| number)?;
            ranks.write_pvti(folder.join(name), Grid::default(), &cuts, &[&x])?;
        }
        Ok(())
    });
    let mut names = Vec::new();
    for (name, number) in [("heat_0.25", 0.25_f64), ("heat_0.50", 0.5), ("heat_1", 1.0)] {
        let index = std::fs::read_to_string(folder.join(format!("{name}.pvti"))).expect("written");
        names.push(format!("{name}.pvti"));
        for rank in [0, 1] {
            let piece = format!("{name}_{rank}.vti");
            assert!(index.contains(&format!("Source=\"{piece}\"")), "{index}");
            let file = std::fs::read(folder.join(&piece)).expect("written");
            assert_eq!(appended(&file, 0, 8), number.to_le_bytes());
            names.push(piece);
        }
    }
    let entries = std::fs::read_dir(&folder).expect("it is there");
    let mut found: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    found.sort();
    names.sort();
    assert_eq!(found, names);
    std::fs::remove_dir_all(folder).expect("it is there");
}

type Fields<'f> = &'f [&'f dyn CellField];

/// The index has the fields of rank 0: ranks with other fields are refused, with both in the message, before an image is replaced.
#[test]
fn images_have_the_same_fields_on_all_ranks() {
    let path = path_of("fields.pvti");
    let cuts = [0, 2, 4, 6];
    let write =
        |ranks: &Communicator, grid: Grid, fields: Fields<'_>| ranks.write_pvti(&path, grid, &cuts, fields);
    let errors = all(3, |ranks| {
        let zeros = |label, j| View::<f32, 2>::zeros(label, [2, j]);
        let (heat, flow, long, hot) =
            (zeros("heat", 8)?, zeros("flow", 8)?, zeros("heat", 9)?, zeros("hot", 8)?);
        let whole = View::<i32, 2>::zeros("heat", [2, 8])?;
        let arrays = View::<[f32; 2], 2>::zeros("heat", [2, 8])?;
        let one: [&dyn CellField; 1] = [&heat];
        let two: [&dyn CellField; 2] = [&heat, &flow];
        let is_other = ranks.rank() == 2;
        // The fields of ranks 0 and 1, and those of rank 2.
        let pairs: [(Fields<'_>, Fields<'_>); 6] = [
            (&one, &[&long]),
            (&one, &[&hot]),
            (&one, &[&whole]),
            (&one, &[&arrays]),
            (&one, &two),
            (&two, &[&flow, &heat]),
        ];
        let mut results = pairs
            .map(|(fields, others)| write(ranks, Grid::default(), if is_other { others } else { fields }))
            .into_iter()
            .collect::<Vec<_>>();
        let z = if is_other { 1.0 } else { 0.0 };
        results.push(write(ranks, Grid { origin: [0.0, 0.0, z], ..Grid::default() }, &one));
        ranks.barrier("the ranks go on")?;
        let errors = results.into_iter().map(|result| result.expect_err("refused"));
        Ok(errors.map(|error| (error.kind(), error.to_string())).collect::<Vec<_>>())
    });
    assert!(errors.iter().all(|others| *others == errors[0]), "{errors:?}");
    let words = [
        ["[9]", "[8]"],
        ["`hot`", "`heat`"],
        ["1 Int32", "1 Float32"],
        ["2 Float32", "1 Float32"],
        ["`flow`", "`heat`"],
        ["`flow`", "`heat`"],
        ["[0.0, 0.0, 1.0]", "[0.0, 0.0, 0.0]"],
    ];
    for ((kind, error), words) in errors[0].iter().zip(words) {
        assert_eq!(*kind, ErrorKind::Extents);
        assert!(error.starts_with("rank 2: ") && words.iter().all(|word| error.contains(word)), "{error}");
    }
    assert!(!path.exists(), "nothing was replaced");
    // Numbers of rows may differ, down to none.
    all(3, |ranks| {
        let cuts = [0, 2, 2, 5];
        let rows = cuts[ranks.rank() + 1] - cuts[ranks.rank()];
        ranks.write_pvti(&path, Grid::default(), &cuts, &[&View::<f32, 2>::zeros("heat", [rows, 8])?])
    });
    std::fs::remove_file(&path).expect("it is there");
    for rank in [0, 2] {
        let piece = format!("spelt-ranks-{}-fields_{rank}.vti", std::process::id());
        std::fs::remove_file(path.with_file_name(piece)).expect("it is there");
    }
}

/// The messages of each call, of which the documentation has the numbers.
#[test]
fn files_take_few_messages() {
    let (folder, image, array) = (path_of("count"), path_of("count.pvti"), path_of("count.npy"));
    Communicator::alone().save(&folder, |checkpoint| checkpoint.value("n", &1_u8)).expect("no error");
    for size in [1, 2, 5] {
        let others = size as u64 - 1;
        // Rank 0 has all rows.
        let cuts: Vec<_> = (0..=size).map(|rank| rank.min(1)).collect();
        let own = |ranks: &Communicator| View::<f32, 1>::zeros("x", [usize::from(ranks.rank() == 0)]);
        let restored = count(size, |ranks| ranks.restore(&folder).map(drop));
        let drawn = count(size, |ranks| ranks.write_pvti(&image, Grid::default(), &cuts, &[&own(ranks)?]));
        let written = count(size, |ranks| ranks.write_npy(&array, &cuts, &own(ranks)?));
        let read = count(size, |ranks| ranks.read_npy::<f32, 1>(&array, &cuts).map(drop));
        let messages = [restored, drawn, written, read].map(|counts| counts.messages);
        assert_eq!(messages, [3 * others, 5 * others, 6 * others, 2 * others], "{size} ranks");
    }
    std::fs::remove_dir_all(folder).expect("it is there");
    let piece = format!("spelt-ranks-{}-count_0.vti", std::process::id());
    for file in [&image, &array, &image.with_file_name(piece)] {
        std::fs::remove_file(file).expect("it is there");
    }
}
