#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::intercept {

// The variables of the program and its libraries, except those of the system and of Lockstep, for
// several simulated processes. Each process has its own variables at the same addresses, which
// begin as they were at the start; those of a library that is loaded later begin as its
// constructors have left them. Processes share the allocated memory to which variables point then.
class ProcessMemory {
 public:
  // Remembers the present variables as those of the start. Only the first call in a real process
  // has an effect.
  static void remember_start() { static_cast<void>(start()); }

  // Whether each process has something else at this address.
  [[nodiscard]] static bool is_variable(const void* address);

  // Whether that object belongs to a library of the system, or to Lockstep.
  [[nodiscard]] static bool is_shared(const void* object);

  // Libraries may have been loaded or unloaded since the last call, or since the start.
  static void libraries_changed();

  // Saves the variables of the current process, and loads those of the process with this number.
  void use(std::uint32_t process);

 private:
  using Variables = std::span<std::byte>;
  using Contents = std::vector<std::byte>;
  // The objects that are there at the start, or a library that is loaded later.
  struct Part {
    std::vector<Variables> variables;
    Contents contents;  // At its beginning.
    bool is_loaded = true;
  };
  struct Start {
    Start();
    std::vector<Part> parts;
  };
  using Process = std::vector<Contents>;  // By part; empty before its first use.

  [[nodiscard]] static Start& start();
  static void save(const std::vector<Variables>& variables, Contents& into);
  static void load(const std::vector<Variables>& variables, const Contents& from);
  static void save_all(Process& into);
  static void load_all(const Process& from);

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t current_ = kNone;
  std::vector<Process> others_;  // By number.
};

}  // namespace lockstep::intercept
