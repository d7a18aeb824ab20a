//! The twin that compiles: a witness does not leave its iteration by a channel, a cell that is set once, a thread-local or `Any` either.
use std::any::Any;
use std::cell::RefCell;
use std::sync::{Mutex, OnceLock, mpsc};

use spelt::prelude::*;

thread_local! {
    static KEPT: RefCell<Option<usize>> = const { RefCell::new(None) };
}

pub(crate) fn main() {
    let space = Serial::new();
    let (sender, _receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    parallel_for("channel", space.range(0..4), (), |i, ()| sender.lock().unwrap().send(i.get()).unwrap()).unwrap();
    let once = OnceLock::new();
    parallel_for("once", space.range(0..4), (), |i, ()| drop(once.set(i.get()))).unwrap();
    parallel_for("thread-local", space.range(0..4), (), |i, ()| KEPT.set(Some(i.get()))).unwrap();
    let any = Mutex::new(Vec::<Box<dyn Any + Send>>::new());
    parallel_for("any", space.range(0..4), (), |i, ()| any.lock().unwrap().push(Box::new(i.get()))).unwrap();
}
