//! One call of this rank: its messages on their way out and in.

use std::cell::OnceCell;

use spelt_core::Result;

use crate::buffers::Buffers;
use crate::communicator::{Communicator, Sent};
use crate::message::{Arrived, Incoming, Outgoing, Payload, Room};
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

    /// Memory of earlier messages.
    pub(crate) fn buffers(&self) -> &'c Buffers {
        &self.ranks.buffers
    }

    /// Counts bytes of a device that pass through memory of the host.
    pub(crate) fn count_staged(&self, bytes: usize) {
        self.ranks.count_staged(bytes);
    }

    /// Starts to send; [`Ongoing::receive`] and [`Ongoing::finish`] go on with it. No work is pending on the memory of a device.
    pub(crate) fn send(&mut self, to: usize, payload: impl Into<Payload>) -> Result<()> {
        let payload = payload.into();
        let bytes = payload.len() as u64;
        let outgoing = Outgoing::start(self.ranks, to, self.channel, self.header(), payload)?;
        let Sent { messages, bytes: before } = self.ranks.sent.get();
        self.ranks.sent.set(Sent { messages: messages + outgoing.pieces as u64, bytes: before + bytes });
        self.outgoing.push(outgoing);
        Ok(())
    }

    /// Waits for the message of this call from rank `from`.
    pub(crate) fn receive(&mut self, from: usize) -> Result<Vec<u8>> {
        let mut incoming = Incoming::start(self.ranks, from, self.channel, self.header(), Room::None)?;
        let mut wait = Wait::new(self.ranks);
        loop {
            let received = incoming.test(self.ranks, self.header(), |call| self.must_be(&call, from))?;
            if let Some(payload) = received {
                return Ok(on_host(payload));
            }
            self.push()?;
            wait.pause(|| format!("{} waits for rank {}", self.at(), incoming.from()))?;
        }
    }

    /// Starts to receive the message of this call from rank `from`, which [`Ongoing::arrived`] returns. No [`Ongoing::receive`] from that rank
    /// is made before.
    pub(crate) fn post(&mut self, from: usize, room: impl Into<Room>) -> Result<()> {
        let incoming = Incoming::start(self.ranks, from, self.channel, self.header(), room.into())?;
        self.incoming.push((incoming, None));
        Ok(())
    }

    /// Goes on with all messages: whether those of the posted receives have come. A library goes on with those on their way out meanwhile.
    pub(crate) fn poll(&mut self) -> Result<bool> {
        let mut incoming = core::mem::take(&mut self.incoming);
        let mut all = true;
        let result = incoming.iter_mut().filter(|(_, payload)| payload.is_none()).try_for_each(
            |(message, payload)| {
                let from = message.from();
                let check = |call: Call| self.must_be(&call, from);
                *payload = message.test(self.ranks, self.header(), check)?;
                all &= payload.is_some();
                Ok(())
            },
        );
        self.incoming = incoming;
        result.map(|()| all)
    }

    /// Whether no message is awaited, and whether none is on its way out.
    pub(crate) fn are_done(&self) -> [bool; 2] {
        [self.incoming.is_empty(), self.outgoing.is_empty()]
    }

    /// As [`Ongoing::poll`]: whether all messages have come, and this rank's have left.
    pub(crate) fn poll_all(&mut self) -> Result<[bool; 2]> {
        let have_come = self.poll()?;
        Ok([have_come, have_come && self.push()?])
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
            if self.push()? {
                return Ok(());
            }
            wait.pause(|| {
                let to = self.outgoing.first().map_or(0, Outgoing::to);
                format!("{} waits until rank {to} receives", self.at())
            })?;
        }
    }

    /// Goes on with the messages on their way out: whether all have left.
    fn push(&mut self) -> Result<bool> {
        let mut at = 0;
        while at < self.outgoing.len() {
            if self.outgoing[at].test(self.ranks)? {
                self.outgoing.remove(at);
            } else {
                at += 1;
            }
        }
        Ok(self.outgoing.is_empty())
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
