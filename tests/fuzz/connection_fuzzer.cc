// libFuzzer's entry: plays arbitrary bytes on the servers' connections.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "connection/played.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const lockstep::connection::Played played = lockstep::connection::play({data, size});
  if (played.complaint.empty()) return 0;
  std::fprintf(stderr, "%s\n", played.complaint.c_str());
  std::abort();
}
