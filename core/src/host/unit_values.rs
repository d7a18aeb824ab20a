//! The values of units, all of which have run before one is read. They have no marks, unless they own something: before each launch, marks would
//! have to be written to lines that the other threads wrote in the launch before.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::mem::{MaybeUninit, needs_drop};

use spelt_order::tile::{join_in_place, join_pairwise};
use spelt_reducers::Reducer;

use super::room::Room;
use super::slots::{SharedSlots, Slots};
use crate::arena::NoRoom;

type ValueCell<T> = UnsafeCell<MaybeUninit<T>>;

/// Room for the value of each unit of a launch.
pub(super) enum UnitValues<T> {
    /// No value owns anything: those of a launch that panics are left where they are.
    Plain(Room<ValueCell<T>>),
    /// A launch that panics drops those that there are.
    Marked(Slots<T>),
}

impl<T> UnitValues<T> {
    /// # Errors
    /// If there is no memory for them.
    #[inline]
    pub(super) fn new(count: usize) -> Result<Self, NoRoom> {
        Ok(if const { needs_drop::<T>() } {
            Self::Marked(Slots::new(count)?)
        } else {
            Self::Plain(Room::new(count)?)
        })
    }

    /// The same room, for threads that fill it: its address, so that no thread reads `self`.
    #[inline]
    pub(super) fn shared(&self) -> SharedValues<'_, T> {
        match self {
            Self::Plain(room) => {
                SharedValues::Plain { first: room.first(), count: room.len(), room: PhantomData }
            }
            Self::Marked(slots) => SharedValues::Marked(slots.shared()),
        }
    }

    /// Joins the values of all units, at least one, in the canonical order: pairs by number, level by level.
    ///
    /// # Safety
    /// Every unit has a value, and they are joined once.
    #[inline]
    pub(super) unsafe fn join<R: Reducer<Value = T>>(&mut self, reducer: &R) -> T {
        match self {
            Self::Plain(room) => {
                // SAFETY: the room has memory for so many places, which have the layout of values. All have one, as the contract asks, and
                // `self` is not borrowed, so no other thread uses them.
                let values = unsafe { core::slice::from_raw_parts_mut(room.first().cast::<T>(), room.len()) };
                join_in_place(reducer, values);
                // SAFETY: a value of the slice, which is not used again.
                unsafe { core::ptr::read(&values[0]) }
            }
            Self::Marked(slots) => join_pairwise(reducer, slots.len(), &mut |unit| {
                slots.take(unit).expect("every unit has a value")
            }),
        }
    }
}

/// Room that several threads fill.
pub(super) enum SharedValues<'a, T> {
    Plain { first: *const ValueCell<T>, count: usize, room: PhantomData<&'a Room<ValueCell<T>>> },
    Marked(SharedSlots<'a, T>),
}

// SAFETY: the contract of `put` keeps threads apart, and values move between them.
unsafe impl<T: Send> Sync for SharedValues<'_, T> {}

impl<T> SharedValues<'_, T> {
    /// Puts the value of `unit`.
    ///
    /// # Safety
    /// At most one thread puts a value for a unit at a time.
    #[inline]
    pub(super) unsafe fn put(&self, unit: usize, value: T) {
        match self {
            Self::Plain { first, count, .. } => {
                assert!(unit < *count);
                // SAFETY: asserted above; `UnitValues::shared` took the address of a room that is borrowed for as long, and no other thread
                // uses this place, as the contract asks.
                unsafe { (*(*first.add(unit)).get()).write(value) };
            }
            // SAFETY: no other thread puts a value for the unit.
            Self::Marked(slots) => unsafe { slots.put(unit, value) },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    use spelt_reducers::{Sum, custom};

    use super::*;

    /// Sums of numbers between 0 and 1, whose bits depend on the order of the additions.
    fn number(unit: usize) -> f64 {
        (unit * 7919 % 1009) as f64 / 1009.0
    }

    /// Puts values for all units, joins them, and compares with the tree of single values; tries a unit beyond the last.
    fn check<R: Reducer<Value = T>, T: PartialEq + core::fmt::Debug>(
        reducer: &R,
        count: usize,
        value: impl Fn(usize) -> T,
    ) {
        let mut values = UnitValues::<T>::new(count).expect("memory");
        for unit in (0..count).rev() {
            // SAFETY: one thread uses the room.
            unsafe { values.shared().put(unit, value(unit)) };
        }
        // SAFETY: one thread uses the room.
        let beyond = catch_unwind(AssertUnwindSafe(|| unsafe { values.shared().put(count, value(0)) }));
        assert!(beyond.is_err());
        // SAFETY: all units have a value.
        let joined = unsafe { values.join(reducer) };
        assert_eq!(joined, join_pairwise(reducer, count, &mut { value }), "{count} units");
    }

    #[test]
    fn values_are_joined_as_a_tree() {
        /// Their alignment is larger than a frame's.
        #[derive(Clone, Debug, PartialEq)]
        #[repr(align(4096))]
        struct Far(f64);
        let nothing = custom((), |_: &mut (), _: &()| ());
        let far = custom(Far(0.0), |into: &mut Far, from: &Far| into.0 += from.0);
        let text =
            custom(String::new(), |into: &mut String, from: &String| *into = format!("({into} {from})"));
        for count in [1, 2, 3, 25, 64, 511, 512, 513, 1100] {
            check(&Sum::new(), count, number);
            check(&far, count, |unit| Far(number(unit)));
            check(&nothing, count, |_| ());
            check(&text, count, |unit| unit.to_string());
        }
    }

    #[test]
    fn values_of_a_launch_that_panics_are_dropped() {
        let value = Arc::new(());
        let values = UnitValues::new(3).expect("memory");
        // SAFETY: one thread uses the room.
        unsafe { values.shared().put(1, value.clone()) };
        drop(values);
        assert_eq!(Arc::strong_count(&value), 1);
    }
}
