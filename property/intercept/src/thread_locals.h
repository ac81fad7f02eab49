#pragma once

#include <cstddef>
#include <vector>

namespace lockstep::intercept {

// The thread_local variables of the real thread, except those of libc, of sanitizers and those that
// have been declared shared. Intercepted threads run on one real thread, so that each switch
// exchanges their contents; their addresses are the same in every thread.
class ThreadLocals {
 public:
  // Found once, on the thread that runs the world.
  [[nodiscard]] static ThreadLocals& instance();

  // From now on this memory keeps its contents at a switch.
  void share(const void* begin, std::size_t bytes);
  // The contents that a new thread begins with.
  [[nodiscard]] const std::vector<std::byte>& initial();
  // Exchanges the variables' contents with those.
  void exchange(std::vector<std::byte>& contents);

 private:
  struct Piece {
    std::byte* at;
    std::size_t size;
    const std::byte* image;  // Initial contents; the rest is zero.
    std::size_t image_size;
  };

  ThreadLocals();
  void find(const void* module);
  void rebuild_initial();

  std::vector<Piece> pieces_;
  std::vector<std::byte> initial_;
  std::vector<std::byte> spare_;
};

}  // namespace lockstep::intercept
