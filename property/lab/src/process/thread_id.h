#pragma once

namespace lockstep::lab {

// Linux's number of this thread, which costs a system call only once. Also in a child that was
// forked, whose thread has another one.
[[nodiscard]] int own_thread_id() noexcept;

}  // namespace lockstep::lab
