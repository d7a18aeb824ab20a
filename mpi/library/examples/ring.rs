//! Sends a word around all ranks.

use spelt_mpi_library::{Library, candidates};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let library = Library::open_first(&candidates())?;
    let world = library.initialise()?;
    let (rank, size) = (world.rank(), world.size());
    let word = (rank as u64).to_le_bytes();
    let mut got = [0_u8; 64];
    // SAFETY: both arrays live until the loops below have seen the requests complete.
    let (mut send, mut receive) = unsafe {
        let send = world.start_send((rank + 1) % size, 7, word.as_ptr(), word.len())?;
        (send, world.start_receive((rank + size - 1) % size, 7, got.as_mut_ptr(), got.len())?)
    };
    while !world.test(&mut send)? {}
    while !world.test(&mut receive)? {}
    println!(
        "{library}: rank {rank} of {size} ({} of {}) got {}",
        world.local_rank(),
        world.local_size(),
        got[0]
    );
    Ok(())
}
