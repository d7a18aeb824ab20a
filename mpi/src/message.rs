//! One message: a first piece with the header, and the rest of a long payload in pieces. The part of a payload that is in the
//! memory of a device follows behind the first piece from its first byte on.

use core::ops::Range;
use std::rc::Rc;

use spelt_core::{Error, ErrorKind, Result};

use crate::device_memory::DeviceMemory;
use crate::transport::{Channel, Request, Transport};
use crate::wire::{Announced, Call, FIRST, Header, read};

/// The bytes of a message, on their way out.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    Host(Rc<Vec<u8>>),
    /// Bytes of the host, at most [`START`](crate::wire::START), and behind them those of a device. For transports that take the memory of
    /// devices.
    Device(Vec<u8>, Rc<dyn DeviceMemory>),
}

impl Payload {
    pub(crate) fn len(&self) -> usize {
        match self {
            Payload::Host(bytes) => bytes.len(),
            Payload::Device(start, memory) => start.len() + memory.len(),
        }
    }

    /// The bytes that follow behind the first piece, which has the `inline` bytes before them.
    fn apart(&self, inline: usize) -> Range<usize> {
        match self {
            Payload::Host(bytes) => inline..bytes.len(),
            Payload::Device(_, memory) => 0..memory.len(),
        }
    }
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Payload::Host(Rc::new(bytes))
    }
}

impl From<Rc<Vec<u8>>> for Payload {
    fn from(bytes: Rc<Vec<u8>>) -> Self {
        Payload::Host(bytes)
    }
}

/// The bytes of a message that has come.
#[derive(Debug)]
pub(crate) enum Arrived {
    Host(Vec<u8>),
    /// Bytes of the host, and behind them those in the memory that was given for them.
    Device(Vec<u8>, Rc<dyn DeviceMemory>),
}

/// A message on its way out, with its memory.
#[derive(Debug)]
pub(crate) struct Outgoing {
    to: usize,
    memory: Option<(Vec<u8>, Payload)>,
    requests: Vec<Request>,
    /// Messages of the transport that it takes.
    pub(crate) pieces: usize,
}

impl Outgoing {
    /// Starts to send `payload` to rank `to`. No work is pending on the memory of a device.
    pub(crate) fn start(
        transport: &dyn Transport,
        to: usize,
        channel: Channel,
        header: &Header,
        payload: Payload,
    ) -> Result<Self> {
        let start = match &payload {
            Payload::Host(_) => None,
            Payload::Device(start, _) => Some(start.len()),
        };
        let mut first = header.before(Announced { len: payload.len(), start });
        let inline = match &payload {
            Payload::Host(bytes) => &bytes[..bytes.len().min(FIRST - first.len())],
            Payload::Device(start, _) => start,
        };
        first.extend_from_slice(inline);
        let inline = inline.len();
        let mut outgoing = Self { to, memory: Some((first, payload)), requests: Vec::new(), pieces: 0 };
        let (first, payload) = outgoing.memory.as_ref().expect("set above");
        // SAFETY: the piece belongs to `outgoing.memory`, whose vectors and memory are neither changed nor freed before all requests are
        // complete: `drop` leaks them otherwise.
        let request = unsafe { transport.start_send(to, channel, first.as_ptr(), first.len()) }?;
        outgoing.requests.push(request);
        for piece in pieces(payload.apart(inline), transport.longest()) {
            let request = match payload {
                Payload::Host(bytes) => {
                    let piece = &bytes[piece];
                    // SAFETY: the piece belongs to the payload in `outgoing.memory`, which is neither changed nor freed before all requests are
                    // complete.
                    unsafe { transport.start_send(to, channel, piece.as_ptr(), piece.len()) }
                }
                // SAFETY: the memory belongs to `outgoing.memory`, and is neither changed nor freed before all requests are complete; no
                // work is pending on it, as the caller says.
                Payload::Device(_, memory) => unsafe {
                    transport.start_send_of_device(to, channel, memory, piece)
                },
            };
            outgoing.requests.push(request?);
        }
        outgoing.pieces = outgoing.requests.len();
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
    /// Memory of a device for as many bytes of the payload, on which no work is pending.
    device: Option<Rc<dyn DeviceMemory>>,
    payload: Option<Arrived>,
    requests: Vec<Request>,
}

impl Incoming {
    /// Starts to receive a message from rank `from`: into the memory of a device, if that is given and the message comes from such memory.
    /// No work is pending on it.
    pub(crate) fn start(
        transport: &dyn Transport,
        from: usize,
        channel: Channel,
        device: Option<Rc<dyn DeviceMemory>>,
    ) -> Result<Self> {
        let mut incoming =
            Self { from, channel, first: vec![0; FIRST], device, payload: None, requests: Vec::new() };
        // SAFETY: the vector is used by the transfer alone until the request is complete: `test` reads it after that, and `drop`
        // leaks it otherwise.
        let request = unsafe { transport.start_receive(from, channel, incoming.first.as_mut_ptr(), FIRST) }?;
        incoming.requests.push(request);
        Ok(incoming)
    }

    pub(crate) fn from(&self) -> usize {
        self.from
    }

    /// The payload, when it has come. `check` judges the call of a header that is not `own`, as soon as it is there.
    pub(crate) fn test(
        &mut self,
        transport: &dyn Transport,
        own: &Header,
        check: impl FnOnce(Call) -> Result<()>,
    ) -> Result<Option<Arrived>> {
        if !all_complete(&mut self.requests, transport)? {
            return Ok(None);
        }
        if self.payload.is_none() {
            let (Announced { len, start }, header) = match own.announced(&self.first) {
                Some(announced) => announced,
                None => {
                    let (call, announced, header) = read(&self.first, self.from)?;
                    check(call)?;
                    (announced, header)
                }
            };
            let inline = start.unwrap_or_else(|| len.min(FIRST - header));
            let device = self.device.take().filter(|memory| start.is_some() && memory.len() == len - inline);
            let first = &self.first[header..header + inline];
            let (from, channel, longest) = (self.from, self.channel, transport.longest());
            match device {
                Some(memory) => {
                    self.payload = Some(Arrived::Device(first.to_vec(), Rc::clone(&memory)));
                    for piece in pieces(0..memory.len(), longest) {
                        // SAFETY: the memory belongs to `payload`, and other holders of a reference to it leave it alone until this
                        // message has come; `drop` leaks it if that is not known. No work is pending on it, as the caller of `start`
                        // says.
                        let request =
                            unsafe { transport.start_receive_on_device(from, channel, &memory, piece) };
                        self.requests.push(request?);
                    }
                }
                None => {
                    let mut payload = zeroed(len, from)?;
                    payload[..inline].copy_from_slice(first);
                    let Arrived::Host(payload) = self.payload.insert(Arrived::Host(payload)) else {
                        unreachable!("it was inserted")
                    };
                    for piece in payload[inline..].chunks_mut(longest) {
                        // SAFETY: the piece belongs to `payload`, which nothing touches until all requests are complete: `drop` leaks
                        // it otherwise.
                        let request = unsafe {
                            transport.start_receive(from, channel, piece.as_mut_ptr(), piece.len())
                        };
                        self.requests.push(request?);
                    }
                }
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

/// These bytes of a payload in pieces of at most `longest`.
fn pieces(bytes: Range<usize>, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let end = bytes.end;
    bytes.step_by(longest).map(move |start| start..end.min(start.saturating_add(longest)))
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
pub(crate) fn zeroed(len: usize, from: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|error| {
        let message = format!("there is no memory for a message of {len} bytes from rank {from}");
        Error::new(ErrorKind::OutOfMemory, message).with_source(error)
    })?;
    bytes.resize(len, 0);
    Ok(bytes)
}
