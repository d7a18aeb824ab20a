//! The memory of CUDA devices: Views, copies, and who waits for whom.
