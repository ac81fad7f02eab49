#pragma once

namespace lockstep::lab {

// The thread's number in Linux; only the first call makes a system call. It is also right in a
// forked child, whose thread has another number.
[[nodiscard]] int own_thread_id() noexcept;

}  // namespace lockstep::lab
