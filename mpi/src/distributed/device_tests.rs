//! Halos in the memory of devices, sent directly and through memory of the host. On a machine without a device each test says so and ends.

use core::ffi::c_int;
use libloading::Library;
use spelt_core::{Between, Cuda, Element, ExecutionSpace, Portable, Result, Serial, deep_copy_scalar};

use super::{Mpi, Partition};
use crate::Communicator;
use crate::device_memory::{Block, DeviceMemory};
use crate::device_transfers::{self, Counts, Outcome, devices};

/// The halo of rank 2 reaches rows of two other ranks, and rank 3 has none.
const CUTS: [usize; 6] = [0, 3, 4, 9, 9, 17];

type Reach = (Between<-2, 1>, Between<0, 0>);

/// Exchanges the halos of Views of numbers, of numbers that do not follow them without a gap, and of elements with another form. The
/// elements are all rows of each.
fn exchanges<S: ExecutionSpace + 'static>(
    ranks: &Communicator,
    space: S,
    periodic: bool,
) -> Result<Outcome<Vec<u8>>> {
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
    let mut counts = Counts::new(ranks);
    space.exchange("aligned", (numbers.halo_of::<Reach>(), more.halo_of::<Reach>()))?;
    counts.count();
    // The blocks of the first exchange are used again, and hold other rows.
    let rank = ranks.rank() as f64;
    deep_copy_scalar(&mut numbers.own_mut().into_view(), [rank, 0.5])?;
    deep_copy_scalar(&mut more.own_mut().into_view(), rank)?;
    space.start_exchange("again", (more.halo_of::<Reach>(), numbers.halo_of::<Reach>()))?.finish()?;
    counts.count();
    // 3 bytes a row, and f64 behind them.
    deep_copy_scalar(&mut more.own_mut().into_view(), -rank)?;
    space.exchange("not aligned", (odd.halo_of::<Reach>(), more.halo_of::<Reach>()))?;
    counts.count();
    space.exchange("another form", flags.halo_of::<Reach>())?;
    counts.count();
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
    Ok(counts.outcome(all.into_iter().collect::<Result<_>>()?))
}

#[test]
fn halos_are_sent_directly() {
    let devices = devices();
    if devices == 0 {
        return;
    }
    for periodic in [false, true] {
        let worlds = device_transfers::in_each_world(
            5,
            |ranks| exchanges(ranks, Serial::new(), periodic),
            |ranks| exchanges(ranks, Cuda::new(ranks.rank() % devices)?, periodic),
        );
        for (rank, [expected, staged, mixed, direct]) in worlds.into_iter().enumerate() {
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
    let whole = device_transfers::a_rank_dies_at_each_operation(5, |ranks| {
        exchanges(ranks, Cuda::new(ranks.rank() % devices)?, true)
    });
    // Five exchanges with two neighbours and more: the first two with two pieces out and in for each.
    assert!(whole > 5 * 4, "{whole}");
}
