#include "constructors.h"

#include <link.h>

#include <cstddef>
#include <span>

namespace lockstep::run {

namespace {

struct Constructors {
  void (*first)() = nullptr;  // DT_INIT
  std::span<const Init> others;
};

template <class To>
To at(ElfW(Addr) address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader's addresses are numbers.
  return reinterpret_cast<To>(address);
}

// The loader lists the program first.
Constructors of_program() {
  Constructors found;
  ::dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t, void* into) {
        auto& constructors = *static_cast<Constructors*>(into);
        const Init* begin = nullptr;
        std::size_t count = 0;
        for (int i = 0; i < program->dlpi_phnum; ++i) {
          if (program->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
          const ElfW(Addr) base = program->dlpi_addr;
          const auto* entry = at<const ElfW(Dyn)*>(base + program->dlpi_phdr[i].p_vaddr);
          for (; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == DT_INIT)
              constructors.first = at<void (*)()>(base + entry->d_un.d_ptr);
            if (entry->d_tag == DT_INIT_ARRAY) begin = at<const Init*>(base + entry->d_un.d_ptr);
            if (entry->d_tag == DT_INIT_ARRAYSZ) count = entry->d_un.d_val / sizeof(Init);
          }
        }
        constructors.others = {begin, count};
        return 1;
      },
      &found);
  return found;
}

}  // namespace

void run_constructors(Init init, int argc, char** argv, char** variables) {
  if (init) return init(argc, argv, variables);
  const Constructors constructors = of_program();
  if (constructors.first) constructors.first();
  for (const Init constructor : constructors.others) constructor(argc, argv, variables);
}

}  // namespace lockstep::run
