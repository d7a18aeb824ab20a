//! The sizes of caches.

use std::fs::read_to_string;

use super::processors;
use super::streams::array_bytes;

/// The machine's caches, beside the arrays of a measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::tools) struct Caches {
    /// The last caches of all processors, for forecasts; 0 where they are unknown. Unit: bytes.
    pub(in crate::tools) last: usize,
    /// The largest caches that an array exceeds. The rate says nothing about Views that fit there; 0 without a measurement. Unit: bytes.
    pub(in crate::tools) exceeded: usize,
    /// The last caches of the measurement's threads and an array, if it fits there. Unit: bytes.
    pub(in crate::tools) holding: Option<[usize; 2]>,
}

impl Caches {
    /// Those of this machine, and of the measurement with so many threads, if there is one.
    pub(in crate::tools) fn of_machine(measured: Option<usize>) -> Self {
        let last = last_cache(processors()).unwrap_or(0);
        let Some(threads) = measured else { return Self { last, ..Self::default() } };
        let array = array_bytes(threads);
        Self {
            last,
            exceeded: largest_below(array, threads).unwrap_or(0),
            holding: last_cache(threads).filter(|last| *last >= array).map(|last| [last, array]),
        }
    }
}

/// The size of the last caches that so many threads have together. Unit: bytes.
pub(super) fn last_cache(threads: usize) -> Option<usize> {
    let (bytes, sharing) = caches().max()?;
    Some(bytes * threads.div_ceil(sharing))
}

/// The largest caches that so many threads have together and an array of `bytes` exceeds. Unit: bytes.
fn largest_below(bytes: usize, threads: usize) -> Option<usize> {
    caches().map(|(bytes, sharing)| bytes * threads.div_ceil(sharing)).filter(|cache| *cache < bytes).max()
}

/// The caches of a processor: the size of each, and the number of processors that share it.
fn caches() -> impl Iterator<Item = (usize, usize)> {
    let folder = "/sys/devices/system/cpu/cpu0/cache";
    let read = move |index, name| read_to_string(format!("{folder}/index{index}/{name}")).ok();
    (0..8).filter_map(move |index| {
        let bytes = read(index, "size")?.trim().strip_suffix('K')?.parse::<usize>().ok()? << 10;
        Some((bytes, count(read(index, "shared_cpu_list")?.trim())?))
    })
}

/// The number of processors in a list such as `0-3,8-11`.
fn count(list: &str) -> Option<usize> {
    let range = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        (last.parse::<usize>().ok()? + 1).checked_sub(first.parse().ok()?)
    };
    list.split(',').map(range).sum::<Option<usize>>().filter(|&count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::{Caches, array_bytes, count, largest_below, last_cache, processors};

    #[test]
    fn lists_of_processors_are_counted() {
        let lists = ["0", "0-3", "0-3,8-11,13", "", "3-1", "a"];
        assert_eq!(lists.map(count), [Some(1), Some(4), Some(9), None, None, None]);
    }

    #[test]
    fn caches_above_the_size_are_left_out() {
        assert_eq!(largest_below(0, 1), None);
        for threads in [1, 2, 64] {
            let Some(last) = last_cache(threads) else { continue };
            assert!(largest_below(last + 1, threads) >= Some(last));
            assert!(largest_below(last, threads) < Some(last));
        }
    }

    #[test]
    fn caches_are_those_that_an_array_exceeds_or_fits_in() {
        let Caches { last, exceeded, holding } = Caches::of_machine(Some(2));
        let array = array_bytes(2);
        assert!(exceeded < array);
        assert!(holding.is_none_or(|[last, of]| of == array && exceeded < last && array <= last));
        assert_eq!(last, last_cache(processors()).unwrap_or(0));
        assert_eq!(Caches::of_machine(None), Caches { last, ..Caches::default() });
    }
}
