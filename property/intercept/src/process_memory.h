#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::intercept {

// The variables of the program and of its libraries, without those of the system and of Lockstep,
// as several processes have them: each has its own, at the same addresses, and begins with those
// that were there when this object was made. What a library has that is loaded later is shared.
class ProcessMemory {
 public:
  ProcessMemory();

  // Makes those of a process, which is known by its number, the current ones.
  void use(std::uint32_t process);

 private:
  struct Piece {
    std::byte* at;
    std::size_t size;
  };
  using Contents = std::vector<std::byte>;

  void find(const void* module);
  void save(Contents& into) const;
  void load(const Contents& from) const;

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::vector<Piece> pieces_;
  Contents initial_;
  std::uint32_t current_ = kNone;
  std::vector<Contents> others_;  // By process; empty before its first use.
};

}  // namespace lockstep::intercept
