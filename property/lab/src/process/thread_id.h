#pragma once

namespace lockstep::lab {

// Linux's number of this thread; costs a system call only once. It is right in a forked child, too,
// whose thread has another number.
[[nodiscard]] int own_thread_id() noexcept;

}  // namespace lockstep::lab
