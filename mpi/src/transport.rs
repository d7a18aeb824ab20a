//! The one way of messages: each kind of world implements it.

use core::fmt::Debug;

use spelt_core::Result;

/// A message under way: [`Transport::test`] asks for it.
///
/// # Examples
/// ```
/// use spelt_mpi::Ticket;
/// assert!(Ticket(1) < Ticket(2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// Messages of bytes between the ranks of a world.
///
/// Messages from one rank to another are received in the order in which they were sent. The transport owns the bytes of a message from
/// its start to its end, so that a ticket that is forgotten leaks them and harms nothing.
///
/// # Examples
/// ```
/// use spelt_mpi::Transport;
/// fn exchange(world: &dyn Transport, peer: usize) -> spelt_core::Result<u8> {
///     let sent = world.send(peer, vec![world.rank() as u8])?;
///     let received = world.receive(peer, 1)?;
///     let byte = loop {
///         if let Some(bytes) = world.test(received)? {
///             break bytes[0];
///         }
///     };
///     while world.test(sent)?.is_none() {}
///     Ok(byte)
/// }
/// let found = spelt_mpi::LocalWorld::new(2).run_transports(|world| exchange(&world, 1 - spelt_mpi::Transport::rank(&world)));
/// assert_eq!(found.into_iter().map(|byte| byte.unwrap().unwrap()).collect::<Vec<_>>(), [1, 0]);
/// ```
pub trait Transport: Debug {
    /// The number of this rank, below [`size`](Self::size).
    fn rank(&self) -> usize;

    /// The number of ranks, at least 1.
    fn size(&self) -> usize;

    /// Starts to send `bytes` to `peer`.
    ///
    /// # Errors
    /// [`ErrorKind::Communication`](spelt_core::ErrorKind::Communication) if the world has ended or refuses the message.
    fn send(&self, peer: usize, bytes: Vec<u8>) -> Result<Ticket>;

    /// Starts to receive the next message of `peer`, of at most `capacity` bytes.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    fn receive(&self, peer: usize, capacity: usize) -> Result<Ticket>;

    /// The buffer of a message whose transfer has ended; the ticket is used up then. That of a received message has `capacity` bytes,
    /// of which a shorter message fills the first.
    ///
    /// # Errors
    /// As [`send`](Self::send); also if a message was longer than `capacity`.
    fn test(&self, ticket: Ticket) -> Result<Option<Vec<u8>>>;

    /// Ends all ranks of the job, because this one cannot go on. It may return, or end the process.
    fn abort(&self, message: &str);
}
