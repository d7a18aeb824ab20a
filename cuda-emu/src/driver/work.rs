//! The kinds of work that a stream takes, and their execution.

use super::api::{Handle, OK};
use super::copy::Copy;
use super::error::{ILLEGAL_ADDRESS, INVALID_VALUE};
use super::fill::Fill;
use super::launch::Kernel;
use super::state::State;
use std::ffi::{c_int, c_void};
use std::time::Instant;

#[derive(Debug)]
pub(super) enum Work {
    Launch(Box<Kernel>),
    Copy(Box<Copy>),
    Fill(Fill),
    /// An event is reached.
    Record(u64),
    /// Only a place in the order.
    Wait,
    /// An allocation begins to exist.
    Allocate(u64),
    /// An allocation ceases to exist.
    Free(u64),
    Call(HostCall),
}

/// A function of the program, called in the order of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum HostCall {
    Function(unsafe extern "C" fn(*mut c_void), *mut c_void),
    Callback(Handle, unsafe extern "C" fn(Handle, c_int, *mut c_void), *mut c_void),
}

// SAFETY: the program gives the function and its pointer for a thread of the driver's to call.
unsafe impl Send for HostCall {}

impl HostCall {
    pub(super) fn run(self) {
        match self {
            // SAFETY: the program asked for this call, with this pointer.
            HostCall::Function(f, data) => unsafe { f(data) },
            // SAFETY: the program asked for this call, with this pointer.
            HostCall::Callback(stream, f, data) => unsafe { f(stream, OK, data) },
        }
    }
}

impl State {
    /// Does a piece of work. `id` is its number if it has waited.
    ///
    /// The context ends with a kernel that fails, and with work that fails after it has waited: its call has long returned.
    pub(super) fn do_now(&mut self, work: Work, id: u64) -> i32 {
        let code = match work {
            Work::Launch(kernel) => self.run_kernel(*kernel),
            Work::Copy(copy) => self.copy(&copy),
            Work::Fill(fill) => self.fill(&fill),
            Work::Record(event) => {
                if let Some(e) = self.events.get_mut(&event) {
                    // An event that was recorded again since is reached by the later work.
                    if id == 0 || e.record == Some(id) {
                        e.time = Some(Instant::now());
                        e.record = None;
                    }
                }
                OK
            }
            Work::Wait => OK,
            Work::Allocate(address) => {
                self.mem.show(address);
                OK
            }
            Work::Free(address) => self.free_in_order(address),
            // Called without the lock, which its caller releases.
            Work::Call(_) => OK,
        };
        let sticky = &mut self.devices[self.device].sticky;
        if id != 0 && code != OK && *sticky == 0 {
            *sticky = ILLEGAL_ADDRESS;
        }
        code
    }

    fn free_in_order(&mut self, address: u64) -> i32 {
        if self.mem.find(address).is_some_and(|a| a.base == address) {
            return self.release(address);
        }
        eprintln!("cuda-emu: asynchronous free of 0x{address:x}: {}", self.mem.describe(address, 1));
        INVALID_VALUE
    }
}
