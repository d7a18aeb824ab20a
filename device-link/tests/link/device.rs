// The device side of the tests, as a separate crate; the counterpart of kernels-gpu.
#![no_std]

use core::hint::black_box;
use core::mem::MaybeUninit;

macro_rules! intrinsics {
    ($($name:ident($($argument:ident: $kind:ty),*) $(-> $result:ty = $value:expr)?;)*) => {$(
        #[unsafe(no_mangle)]
        #[inline(never)]
        pub extern "C" fn $name($($argument: $kind),*) $(-> $result)? {
            $(let _ = black_box($argument);)*
            $(black_box($value))?
        }
    )*};
}
intrinsics! {
    __spelt_entry(size: usize, alignment: usize);
    __spelt_launch_number(number: u32);
    __spelt_thread() -> u32 = 0;
    __spelt_block() -> u32 = 0;
    __spelt_block_threads() -> u32 = 0;
    __spelt_grid_blocks() -> u32 = 0;
    __spelt_barrier();
    __spelt_warp_barrier(mask: u32);
    __spelt_shuffle(mask: u32, value: MaybeUninit<u32>, lane: u32) -> MaybeUninit<u32> = value;
    __spelt_shuffle_down(mask: u32, value: MaybeUninit<u32>, delta: u32) -> MaybeUninit<u32> = value;
    __spelt_shuffle_up(mask: u32, value: MaybeUninit<u32>, delta: u32) -> MaybeUninit<u32> = value;
    __spelt_alike(mask: u32, number: u32) -> u32 = 0;
    __spelt_shared() -> *mut u8 = core::ptr::null_mut();
    __spelt_fence();
    __spelt_fence_system();
    __spelt_failure_record() -> *mut u8 = core::ptr::null_mut();
    __spelt_trap();
}

// A small form of the handlers: the failure goes to the record's words.
fn report(words: [u64; 4]) -> ! {
    let record = __spelt_failure_record() as *mut u64;
    if !record.is_null() {
        for (place, word) in words.into_iter().enumerate() {
            unsafe { record.add(place).write(word) };
        }
    }
    __spelt_trap();
    loop {}
}
#[unsafe(no_mangle)]
#[track_caller]
fn __spelt_panic_fmt(arguments: core::fmt::Arguments<'_>) -> ! {
    let text = arguments.as_str().unwrap_or("");
    report([1, core::panic::Location::caller().line() as u64, text.as_ptr() as u64, text.len() as u64])
}
#[unsafe(no_mangle)]
#[track_caller]
fn __spelt_panic_message(start: *const u8, length: usize) -> ! {
    report([2, core::panic::Location::caller().line() as u64, start as u64, length as u64])
}
#[unsafe(no_mangle)]
#[track_caller]
fn __spelt_panic_bounds(index: usize, length: usize) -> ! {
    report([3, core::panic::Location::caller().line() as u64, index as u64, length as u64])
}

/// A View: the one pointer that kernels may get.
#[derive(Clone, Copy)]
pub struct Raw<T> {
    pub start: *mut T,
    pub length: usize,
}
impl<T: Copy> Raw<T> {
    #[inline(always)]
    pub fn get(self, place: usize) -> T {
        unsafe { *self.start.add(place) }
    }
    #[inline(always)]
    pub fn set(self, place: usize, value: T) {
        unsafe { *self.start.add(place) = value }
    }
}

#[repr(C)]
pub struct Params<T, F> {
    pub launch: u32,
    pub view: Raw<T>,
    pub closure: F,
}

pub unsafe extern "C" fn entry<T: Copy, F: Fn(usize, Raw<T>)>(params: &Params<T, F>) {
    __spelt_entry(const { size_of::<Params<T, F>>() }, const { align_of::<Params<T, F>>() });
    __spelt_launch_number(params.launch);
    let place = (__spelt_block() * __spelt_block_threads() + __spelt_thread()) as usize;
    if place < params.view.length {
        (params.closure)(place, params.view);
    }
}

/// Observes a launch: its label, its parameters, and its View before (`true`) and after.
pub type Observer = fn(&str, &[u8], &[u8], bool);
pub static mut OBSERVER: Option<Observer> = None;

unsafe fn bytes<'a, T>(start: *const T, count: usize) -> &'a [u8] {
    unsafe { core::slice::from_raw_parts(start.cast(), count * size_of::<T>()) }
}

/// A launch: here it runs on the host, and gives the observer the expected input and output of a device.
#[inline(never)]
pub fn launch<T: Copy, F: Fn(usize, Raw<T>)>(label: &str, view: Raw<T>, closure: F) {
    let entry: unsafe extern "C" fn(&Params<T, F>) = entry::<T, F>;
    black_box((label, entry as usize));
    let Some(observer) = (unsafe { OBSERVER }) else { return };
    let params = Params { launch: 1, view, closure };
    observer(label, unsafe { bytes(&params, 1) }, unsafe { bytes(view.start, view.length) }, true);
    for place in 0..view.length {
        (params.closure)(place, view);
    }
    observer(label, &[], unsafe { bytes(view.start, view.length) }, false);
}
