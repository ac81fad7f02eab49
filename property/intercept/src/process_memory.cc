#include "process_memory.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

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

using ObjectVariables = std::vector<std::span<std::byte>>;

// The variables of each loaded object that has any that do not stay.
std::vector<ObjectVariables> variables_by_object() {
  std::vector<ObjectVariables> all;
  ::dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* into) {
        if (stays(module->dlpi_name)) return 0;
        ObjectVariables variables = variables_of(*module);
        if (!variables.empty()) {
          static_cast<std::vector<ObjectVariables>*>(into)->push_back(std::move(variables));
        }
        return 0;
      },
      &all);
  return all;
}

bool is_there(std::span<const std::byte> some, const std::vector<ObjectVariables>& objects) {
  return std::ranges::any_of(objects, [&](const ObjectVariables& variables) {
    return std::ranges::any_of(variables, [&](std::span<const std::byte> other) {
      return other.data() == some.data() && other.size() == some.size();
    });
  });
}

}  // namespace

ProcessMemory::Start& ProcessMemory::start() {
  static Start start;
  return start;
}

ProcessMemory::Start::Start() {
  Part all;
  for (const ObjectVariables& some : variables_by_object()) {
    all.variables.insert(all.variables.end(), some.begin(), some.end());
  }
  save(all.variables, all.contents);
  parts.push_back(std::move(all));
}

void ProcessMemory::libraries_changed() {
  std::vector<Part>& parts = start().parts;
  const std::vector<ObjectVariables> objects = variables_by_object();
  // An object that was there at the start stays.
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].is_loaded) parts[i].is_loaded = is_there(parts[i].variables.front(), objects);
  }
  for (const ObjectVariables& object : objects) {
    if (is_variable(object.front().data())) continue;
    Part library;
    library.variables = object;
    save(object, library.contents);
    parts.push_back(std::move(library));
  }
}

void ProcessMemory::save(const std::vector<Variables>& variables, Contents& into) {
  into.clear();
  for (const Variables some : variables) into.insert(into.end(), some.begin(), some.end());
}

void ProcessMemory::load(const std::vector<Variables>& variables, const Contents& from) {
  const std::byte* next = from.data();
  for (const Variables some : variables) {
    std::memcpy(some.data(), next, some.size());
    next += some.size();
  }
}

void ProcessMemory::save_all(Process& into) {
  const std::vector<Part>& parts = start().parts;
  into.resize(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].is_loaded) save(parts[i].variables, into[i]);
  }
}

void ProcessMemory::load_all(const Process& from) {
  const std::vector<Part>& parts = start().parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_new = i >= from.size() || from[i].empty();
    if (parts[i].is_loaded) load(parts[i].variables, is_new ? parts[i].contents : from[i]);
  }
}

bool ProcessMemory::is_variable(const void* address) {
  return std::ranges::any_of(start().parts, [&](const Part& part) {
    return part.is_loaded && std::ranges::any_of(part.variables, [&](Variables some) {
             return std::less_equal<>()(some.data(), address) &&
                    std::less<>()(address, some.data() + some.size());
           });
  });
}

bool ProcessMemory::is_shared(const void* object) {
  Dl_info info{};
  return ::dladdr(object, &info) != 0 && info.dli_fname && stays(info.dli_fname);
}

void ProcessMemory::use(std::uint32_t process) {
  if (process == current_) return;
  if (others_.size() <= process) others_.resize(process + 1);
  if (current_ != kNone) save_all(others_[current_]);
  load_all(others_[process]);
  current_ = process;
}

}  // namespace lockstep::intercept
