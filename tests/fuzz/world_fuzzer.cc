// libFuzzer's entry: runs arbitrary programs, schedules and faults on the fake.
#include <cstdio>
#include <cstdlib>

#include "fuzz/play.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> input(data, size);
  const lockstep::fuzz::Played first = lockstep::fuzz::play(input);
  if (!first.complaint.empty()) {
    std::fprintf(stderr, "%s\n", first.complaint.c_str());
    std::abort();
  }
  // A second run must be equal, or the world depends on more than its input.
  if (lockstep::fuzz::play(input).trace_hash != first.trace_hash) {
    std::fprintf(stderr, "two executions of one input differ\n");
    std::abort();
  }
  return 0;
}
