#pragma once

#include <zookeeper/zookeeper.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

// A lock as people write it against zookeeper.h, with a thread per client. It knows the laboratory
// only where it reports that it is inside.

namespace lockstep::threads {

// The events that reach a contender's watcher.
class News {
 public:
  static void tell(zhandle_t*, int type, int state, const char*, void* context);
  void wait_for_connection();
  [[nodiscard]] std::uint32_t count();
  // Returns when there have been more than `count` events.
  void wait_beyond(std::uint32_t count);
  [[nodiscard]] bool is_over();

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::uint32_t count_ = 0;
  bool connected_ = false;
  bool over_ = false;
};

// How a contender waits for the znode in front.
enum class Wait : std::uint8_t {
  kByData,       // With a watch that exists only if the znode does.
  kByExistence,  // Forgets that the znode may be gone, in which case it watches nothing.
};

// Returns a handle that is connected.
[[nodiscard]] zhandle_t* open_handle(News& news);

// Acquires "/lock" once, enters, and releases it.
void contend(Wait wait);
// The same with that handle, which stays open.
void contend_with(zhandle_t* handle, News& news, Wait wait);

}  // namespace lockstep::threads
