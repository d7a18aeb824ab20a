//! How often searches call their tests: they end where the result is known.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread::{sleep, yield_now};
use std::time::{Duration, Instant};

use spelt::algorithms::*;
use spelt::prelude::*;

use crate::spaces::every;

/// Elements that are tested together.
const GROUP: usize = 64;

/// Elements between two looks at what other threads have found.
const PIECE: usize = 1024;

/// Elements from the first to the last group in which one is tested, up to the place.
fn groups(place: usize, n: usize) -> usize {
    n.min((place / GROUP + 1) * GROUP)
}

/// How often `search` called the counter that it was given.
fn calls<O>(search: impl FnOnce(&(dyn Fn() + Sync)) -> O) -> (O, usize) {
    let count = AtomicUsize::new(0);
    let output = search(&|| {
        count.fetch_add(1, Relaxed);
    });
    (output, count.into_inner())
}

/// An element whose comparisons are counted. Compared on one space after the other, since the count is one for all.
static COMPARED: AtomicUsize = AtomicUsize::new(0);
#[derive(Clone, Copy, spelt::Element)]
struct Key(u32);
impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        COMPARED.fetch_add(1, Relaxed);
        self.0 == other.0
    }
}

#[test]
fn one_thread_tests_no_more_than_the_group_of_the_result() {
    let spaces: [spelt::AnyHost; 2] = [Serial::new().into(), crate::spaces::threads(1).into()];
    for space in &spaces {
        for n in [1, 64, 1000, 5000] {
            let x = View::from_fn("x", [n], |[k]| k).expect("memory");
            for place in [0, 1, 63, 64, 999, 1023, 1024, 4000, n] {
                let tested = groups(place, n);
                let (found, count) = calls(|call| {
                    find_if(space, &x, |x| {
                        call();
                        *x >= place
                    })
                });
                assert_eq!(
                    (found.expect("a search"), count),
                    ((place < n).then_some(place), tested),
                    "{place} of {n}"
                );
                let (found, count) = calls(|call| {
                    all_of(space, &x, |x| {
                        call();
                        *x != place
                    })
                });
                assert_eq!((found.expect("a search"), count), (place >= n, tested), "{place} of {n}");
                let (found, count) = calls(|call| {
                    equal_by(space, &x, &x, |x, y| {
                        call();
                        x + y != 2 * place
                    })
                });
                assert_eq!((found.expect("a search"), count), (place >= n, tested), "{place} of {n}");
                let (found, count) = calls(|call| {
                    adjacent_find_by(space, &x, |x, _| {
                        call();
                        *x >= place
                    })
                });
                let tested = groups(place, n - 1);
                assert_eq!(
                    (found.expect("a search"), count),
                    ((place + 1 < n).then_some(place), tested),
                    "{place} of {n}"
                );
                // The element at `place` is in the wrong part.
                let (found, count) = calls(|call| {
                    is_partitioned(space, &x, |x| {
                        call();
                        *x == place
                    })
                });
                assert_eq!(found.expect("a search"), place == 0 || place >= n, "{place} of {n}");
                assert_eq!(count, if place == 0 { n } else { groups(place, n) }, "{place} of {n}");
                let (found, count) = calls(|call| {
                    partition_point(space, &x, |x| {
                        call();
                        *x < place
                    })
                });
                assert_eq!(found.expect("a search"), place.min(n));
                assert!(count <= n.ilog2() as usize + 1, "{place} of {n}: {count}");
            }
        }
    }
}

#[test]
fn comparisons_of_patterns_are_few() {
    let space = Serial::new();
    let n = 5000;
    let x = View::from_fn("x", [n], |[k]| Key(u32::from(k >= 3000))).expect("memory");
    let pattern = View::from_fn("pattern", [4], |_| Key(1)).expect("memory");
    let compared = || COMPARED.swap(0, Relaxed);
    assert_eq!(search(&space, &x, &pattern).expect("a search"), Some(3000));
    assert_eq!(compared(), 3000 + 4);
    assert_eq!(find_end(&space, &x, &pattern).expect("a search"), Some(n - 4));
    assert_eq!(compared(), 4);
    assert_eq!(find_first_of(&space, &x, &pattern).expect("a search"), Some(3000));
    assert_eq!(compared(), 3000 * 4 + 1);
    // A window without the value is passed over in one comparison, but for those at the ends of the three pieces.
    assert_eq!(search_n(&space, &x, 100, Key(1)).expect("a search"), Some(3000));
    let most = 3000 / 100 + 3 + 2 * 100;
    assert!(compared() <= most);
    // Runs that are too short, which end at the beginning of each window: at most twice for each element.
    for (one_in, count) in [(100, 100), (2000, 2000), (50, 60)] {
        let x = View::from_fn("x", [n], |[k]| Key(u32::from(k % one_in != 0))).expect("memory");
        for space in [crate::spaces::threads(3).into(), spelt::AnyHost::from(Serial::new())] {
            assert_eq!(search_n(&space, &x, count, Key(1)).expect("a search"), None);
            let compared = compared();
            assert!(compared <= 2 * n, "{one_in}: {compared}");
        }
    }
}

/// Waits until another thread sets `flag`, but not for long: there may be no other thread.
fn wait_for(flag: &AtomicBool) {
    let start = Instant::now();
    while !flag.load(Relaxed) && start.elapsed() < Duration::from_millis(20) {
        yield_now();
    }
}

every! { on_every_host_space:
    /// Places after the first one are found before it is, and noted after it.
    fn the_first_place_wins_regardless_of_which_is_found_first(space, _setting) {
        let n = 60 * PIECE;
        let x = View::from_fn("x", [n], |[k]| k).expect("memory");
        let (first, late) = (3 * PIECE + 70, 30 * PIECE);
        // One thread is at the first place when another comes to a later one, which it notes last.
        let (begun, found) = (AtomicBool::new(false), AtomicBool::new(false));
        let place = find_if(space, &x, |&k| {
            if k == first {
                wait_for(&begun);
                found.store(true, Relaxed);
            } else if k >= late && k.is_multiple_of(PIECE) {
                begun.store(true, Relaxed);
                wait_for(&found);
                sleep(Duration::from_millis(1));
            }
            k == first || k >= late
        });
        assert_eq!(place.expect("a search"), Some(first));
        // Threads stay with the pieces before the first place until a later one is noted.
        let noted = AtomicBool::new(false);
        let place = find_if(space, &x, |&k| {
            if k < first && k.is_multiple_of(PIECE) {
                wait_for(&noted);
                sleep(Duration::from_millis(1));
            } else if k >= late {
                noted.store(true, Relaxed);
            }
            k == first || k >= late
        });
        assert_eq!(place.expect("a search"), Some(first));
    }

    /// Where every element is of the kind, a piece is left at its first group, whichever thread has it.
    fn pieces_end_at_what_they_find(space, _setting) {
        let n = 200 * PIECE;
        let x = View::from_fn("x", [n], |[k]| k).expect("memory");
        let (found, count) = calls(|call| {
            find_if(space, &x, |_| {
                call();
                true
            })
        });
        assert_eq!(found.expect("a search"), Some(0));
        assert!(count <= n / PIECE * GROUP, "{count}");
    }

    /// What lies after a place that is known is not tested, nor anything once any place is known where that suffices.
    fn threads_stop_once_the_result_is_known(space, _setting) {
        let n = 2000 * PIECE;
        let x = View::from_fn("x", [n], |[k]| k).expect("memory");
        // All pieces but the first ones take so long that the first place is known before most of them begin, even if the thread that finds
        // it has to wait for the processor.
        let slow = |x: usize| {
            if x >= 10 * PIECE && x.is_multiple_of(PIECE) {
                sleep(Duration::from_millis(3));
            }
        };
        let (found, count) = calls(|call| {
            find_if(space, &x, |x| {
                call();
                slow(*x);
                *x == 5 || *x > n - 10
            })
        });
        assert_eq!(found.expect("a search"), Some(5));
        assert!(count <= n / 2, "{count}");
        let (found, count) = calls(|call| {
            any_of(space, &x, |x| {
                call();
                slow(*x);
                *x == 5
            })
        });
        assert!(found.expect("a search"));
        assert!(count <= n / 2, "{count}");
        let (found, count) = calls(|call| {
            is_partitioned(space, &x, |x| {
                call();
                slow(*x);
                *x == 5
            })
        });
        assert!(!found.expect("a search"));
        assert!(count <= n / 2, "{count}");
    }

    fn every_element_is_tested_once_where_all_are_needed(space, _setting) {
        for n in [0, 1, 1024, 1025, 30_000] {
            let x = View::from_fn("x", [n], |[k]| k).expect("memory");
            let (found, count) = calls(|call| {
                count_if(space, &x, |x| {
                    call();
                    x % 3 == 0
                })
            });
            assert_eq!((found.expect("a count"), count), (n.div_ceil(3), n));
            let (found, count) = calls(|call| {
                find_if(space, &x, |_| {
                    call();
                    false
                })
            });
            assert_eq!((found.expect("a search"), count), (None, n));
            let (found, count) = calls(|call| {
                is_partitioned(space, &x, |x| {
                    call();
                    *x < n / 2
                })
            });
            assert_eq!((found.expect("a search"), count), (true, n));
        }
    }
}
