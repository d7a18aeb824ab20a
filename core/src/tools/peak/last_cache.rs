//! The size of the last level of caches.

use std::fs::read_to_string;

/// The size of the last caches that so many threads have together. Unit: bytes.
pub(in crate::tools) fn last_cache(threads: usize) -> Option<usize> {
    let folder = "/sys/devices/system/cpu/cpu0/cache";
    let read = |index, name| read_to_string(format!("{folder}/index{index}/{name}")).ok();
    let cache = |index| {
        let bytes = read(index, "size")?.trim().strip_suffix('K')?.parse::<usize>().ok()? << 10;
        Some((bytes, processors(read(index, "shared_cpu_list")?.trim())?))
    };
    let (bytes, sharing) = (0..8).filter_map(cache).max()?;
    Some(bytes * threads.div_ceil(sharing))
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
    use super::processors;

    #[test]
    fn lists_of_processors_are_counted() {
        let lists = ["0", "0-3", "0-3,8-11,13", "", "3-1", "a"];
        assert_eq!(lists.map(processors), [Some(1), Some(4), Some(9), None, None, None]);
    }
}
