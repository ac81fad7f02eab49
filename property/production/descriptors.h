#pragma once

namespace lockstep::program {

// Both take the open descriptors from `first` to `last`, and are safe after a fork. An old kernel,
// or a sandbox, may lack the one system call for it; then the limit of open files is the last.
void close_descriptors(unsigned first, unsigned last);
void close_descriptors_at_exec(unsigned first, unsigned last);

}  // namespace lockstep::program
