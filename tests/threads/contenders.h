#pragma once

#include <zookeeper/zookeeper.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

// A lock as people write it against zookeeper.h, with a thread per client: it knows nothing of the
// laboratory except the place where it says that it is inside.

namespace lockstep::threads {

// The events that a contender's watcher tells it.
class News {
 public:
  static void tell(zhandle_t*, int type, int state, const char*, void* context);
  void wait_for_connection();
  [[nodiscard]] std::uint32_t count();
  // Returns when there has been more news than that.
  void wait_beyond(std::uint32_t count);
  [[nodiscard]] bool is_over();

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::uint32_t count_ = 0;
  bool connected_ = false;
  bool over_ = false;
};

// How it waits for the znode in front.
enum class Wait : std::uint8_t {
  kByData,       // With a watch that exists only if the znode does.
  kByExistence,  // Forgets that the znode may have gone, and the watch is on nothing then.
};

// Acquires "/lock" once, is inside, and releases it.
void contend(Wait wait);

}  // namespace lockstep::threads
