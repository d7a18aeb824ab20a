//! One call of this rank: its messages on their way out and in.

use std::cell::OnceCell;
use std::rc::Rc;

use spelt_core::Result;

use crate::communicator::{Communicator, Sent};
use crate::device_memory::DeviceMemory;
use crate::message::{Arrived, Incoming, Outgoing, Payload};
use crate::transport::Channel;
use crate::wait::Wait;
use crate::wire::{Call, Header};

/// A call that this rank is making.
#[derive(Debug)]
pub(crate) struct Ongoing<'c> {
    ranks: &'c Communicator,
    channel: Channel,
    call: Call,
    /// Made with the first message.
    header: OnceCell<Header>,
    outgoing: Vec<Outgoing>,
    /// Posted receives, with the payloads that have come.
    incoming: Vec<(Incoming, Option<Arrived>)>,
}

impl<'c> Ongoing<'c> {
    pub(crate) fn new(ranks: &'c Communicator, channel: Channel, call: Call) -> Self {
        let (header, outgoing, incoming) = Default::default();
        Self { ranks, channel, call, header, outgoing, incoming }
    }

    /// The messages so far, as a call of their own that goes on later: this one is left without any.
    pub(crate) fn take(&mut self) -> Self {
        let rest = Self::new(self.ranks, self.channel, self.call.clone());
        core::mem::replace(self, rest)
    }

    /// The number of the call.
    pub(crate) fn number(&self) -> u64 {
        self.call.sequence
    }

    /// Whether messages take the memory of devices.
    pub(crate) fn takes_device_memory(&self) -> bool {
        self.ranks.transport.takes_device_memory()
    }

    /// Counts bytes of a device that pass through memory of the host.
    pub(crate) fn count_staged(&self, bytes: usize) {
        self.ranks.count_staged(bytes);
    }

    /// Starts to send; [`Ongoing::receive`] and [`Ongoing::finish`] go on with it. No work is pending on the memory of a device.
    pub(crate) fn send(&mut self, to: usize, payload: impl Into<Payload>) -> Result<()> {
        let payload = payload.into();
        let bytes = payload.len() as u64;
        let outgoing = Outgoing::start(&*self.ranks.transport, to, self.channel, self.header(), payload)?;
        let Sent { messages, bytes: before } = self.ranks.sent.get();
        self.ranks.sent.set(Sent { messages: messages + outgoing.pieces as u64, bytes: before + bytes });
        self.outgoing.push(outgoing);
        Ok(())
    }

    /// Waits for the message of this call from rank `from`.
    pub(crate) fn receive(&mut self, from: usize) -> Result<Vec<u8>> {
        let transport = &*self.ranks.transport;
        let mut incoming = Incoming::start(transport, from, self.channel, None)?;
        let mut wait = Wait::new(self.ranks);
        loop {
            let received = incoming.test(transport, self.header(), |call| self.must_be(&call, from))?;
            if let Some(payload) = received {
                return Ok(on_host(payload));
            }
            self.push()?;
            wait.pause(|| format!("{} waits for rank {}", self.at(), incoming.from()))?;
        }
    }

    /// Starts to receive the message of this call from rank `from`, which [`Ongoing::arrived`] returns: into the memory of a device, if that is
    /// given and the message comes from such memory. No work is pending on it. No [`Ongoing::receive`] from that rank is made before.
    pub(crate) fn post(&mut self, from: usize, device: Option<Rc<dyn DeviceMemory>>) -> Result<()> {
        let incoming = Incoming::start(&*self.ranks.transport, from, self.channel, device)?;
        self.incoming.push((incoming, None));
        Ok(())
    }

    /// Goes on with all messages; whether those of the posted receives have come.
    pub(crate) fn poll(&mut self) -> Result<bool> {
        self.push()?;
        let mut incoming = core::mem::take(&mut self.incoming);
        let mut all = true;
        let result = incoming.iter_mut().filter(|(_, payload)| payload.is_none()).try_for_each(
            |(message, payload)| {
                let from = message.from();
                let check = |call: Call| self.must_be(&call, from);
                *payload = message.test(&*self.ranks.transport, self.header(), check)?;
                all &= payload.is_some();
                Ok(())
            },
        );
        self.incoming = incoming;
        result.map(|()| all)
    }

    /// Waits for the messages of the posted receives, in their order.
    pub(crate) fn arrived(&mut self) -> Result<Vec<Arrived>> {
        let mut wait = Wait::new(self.ranks);
        while !self.poll()? {
            wait.pause(|| {
                let late = self.incoming.iter().find(|(_, payload)| payload.is_none());
                format!("{} waits for rank {}", self.at(), late.map_or(0, |(message, _)| message.from()))
            })?;
        }
        Ok(core::mem::take(&mut self.incoming).into_iter().filter_map(|(_, payload)| payload).collect())
    }

    /// Waits until all messages have left.
    pub(crate) fn finish(&mut self) -> Result<()> {
        let mut wait = Wait::new(self.ranks);
        loop {
            self.push()?;
            let Some(outgoing) = self.outgoing.first() else { return Ok(()) };
            wait.pause(|| format!("{} waits until rank {} receives", self.at(), outgoing.to()))?;
        }
    }

    /// Goes on with the messages on their way out.
    fn push(&mut self) -> Result<()> {
        let mut at = 0;
        while at < self.outgoing.len() {
            if self.outgoing[at].test(&*self.ranks.transport)? {
                self.outgoing.remove(at);
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// This rank and its call, for messages.
    fn at(&self) -> String {
        format!("rank {} in {}", self.ranks.rank(), self.call)
    }

    fn header(&self) -> &Header {
        self.header.get_or_init(|| self.call.header())
    }

    fn must_be(&self, call: &Call, from: usize) -> Result<()> {
        self.call.must_be(call, [self.ranks.rank(), from])
    }
}

/// A payload for which no memory of a device was given.
fn on_host(payload: Arrived) -> Vec<u8> {
    match payload {
        Arrived::Host(bytes) => bytes,
        Arrived::Device(..) => {
            unreachable!("a message comes into the memory of a device where that was given")
        }
    }
}
