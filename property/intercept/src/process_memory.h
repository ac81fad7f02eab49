#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::intercept {

// The variables of the program and its libraries, except those of the system and of Lockstep, for
// several processes: each process has its own at the same addresses, and begins with those of the
// start. Shared are the variables of a library that is loaded later, and allocated memory to which
// variables point at the start.
class ProcessMemory {
 public:
  // Remembers the variables as they are now, once per real process: that is the start.
  static void remember_start() { static_cast<void>(start()); }

  // Makes the variables of a process, known by its number, the current ones.
  void use(std::uint32_t process);

 private:
  using Variables = std::span<std::byte>;
  using Contents = std::vector<std::byte>;
  struct Start {
    Start();
    std::vector<Variables> variables;
    Contents contents;
  };

  [[nodiscard]] static const Start& start();
  static void save(const std::vector<Variables>& variables, Contents& into);
  static void load(const Contents& from);

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t current_ = kNone;
  std::vector<Contents> others_;  // By process; empty before its first use.
};

}  // namespace lockstep::intercept
