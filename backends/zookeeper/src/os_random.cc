#include "os_random.h"

#include <sys/random.h>

#include "lockstep/internal/check.h"

namespace lockstep::zookeeper {

std::uint64_t OsRandom::next() {
  if (used_ == words_.size()) {
    const auto got = ::getrandom(words_.data(), sizeof(words_), 0);
    internal::check(got == static_cast<ssize_t>(sizeof(words_)),
                    "the operating system gives no random bits");
    used_ = 0;
  }
  return words_[used_++];
}

}  // namespace lockstep::zookeeper
