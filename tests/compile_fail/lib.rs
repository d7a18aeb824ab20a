//! Nothing: the package has a library because its test wants one.
