//! Loads by `ld.global.nc`, which a kernel must not write: the check for races reports it.
use cuda_emu::{Config, Device};

#[test]
fn loads_of_constant_memory_race_with_any_write() {
    let kernel = |load: &str, first: &str, second: &str| {
        format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {{
               .reg .b64 %a; .reg .b32 %r<3>; ld.param.u64 %a, [p]; mov.u32 %r1, 7;
               {} {} ret; }}",
            first.replace("LOAD", load),
            second.replace("LOAD", load)
        )
    };
    let (load, store) = ("LOAD.b32 %r0, [%a];", "st.global.b32 [%a], %r1;");
    let load_twice = "LOAD.b32 %r0, [%a]; ld.global.b32 %r2, [%a];";
    let (next, both) = ("st.global.b32 [%a+4], %r1;", "LOAD.v2.b32 {%r0, %r2}, [%a];");
    for (first, second, races) in [
        (load, store, Some("write after read by ld.global.nc")),
        (store, load, Some("read by ld.global.nc after write")),
        (next, both, Some("read by ld.global.nc after write")),
        (load_twice, store, Some("write after read by ld.global.nc")),
        (load, next, None),
        (load, load, None),
    ] {
        for (of, expected) in [("ld.global.nc", races), ("ld.global", None)] {
            let mut d = Device::new(Config { racecheck: 2, ..Config::default() });
            let m = d.load(&kernel(of, first, second)).unwrap_or_else(|e| panic!("{e}"));
            let p = d.upload(&[1, 2]);
            // One thread, whose accesses are ordered.
            let found = d.launch(&m, "k", 1, 1, 0, &[p]).map_err(|e| e.msg);
            match expected {
                Some(text) => {
                    assert!(found.as_ref().is_err_and(|e| e.contains(text)), "{first} {second}: {found:?}")
                }
                None => assert!(found.is_ok(), "{of} {first} {second}: {found:?}"),
            }
            // The launch before does not matter.
            let again = d.load(&kernel(of, load, load)).unwrap_or_else(|e| panic!("{e}"));
            d.launch(&again, "k", 1, 1, 0, &[p]).unwrap_or_else(|e| panic!("{}", e.msg));
        }
    }
}
