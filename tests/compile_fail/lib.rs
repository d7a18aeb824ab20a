//! Empty: the package has a library because its test requires one.
