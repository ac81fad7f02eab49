#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::zookeeper {

// Lower bounds for the figures of `lockstep bench real`: ZooKeeper's C client alone sends the
// requests of lock cycles from its own threads, as early as the recipe could, and reads no more of
// the replies than it must. Names have the length of a contender's. The locks exist and may have a
// child kKeeper, which wants nothing. Each measurement checks at its end, not as part of its time,
// that no other znode is left. All calls throw std::runtime_error on an error.
class CClientFloor {
 public:
  static constexpr std::string_view kKeeper = "keeper";

  struct Measured {
    double per_second;
    double median_us;  // For one cycle.
  };

  // Connects; the servers are not resolved again.
  CClientFloor(const std::string& servers, std::size_t sessions);
  CClientFloor(const CClientFloor&) = delete;
  CClientFloor& operator=(const CClientFloor&) = delete;
  ~CClientFloor();

  // One contender for each of these locks, all on the first session: a create and a list in one go,
  // then the delete. With kHandedOff, the next cycle does not wait for the delete.
  enum class Release { kAwaited, kHandedOff };
  [[nodiscard]] Measured alone(const std::vector<std::string>& locks, Release release,
                               std::chrono::duration<double> time);
  // Creates one after the other. The deletes are not part of the time.
  [[nodiscard]] Measured creates(const std::string& lock, std::chrono::duration<double> time);
  // Contenders of one lock take turns: a waiting contender watches the znode in front, and lists
  // again when it is gone. `contenders` on each of the first `sessions` sessions.
  [[nodiscard]] Measured handoffs(const std::string& lock, std::size_t sessions,
                                  std::size_t contenders, std::chrono::duration<double> time);

 private:
  class Handle;
  template <class Running>
  Measured finish(Running& run, const std::vector<std::string>& locks);
  void check_that_nothing_is_left(const std::vector<std::string>& locks) const;

  std::vector<std::unique_ptr<Handle>> handles_;
};

}  // namespace lockstep::zookeeper
