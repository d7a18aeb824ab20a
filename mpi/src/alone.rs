//! A world of one: no message is ever sent.

use spelt_core::Result;

use crate::transport::{Channel, Request, Transport};

/// The only rank.
#[derive(Debug)]
pub(crate) struct Alone;

// SAFETY: it starts no transfer.
unsafe impl Transport for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn local(&self) -> (usize, usize) {
        (0, 1)
    }

    fn longest(&self) -> usize {
        usize::MAX
    }

    unsafe fn start_send(&self, to: usize, _: Channel, _: *const u8, _: usize) -> Result<Request> {
        unreachable!("one rank checks that rank {to} is another before it sends")
    }

    unsafe fn start_receive(&self, from: usize, _: Channel, _: *mut u8, _: usize) -> Result<Request> {
        unreachable!("one rank checks that rank {from} is another before it receives")
    }

    fn test(&self, _: &mut Request) -> Result<bool> {
        unreachable!("nothing was started")
    }

    fn abort(&self, _: &str) {}
}
