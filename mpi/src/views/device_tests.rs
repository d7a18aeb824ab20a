//! Views in the memory of devices as messages, sent directly and through memory of the host. On a machine without a device each test says so and
//! ends.

use spelt_core::subview::{All, Steps};
use spelt_core::{Cuda, Element, ExecutionSpace, Left, Portable, Result, Serial};

use crate::device_transfers::{self, Counts, Outcome, devices};
use crate::{Communicator, InProcess};

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
