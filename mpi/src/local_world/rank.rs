//! A rank of a world in one process: its messages, their delays and its faults.

use core::cell::{Cell, RefCell};
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use spelt_core::{Error, ErrorKind, Result};

use super::{Fault, LocalWorld};
use crate::{Ticket, Transport};

/// The letters to a rank, by their sender and number.
type Mailbox = HashMap<(usize, u64), Letter>;

#[derive(Debug)]
struct Letter {
    bytes: Vec<u8>,
    /// The calls of `test` that do not find it yet.
    delay: u64,
    taken: Arc<AtomicBool>,
}

/// The state that the ranks of a world share.
#[derive(Debug)]
pub(super) struct Shared {
    mailboxes: Vec<Mutex<Mailbox>>,
    /// The rank that has ended the job, with its message.
    ended: Mutex<Option<(usize, String)>>,
    /// Whether the program of each rank has returned.
    returned: Vec<AtomicBool>,
}

/// Locks a mutex whose data no panic leaves half written.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(super) fn new(size: usize) -> Self {
        Self {
            mailboxes: (0..size).map(|_| Mutex::default()).collect(),
            ended: Mutex::default(),
            returned: (0..size).map(|_| AtomicBool::new(false)).collect(),
        }
    }

    /// The program of this rank has returned.
    pub(super) fn returns(&self, rank: usize) {
        self.returned[rank].store(true, Ordering::Release);
    }

    /// Ends the job, unless a rank already has.
    pub(super) fn end(&self, rank: usize, message: &str) {
        lock(&self.ended).get_or_insert_with(|| (rank, message.to_owned()));
    }
}

/// Whether a letter is there.
#[derive(Debug)]
enum Arrival {
    Now(Vec<u8>),
    Later,
    Unsent,
}

fn fail<T>(what: String) -> Result<T> {
    Err(Error::new(ErrorKind::Communication, what))
}

/// A message that this rank has begun.
#[derive(Debug)]
enum Begun {
    Sent {
        peer: usize,
        bytes: Vec<u8>,
        taken: Arc<AtomicBool>,
    },
    Received {
        peer: usize,
        number: u64,
        capacity: usize,
    },
    /// Of a rank that has fallen silent.
    Lost,
}

/// A rank of a [`LocalWorld`].
///
/// # Examples
/// ```
/// use spelt_mpi::{LocalWorld, Transport};
/// assert_eq!(LocalWorld::new(1).run_transports(|world| world.rank())[0].as_ref().unwrap(), &0);
/// ```
#[derive(Debug)]
pub struct LocalRank {
    rank: usize,
    size: usize,
    seed: Option<u64>,
    fault: Option<Fault>,
    shared: Arc<Shared>,
    begun: RefCell<HashMap<Ticket, Begun>>,
    next: Cell<u64>,
    /// The messages so far to and from each rank.
    sent: RefCell<Vec<u64>>,
    received: RefCell<Vec<u64>>,
}

impl LocalRank {
    pub(super) fn new(rank: usize, world: &LocalWorld, shared: Arc<Shared>) -> Self {
        Self {
            rank,
            size: world.size,
            seed: world.seed,
            fault: world.fault.filter(|fault| fault.rank == rank),
            shared,
            begun: RefCell::default(),
            next: Cell::new(0),
            sent: RefCell::new(vec![0; world.size]),
            received: RefCell::new(vec![0; world.size]),
        }
    }

    /// An error if a rank has ended the job.
    fn check(&self) -> Result<()> {
        match &*lock(&self.shared.ended) {
            Some((rank, message)) if *rank != self.rank => {
                fail(format!("rank {rank} has ended the job: {message}"))
            }
            _ => Ok(()),
        }
    }

    fn check_peer(&self, peer: usize) -> Result<()> {
        if peer < self.size {
            return Ok(());
        }
        fail(format!("there is no rank {peer}: the world has {} ranks", self.size))
    }

    /// The letter of this number from `peer`, if it has arrived.
    fn letter(&self, peer: usize, number: u64) -> Arrival {
        let mut mailbox = lock(&self.shared.mailboxes[self.rank]);
        match mailbox.get_mut(&(peer, number)) {
            Some(letter) if letter.delay > 0 => {
                letter.delay -= 1;
                Arrival::Later
            }
            Some(_) => mailbox.remove(&(peer, number)).map_or(Arrival::Unsent, |letter| {
                letter.taken.store(true, Ordering::Release);
                Arrival::Now(letter.bytes)
            }),
            None => Arrival::Unsent,
        }
    }

    /// A ticket for the message, or for one that is lost.
    fn begin(&self, message: impl FnOnce() -> Begun) -> Ticket {
        let number = self.next.replace(self.next.get() + 1);
        let begun = match self.fault {
            Some(fault) if fault.silent && number >= fault.message => Begun::Lost,
            Some(fault) if !fault.silent && number == fault.message => {
                panic!("rank {} ends at its message {number}, as the test asks", self.rank)
            }
            _ => message(),
        };
        self.begun.borrow_mut().insert(Ticket(number), begun);
        Ticket(number)
    }
}

/// The number of the next message to or from this rank.
fn count(numbers: &RefCell<Vec<u64>>, peer: usize) -> u64 {
    let place = &mut numbers.borrow_mut()[peer];
    *place += 1;
    *place - 1
}

/// Steele, Lea and Flood's SplitMix64.
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Transport for LocalRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn send(&self, peer: usize, bytes: Vec<u8>) -> Result<Ticket> {
        self.check()?;
        self.check_peer(peer)?;
        Ok(self.begin(|| {
            let number = count(&self.sent, peer);
            let random = self
                .seed
                .map_or(0, |seed| mix(mix(mix(seed) ^ (self.rank * self.size + peer) as u64) ^ number));
            // Every fourth waits for its receiver, as long messages do.
            let taken = Arc::new(AtomicBool::new(random % 4 != 1));
            let letter = Letter {
                bytes: bytes.clone(),
                delay: (random >> 8) % 16 * (random >> 4 & 1),
                taken: taken.clone(),
            };
            lock(&self.shared.mailboxes[peer]).insert((self.rank, number), letter);
            Begun::Sent { peer, bytes, taken }
        }))
    }

    fn receive(&self, peer: usize, capacity: usize) -> Result<Ticket> {
        self.check()?;
        self.check_peer(peer)?;
        Ok(self.begin(|| Begun::Received { peer, number: count(&self.received, peer), capacity }))
    }

    fn test(&self, ticket: Ticket) -> Result<Option<Vec<u8>>> {
        let mut begun = self.begun.borrow_mut();
        let returned = |peer: usize| self.shared.returned[peer].load(Ordering::Acquire);
        let (done, abandoned) = match begun.get(&ticket) {
            Some(Begun::Sent { peer, taken, .. }) => {
                // In this order, so that one who takes it and returns has taken it.
                let returned = returned(*peer);
                let taken = taken.load(Ordering::Acquire);
                (taken.then(Vec::new), (returned && !taken).then_some(*peer))
            }
            Some(&Begun::Received { peer, number, capacity }) => {
                let returned = returned(peer);
                match self.letter(peer, number) {
                    Arrival::Now(bytes) if bytes.len() > capacity => {
                        return fail(format!(
                            "rank {peer} sent {} bytes where at most {capacity} were expected",
                            bytes.len()
                        ));
                    }
                    Arrival::Now(mut bytes) => {
                        // Not zeros, which a reader beyond the message could mistake for numbers.
                        bytes.resize(capacity, 0xA5);
                        (Some(bytes), None)
                    }
                    Arrival::Later => (None, None),
                    Arrival::Unsent => (None, returned.then_some(peer)),
                }
            }
            Some(Begun::Lost) => (None, None),
            None => return fail(format!("{ticket:?} is not a message under way")),
        };
        if let Some(bytes) = done {
            // Messages that have arrived count, also after the end of the job.
            return Ok(match begun.remove(&ticket) {
                Some(Begun::Sent { bytes, .. }) => Some(bytes),
                _ => Some(bytes),
            });
        }
        self.check()?;
        match abandoned {
            Some(peer) => {
                fail(format!("rank {peer} has returned from its program, and takes part in no more messages"))
            }
            None => Ok(None),
        }
    }

    fn abort(&self, message: &str) {
        // A panic is told with its message when it has left the program.
        if !std::thread::panicking() {
            self.shared.end(self.rank, message);
        }
    }
}
