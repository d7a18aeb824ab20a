//! Panics in kernels: the one with the lowest index propagates, no thread keeps running, the space stays usable.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use spelt::prelude::*;

use crate::spaces::{every, threads};

/// The text of a panic.
fn panic_of(run: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(run)).expect_err("it panics");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => {
            payload.downcast::<&str>().map_or_else(|_| "no text".to_owned(), |text| text.to_string())
        }
    }
}

every! { on_every_host_setting:
    fn the_lowest_panic_goes_on(space, setting) {
        let n = 20_000;
        for _ in 0..2 {
            let running = AtomicUsize::new(0);
            let text = panic_of(|| parallel_for("fails", setting.range(space, 0..n), (), |i, ()| {
                running.fetch_add(1, SeqCst);
                let fails = i.get() % 1000 == 777;
                running.fetch_sub(1, SeqCst);
                assert!(!fails, "at {}", i.get());
            }).expect("a panic is not an error"));
            assert_eq!(text, "at 777");
            assert_eq!(running.load(SeqCst), 0, "somebody is still running");
            let text = panic_of(|| { parallel_map_reduce("fails", setting.md_range(space, [0..n, 0..1]), (), |i, ()| {
                assert!(i.get()[0] < 5000, "beyond");
                1
            }, Sum::<u32>::new()).expect("a panic is not an error"); });
            assert_eq!(text, "beyond");
            let text = panic_of(|| { parallel_scan("fails", setting.range(space, 0..n), (), |i, sum, _, ()| {
                assert!(i.get() != 15_000, "in a scan");
                *sum += 1.0;
            }, Sum::<f64>::new()).expect("a panic is not an error"); });
            assert_eq!(text, "in a scan");
            // And it works as before.
            let sum = parallel_reduce("after", setting.range(space, 0..n), (), |_, sum, ()| *sum += 1, Sum::<usize>::new());
            assert_eq!(sum.expect("nothing can fail"), n);
        }
    }
}

every! { on_every_host_space:
    fn a_filling_that_panics_frees_its_memory(space, _setting) {
        let text = panic_of(|| drop(space.view_from_fn("fails", [20_000], |[i]| {
            assert!(i != 12_345, "in a filling");
            i
        })));
        assert_eq!(text, "in a filling");
    }

    fn payloads_of_any_type_go_on(space, setting) {
        let payload = catch_unwind(AssertUnwindSafe(|| {
            parallel_for("fails", setting.range(space, 0..10_000), (), |i, ()| {
                if i.get() == 5 { std::panic::panic_any(42_u64) }
            })
        })).expect_err("it panics");
        assert_eq!(payload.downcast_ref(), Some(&42_u64));
    }
}

/// A chunk of a scan panics while the chunk before it slowly joins its prefix: later chunks must not wait.
#[test]
fn a_scan_ends_when_a_chunk_panics_while_another_joins() {
    static SLOW: AtomicBool = AtomicBool::new(false);
    static PANICKED: AtomicBool = AtomicBool::new(false);
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let space = threads(3);
        let chunk = 8 * spelt::canonical::tile_len(spelt::canonical::lanes(8));
        let reducer = custom(0.0_f64, |into: &mut f64, from: &f64| {
            // The chunk's totals are pushed by joins on whole tiles, of 2048 times 1e5; wait in one of them for the panic of the next.
            if SLOW.load(SeqCst) && *into > 2.04e8 && *from > 2.04e8 {
                for _ in 0..200 {
                    if PANICKED.load(SeqCst) {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            *into += *from;
        });
        SLOW.store(true, SeqCst);
        let text = panic_of(|| {
            parallel_scan(
                "slow",
                space.range(0..6 * chunk),
                (),
                |i, sum, _, ()| {
                    if i.get() == chunk + 5 {
                        PANICKED.store(true, SeqCst);
                        panic!("in the second chunk");
                    }
                    *sum += 1e5;
                },
                &reducer,
            )
            .expect("a panic is not an error");
        });
        SLOW.store(false, SeqCst);
        let sum =
            parallel_reduce("after", space.range(0..9000), (), |_, sum, ()| *sum += 1, Sum::<u32>::new());
        let _ = done.send((text, sum.expect("nothing can fail")));
    });
    let ended = is_done.recv_timeout(Duration::from_secs(60)).expect("the scan hangs");
    assert_eq!(ended, ("in the second chunk".to_owned(), 9000));
}
