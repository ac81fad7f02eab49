#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::zookeeper {

// The lower bounds of the figures of `lockstep bench real`: ZooKeeper's C client alone sends the
// requests of lock cycles, as early as the recipe could send them, from its own threads, and looks
// no further at the replies than it must. Names have the length of a contender's. On an error, all
// calls throw std::runtime_error.
class CClientFloor {
 public:
  struct Measured {
    double per_second;
    double median_us;  // Of one cycle.
  };

  // Connects; the servers are not resolved again.
  CClientFloor(const std::string& servers, std::size_t sessions);
  CClientFloor(const CClientFloor&) = delete;
  CClientFloor& operator=(const CClientFloor&) = delete;
  ~CClientFloor();

  // Znodes as the parents of contenders; nothing happens if they are there.
  void make(const std::vector<std::string>& paths) const;
  // Deletes znodes, as far as that is possible.
  void remove(const std::vector<std::string>& paths) const;

  // Cycles of one contender for each of these locks, all on the first session: a create and a list
  // in one go, then the delete. Handed off, the next cycle does not wait for the delete.
  enum class Release { kAwaited, kHandedOff };
  [[nodiscard]] Measured alone(const std::vector<std::string>& locks, Release release,
                               std::chrono::duration<double> time);
  // Creates one after the other, and deletes that are not part of the time.
  [[nodiscard]] Measured creates(const std::string& lock, std::chrono::duration<double> time);
  // Contenders of one lock, which take turns: those that wait watch the znode in front, and list
  // again when it is gone. `contenders` for each of the first `sessions` sessions.
  [[nodiscard]] Measured handoffs(const std::string& lock, std::size_t sessions,
                                  std::size_t contenders, std::chrono::duration<double> time);

 private:
  class Handle;
  template <class Running>
  Measured finish(Running& run);

  std::vector<std::unique_ptr<Handle>> handles_;
};

}  // namespace lockstep::zookeeper
