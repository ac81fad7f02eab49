#include "three_clients.h"

#include <zookeeper/zookeeper.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace lockstep::hunted {

namespace {

// Lets a thread wait for its connection.
class Connection {
 public:
  static void tell(zhandle_t*, int type, int state, const char*, void* context) {
    auto& connection = *static_cast<Connection*>(context);
    if (type != ZOO_SESSION_EVENT || state != ZOO_CONNECTED_STATE) return;
    const std::lock_guard lock(connection.mutex_);
    connection.is_made_ = true;
    connection.made_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    made_.wait(lock, [this] { return is_made_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable made_;
  bool is_made_ = false;
};

// The requests of one lock cycle, by synchronous calls.
void lock_and_unlock() {
  Connection connection;
  zhandle_t* const handle =
      zookeeper_init("127.0.0.1:2181", &Connection::tell, 10'000, nullptr, &connection, 0);
  connection.wait();
  std::array<char, 64> own{};
  zoo_create(handle, "/lock/n-", "", 0, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL | ZOO_SEQUENCE,
             own.data(), own.size());
  String_vector queue{};
  if (zoo_get_children(handle, "/lock", 0, &queue) == ZOK) deallocate_String_vector(&queue);
  zoo_delete(handle, own.data(), -1);
  zookeeper_close(handle);
}

}  // namespace

void three_clients() {
  std::thread a(&lock_and_unlock);
  std::thread b(&lock_and_unlock);
  std::thread c(&lock_and_unlock);
  a.join();
  b.join();
  c.join();
}

}  // namespace lockstep::hunted
