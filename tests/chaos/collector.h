#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "chaos/wire.h"

namespace lockstep::chaos {

[[nodiscard]] std::int64_t monotonic_now();

// Something that must not be.
struct Violation {
  std::string check;
  std::string lock;
  std::string what;
  std::int64_t at = 0;
};

// The resource that the locks protect: it accepts a write unless it has accepted one with a newer
// token, and knows which tokens there can be. Not thread-safe.
class Resource {
 public:
  explicit Resource(std::vector<Violation>& violations) : violations_(violations) {}

  // Everything that a contender says goes through here, in its order. For a write, the answer.
  bool take(const Event& event);

  [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  using Grant = std::tuple<int, int, std::string, std::int64_t>;  // Session, lock, token.

  bool write(const Event& event);
  void violated(const Event& event, std::string what);

  std::vector<Violation>& violations_;
  std::map<Grant, int> granted_;  // With the number of writes since the loss was told.
  std::set<Grant> lost_;
  std::map<std::string, Event> newest_;  // The last write to what each lock protects.
  std::uint64_t accepted_ = 0;
  std::uint64_t refused_ = 0;
};

// Hears all contenders, with a thread of its own, and answers their writes. Thread-safe.
class Collector {
 public:
  Collector();
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // A new contender: the descriptor that is its end of the link, and the caller's to close.
  [[nodiscard]] int connect(int process, int life);
  // Adds an event that only the driver knows.
  void add(Event event);

  // Waits until the events satisfy `done`, which is asked again when there are more. False: too
  // late.
  bool wait(const std::function<bool(const std::vector<Event>&)>& done,
            std::chrono::milliseconds limit);
  // Returns the number of events so far.
  [[nodiscard]] std::size_t count();
  [[nodiscard]] std::vector<Event> events();
  // The same, and empties the collection.
  [[nodiscard]] std::vector<Event> take_events();
  [[nodiscard]] std::vector<Violation> violations();
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> accepted_and_refused();

 private:
  struct Link {
    int descriptor;
    int process;
    int life;
  };

  void run();
  bool serve(const Link& link);

  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<Event> events_;
  std::vector<Violation> violations_;
  Resource resource_{violations_};
  std::vector<Link> links_;
  int wake_;
  bool stopping_ = false;
  std::thread thread_;  // Last: it uses all of the above.
};

}  // namespace lockstep::chaos
