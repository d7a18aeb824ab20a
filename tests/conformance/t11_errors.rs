//! Wrong launches are errors that name the kernel, the View, the range and the extents, and change nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};

use spelt::prelude::*;
use spelt::{Error, ErrorKind};

use crate::spaces::every;

#[track_caller]
fn names<T: std::fmt::Debug>(result: Result<T, Error>, words: &[&str]) {
    let error = result.expect_err("the View is too small");
    assert_eq!(error.kind(), ErrorKind::Extents);
    assert_eq!(error.kernel(), Some("kernel of mine"));
    let text = error.to_string();
    assert!(words.iter().all(|word| text.contains(word)) && text.contains("kernel of mine"), "{text}");
}

every! { on_every_space:
    fn views_that_do_not_cover_are_errors(space, setting) {
        let x = space.view_from_fn("my x", [100], |[i]| i as f64).expect("memory");
        let mut y = space.zeros::<f64, 1>("my y", [99]).expect("memory");
        let label = "kernel of mine";
        let policy = || setting.range(space, 7..100);
        let words = ["my y", "99", "7..100"];
        names(parallel_for(label, policy(), (&x, &mut y), |i, (x, mut y)| y[i] = x[i]), &words);
        names(parallel_reduce(label, policy(), (&x, &y), |i, sum, (x, y)| *sum += x[i] + y[i], Sum::<f64>::new()), &words);
        names(parallel_map_reduce(label, policy(), &y, |i, y| y[i], Sum::<f64>::new()), &words);
        names(parallel_scan(label, policy(), &mut y, |i, sum, last, mut y| if last { y[i] = *sum }, Sum::<f64>::new()),
            &words);
        assert!(y.to_host().expect("memory").iter().all(|&y| y == 0.0), "something ran");
        // Per dimension: as many elements are not enough.
        let a = space.zeros::<u8, 2>("my a", [4, 10]).expect("memory");
        let policy = || setting.md_range(space, [0..10, 0..4]);
        names(parallel_for(label, policy(), &a, |_, _| ()), &["my a", "[4, 10]", "0..10", "0..4"]);
        names(parallel_for(label, policy().tile([2, 2]), &a, |_, _| ()), &["my a"]);
        names(parallel_for(label, space.range(usize::MAX - 5..usize::MAX), &x, |_, _| ()), &["my x"]);
    }

}

every! { on_every_host_space:
    fn reads_out_of_bounds_name_everything(space, setting) {
        let x = space.view_from_fn("my x", [100], |[i]| i as f64).expect("memory");
        let a = space.zeros::<f64, 2>("my a", [20, 30]).expect("memory");
        let read = |what: &dyn Fn(), words: &[&str]| {
            let payload = catch_unwind(AssertUnwindSafe(what)).expect_err("out of bounds");
            let text = payload.downcast_ref::<String>().expect("a text");
            assert!(words.iter().all(|word| text.contains(word)) && text.contains("kernel of mine"), "{text}");
        };
        for n in [1, 20] {
            read(&|| drop(parallel_map_reduce("kernel of mine", setting.range(space, 0..n), &x, |i, x| x[i + 100],
                Sum::<f64>::new())), &["100", "my x"]);
            read(&|| drop(parallel_map_reduce("kernel of mine", setting.range(space, 0..n), &a, |_, a| a[[19, 30]],
                Sum::<f64>::new())), &["[19, 30]", "my a", "[20, 30]"]);
            read(&|| drop(parallel_map_reduce("kernel of mine", setting.range(space, 0..n), &a, |_, a| a.row(20)[0],
                Sum::<f64>::new())), &["20", "my a"]);
        }
    }

}

every! { on_every_space:
    fn extents_that_overflow_are_errors(space, _setting) {
        for extents in [[1 << 33, 1 << 31], [usize::MAX, 2], [0, usize::MAX], [1 << 62, 8]] {
            let error = space.zeros::<f64, 2>("huge", extents).expect_err("too large");
            assert_eq!(error.kind(), ErrorKind::Overflow, "{extents:?}");
            assert!(error.to_string().contains("huge") && error.to_string().contains(&extents[1].to_string()), "{error}");
        }
        assert_eq!(space.zeros::<u8, 1>("large", [1 << 60]).expect_err("too large").kind(), ErrorKind::OutOfMemory);
    }
}
