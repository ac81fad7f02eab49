#include "audit.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "handled.h"

namespace lockstep::intercept {

namespace {

// Functions that wait in real time or start background work, and that this library does not define.
constexpr std::array<std::string_view, 7> kUnhandled = {
    "aio_suspend", "epoll_pwait2",    "io_getevents", "mq_receive",
    "mq_send",     "mq_timedreceive", "mq_timedsend"};

// Objects that the audit skips: the system's libraries, sanitizers' runtimes, and libraries that
// only compute for their callers.
bool is_system(std::string_view object) {
  constexpr std::array<std::string_view, 14> kSystem = {
      "linux-vdso",  "/libc.so",  "/ld-linux", "/libm.so",  "/libgcc_s.",
      "/libstdc++.", "/libasan.", "/libtsan.", "/liblsan.", "/libubsan.",
      "/libcrypto.", "/libssl.",  "/libz.so",  "/libzstd."};
  return std::ranges::any_of(
      kSystem, [&](std::string_view name) { return object.find(name) != std::string_view::npos; });
}

// The undefined dynamic symbols to which a loaded object refers. Each call of another object's
// function goes through an address that the loader relocates, so the relocations name all of them,
// some of them several times. The loader needs no other list of undefined symbols.
class Imports {
 public:
  explicit Imports(const dl_phdr_info& object) {
    const ElfW(Dyn)* entry = nullptr;
    for (int i = 0; i < object.dlpi_phnum; ++i) {
      if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
      entry = at<ElfW(Dyn)>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    }
    for (; entry && entry->d_tag != DT_NULL; ++entry) read(*entry);
  }

  template <class Visit>
  void each(Visit visit) const {
    if (!symbols_ || !names_) return;
    for (const Relocations& some : {data_, calls_}) {
      for (std::size_t i = 0; some.first && i < some.bytes / sizeof(ElfW(Rela)); ++i) {
        const std::size_t index = ELF64_R_SYM(some.first[i].r_info);
        const ElfW(Sym)& symbol = symbols_[index];
        if (index == 0 || symbol.st_shndx != SHN_UNDEF) continue;
        visit(std::string_view(names_ + symbol.st_name));
      }
    }
  }

 private:
  struct Relocations {
    const ElfW(Rela) * first = nullptr;
    std::size_t bytes = 0;
  };

  void read(const ElfW(Dyn) & entry) {
    switch (entry.d_tag) {
      case DT_SYMTAB: symbols_ = at<ElfW(Sym)>(entry.d_un.d_ptr); break;
      case DT_STRTAB: names_ = at<char>(entry.d_un.d_ptr); break;
      case DT_RELA: data_.first = at<ElfW(Rela)>(entry.d_un.d_ptr); break;
      case DT_RELASZ: data_.bytes = entry.d_un.d_val; break;
      case DT_JMPREL: calls_.first = at<ElfW(Rela)>(entry.d_un.d_ptr); break;
      case DT_PLTRELSZ: calls_.bytes = entry.d_un.d_val; break;
      default: break;
    }
  }

  template <class T>
  static const T* at(std::uintptr_t address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader's addresses are numbers.
    return reinterpret_cast<const T*>(address);
  }

  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  Relocations data_;
  Relocations calls_;
};

void check(const dl_phdr_info& object, std::vector<std::string>& complaints) {
  const std::string_view name = object.dlpi_name;
  const std::string_view shown = name.empty() ? "the program" : name;
  if (is_system(name)) return;
  Imports(object).each([&](std::string_view imported) {
    if (std::ranges::find(kUnhandled, imported) != kUnhandled.end()) {
      complaints.push_back(std::string(shown) + " calls " + std::string(imported) +
                           ", which cannot be intercepted");
    }
    const auto ours = std::ranges::find(handled(), imported, &Handled::name);
    if (ours == handled().end()) return;
    const void* const bound = ::dlsym(RTLD_DEFAULT, std::string(imported).c_str());
    if (bound == ours->definition) return;
    complaints.push_back(std::string(shown) + " does not call lockstep's " + std::string(imported) +
                         ": name the calling library in the command that links the program");
  });
}

}  // namespace

void audit() {
  static const std::vector<std::string> kComplaints = [] {
    std::vector<std::string> complaints;
    ::dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* into) {
          check(*object, *static_cast<std::vector<std::string>*>(into));
          return 0;
        },
        &complaints);
    return complaints;
  }();
  if (!kComplaints.empty()) throw std::logic_error("lockstep: " + kComplaints.front());
}

}  // namespace lockstep::intercept
