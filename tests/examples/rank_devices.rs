//! Ranks on one machine take its devices in turn, and have the bits of one process.
//!
//! The tests run themselves on the emulator with two devices; on a machine with devices, on those that there are.

use std::process::Command;

use spelt::mpi::{InProcess, Mpi};
use spelt::prelude::*;
use spelt::{Between, Cuda, SpaceChoice};

use crate::program::ranks::own_space;

/// Runs a test where there are devices: on the emulator in a process with two of them.
fn with_devices(name: &str, test: impl Fn(usize)) {
    const CHILD: &str = "SPELT_TEST_CHILD";
    if !Cuda::has_device_code() {
        return;
    }
    let space = Cuda::new(0).expect("a program with device code is tested where there is a device");
    if std::env::var_os(CHILD).is_some() || !space.configuration().contains("which is the emulator") {
        return test(Cuda::count().unwrap());
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", &format!("rank_devices::{name}")])
        .env(CHILD, "1")
        .env("SPELT_EMULATOR_DEVICES", "2");
    let output = child.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn ranks_take_devices_in_turn() {
    with_devices("ranks_take_devices_in_turn", |count| {
        for first in [0, 1, count, 99] {
            let results = InProcess::new(5).run(|ranks| {
                let own = own_space(SpaceChoice::Cuda(first), ranks)?;
                let in_turn = (0..count).cycle().skip(first).nth(ranks.local_rank());
                let expected = if first < count { in_turn.expect("a device") } else { first };
                assert_eq!(own, SpaceChoice::Cuda(expected));
                own_space(SpaceChoice::Serial, ranks)
            });
            for own in results {
                assert_eq!(own.expect("no error"), SpaceChoice::Serial);
            }
        }
    });
}

/// Three steps of a stencil whose halos come from another device, and the sum.
#[test]
fn ranks_on_several_devices_have_the_bits_of_one_process() {
    type Outcome = (Option<View<f64, 2>>, u64);
    fn steps<S: ExecutionSpace + 'static>(space: &Mpi<'_, S>) -> spelt::Result<Outcome> {
        let extents = [17, 40];
        let start = |[i, j]: [usize; 2]| ((i * 31 + j * 17) % 23) as f64 / 7.0;
        let mut x = space.view_from_fn("x", extents, start)?;
        let mut y = space.view_from_fn("y", extents, start)?;
        for _ in 0..3 {
            let inner = space.md_range([2..16, 0..40]);
            parallel_for(
                "step",
                inner,
                (x.halo_of::<(Between<-2, 1>, Between<0, 0>)>(), &mut y),
                move |i, (x, mut y)| {
                    y[i] = 0.5 * x.at(i, [-2, 0]) + 0.25 * x.at(i, [0, 0]) - x.at(i, [1, 0]) / 3.0;
                },
            )?;
            std::mem::swap(&mut x, &mut y);
        }
        let all = space.md_range([0..17, 0..40]);
        let sum = parallel_reduce("sum", all, &x, move |i, sum, x| *sum += x[i], Sum::<f64>::new())?;
        Ok((space.gather("x", &x, 0)?, sum.to_bits()))
    }
    with_devices("ranks_on_several_devices_have_the_bits_of_one_process", |count| {
        let alone = spelt::mpi::Communicator::alone();
        let (expected, sum) = steps(&Mpi::new(&alone, Serial::new())).expect("no error");
        let expected = expected.expect("the only rank").to_vec();
        for (size, takes_device_memory) in [(2, false), (2, true), (3, false), (5, true)] {
            let mut world = InProcess::new(size).delays(size as u64, 20);
            if takes_device_memory {
                world = world.with_device_memory();
            }
            let results = world.run(|ranks| {
                let SpaceChoice::Cuda(device) = own_space(SpaceChoice::Cuda(0), ranks)? else {
                    unreachable!("a device was chosen")
                };
                assert_eq!(device, ranks.rank() % count);
                let outcome = steps(&Mpi::new(ranks, Cuda::new(device)?))?;
                assert_eq!(ranks.staged() == 0, takes_device_memory);
                Ok(outcome)
            });
            for (rank, result) in results.into_iter().enumerate() {
                let (x, on_devices) = result.expect("no error");
                assert_eq!(on_devices, sum, "rank {rank} of {size}");
                assert_eq!(x.is_some(), rank == 0);
                if let Some(x) = x {
                    let bits =
                        |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                    assert_eq!(bits(&x.to_vec()), bits(&expected), "{size} ranks");
                }
            }
        }
    });
}
