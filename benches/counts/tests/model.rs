//! The model of a GPU's time: each rate has its part, and a row says if a goal is in reach.

use cuda_emu::LaunchStatistics;
use spelt_device_counts::counts::Counts;
use spelt_device_counts::model::{Floor, H200, row};

const NEAR: f64 = 1e-12;

/// A sum of 10^8 `f64` reads 800 MB once: the data sheet's rate gives 167 us, and nothing else stands in the way.
#[test]
fn each_part_has_its_own_rate() {
    let none = LaunchStatistics::default();
    let second = H200.clock * H200.multiprocessors;
    let cases = [
        (480_000_000, none, ("memory", 1e-4)),
        (0, LaunchStatistics { load_sectors: 300, store_sectors: 228, ..none }, ("cache", 1.0 / H200.clock)),
        (0, LaunchStatistics { group_instructions: (4.0 * second) as u64, ..none }, ("instructions", 1.0)),
        (0, LaunchStatistics { shared_bytes: (128.0 * second) as u64, ..none }, ("shared memory", 1.0)),
        (0, LaunchStatistics { bank_conflicts: second as u64, ..none }, ("shared memory", 1.0)),
        (0, LaunchStatistics { barriers: (64.0 * second) as u64, ..none }, ("barriers", 20.0)),
    ];
    for (bytes, counts, (part, seconds)) in cases {
        let (name, least) = Floor::new(&H200, bytes, &counts).greatest();
        assert_eq!(name, part);
        assert!((least - seconds).abs() <= NEAR * seconds, "{part}: {least} and not {seconds}");
    }
}

#[test]
fn a_row_says_if_the_goal_is_in_reach() {
    let counts = |sectors| Counts {
        name: "scan i64",
        elements: 1_000_000,
        bytes: 16_000_000,
        launch: LaunchStatistics { load_sectors: sectors, ..LaunchStatistics::default() },
    };
    let ends = |sectors, end: &str| {
        let row = row(&counts(sectors));
        assert!(row.ends_with(end), "{row}");
    };
    // 16 bytes an element take 333 us. 481 us of CUB allow 506, which is 529 million sectors.
    ends(0, "| memory | 880 | 38 % | 481 | in reach |");
    ends(5_290_000, "| cache | 880 | 58 % | 481 | in reach |");
    ends(5_300_000, "| cache | 880 | 58 % | 481 | not in reach |");
}
