#include "thread_locals.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace lockstep::intercept {

namespace {

// libc's variables belong to the real thread (errno is exchanged by itself), as Lockstep's own do
// if it is a library, and a sanitizer tells threads apart by its own.
bool stays(std::string_view module) {
  constexpr std::array<std::string_view, 7> kStay = {
      "/libc.so",    "/ld-linux",   "/liblockstep_run.so", "/libasan.so",
      "/libtsan.so", "/liblsan.so", "/libubsan.so"};
  return std::ranges::any_of(
      kStay, [&](std::string_view name) { return module.find(name) != module.npos; });
}

}  // namespace

ThreadLocals& ThreadLocals::instance() {
  static ThreadLocals locals;
  return locals;
}

ThreadLocals::ThreadLocals() {
  ::dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* self) {
        static_cast<ThreadLocals*>(self)->find(module);
        return 0;
      },
      this);
  rebuild_initial();
}

void ThreadLocals::find(const void* found) {
  const auto& module = *static_cast<const dl_phdr_info*>(found);
  if (!module.dlpi_tls_data || stays(module.dlpi_name)) return;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = module.dlpi_phdr[i];
    if (header.p_type != PT_TLS) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader says where it is as a number.
    const auto* const image = reinterpret_cast<const std::byte*>(module.dlpi_addr + header.p_vaddr);
    pieces_.push_back(
        {static_cast<std::byte*>(module.dlpi_tls_data), header.p_memsz, image, header.p_filesz});
  }
}

void ThreadLocals::share(const void* begin, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(begin);
  const std::byte* const last = first + bytes;
  std::vector<Piece> left;
  for (const Piece& piece : pieces_) {
    const auto keep = [&](std::byte* from, const std::byte* to) {
      if (from >= to) return;
      const auto skipped = static_cast<std::size_t>(from - piece.at);
      const std::size_t image = piece.image_size > skipped ? piece.image_size - skipped : 0;
      const auto size = static_cast<std::size_t>(to - from);
      left.push_back({from, size, piece.image + skipped, std::min(image, size)});
    };
    std::byte* const end = piece.at + piece.size;
    if (last <= piece.at || first >= end) {
      left.push_back(piece);
      continue;
    }
    keep(piece.at, std::max<const std::byte*>(piece.at, first));
    keep(piece.at + std::max<std::ptrdiff_t>(last - piece.at, 0), end);
  }
  pieces_ = std::move(left);
  rebuild_initial();
}

const std::vector<std::byte>& ThreadLocals::initial() { return initial_; }

void ThreadLocals::rebuild_initial() {
  initial_.clear();
  for (const Piece& piece : pieces_) {
    initial_.insert(initial_.end(), piece.image, piece.image + piece.image_size);
    initial_.resize(initial_.size() + piece.size - piece.image_size);
  }
}

void ThreadLocals::exchange(std::vector<std::byte>& contents) {
  spare_.resize(contents.size());
  std::byte* to = spare_.data();
  const std::byte* from = contents.data();
  for (const Piece& piece : pieces_) {
    std::memcpy(to, piece.at, piece.size);
    std::memcpy(piece.at, from, piece.size);
    to += piece.size;
    from += piece.size;
  }
  contents.swap(spare_);
}

}  // namespace lockstep::intercept
