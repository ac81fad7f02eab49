#include "process_memory.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace lockstep::intercept {

namespace {

// Their variables belong to the real process: memory that is allocated, open files, locales.
bool stays(std::string_view module) {
  constexpr std::array<std::string_view, 8> kStay = {"linux-vdso",   "/libc.so",   "/ld-linux",
                                                     "/libm.so",     "/libgcc_s.", "/libstdc++.so",
                                                     "/liblockstep", "/libpthread"};
  return std::ranges::any_of(
      kStay, [&](std::string_view name) { return module.find(name) != module.npos; });
}

std::byte* at(std::uintptr_t address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader's addresses are numbers.
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace

ProcessMemory::ProcessMemory() {
  ::dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* self) {
        static_cast<ProcessMemory*>(self)->find(module);
        return 0;
      },
      this);
  save(initial_);
}

// Skips the memory that the loader has made read-only after relocation.
void ProcessMemory::find(const void* found) {
  const auto& module = *static_cast<const dl_phdr_info*>(found);
  if (stays(module.dlpi_name)) return;
  constexpr std::uintptr_t kPage = 4096;
  std::uintptr_t read_only_end = 0;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = module.dlpi_phdr[i];
    if (header.p_type != PT_GNU_RELRO) continue;
    read_only_end = (module.dlpi_addr + header.p_vaddr + header.p_memsz) / kPage * kPage;
  }
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = module.dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = std::max(module.dlpi_addr + header.p_vaddr, read_only_end);
    const std::uintptr_t end = module.dlpi_addr + header.p_vaddr + header.p_memsz;
    if (begin < end) pieces_.push_back({at(begin), end - begin});
  }
}

void ProcessMemory::save(Contents& into) const {
  into.clear();
  for (const Piece& piece : pieces_) into.insert(into.end(), piece.at, piece.at + piece.size);
}

void ProcessMemory::load(const Contents& from) const {
  const std::byte* next = from.data();
  for (const Piece& piece : pieces_) {
    std::memcpy(piece.at, next, piece.size);
    next += piece.size;
  }
}

void ProcessMemory::use(std::uint32_t process) {
  if (process == current_) return;
  if (others_.size() <= process) others_.resize(process + 1);
  if (current_ != kNone) save(others_[current_]);
  load(others_[process].empty() ? initial_ : others_[process]);
  current_ = process;
}

}  // namespace lockstep::intercept
