//! One message: a first piece with the header and a short payload. A long payload follows behind it in pieces, and so does the part of any payload
//! that is in the memory of a device.

use core::ops::Range;
use std::rc::Rc;

use spelt_core::{Error, ErrorKind, Result};

use crate::communicator::Communicator;
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

    /// The part of it in the first piece, behind a header of this length; the length of that part, which other ranks are told; and the bytes that follow in
    /// pieces. One that does not fit into the first piece follows as a whole, without a copy.
    fn split(&self, header: usize) -> (&[u8], Option<usize>, Range<usize>) {
        match self {
            Payload::Host(bytes) if bytes.len() <= FIRST - header => (bytes, None, 0..0),
            Payload::Host(bytes) => (&[], Some(0), 0..bytes.len()),
            Payload::Device(start, memory) => (start, Some(start.len()), 0..memory.len()),
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

impl Arrived {
    fn len(&self) -> usize {
        match self {
            Arrived::Host(bytes) => bytes.len(),
            Arrived::Device(start, memory) => start.len() + memory.len(),
        }
    }
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
        ranks: &Communicator,
        to: usize,
        channel: Channel,
        header: &Header,
        payload: Payload,
    ) -> Result<Self> {
        let transport = &*ranks.transport;
        let mut first = ranks.buffers.empty(FIRST);
        let (inline, start, apart) = payload.split(header.len());
        header.before(Announced { len: payload.len(), start }, &mut first);
        first.extend_from_slice(inline);
        let mut outgoing = Self { to, memory: Some((first, payload)), requests: Vec::new(), pieces: 0 };
        let (first, payload) = outgoing.memory.as_ref().expect("set above");
        // SAFETY: the piece belongs to `outgoing.memory`, whose vectors and memory are neither changed nor freed before all requests are
        // complete: `drop` leaks them otherwise.
        let request = unsafe { transport.start_send(to, channel, first.as_ptr(), first.len()) }?;
        outgoing.requests.push(request);
        for piece in pieces(apart, transport.longest()) {
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

    /// Whether the message has left. Its memory is then kept for others.
    pub(crate) fn test(&mut self, ranks: &Communicator) -> Result<bool> {
        let has_left = all_complete(&mut self.requests, &*ranks.transport)?;
        if has_left && let Some((first, payload)) = self.memory.take() {
            ranks.buffers.keep(first);
            // Of those that several messages share, the last one keeps it.
            if let Payload::Host(bytes) = payload
                && let Ok(bytes) = Rc::try_unwrap(bytes)
            {
                ranks.buffers.keep(bytes);
            }
        }
        Ok(has_left)
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        if !self.requests.is_empty() {
            core::mem::forget(self.memory.take());
        }
    }
}

/// The memory for a payload, which the receiver of a message has ready.
#[derive(Debug)]
pub(crate) enum Room {
    /// None: the sender says how long it is.
    None,
    /// This number of bytes of the host, which the payload has. If they come in one piece behind the first, both are received at once.
    Host(usize),
    /// Memory of a device for as many bytes, on which no work is pending: used if the message comes from such memory.
    Device(Rc<dyn DeviceMemory>),
}

impl Room {
    /// As many bytes more of the host, if that is where the room is. `None`: a number that is not known.
    pub(crate) fn add(&mut self, bytes: Option<usize>) {
        if let Room::Host(len) = self {
            *self = bytes.and_then(|bytes| len.checked_add(bytes)).map_or(Room::None, Room::Host);
        }
    }
}

impl From<Option<Rc<dyn DeviceMemory>>> for Room {
    fn from(block: Option<Rc<dyn DeviceMemory>>) -> Self {
        block.map_or(Room::None, Room::Device)
    }
}

/// A message on its way in, with its memory.
#[derive(Debug)]
pub(crate) struct Incoming {
    from: usize,
    channel: Channel,
    first: Vec<u8>,
    /// That of the first piece, until it has come.
    request: Option<Request>,
    room: Room,
    payload: Option<Arrived>,
    /// Those of the pieces behind the first.
    requests: Vec<Request>,
}

impl Incoming {
    /// Starts to receive a message from rank `from`, whose header is `own`, or that of another call.
    pub(crate) fn start(
        ranks: &Communicator,
        from: usize,
        channel: Channel,
        own: &Header,
        room: Room,
    ) -> Result<Self> {
        let transport = &*ranks.transport;
        let first = ranks.buffers.filled(FIRST).unwrap_or_else(|| vec![0; FIRST]);
        let (request, payload, requests) = Default::default();
        let mut incoming = Self { from, channel, first, request, room, payload, requests };
        // SAFETY: the vector is used by the transfer alone until the request is complete: `test` reads it after that, and `drop`
        // leaks it otherwise.
        let request = unsafe { transport.start_receive(from, channel, incoming.first.as_mut_ptr(), FIRST) }?;
        incoming.request = Some(request);
        if let Room::Host(len) = incoming.room
            && len > FIRST - own.len()
            && len <= transport.longest()
        {
            let payload = incoming.payload.insert(Arrived::Host(any_bytes(ranks, len, from)?));
            let Arrived::Host(payload) = payload else { unreachable!("it was inserted") };
            // SAFETY: the bytes belong to `payload`, which nothing touches until the request is complete: `drop` leaks it otherwise.
            let request =
                unsafe { transport.start_receive(from, channel, payload.as_mut_ptr(), payload.len()) }?;
            incoming.requests.push(request);
        }
        Ok(incoming)
    }

    pub(crate) fn from(&self) -> usize {
        self.from
    }

    /// The payload, when it has come. `check` judges the call of a header that is not `own`, as soon as it is there.
    pub(crate) fn test(
        &mut self,
        ranks: &Communicator,
        own: &Header,
        check: impl FnOnce(Call) -> Result<()>,
    ) -> Result<Option<Arrived>> {
        let transport = &*ranks.transport;
        if let Some(request) = &mut self.request {
            if !transport.test(request)? {
                return Ok(None);
            }
            self.request = None;
            self.read_first(ranks, own, check)?;
        }
        if !all_complete(&mut self.requests, transport)? {
            return Ok(None);
        }
        ranks.buffers.keep(core::mem::take(&mut self.first));
        Ok(self.payload.take())
    }

    /// Reads the first piece, and starts to receive what follows, if that has not been done.
    fn read_first(
        &mut self,
        ranks: &Communicator,
        own: &Header,
        check: impl FnOnce(Call) -> Result<()>,
    ) -> Result<()> {
        let (from, channel, transport) = (self.from, self.channel, &*ranks.transport);
        let (Announced { len, start }, header) = match own.announced(&self.first) {
            Some(announced) => announced,
            None => {
                let (call, announced, header) = read(&self.first, from)?;
                check(call)?;
                (announced, header)
            }
        };
        if let Some(payload) = &self.payload {
            // All of it is behind the first piece, as `Payload::split` says.
            let expected = payload.len();
            return if (len, start) == (expected, Some(0)) {
                Ok(())
            } else {
                Err(other_length(from, [len, expected]))
            };
        }
        let inline = start.unwrap_or_else(|| len.min(FIRST - header));
        let first = &self.first[header..header + inline];
        let longest = transport.longest();
        match &self.room {
            Room::Device(memory) if start.is_some() && memory.len() == len - inline => {
                self.payload = Some(Arrived::Device(first.to_vec(), Rc::clone(memory)));
                for piece in pieces(0..memory.len(), longest) {
                    // SAFETY: the memory belongs to `payload`, and other holders of a reference to it leave it alone until this
                    // message has come; `drop` leaks it if that is not known. No work is pending on it, as `Room` says.
                    let request = unsafe { transport.start_receive_on_device(from, channel, memory, piece) };
                    self.requests.push(request?);
                }
            }
            room => {
                let mut payload = match room {
                    Room::Host(_) => any_bytes(ranks, len, from)?,
                    Room::None | Room::Device(_) => zeroed(len, from)?,
                };
                payload[..inline].copy_from_slice(first);
                let Arrived::Host(payload) = self.payload.insert(Arrived::Host(payload)) else {
                    unreachable!("it was inserted")
                };
                for piece in payload[inline..].chunks_mut(longest) {
                    // SAFETY: the piece belongs to `payload`, which nothing touches until all requests are complete: `drop` leaks
                    // it otherwise.
                    let request =
                        unsafe { transport.start_receive(from, channel, piece.as_mut_ptr(), piece.len()) };
                    self.requests.push(request?);
                }
            }
        }
        Ok(())
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if self.request.is_some() || !self.requests.is_empty() {
            core::mem::forget((core::mem::take(&mut self.first), self.payload.take()));
        }
    }
}

/// The error for a payload of another length than this rank has room for.
#[cold]
fn other_length(from: usize, [found, expected]: [usize; 2]) -> Error {
    let message = format!(
        "rank {from} sent {found} bytes of rows where {expected} were expected: all ranks must have the same types"
    );
    Error::new(ErrorKind::Communication, message)
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

/// Memory for a payload that comes back to the buffers: with any bytes, if they have it.
fn any_bytes(ranks: &Communicator, len: usize, from: usize) -> Result<Vec<u8>> {
    ranks.buffers.filled(len).map_or_else(|| zeroed(len, from), Ok)
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
