//! The device code as text.

use spelt_stock::PTX;

#[test]
fn the_build_made_every_kernel() {
    let mut entries: Vec<&str> = PTX
        .lines()
        .filter_map(|line| line.split_once(".entry ")?.1.split('(').next())
        .map(str::trim)
        .collect();
    entries.sort_unstable();
    let mut expected: Vec<String> = ["copy", "fill", "transpose"]
        .iter()
        .flat_map(|kernel| [1, 2, 4, 8, 16].map(|word| format!("spelt_stock_{kernel}_{word}")))
        .collect();
    expected.sort_unstable();
    assert_eq!(entries, expected);
}

#[test]
fn it_runs_on_every_gpu_that_spelt_supports() {
    assert!(PTX.contains(".target sm_70\n"), "{}", &PTX[..200]);
}

#[test]
fn no_kernel_uses_local_memory_or_calls_a_function() {
    for word in [".local", "call", ".func", "trap"] {
        let line = PTX.lines().find(|line| !line.trim_start().starts_with("//") && line.contains(word));
        assert_eq!(line, None, "`{word}`");
    }
}
