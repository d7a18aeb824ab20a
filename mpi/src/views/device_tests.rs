//! Views in the memory of devices as messages, sent directly and through memory of the host. On a machine without a device each test says so and
//! ends.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use spelt_core::subview::{All, Steps};
use spelt_core::tools::{self, CopyEvent, Tool};
use spelt_core::{Cuda, Element, ExecutionSpace, Left, Portable, Result, Serial, View};

use crate::device_transfers::{self, Counts, Outcome, devices};
use crate::{Communicator, Grid, InProcess, Mpi};

const RANKS: usize = 5;

/// Sends Views around a ring and from one rank to all: dense ones, in another order, parts of Views, and elements with another form.
fn transfers<S: ExecutionSpace>(ranks: &Communicator, space: &S) -> Result<Outcome<Vec<u8>>> {
    fn bytes<T: Element + Portable>(elements: &[T]) -> Vec<u8> {
        let mut bytes = Vec::new();
        T::write_slice(elements, &mut bytes);
        bytes
    }
    let rank = ranks.rank();
    let (next, last) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
    let mut counts = Counts::new(ranks);
    let mut elements = Vec::new();
    // The ring: long messages leave when they are received, so not all ranks send first.
    macro_rules! around {
        ($label:literal, $from:expr, $to:expr) => {
            if rank % 2 == 0 {
                ranks.send_view($label, next, $from)?;
                ranks.receive_view($label, last, $to)?;
            } else {
                ranks.receive_view($label, last, $to)?;
                ranks.send_view($label, next, $from)?;
            }
            counts.count();
        };
    }
    let value = |i: usize, j: usize| (1000 * rank + 10 * i + j) as f64;
    let x = space.view_from_fn("x", [7, 4], |[i, j]| value(i, j))?;
    let mut y = space.zeros::<f64, 2>("y", [7, 4])?;
    around!("dense", &x, &mut y);
    elements.push(bytes(&y.to_host()?.to_vec()));
    let left = space.view_from_fn_in(Left, "left", [7, 4], |[i, j]| value(j, i))?;
    around!("another order", &left, &mut y);
    elements.push(bytes(&y.to_host()?.to_vec()));
    around!("parts", &x.subview((1..6, All.step(2))), &mut y.subview_mut((2..7, 1..3)));
    elements.push(bytes(&y.to_host()?.to_vec()));
    let long = space.view_from_fn("long", [3, 700], |[i, j]| value(i, j))?;
    let mut longer = space.zeros_in::<f64, 2, Left>(Left, "longer", [3, 700])?;
    around!("long", &long, &mut longer);
    elements.push(bytes(&longer.to_host()?.to_vec()));
    let empty = space.zeros::<f64, 2>("empty", [0, 4])?;
    around!("empty", &empty, &mut space.zeros::<f64, 2>("empty", [0, 4])?);
    let flags = space.view_from_fn("flags", [9], |[i]| (i + rank).is_multiple_of(3))?;
    let mut others = space.zeros::<bool, 1>("others", [9])?;
    around!("another form", &flags, &mut others);
    elements.push(bytes(&others.to_host()?.to_vec()));

    let mut all = space.view_from_fn_in(Left, "all", [6, 5], |[i, j]| value(i, j) as f32)?;
    ranks.broadcast_view("all", 3, &mut all)?;
    counts.count();
    elements.push(bytes(&all.to_host()?.to_vec()));
    Ok(counts.outcome(elements))
}

#[test]
fn views_are_sent_directly() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    let worlds = device_transfers::in_each_world(
        RANKS,
        |ranks| transfers(ranks, &Serial::new()),
        |ranks| transfers(ranks, &Cuda::new(ranks.rank() % devices)?),
    );
    for (rank, [expected, staged, mixed, direct]) in worlds.into_iter().enumerate() {
        // Sent and received: [7, 4], [7, 4], [5, 2] and [3, 700] of f64, nothing, 9 flags; [6, 5] of f32.
        assert_eq!(staged.staged, [448, 448, 160, 33_600, 0, 18, 120], "rank {rank}");
        assert_eq!(direct.staged, [0, 0, 0, 0, 0, 18, 0], "rank {rank}");
        // The header with the shape, and the elements behind it.
        assert_eq!(direct.sent[..3], [2; 3], "rank {rank}");
        assert_eq!(direct.sent[4..6], [1; 2], "rank {rank}");
        assert_eq!(direct.sent[6], 2 * expected.sent[6], "rank {rank}");
        assert_eq!(mixed.sent[..3], if rank == 1 { [1; 3] } else { [2; 3] }, "rank {rank}");
    }
}

#[test]
fn a_rank_dies_at_each_operation() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    let whole = device_transfers::a_rank_dies_at_each_operation(RANKS, |ranks| {
        transfers(ranks, &Cuda::new(ranks.rank() % devices)?)
    });
    // Six Views out and in, four of them in two pieces, and a broadcast in two.
    assert!(whole >= 22, "{whole}");
}

#[test]
fn other_types_of_the_same_size_are_told() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    let results = InProcess::new(2).with_device_memory().run(|ranks| {
        let space = Cuda::new(ranks.rank() % devices)?;
        match ranks.rank() {
            0 => ranks.send_view("x", 1, &space.zeros::<f32, 1>("x", [6])?),
            _ => ranks.receive_view("x", 0, &mut space.zeros::<u64, 1>("x", [3])?),
        }
    });
    let error = results[1].as_ref().expect_err("types differ").to_string();
    assert!(error.contains("rank 0 sent [6] of f32, where rank 1 has [3] of u64"), "{error}");
}

/// The bytes that were copied from one memory to another.
type Copies = BTreeMap<[&'static str; 2], u64>;

/// The copies from and to the Views of each label.
static COPIES: Mutex<BTreeMap<String, Copies>> = Mutex::new(BTreeMap::new());

fn copies() -> MutexGuard<'static, BTreeMap<String, Copies>> {
    COPIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Collects them.
struct Listen;

impl Tool for Listen {
    fn begin_copy(&self, copy: &CopyEvent<'_>) -> u64 {
        let mut copies = copies();
        for label in [copy.from_label, copy.to_label] {
            let of_label = copies.entry(label.to_owned()).or_default();
            *of_label.entry([copy.from_memory, copy.to_memory]).or_default() += copy.bytes;
        }
        0
    }
}

/// Collects copies from now on.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tools::install("copies of messages", Listen));
}

/// The copies from and to Views of a label since the last question.
fn copied(label: &str) -> Vec<([&'static str; 2], u64)> {
    copies().remove(label).unwrap_or_default().into_iter().collect()
}

/// Bytes that leave a device through pinned memory, and bytes that come to it.
fn pinned(out: u64, back: u64) -> Vec<([&'static str; 2], u64)> {
    let both = [(["CudaHostPinnedSpace", "CudaSpace"], back), (["CudaSpace", "CudaHostPinnedSpace"], out)];
    both.into_iter().filter(|(_, bytes)| *bytes > 0).collect()
}

#[test]
fn messages_and_files_pass_through_pinned_memory() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    listen();
    let results = InProcess::new(2).run(|ranks| {
        let (rank, space) = (ranks.rank(), Cuda::new(ranks.rank() % devices)?);
        let (label, is_root) = (format!("pinned-{rank}"), rank == 0);
        let x = space.view_from_fn(&*label, [4, 3], |[i, j]| (100 * rank + 10 * i + j) as f64)?;
        let mut y = space.zeros_in::<f64, 2, Left>(Left, &*label, [4, 3])?;
        let whole = space.view_from_fn(&*label, [8 * usize::from(is_root), 3], |[i, j]| (i * j) as f64)?;
        drop(copied(&label));

        if is_root {
            ranks.send_view("x", 1, &x)?
        } else {
            ranks.receive_view("x", 0, &mut y)?
        }
        assert_eq!(copied(&label), if is_root { pinned(96, 0) } else { pinned(0, 96) });
        if is_root {
            ranks.receive_view("x", 1, &mut y)?
        } else {
            ranks.send_view("x", 0, &x)?
        }
        assert_eq!(copied(&label), if is_root { pinned(0, 96) } else { pinned(96, 0) });
        ranks.broadcast_view("y", 0, &mut y)?;
        assert_eq!(copied(&label), if is_root { pinned(96, 0) } else { pinned(0, 96) });
        ranks.scatter_view("whole", 0, &[0, 4, 8], &whole, &mut y)?;
        assert_eq!(copied(&label), if is_root { pinned(192, 96) } else { pinned(0, 96) });
        let gathered = ranks.gather_view("x", 0, &x)?.map(|view| view.to_vec());
        assert_eq!(copied(&label), pinned(96, 0));
        let all = ranks.all_gather_view("x", &x)?.to_vec();
        assert_eq!(copied(&label), pinned(96, 0));
        let (parts, _) = ranks.all_to_all_view("x", &x, &[0, 1, 4])?;
        assert_eq!(copied(&label), pinned(96, 0));
        Ok::<_, spelt_core::Error>((y.to_host()?.to_vec(), gathered, all, parts.to_vec()))
    });
    let row = |i: usize, rank: usize| [0, 1, 2].map(|j| (100 * rank + 10 * i + j) as f64);
    let all: Vec<f64> = (0..8).flat_map(|i| row(i % 4, i / 4)).collect();
    for (rank, result) in results.into_iter().enumerate() {
        let (scattered, gathered, every, parts) = result.expect("no error");
        let expected = (4 * rank..4 * rank + 4).flat_map(|i| [0, 1, 2].map(|j| (i * j) as f64));
        assert_eq!(scattered, expected.collect::<Vec<_>>());
        assert_eq!((gathered, &every), ((rank == 0).then(|| all.clone()), &all));
        let rows = if rank == 0 { 0..1 } else { 1..4 };
        assert_eq!(
            parts,
            [0, 1].map(|from| rows.clone().flat_map(|i| row(i, from)).collect::<Vec<_>>()).concat()
        );
    }
}

#[test]
fn files_of_views_on_devices_pass_through_pinned_memory() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    listen();
    let name = format!("spelt-pinned-{}", std::process::id());
    let (folder, ranks) = (std::env::temp_dir().join(&name), Communicator::alone());
    let files = || -> Result<()> {
        let space = Mpi::new(&ranks, Cuda::new(devices - 1)?);
        let x = space.view_from_fn("pinned-file", [5, 3], |[i, j]| (10 * i + j) as f32)?;
        let expected = x.own().as_view().to_host()?.to_vec();
        drop(copied("pinned-file"));
        let path = folder.with_extension("npy");
        space.write_npy(&path, &x)?;
        assert_eq!(copied("pinned-file"), pinned(60, 0));
        assert_eq!(View::<f32, 2>::read_npy(&path)?.to_vec(), expected);
        let y = space.read_npy::<f32, 2>(&path)?;
        assert_eq!(copied(&name), pinned(0, 60));
        assert_eq!(y.own().as_view().to_host()?.to_vec(), expected);
        space.save(&folder, |checkpoint| checkpoint.view("pinned-array", &x))?;
        assert_eq!(copied("pinned-file"), pinned(60, 0));
        let y = space.restore(&folder)?.read_view::<f32, 2, _>("pinned-array", &space)?;
        assert_eq!(copied("pinned-array"), pinned(0, 60));
        assert_eq!(y.own().as_view().to_host()?.to_vec(), expected);
        space.write_pvti(folder.with_extension("pvti"), Grid::default(), &[&x])?;
        assert_eq!(copied("pinned-file"), pinned(60, 0));
        Ok(())
    };
    let result = files();
    drop(std::fs::remove_dir_all(&folder));
    for file in [".npy", ".pvti", "_0.vti"] {
        drop(std::fs::remove_file(folder.with_file_name(format!("{name}{file}"))));
    }
    result.expect("no error");
}
