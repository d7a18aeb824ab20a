//! One value for every element.

use core::any::TypeId;
use core::mem::MaybeUninit;
use std::sync::Arc;

use spelt_access::{Element, Layout};

use super::copy;
use super::driver::{self, Address, Fault, Pattern, RawStream};
use super::memory::{CudaSpace, DeviceAllocation, DeviceBuffer};
use super::stock::Kernels;
use super::stream::Stream;
use crate::Result;
use crate::view::{CopyStream, ViewMut};

/// Makes the first `bytes` bytes of a block zero, in the order of the stream.
pub(super) fn zero(stream: &Arc<Stream>, allocation: &DeviceAllocation, bytes: usize) -> Result<()> {
    // SAFETY: the block has these bytes, and the work is ordered by `write`.
    write(stream, allocation, "zeroing a View", |raw| unsafe {
        driver::fill(allocation.address(), Pattern::One(0), bytes, raw)
    })
}

/// Submits work that writes a block, after all earlier uses and before all later ones.
fn write(
    stream: &Arc<Stream>,
    allocation: &DeviceAllocation,
    doing: &str,
    work: impl FnOnce(RawStream) -> Result<(), Fault>,
) -> Result<()> {
    let context = stream.context();
    context.bind()?;
    let order = context.order();
    allocation.wait(stream, true)?;
    let outcome = stream.timed(|| (doing.to_owned(), 0), || work(stream.raw()));
    allocation.mark(stream, stream.submitted(), true);
    drop(order);
    stream.read_times(false);
    outcome.map_err(|fault| context.failed(doing, fault))
}

/// Gives every element of a View in device memory this value.
pub(super) fn fill<T: Element, const R: usize, L: Layout>(
    mut to: ViewMut<'_, T, R, CudaSpace, L>,
    value: T,
    stream: Option<CopyStream<'_>>,
) -> Result<()> {
    let bytes = to.size_bytes();
    if bytes == 0 {
        return Ok(());
    }
    let (dense, pattern) = (to.is_contiguous(), pattern(&value));
    let raw = to.raw_mut();
    let address = raw.pointer().addr() as Address;
    let allocation = to.owner().expect("a View of device memory has an owner");
    let stream = allocation.stream_for(stream);
    if !dense || pattern.is_none() {
        stream.context().bind()?;
        if let Ok(kernels) = stream.context().stock().kernels() {
            let needs_room = Kernels::needs_room(size_of::<T>());
            let room = needs_room.then(|| DeviceBuffer::new(&stream, size_of::<T>())).transpose()?;
            let doing = format!("filling view `{}`", to.label());
            // SAFETY: the View is borrowed exclusively, the room is of this stream, and `write` orders the work.
            return write(&stream, allocation, &doing, |stream| unsafe {
                kernels.fill(raw, &value, room.as_ref().map(DeviceBuffer::address), stream)
            });
        }
    }
    if !dense {
        return copy::fill_strided(to, value, &stream);
    }
    write(&stream, allocation, &format!("filling view `{}`", to.label()), |raw| match pattern {
        // SAFETY: the View is dense, so these bytes are its own; a pattern is no larger than the element.
        Some(Pattern::One(byte)) => unsafe { driver::fill(address, Pattern::One(byte), bytes, raw) },
        // SAFETY: the View is dense and `pattern` gives two bytes only for elements of a multiple of that size, so
        // these words are its own.
        Some(Pattern::Two(word)) => unsafe { driver::fill(address, Pattern::Two(word), bytes / 2, raw) },
        // SAFETY: the View is dense and `pattern` gives four bytes only for elements of a multiple of that size, so
        // these words are its own.
        Some(Pattern::Four(word)) => unsafe { driver::fill(address, Pattern::Four(word), bytes / 4, raw) },
        // SAFETY: the View is dense, so these bytes are its own, and a multiple of the element's size.
        None => unsafe { repeat(address, bytes, &value, raw) },
    })
}

/// Uploads one element, then appends copies of the filled part until the block is full.
///
/// # Safety
/// The memory has `bytes` bytes, a whole number of elements, and the stream's work on it is ordered.
unsafe fn repeat<T>(to: Address, bytes: usize, value: &T, stream: RawStream) -> Result<(), Fault> {
    let mut full = size_of::<T>();
    let from = core::ptr::from_ref(value).expose_provenance() as Address;
    // SAFETY: the value has these bytes; it is pageable memory, which the driver has read when this returns.
    unsafe { driver::copy(to, from, full, stream)? };
    while full < bytes {
        let next = full.min(bytes - full);
        // SAFETY: the first `full` bytes are written, `next` bytes follow them, and `next` is at most `full`.
        unsafe { driver::copy(to + full as Address, to, next, stream)? };
        full += next;
    }
    Ok(())
}

/// The pattern of one, two or four bytes that `value` repeats, if there is one and its type has no padding.
fn pattern<T: Element>(value: &T) -> Option<Pattern> {
    macro_rules! without_padding {
        ($($type:ty)*) => {
            [$(TypeId::of::<$type>()),*]
        };
    }
    let whole = without_padding! {
        u8 i8 bool u16 i16 u32 i32 f32 char u64 i64 f64 usize isize u128 i128 [f32; 2] [f64; 2] [f32; 4] [f64; 4]
    };
    if !whole.contains(&TypeId::of::<T>()) {
        return None;
    }
    // SAFETY: these types consist of initialised bytes; the slice has the value's size and life.
    let bytes: &[u8] =
        unsafe { core::slice::from_raw_parts(core::ptr::from_ref(value).cast(), size_of::<T>()) };
    if bytes.iter().all(|byte| *byte == bytes[0]) {
        return Some(Pattern::One(bytes[0]));
    }
    if let Some((first, _)) = bytes.split_first_chunk::<2>()
        && bytes.chunks_exact(2).all(|chunk| chunk == first)
    {
        return Some(Pattern::Two(u16::from_ne_bytes(*first)));
    }
    if let Some((first, _)) = bytes.split_first_chunk::<4>()
        && bytes.chunks_exact(4).all(|chunk| chunk == first)
    {
        return Some(Pattern::Four(u32::from_ne_bytes(*first)));
    }
    None
}

/// `len` copies of `value` in host memory, if there is enough.
pub(super) fn repeated<T: Copy>(value: T, len: usize) -> Option<Vec<MaybeUninit<T>>> {
    let mut values = Vec::new();
    values.try_reserve_exact(len).ok()?;
    values.resize(len, MaybeUninit::new(value));
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_as_short_as_the_bytes_allow() {
        assert_eq!(pattern(&0.0_f64), Some(Pattern::One(0)));
        assert_eq!(pattern(&-1_i64), Some(Pattern::One(255)));
        assert_eq!(pattern(&0x1234_1234_u32), Some(Pattern::Two(0x1234)));
        assert_eq!(pattern(&1.0_f32), Some(Pattern::Four(1.0_f32.to_bits())));
        assert_eq!(pattern(&[1.0_f32; 4]), Some(Pattern::Four(1.0_f32.to_bits())));
        assert_eq!(pattern(&1.0_f64), None);
        assert_eq!(pattern(&(1_u8, 0_u32)), None);
    }
}
