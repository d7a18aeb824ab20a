//! One message: a first piece with the header, and the rest of a long payload in pieces.

use std::rc::Rc;

use spelt_core::{Error, ErrorKind, Result};

use crate::transport::{Channel, Request, Transport};
use crate::wire::{Call, FIRST, read};

/// A message on its way out, with its memory.
#[derive(Debug)]
pub(crate) struct Outgoing {
    to: usize,
    memory: Option<(Vec<u8>, Rc<Vec<u8>>)>,
    requests: Vec<Request>,
    /// Messages of the transport that it takes.
    pub(crate) pieces: usize,
}

impl Outgoing {
    /// Starts to send `payload` to rank `to`.
    pub(crate) fn start(
        transport: &dyn Transport,
        to: usize,
        channel: Channel,
        call: &Call,
        payload: Rc<Vec<u8>>,
    ) -> Result<Self> {
        let mut first = call.header(payload.len());
        let inline = payload.len().min(FIRST - first.len());
        first.extend_from_slice(&payload[..inline]);
        let mut outgoing = Self { to, memory: Some((first, payload)), requests: Vec::new(), pieces: 0 };
        let (first, payload) = outgoing.memory.as_ref().expect("set above");
        let rest = payload[inline..].chunks(transport.longest());
        for piece in core::iter::once(&first[..]).chain(rest) {
            // SAFETY: the piece belongs to `outgoing.memory`, whose vectors are neither changed nor freed before all requests are
            // complete: `drop` leaks them otherwise.
            outgoing
                .requests
                .push(unsafe { transport.start_send(to, channel, piece.as_ptr(), piece.len()) }?);
            outgoing.pieces += 1;
        }
        Ok(outgoing)
    }

    pub(crate) fn to(&self) -> usize {
        self.to
    }

    /// Whether the message has left, so that its memory is free.
    pub(crate) fn test(&mut self, transport: &dyn Transport) -> Result<bool> {
        all_complete(&mut self.requests, transport)
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        if !self.requests.is_empty() {
            core::mem::forget(self.memory.take());
        }
    }
}

/// A message on its way in, with its memory.
#[derive(Debug)]
pub(crate) struct Incoming {
    from: usize,
    channel: Channel,
    first: Vec<u8>,
    payload: Option<Vec<u8>>,
    requests: Vec<Request>,
}

impl Incoming {
    /// Starts to receive a message from rank `from`.
    pub(crate) fn start(transport: &dyn Transport, from: usize, channel: Channel) -> Result<Self> {
        let mut incoming = Self { from, channel, first: vec![0; FIRST], payload: None, requests: Vec::new() };
        // SAFETY: the vector is used by the transfer alone until the request is complete: `test` reads it after that, and `drop`
        // leaks it otherwise.
        let request = unsafe { transport.start_receive(from, channel, incoming.first.as_mut_ptr(), FIRST) }?;
        incoming.requests.push(request);
        Ok(incoming)
    }

    pub(crate) fn from(&self) -> usize {
        self.from
    }

    /// The payload, when it has come. `check` judges the header as soon as it is there.
    pub(crate) fn test(
        &mut self,
        transport: &dyn Transport,
        check: impl FnOnce(Call) -> Result<()>,
    ) -> Result<Option<Vec<u8>>> {
        if !all_complete(&mut self.requests, transport)? {
            return Ok(None);
        }
        if self.payload.is_none() {
            let (call, len, header) = read(&self.first, self.from)?;
            check(call)?;
            let inline = len.min(FIRST - header);
            let payload = self.payload.insert(zeroed(len, self.from)?);
            payload[..inline].copy_from_slice(&self.first[header..header + inline]);
            for piece in payload[inline..].chunks_mut(transport.longest()) {
                // SAFETY: the piece belongs to `payload`, which nothing touches until all requests are complete: `drop` leaks it otherwise.
                let request = unsafe {
                    transport.start_receive(self.from, self.channel, piece.as_mut_ptr(), piece.len())
                };
                self.requests.push(request?);
            }
            if !all_complete(&mut self.requests, transport)? {
                return Ok(None);
            }
        }
        Ok(self.payload.take())
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if !self.requests.is_empty() {
            core::mem::forget((core::mem::take(&mut self.first), self.payload.take()));
        }
    }
}

/// Whether all requests are complete. Complete ones are removed.
fn all_complete(requests: &mut Vec<Request>, transport: &dyn Transport) -> Result<bool> {
    let mut at = 0;
    while at < requests.len() {
        if transport.test(&mut requests[at])? {
            requests.remove(at);
        } else {
            at += 1;
        }
    }
    Ok(requests.is_empty())
}

/// Memory for a payload: another rank says how much, so too much is an error.
fn zeroed(len: usize, from: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|error| {
        let message = format!("there is no memory for a message of {len} bytes from rank {from}");
        Error::new(ErrorKind::OutOfMemory, message).with_source(error)
    })?;
    bytes.resize(len, 0);
    Ok(bytes)
}
