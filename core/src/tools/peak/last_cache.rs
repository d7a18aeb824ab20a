//! The sizes of caches.

use std::fs::read_to_string;

/// The size of the last caches that so many threads have together. Unit: bytes.
pub(in crate::tools) fn last_cache(threads: usize) -> Option<usize> {
    let (bytes, sharing) = caches().max()?;
    Some(bytes * threads.div_ceil(sharing))
}

/// The largest caches that so many threads have together and an array of `bytes` exceeds. Unit: bytes.
pub(super) fn largest_below(bytes: usize, threads: usize) -> Option<usize> {
    caches().map(|(bytes, sharing)| bytes * threads.div_ceil(sharing)).filter(|cache| *cache < bytes).max()
}

/// The caches of a processor: the size of each, and the number of processors that share it.
fn caches() -> impl Iterator<Item = (usize, usize)> {
    let folder = "/sys/devices/system/cpu/cpu0/cache";
    let read = move |index, name| read_to_string(format!("{folder}/index{index}/{name}")).ok();
    (0..8).filter_map(move |index| {
        let bytes = read(index, "size")?.trim().strip_suffix('K')?.parse::<usize>().ok()? << 10;
        Some((bytes, processors(read(index, "shared_cpu_list")?.trim())?))
    })
}

/// The number of processors in a list such as `0-3,8-11`.
fn processors(list: &str) -> Option<usize> {
    let range = |text: &str| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        (last.parse::<usize>().ok()? + 1).checked_sub(first.parse().ok()?)
    };
    list.split(',').map(range).sum::<Option<usize>>().filter(|&count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::{largest_below, last_cache, processors};

    #[test]
    fn lists_of_processors_are_counted() {
        let lists = ["0", "0-3", "0-3,8-11,13", "", "3-1", "a"];
        assert_eq!(lists.map(processors), [Some(1), Some(4), Some(9), None, None, None]);
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
}
