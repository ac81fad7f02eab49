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

// A broken rule.
struct Violation {
  std::string check;
  std::string lock;
  std::string what;
  std::int64_t at = 0;
};

// The resource that the locks protect: it refuses a write if it has accepted a newer token, and
// knows which tokens exist. Not thread-safe.
class Resource {
 public:
  explicit Resource(std::vector<Violation>& violations) : violations_(violations) {}

  // Takes each event of all contenders in order. Returns the answer to a write.
  bool take(const Event& event);

  [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  using Grant = std::tuple<int, int, std::string, std::int64_t>;  // Session, lock, token.

  bool write(const Event& event);
  void violated(const Event& event, std::string what);

  std::vector<Violation>& violations_;
  std::map<Grant, int> granted_;  // With the number of writes since the loss was reported.
  std::set<Grant> lost_;
  std::map<std::string, Event> newest_;  // The last write to each lock's resource.
  std::uint64_t accepted_ = 0;
  std::uint64_t refused_ = 0;
};

// Receives the events of all contenders on its own thread, and answers their writes. Thread-safe.
class Collector {
 public:
  Collector();
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // Connects a new contender: returns its end of the link, which the caller closes.
  [[nodiscard]] int connect(int process, int life);
  // Adds an event of the driver.
  void add(Event event);

  // Waits until the events satisfy `done`, which is called again after new events. Returns false at
  // the limit.
  bool wait(const std::function<bool(const std::vector<Event>&)>& done,
            std::chrono::milliseconds limit);
  // The number of events so far.
  [[nodiscard]] std::size_t count();
  [[nodiscard]] std::vector<Event> events();
  // Returns all events and removes them.
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
  std::thread thread_;  // Last: it uses all members above.
};

}  // namespace lockstep::chaos
