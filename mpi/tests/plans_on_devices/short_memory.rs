//! Messages of devices without memory for blocks pass through the host, on each side alone. The emulator's devices can be filled: on others,
//! nothing is compared.

use std::process::Command;

use spelt_core::reducers::Sum;
use spelt_core::{Between, Cuda, CudaSpace, ExecutionSpace, Result, View, deep_copy_scalar, parallel_for};
use spelt_mpi::{Communicator, InProcess, Mpi, Partition};

use crate::devices;

/// The bytes of one View, of which messages have several.
const VIEW: usize = 1 << 18;
const ROWS: usize = 64;
const COLUMNS: usize = VIEW / ROWS / size_of::<f64>();
/// The elements of rows of four Views: those of the first are short.
const WIDTHS: [usize; 4] = [COLUMNS / 8, COLUMNS, COLUMNS, COLUMNS];

/// Runs a test of this file in a process with two devices of 64 MiB.
fn in_child(name: &str) {
    if devices() == 0 || !Cuda::new(0).expect("a device").configuration().contains("which is the emulator") {
        return;
    }
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", &format!("short_memory::{name}")])
        .envs([("CUDA_EMU_MEM", "64M"), ("SPELT_EMULATOR_DEVICES", "2")])
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{errors}");
}

/// Views that leave as many bytes of a device's memory as Views of this length, and half of one, take: to within 8 KiB.
fn fill(space: &Cuda, views: usize, view: usize) -> Result<Vec<View<u8, 1, CudaSpace>>> {
    let left = space.zeros::<u8, 1>("left", [views * view + view / 2])?;
    let mut filling = Vec::new();
    for bits in (13..26).rev() {
        while let Ok(part) = space.zeros("filling", [1 << bits]) {
            filling.push(part);
        }
    }
    drop(left);
    Ok(filling)
}

/// Calls `run` on two ranks, each with a device of its own, and returns the results.
fn on_both<T: Send>(run: impl Fn(&Communicator, &Cuda) -> Result<T> + Sync) -> [T; 2] {
    let world = InProcess::new(2).with_device_memory();
    let results = world.run(|ranks| run(ranks, &Cuda::new(ranks.rank())?));
    let results: Vec<T> = results.into_iter().map(|result| result.expect("no error")).collect();
    results.try_into().ok().expect("two ranks")
}

/// The elements of several Views.
fn value(view: usize, row: usize, column: usize) -> f64 {
    (view * 1000 + row) as f64 + column as f64 / 1024.0
}

#[test]
fn plans_without_blocks() {
    in_child("plans");
}

#[test]
#[ignore = "the child of the other test"]
fn plans() {
    // Rank 1 wants all rows of rank 0, of four Views, and gives them back: each rank has one block of four Views and rows of one View.
    let transfers = |ranks: &Communicator, space: &Cuda, views: Option<usize>| {
        let (rows, ghosts) = if ranks.rank() == 0 { (ROWS, 0) } else { (0, ROWS) };
        let wanted: Vec<usize> = (0..ghosts).collect();
        let plan = ranks.plan("all", space, &[0, ROWS, ROWS], &wanted)?;
        let x = |view| space.view_from_fn("x", [rows, WIDTHS[view]], |[i, j]| value(view, i, j));
        let mut x = [x(0)?, x(1)?, x(2)?, x(3)?];
        let zeros = |view| space.zeros::<f64, 2>("ghosts", [ghosts, WIDTHS[view]]);
        let mut all_ghosts = [zeros(0)?, zeros(1)?, zeros(2)?, zeros(3)?];
        let filling = views.map(|views| fill(space, views, VIEW)).transpose()?;
        let mut staged = vec![ranks.staged()];
        let [a, b, c, d] = &x;
        let [to_a, to_b, to_c, to_d] = all_ghosts.each_mut();
        plan.forward("forward", [(a, to_a), (b, to_b), (c, to_c), (d, to_d)])?;
        staged.push(ranks.staged());
        let [a, b, c, d] = &all_ghosts;
        let [to_a, to_b, to_c, to_d] = x.each_mut();
        let sum = Sum::<f64>::new();
        plan.back("back", [(a, to_a, sum), (b, to_b, sum), (c, to_c, sum), (d, to_d, sum)])?;
        staged.push(ranks.staged());
        drop(filling);
        for (number, (x, ghosts)) in x.iter().zip(&all_ghosts).enumerate() {
            let [x, ghosts] = [x.to_host()?, ghosts.to_host()?];
            assert!(ghosts.indexed_iter().all(|([i, j], ghost)| *ghost == value(number, i, j)), "{views:?}");
            assert!(x.indexed_iter().all(|([i, j], x)| *x == 2.0 * value(number, i, j)), "{views:?}");
        }
        Ok([0, 1].map(|transfer| (staged[transfer + 1] - staged[transfer]) as usize))
    };
    // Also loads the device code, while there is memory for it.
    assert_eq!(on_both(|ranks, space| transfers(ranks, space, None)), [[0; 2]; 2]);
    // No block; a block, but no memory for rows of the second View besides; all of it.
    let whole = 3 * VIEW + VIEW / 8;
    for [first, second] in [2, 3, 6].into_iter().flat_map(|first| [2, 3, 6].map(|second| [first, second])) {
        let staged = on_both(|ranks, space| transfers(ranks, space, Some([first, second][ranks.rank()])));
        let sends = |views| if views == 6 { 0 } else { whole };
        // The rows of the first View were read from the block.
        let receives = |views, from| match (views, from) {
            (6, 6) => 0,
            (3, 6) => whole - VIEW / 8,
            _ => whole,
        };
        let expected = [[sends(first), receives(first, second)], [receives(second, first), sends(second)]];
        assert_eq!(staged, expected, "{first} {second}");
    }
}

#[test]
fn kept_blocks_leave_for_others() {
    in_child("kept_blocks");
}

#[test]
#[ignore = "the child of the other test"]
fn kept_blocks() {
    let staged = on_both(|ranks, space| {
        let (rows, ghosts) = if ranks.rank() == 0 { (ROWS, 0) } else { (0, ROWS) };
        let wanted: Vec<usize> = (0..ghosts).collect();
        let plan = ranks.plan("all", space, &[0, ROWS, ROWS], &wanted)?;
        let x = space.view_from_fn("x", [rows, COLUMNS], |[i, j]| value(0, i, j))?;
        let zeros = || space.zeros::<f64, 2>("ghosts", [ghosts, COLUMNS]);
        let mut all = [zeros()?, zeros()?, zeros()?, zeros()?];
        plan.forward("the device code is loaded", (&x, &mut all[0]))?;
        // With the block of the first message, room for six Views and a half: those of one and two Views would leave too little for one
        // of four.
        let filling = fill(space, 5, VIEW)?;
        let [first, second, third, fourth] = all.each_mut();
        plan.forward("two", [(&x, &mut *first), (&x, &mut *second)])?;
        plan.forward("four", [(&x, first), (&x, second), (&x, third), (&x, fourth)])?;
        drop(filling);
        for ghosts in &all {
            assert!(ghosts.to_host()?.indexed_iter().all(|([i, j], ghost)| *ghost == value(0, i, j)));
        }
        Ok(ranks.staged())
    });
    assert_eq!(staged, [0; 2]);
}

#[test]
fn views_without_blocks() {
    in_child("views");
}

#[test]
#[ignore = "the child of the other test"]
fn views() {
    for (sender, receiver) in [(4, 4), (3, 4), (4, 3), (3, 3)] {
        let staged = on_both(|ranks, space| {
            let shape = [4 * ROWS, COLUMNS];
            let rank = ranks.rank();
            let mut x = space.view_from_fn("x", shape, |[i, j]| value(rank, i, j))?;
            let filling = fill(space, [sender, receiver][rank], VIEW)?;
            match rank {
                0 => ranks.send_view("x", 1, &x)?,
                _ => ranks.receive_view("x", 0, &mut x)?,
            }
            let sent = ranks.staged();
            assert!(x.to_host()?.indexed_iter().all(|([i, j], x)| *x == value(0, i, j)));
            deep_copy_scalar(&mut x, rank as f64)?;
            ranks.broadcast_view("x", 0, &mut x)?;
            assert!(x.to_host()?.iter().all(|x| *x == 0.0));
            drop(filling);
            Ok([sent, ranks.staged() - sent].map(|bytes| bytes as usize))
        });
        // Messages from the host come there.
        let expected = [sender, sender.min(receiver)];
        let expected = expected.map(|views| if views == 4 { [0; 2] } else { [4 * VIEW; 2] });
        assert_eq!(staged, expected, "{sender} {receiver}");
    }
}

#[test]
fn halos_without_blocks() {
    in_child("halos");
}

#[test]
#[ignore = "the child of the other test"]
fn halos() {
    // Each rank has eight rows, which the other one reads.
    let row = 1 << 20;
    let columns = row / size_of::<f64>();
    // Memory for the other's rows beside the own ones, which then are freed, and so for one block, or for two.
    for (rows, expected) in [(20, 8 * row), (24, 0)] {
        let staged = on_both(|ranks, _| {
            type Above = (Between<0, 8>, Between<0, 0>);
            type Below = (Between<-8, 0>, Between<0, 0>);
            type Others = (Between<-8, 8>, Between<0, 0>);
            let space = Mpi::new(ranks, Cuda::new(ranks.rank())?);
            let partition = Partition::from_cuts(&[0, 8, 16][..])?;
            let mut x = space.view_from_fn_on(&partition, "x", [16, columns], |[i, j]| value(0, i, j))?;
            let filling = fill(space.local(), rows, row)?;
            space.exchange("rows", x.halo_of::<Others>())?;
            let staged = ranks.staged() as usize;
            drop(filling);
            let mut y = space.zeros_on::<f64, 2>(&partition, "y", [16, columns])?;
            let last = columns - 100..columns;
            let policy = space.md_range([0..8, last.clone()]);
            parallel_for("from above", policy, (x.halo_of::<Above>(), &mut y), |i, (x, mut y)| {
                y[i] = x.at(i, [8, 0]);
            })?;
            let policy = space.md_range([8..16, last.clone()]);
            parallel_for("from below", policy, (x.halo_of::<Below>(), &mut y), |i, (x, mut y)| {
                y[i] = x.at(i, [-8, 0]);
            })?;
            if let Some(y) = space.gather("y", &y, 0)? {
                let others = |i, j| value(0, (i + 8) % 16, j);
                assert!((0..16).all(|i| last.clone().all(|j| y[[i, j]] == others(i, j))), "{rows} rows");
            }
            Ok(staged)
        });
        assert_eq!(staged, [expected; 2], "{rows} rows");
    }
}
