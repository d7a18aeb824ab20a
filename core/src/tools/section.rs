//! [`Section`]: an interval that is started and stopped, and need not be nested.

use super::choice::is_heard;
use super::installed::{Told, tell};

/// An interval of the program that is started and stopped any number of times: see [`section`].
///
/// # Examples
/// ```
/// let mut section = spelt_core::tools::section("input");
/// section.start();
/// section.stop();
/// ```
#[must_use = "the section is destroyed where this is dropped"]
pub struct Section {
    name: String,
    told: Option<Told>,
    is_running: bool,
}

impl core::fmt::Debug for Section {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { name, is_running, .. } = self;
        f.debug_struct("Section").field("name", name).field("is_running", is_running).finish_non_exhaustive()
    }
}

/// Creates a section, which may be started and stopped many times and need not be nested with others: Kokkos's `ProfilingSection`.
///
/// Tools that listen are told of each start and stop, and of the end where the result is dropped, which stops it.
///
/// # Complexity
/// One load and a branch where no tool is installed, and the copy of the name.
///
/// # Examples
/// ```
/// use spelt_core::tools::section;
/// let [mut input, mut solve] = ["input", "solve"].map(section);
/// for _ in 0..2 {
///     input.start();
///     solve.start();
///     input.stop();
///     solve.stop();
/// }
/// ```
pub fn section(name: impl Into<String>) -> Section {
    let name = name.into();
    let told = is_heard().then(|| tell(|tool| tool.create_section(&name)));
    Section { name, told, is_running: false }
}

impl Section {
    /// Starts it. One that runs goes on.
    ///
    /// # Examples
    /// ```
    /// spelt_core::tools::section("input").start();
    /// ```
    pub fn start(&mut self) {
        if let (false, Some(told)) = (self.is_running, &self.told) {
            told.again(|tool, id| tool.start_section(&self.name, id));
        }
        self.is_running = true;
    }

    /// Stops it. One that has not been started stays as it is.
    ///
    /// # Examples
    /// ```
    /// let mut section = spelt_core::tools::section("input");
    /// section.start();
    /// section.stop();
    /// section.start();
    /// ```
    pub fn stop(&mut self) {
        if let (true, Some(told)) = (self.is_running, &self.told) {
            told.again(|tool, id| tool.stop_section(&self.name, id));
        }
        self.is_running = false;
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        self.stop();
        if let Some(told) = &self.told {
            told.end(|tool, id| tool.destroy_section(&self.name, id));
        }
    }
}
