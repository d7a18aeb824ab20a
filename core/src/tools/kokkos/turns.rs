//! The events of a library in an order that it can follow: one call at a time, begins and ends nested.
//!
//! Tools of Kokkos keep one stack for the whole program, and some abort it if an end is not that of the last begin. So while a thread is
//! between a begin and its end, other threads' begins are left out, and counted.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

/// A begin whose end has not been told; `E` tells it.
struct Open<E> {
    end: E,
    /// Its end has come, before that of a later begin.
    is_over: bool,
}

struct State<E> {
    /// The thread of the open begins.
    thread: Option<ThreadId>,
    open: Vec<Open<E>>,
    left_out: u64,
    is_finished: bool,
}

/// The state of a library's events.
pub(super) struct Turns<E> {
    state: Mutex<State<E>>,
}

impl<E> Turns<E> {
    pub(super) const fn new() -> Self {
        let state = State { thread: None, open: Vec::new(), left_out: 0, is_finished: false };
        Self { state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State<E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells of a begin, unless another thread is between a begin and its end. Returns the number for [`end`](Self::end), or 0 if it is
    /// left out.
    pub(super) fn begin(&self, begin: impl FnOnce() -> E) -> u64 {
        let mut state = self.state();
        let thread = Some(thread::current().id());
        if state.is_finished {
            return 0;
        }
        if !state.open.is_empty() && state.thread != thread {
            state.left_out += 1;
            return 0;
        }
        state.thread = thread;
        let end = begin();
        state.open.push(Open { end, is_over: false });
        state.open.len() as u64
    }

    /// Tells of an end, or keeps it until the later begins have theirs: a guard may outlive one that it surrounds.
    pub(super) fn end(&self, number: u64, mut end: impl FnMut(E)) {
        let mut state = self.state();
        let Some(open) = (number as usize).checked_sub(1).and_then(|place| state.open.get_mut(place)) else {
            return;
        };
        open.is_over = true;
        while let Some(open) = state.open.pop_if(|open| open.is_over) {
            end(open.end);
        }
    }

    /// Tells of something that has no end.
    pub(super) fn once(&self, event: impl FnOnce()) {
        let state = self.state();
        if !state.is_finished {
            event();
        }
    }

    /// Tells of the ends that have not come, the last begin's first, and of the end of the program, once. Returns the number of begins that
    /// were left out.
    pub(super) fn finish(&self, mut end: impl FnMut(E), finish: impl FnOnce()) -> u64 {
        let mut state = self.state();
        if std::mem::replace(&mut state.is_finished, true) {
            return 0;
        }
        while let Some(open) = state.open.pop() {
            end(open.end);
        }
        finish();
        state.left_out
    }
}

#[cfg(all(test, not(spelt_loom)))]
mod tests {
    use std::cell::RefCell;
    use std::thread;

    use super::Turns;

    /// The events of a library, as text.
    #[derive(Default)]
    struct Told(RefCell<String>);

    impl Told {
        fn add(&self, text: &str) {
            self.0.borrow_mut().push_str(text);
        }
        fn begin(&self, turns: &Turns<&'static str>, name: &'static str) -> u64 {
            turns.begin(|| {
                self.add(&format!("({name} "));
                name
            })
        }
        fn end(&self, turns: &Turns<&'static str>, number: u64) {
            turns.end(number, |name| self.add(&format!("{name}) ")));
        }
    }

    #[test]
    fn ends_out_of_order_wait_for_the_later_ones() {
        let (turns, told) = (Turns::new(), Told::default());
        let [a, b, c] = ["a", "b", "c"].map(|name| told.begin(&turns, name));
        told.end(&turns, b);
        told.end(&turns, a);
        assert_eq!(told.0.borrow().as_str(), "(a (b (c ");
        told.end(&turns, c);
        assert_eq!(told.0.borrow().as_str(), "(a (b (c c) b) a) ");
        let d = told.begin(&turns, "d");
        told.end(&turns, d);
        assert!(told.0.borrow().ends_with("(d d) "));
    }

    #[test]
    fn begins_of_other_threads_are_left_out_meanwhile() {
        let (turns, told) = (Turns::new(), Told::default());
        let other = || {
            thread::scope(|scope| {
                scope.spawn(|| {
                    let number = turns.begin(|| "other");
                    turns.end(number, |_| {});
                    number
                });
            });
        };
        let number_of_other =
            || thread::scope(|scope| scope.spawn(|| turns.begin(|| "other")).join().expect("no panic"));
        let a = told.begin(&turns, "a");
        assert_eq!([number_of_other(), number_of_other()], [0, 0]);
        // A guard may be dropped by another thread.
        thread::scope(|scope| scope.spawn(|| turns.end(a, |name| assert_eq!(name, "a"))).join()).expect("a");
        other();
        // The one that was told and not ended above is open now; at the end of the program it gets its end.
        assert_eq!(number_of_other(), 1);
        let mut ends = Vec::new();
        assert_eq!(turns.finish(|name| ends.push(name), || {}), 2);
        assert_eq!(ends, ["other"]);
    }

    #[test]
    fn nothing_is_told_after_the_end() {
        let (turns, told) = (Turns::new(), Told::default());
        let a = told.begin(&turns, "a");
        told.begin(&turns, "b");
        for _ in 0..2 {
            turns.finish(|name| told.add(&format!("{name}) ")), || told.add("finish "));
        }
        told.end(&turns, a);
        assert_eq!(told.begin(&turns, "c"), 0);
        turns.once(|| told.add("once "));
        assert_eq!(told.0.borrow().as_str(), "(a (b b) a) finish ");
    }
}
