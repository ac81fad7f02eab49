#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::intercept {

// The variables of the program and its libraries, except those of the system and of Lockstep, for
// several simulated processes. Each process has its own variables at the same addresses, which
// begin as they were at the start. Processes share the variables of libraries that are loaded
// later, and the allocated memory to which variables point at the start.
class ProcessMemory {
 public:
  // Remembers the present variables as those of the start. Only the first call in a real process
  // has an effect.
  static void remember_start() { static_cast<void>(start()); }

  // Whether each process has something else at this address.
  [[nodiscard]] static bool is_variable(const void* address);

  // Whether that object belongs to a library of the system, or to Lockstep.
  [[nodiscard]] static bool is_shared(const void* object);

  // Saves the variables of the current process, and loads those of the process with this number.
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
