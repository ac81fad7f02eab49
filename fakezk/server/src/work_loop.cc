#include "lockstep/fakezk/work_loop.h"

#include <string>

#include "lockstep/fakezk/endless.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::fakezk {

void WorkLoop::clear() {
  while (posted_.pop()) {
  }
}

bool WorkLoop::Chains::may_go_on(std::uint64_t in_a_row) noexcept {
  if (in_a_row < loop_.most_) return true;
  loop_.report_endless("coroutines in a row had nothing to wait for");
  return false;
}

void WorkLoop::report_endless(std::string_view what) noexcept {
  if (escaped_) return;
  escaped_ = std::make_exception_ptr(
      Endless(world_.where() + ", " + std::to_string(most_) + ' ' + std::string(what) +
              ", and there is no end: something runs forever without waiting"));
}

}  // namespace lockstep::fakezk
