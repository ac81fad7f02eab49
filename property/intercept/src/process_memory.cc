#include "process_memory.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string_view>

#include "lockstep/intercept/objects.h"

namespace lockstep::intercept {

namespace {

// The variables of these modules describe resources of the real process: allocated memory, open
// files, locales.
bool stays(std::string_view module) {
  constexpr std::array<std::string_view, 8> kStay = {"linux-vdso",   "/libc.so",   "/ld-linux",
                                                     "/libm.so",     "/libgcc_s.", "/libstdc++.so",
                                                     "/liblockstep", "/libpthread"};
  return std::ranges::any_of(
      kStay, [&](std::string_view name) { return module.find(name) != module.npos; });
}

}  // namespace

const ProcessMemory::Start& ProcessMemory::start() {
  static const Start start;
  return start;
}

ProcessMemory::Start::Start() {
  ::dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* self) {
        if (stays(module->dlpi_name)) return 0;
        for (const Variables some : variables_of(*module)) {
          static_cast<Start*>(self)->variables.push_back(some);
        }
        return 0;
      },
      this);
  save(variables, contents);
}

void ProcessMemory::save(const std::vector<Variables>& variables, Contents& into) {
  into.clear();
  for (const Variables some : variables) into.insert(into.end(), some.begin(), some.end());
}

void ProcessMemory::load(const Contents& from) {
  const std::byte* next = from.data();
  for (const Variables some : start().variables) {
    std::memcpy(some.data(), next, some.size());
    next += some.size();
  }
}

bool ProcessMemory::is_variable(const void* address) {
  return std::ranges::any_of(start().variables, [&](Variables some) {
    return std::less_equal<>()(some.data(), address) &&
           std::less<>()(address, some.data() + some.size());
  });
}

bool ProcessMemory::is_shared(const void* object) {
  Dl_info info{};
  return ::dladdr(object, &info) != 0 && info.dli_fname && stays(info.dli_fname);
}

void ProcessMemory::use(std::uint32_t process) {
  if (process == current_) return;
  if (others_.size() <= process) others_.resize(process + 1);
  if (current_ != kNone) save(start().variables, others_[current_]);
  load(others_[process].empty() ? start().contents : others_[process]);
  current_ = process;
}

}  // namespace lockstep::intercept
