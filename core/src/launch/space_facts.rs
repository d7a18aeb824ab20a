//! The facts of a space that launches and copies ask for.

use crate::Result;
use crate::reach::sealed::Sealed;
use crate::view::CopyStream;

/// The name of a space, the number of its threads, the sizes of its teams and the stream of its copies.
#[doc(hidden)]
pub trait SpaceFacts: Sealed {
    /// The name that messages use.
    fn space_name(&self) -> &'static str;

    /// The numbers of the device and of its stream, zeros on a host.
    fn device_and_stream(&self) -> (usize, u64) {
        (0, 0)
    }

    /// The number of threads that may run iterations at the same time.
    fn threads(&self) -> usize;

    /// The maximum number of threads of a team whose threads have `vector` lanes.
    fn max_team_threads(&self, vector: usize) -> usize {
        let _ = vector;
        1
    }

    /// The number of threads of a team of a league of `league` whose threads have `vector` lanes, with or without `scratch`, if the
    /// space chooses.
    fn recommended_team_threads(&self, league: usize, vector: usize, scratch: bool) -> usize {
        let _ = (league, vector, scratch);
        1
    }

    /// The scratch of each team for which there is shared memory if `teams` of them are on a multiprocessor at a time, each in a block of its own.
    /// Unit: bytes. On a host that of an H100, so that teams have the same work there.
    fn shared_scratch(&self, teams: usize) -> usize {
        (228 << 10) / teams - (4 << 10)
    }

    /// Waits until all launches on this space have finished.
    ///
    /// # Errors
    /// The error of a pending launch.
    fn wait(&self) -> Result<()> {
        Ok(())
    }

    /// The stream on which copies and fills run on a device.
    fn stream_of_copies(&self) -> Option<CopyStream<'_>> {
        None
    }
}
