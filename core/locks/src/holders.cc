#include "lockstep/internal/holders.h"

#include <system_error>

namespace lockstep::internal {

namespace {

[[noreturn]] void fail(const char* why) {
  throw std::system_error(std::make_error_code(std::errc::operation_not_permitted), why);
}

}  // namespace

void fail_not_held() { fail("lockstep: the caller does not hold it"); }
void fail_not_held_so() { fail("lockstep: the caller does not hold it in that way"); }

}  // namespace lockstep::internal
