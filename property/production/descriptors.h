#pragma once

namespace lockstep::program {

// Bounds a loop over the numbers of all descriptors that this process may have, up to `last`.
[[nodiscard]] unsigned last_possible(unsigned last);

// Both act on the open descriptors from `first` to `last`, and are safe after a fork. If an old
// kernel or a sandbox lacks the system call for that, they go no further than the limit of open
// files.
void close_descriptors(unsigned first, unsigned last);
void close_descriptors_at_exec(unsigned first, unsigned last);

}  // namespace lockstep::program
