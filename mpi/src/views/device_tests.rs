//! Views in the memory of devices as messages, sent directly and through memory of the host. On a machine without a device each test says so and
//! ends.

use spelt_core::subview::{All, Steps};
use spelt_core::{Cuda, Element, ExecutionSpace, Left, Portable, Result, Serial};

use crate::distributed::device_tests::devices;
use crate::{Communicator, InProcess};

const RANKS: usize = 5;

/// The elements that one rank has received, and for each transfer the messages that it sent and the bytes that were staged.
#[derive(Debug, PartialEq)]
struct Outcome {
    elements: Vec<Vec<u8>>,
    sent: Vec<u64>,
    staged: Vec<u64>,
}

/// Sends Views around a ring and from one rank to all: dense ones, in another order, parts of Views, and elements with another form.
fn transfers<S: ExecutionSpace>(ranks: &Communicator, space: &S) -> Result<Outcome> {
    fn bytes<T: Element + Portable>(elements: &[T]) -> Vec<u8> {
        let mut bytes = Vec::new();
        T::write_slice(elements, &mut bytes);
        bytes
    }
    let rank = ranks.rank();
    let (next, last) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
    let mut sent = vec![ranks.sent().messages];
    let mut staged = vec![ranks.staged()];
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
            sent.push(ranks.sent().messages);
            staged.push(ranks.staged());
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
    let flags = space.view_from_fn("flags", [9], |[i]| (i + rank) % 3 == 0)?;
    let mut others = space.zeros::<bool, 1>("others", [9])?;
    around!("another form", &flags, &mut others);
    elements.push(bytes(&others.to_host()?.to_vec()));

    let mut all = space.view_from_fn_in(Left, "all", [6, 5], |[i, j]| value(i, j) as f32)?;
    ranks.broadcast_view("all", 3, &mut all)?;
    sent.push(ranks.sent().messages);
    staged.push(ranks.staged());
    elements.push(bytes(&all.to_host()?.to_vec()));
    let differences = |counts: &[u64]| counts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    Ok(Outcome { elements, sent: differences(&sent), staged: differences(&staged) })
}

fn outcomes(world: &InProcess, run: impl Fn(&Communicator) -> Result<Outcome> + Sync) -> Vec<Outcome> {
    world.run(run).into_iter().map(|outcome| outcome.expect("no error")).collect()
}

#[test]
fn views_travel_as_they_are() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    let on_device = |ranks: &Communicator| transfers(ranks, &Cuda::new(ranks.rank() % devices)?);
    let world = InProcess::new(RANKS).delays(7, 20).rendezvous_above(100);
    let expected = outcomes(&world, |ranks| transfers(ranks, &Serial::new()));
    let staged = outcomes(&world, on_device);
    // A rank without a device among them.
    let mixed = outcomes(&world.clone().with_device_memory(), |ranks| match ranks.rank() {
        1 => transfers(ranks, &Serial::new()),
        _ => on_device(ranks),
    });
    let direct = outcomes(&world.longest_message(4096).with_device_memory(), on_device);
    for rank in 0..RANKS {
        let [expected, staged, mixed, direct] =
            [&expected, &staged, &mixed, &direct].map(|outcomes| &outcomes[rank]);
        for outcome in [staged, mixed, direct] {
            assert_eq!(outcome.elements, expected.elements, "rank {rank}");
        }
        // Sent and received: [7, 4], [7, 4], [5, 2] and [3, 700] of f64, nothing, 9 flags; [6, 5] of f32.
        assert_eq!(staged.staged, [448, 448, 160, 33_600, 0, 18, 120], "rank {rank}");
        assert_eq!(direct.staged, [0, 0, 0, 0, 0, 18, 0], "rank {rank}");
        assert_eq!((&staged.sent, expected.staged.iter().sum::<u64>()), (&expected.sent, 0));
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
    let mut whole = 0;
    for operation in 0.. {
        let world = InProcess::new(RANKS).with_device_memory().dies_at(2, operation);
        let results = world.run(|ranks| transfers(ranks, &Cuda::new(ranks.rank() % devices)?));
        if results.iter().all(Result::is_ok) {
            whole = operation;
            break;
        }
        let error = results[2].as_ref().expect_err("it has died").to_string();
        assert_eq!(error, format!("rank 2 panicked: it was to die at operation {operation}"));
        for error in results.iter().filter_map(|result| result.as_ref().err()) {
            assert!(error.to_string().contains("rank 2 panicked"), "{error}");
        }
    }
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
