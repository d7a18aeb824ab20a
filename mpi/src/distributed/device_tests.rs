//! Halos in the memory of devices, sent directly and through memory of the host. On a machine without a device each test says so and ends.

use core::ffi::c_int;
use libloading::Library;
use spelt_core::{Between, Cuda, Element, ExecutionSpace, Portable, Result, Serial, deep_copy_scalar};

use super::{Mpi, Partition};
use crate::device_memory::{Block, DeviceMemory};
use crate::{Communicator, InProcess};

/// The halo of rank 2 reaches rows of two other ranks, and rank 3 has none.
const CUTS: [usize; 6] = [0, 3, 4, 9, 9, 17];

type Reach = (Between<-2, 1>, Between<0, 0>);

/// The devices; none, with a note, on a machine without a driver, unless an emulator was asked for.
pub(crate) fn devices() -> usize {
    match Cuda::count() {
        Ok(count @ 1..) => count,
        none => {
            assert!(std::env::var_os("SPELT_EMULATOR").is_none(), "there is no emulator: {none:?}");
            println!("not run, as there is no device: {none:?}");
            0
        }
    }
}

/// What one rank has after exchanges of the halos of three Views: all rows of each, and the messages that it has sent with the bytes that
/// were staged for each exchange.
#[derive(Debug, PartialEq)]
struct Outcome {
    rows: Vec<Vec<u8>>,
    sent: Vec<u64>,
    staged: Vec<u64>,
}

/// Exchanges the halos of Views of numbers, of numbers that do not follow them without a gap, and of elements with another form.
fn exchanges<S: ExecutionSpace + 'static>(ranks: &Communicator, space: S, periodic: bool) -> Result<Outcome> {
    fn view<T: Element + Portable, S: ExecutionSpace + 'static>(
        space: &Mpi<'_, S>,
        columns: usize,
        periodic: bool,
        value: impl Fn(usize) -> T + Sync,
    ) -> Result<super::DistributedView<T, 2, S::Memory>> {
        let partition = Partition::from_cuts(&CUTS[..])?;
        let view = space.view_from_fn_on(&partition, "x", [17, columns], |[i, j]| value(1000 * i + j))?;
        Ok(if periodic { view.periodic() } else { view })
    }
    let space = Mpi::new(ranks, space);
    let mut numbers = view(&space, 3, periodic, |number| [number as f64, -1.0])?;
    let mut more = view(&space, 2, periodic, |number| number as f64 / 3.0)?;
    let mut odd = view(&space, 3, periodic, |number| number as u8)?;
    let mut flags = view(&space, 2, periodic, |number| number % 3 == 0)?;
    let (mut sent, mut staged) = (Vec::new(), Vec::new());
    let mut count = |ranks: &Communicator| {
        sent.push(ranks.sent().messages);
        staged.push(ranks.staged());
    };
    count(ranks);
    space.exchange("aligned", (numbers.halo_of::<Reach>(), more.halo_of::<Reach>()))?;
    count(ranks);
    // The blocks of the first exchange are used again, and hold other rows.
    let rank = ranks.rank() as f64;
    deep_copy_scalar(&mut numbers.own_mut().into_view(), [rank, 0.5])?;
    deep_copy_scalar(&mut more.own_mut().into_view(), rank)?;
    space.start_exchange("again", (more.halo_of::<Reach>(), numbers.halo_of::<Reach>()))?.finish()?;
    count(ranks);
    // 3 bytes a row, and f64 behind them.
    deep_copy_scalar(&mut more.own_mut().into_view(), -rank)?;
    space.exchange("not aligned", (odd.halo_of::<Reach>(), more.halo_of::<Reach>()))?;
    count(ranks);
    space.exchange("another form", flags.halo_of::<Reach>())?;
    count(ranks);
    // Above the longest message of one of the worlds.
    let mut long = view(&space, 700, periodic, |number| number as f64)?;
    space.exchange("long", long.halo_of::<Reach>())?;
    // Dropped without an end.
    deep_copy_scalar(&mut numbers.own_mut().into_view(), [0.0; 2])?;
    drop(space.start_exchange("dropped", numbers.halo_of::<Reach>())?);
    let all = [&numbers.held, &more.held, &odd.held, &flags.held, &long.held].map(|held| {
        let (mut bytes, count) = (Vec::new(), held.room.iter().sum::<usize>() + held.own().len());
        held.rows.pack(0..count, &mut bytes).map(|()| bytes)
    });
    let rows = all.into_iter().collect::<Result<_>>()?;
    let differences = |counts: &[u64]| counts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    Ok(Outcome { rows, sent: differences(&sent), staged: differences(&staged) })
}

fn outcomes(world: &InProcess, run: impl Fn(&Communicator) -> Result<Outcome> + Sync) -> Vec<Outcome> {
    world.run(run).into_iter().map(|outcome| outcome.expect("no error")).collect()
}

#[test]
fn halos_travel_as_they_are() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    let on_device = |ranks: &Communicator| Cuda::new(ranks.rank() % devices);
    for periodic in [false, true] {
        let world = InProcess::new(5).delays(7, 20).rendezvous_above(100);
        let expected = outcomes(&world, |ranks| exchanges(ranks, Serial::new(), periodic));
        let staged = outcomes(&world, |ranks| exchanges(ranks, on_device(ranks)?, periodic));
        // Ranks without a device among them.
        let mixed = world.clone().with_device_memory();
        let mixed = outcomes(&mixed, |ranks| match ranks.rank() {
            1 => exchanges(ranks, Serial::new(), periodic),
            _ => exchanges(ranks, on_device(ranks)?, periodic),
        });
        let direct = world.longest_message(4096).with_device_memory();
        let direct = outcomes(&direct, |ranks| exchanges(ranks, on_device(ranks)?, periodic));
        for rank in 0..5 {
            let [expected, staged, mixed, direct] =
                [&expected, &staged, &mixed, &direct].map(|outcomes| &outcomes[rank]);
            for outcome in [staged, mixed, direct] {
                assert_eq!(outcome.rows, expected.rows, "rank {rank}, {periodic}");
            }
            assert_eq!(staged.sent, expected.sent);
            assert_eq!(expected.staged, [0; 4]);
            // Rank 3 has no rows, and no neighbours.
            assert_eq!(staged.staged.iter().all(|bytes| *bytes > 0), rank != 3, "{staged:?}");
            assert_eq!(direct.staged, [0, 0, staged.staged[2], staged.staged[3]]);
            // The header, and the rows behind it; what passes through the host fits into one piece with it.
            let neighbours = expected.sent[0];
            assert_eq!(direct.sent, [2 * neighbours, 2 * neighbours, neighbours, neighbours]);
            assert_eq!(mixed.sent[0], if rank == 1 { neighbours } else { 2 * neighbours });
        }
    }
}

/// `CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE`, of `cuda.h`: whether `cuIpcGetMemHandle` takes the memory.
const SHAREABLE: c_int = 10;

#[test]
fn other_processes_can_open_a_block() {
    if devices() == 0 {
        return;
    }
    let space = Cuda::new(0).expect("a device");
    let block = Block::new(space.message_bytes(100).expect("memory")).expect("memory");
    // SAFETY: the program has loaded the library already, as its driver.
    let driver = unsafe { Library::new("libcuda.so.1") }.expect("the driver");
    type Ask = unsafe extern "C" fn(*mut u32, c_int, u64) -> c_int;
    // SAFETY: the signature is that of `cuda.h`.
    let ask = unsafe { driver.get::<Ask>(b"cuPointerGetAttribute\0") }.expect("a function of the driver");
    let mut answer = 0;
    // SAFETY: the driver looks the address up, and writes one number of up to 32 bits.
    let code = unsafe { ask(&mut answer, SHAREABLE, block.address().addr() as u64) };
    assert_eq!((code, answer), (0, 1));
}

#[test]
fn a_rank_dies_at_each_operation() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    let mut whole = 0;
    for operation in 0.. {
        let world = InProcess::new(5).with_device_memory().dies_at(2, operation);
        let results = world.run(|ranks| exchanges(ranks, Cuda::new(ranks.rank() % devices)?, true));
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
    // Five exchanges with two neighbours and more: the first two with two pieces out and in for each.
    assert!(whole > 5 * 4, "{whole}");
}
