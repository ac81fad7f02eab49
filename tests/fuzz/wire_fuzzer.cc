// libFuzzer's entry: decodes arbitrary bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "wire/complaint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  const std::string complaint = lockstep::wire::complaint_about(bytes);
  if (complaint.empty()) return 0;
  std::fprintf(stderr, "%s", complaint.c_str());
  std::abort();
}
