//! Memory traffic of the kernels, by the emulator's counters.

use core::mem::MaybeUninit;

use cuda_emu::{Config, Stats};
use spelt_stock::{CopyBox, FillBox};

use crate::machine::{Machine, noise, strides};

/// The counters of one copy between two orders of dimensions.
fn copied(element: usize, extents: &[usize], to: &[usize], from: &[usize]) -> Stats {
    let mut machine = Machine::with(Config { stats: true, ..Config::default() });
    let (to_strides, len) = strides(extents, to, 0);
    let (from_strides, _) = strides(extents, from, 0);
    let from = machine.device.upload(&noise(len * element));
    let to = machine.device.alloc(len * element);
    let all = machine.copy(&CopyBox {
        to,
        from,
        element,
        extents,
        to_strides: &to_strides,
        from_strides: &from_strides,
    });
    assert_eq!(all.len(), 1, "one launch");
    all[0].clone()
}

/// Every sector that was touched was used whole, and each byte went over the bus once.
fn assert_whole_sectors(stats: &Stats, bytes: usize) {
    assert_eq!((stats.load_bytes, stats.store_bytes), (bytes as u64, bytes as u64));
    assert_eq!(stats.load_sectors * 32, stats.load_bytes, "reads: {stats:?}");
    assert_eq!(stats.store_sectors * 32, stats.store_bytes, "writes: {stats:?}");
    assert_eq!(stats.local_bytes, 0, "{stats:?}");
}

#[test]
fn transposes_use_whole_sectors_on_both_sides_and_no_bank_twice() {
    for element in [1, 2, 4, 8, 16] {
        let stats = copied(element, &[128, 64], &[0, 1], &[1, 0]);
        assert_whole_sectors(&stats, 128 * 64 * element);
        let rows = 128 * 64 / 32;
        assert_eq!((stats.load_requests, stats.store_requests), (rows, rows));
        assert_eq!(stats.bank_conflicts, 0, "{element} bytes: {stats:?}");
    }
}

#[test]
fn transposes_inside_a_batch_use_whole_sectors() {
    let stats = copied(8, &[3, 64, 5, 32], &[0, 2, 1, 3], &[2, 3, 0, 1]);
    assert_whole_sectors(&stats, 3 * 64 * 5 * 32 * 8);
}

#[test]
fn rows_are_copied_in_wide_words() {
    let mut machine = Machine::with(Config { stats: true, ..Config::default() });
    let (from, to) = (machine.device.upload(&noise(64 * 128 * 4)), machine.device.alloc(64 * 64 * 4));
    let all = machine.copy(&CopyBox {
        to,
        from,
        element: 4,
        extents: &[64, 64],
        to_strides: &[64, 1],
        from_strides: &[128, 1],
    });
    assert_whole_sectors(&all[0], 64 * 64 * 4);
    assert_eq!(all[0].load_requests, 64 * 64 * 4 / (32 * 16), "sixteen bytes a thread");
}

#[test]
fn contiguous_fills_write_wide_words() {
    let mut machine = Machine::with(Config { stats: true, ..Config::default() });
    let to = machine.device.alloc(1 << 16);
    let value = 1.5_f64.to_ne_bytes().map(MaybeUninit::new);
    let all = machine.fill(&FillBox { to, element: &value, extents: &[1 << 13], strides: &[1] });
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].store_bytes, all[0].store_sectors), (1 << 16, (1 << 16) / 32));
    assert_eq!(all[0].store_requests, (1 << 16) / (32 * 16), "sixteen bytes a thread");
    assert_eq!(machine.device.download::<f64>(to, 1 << 13), vec![1.5; 1 << 13]);
}
