#include "session_end.h"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "c_handle.h"

namespace lockstep::zookeeper {

namespace {

constexpr std::chrono::milliseconds kAnswerLimit(1500);

// The server's answer to the handshake: either it has attached the handle, or the session is over.
class Answer {
 public:
  static void heard(zhandle_t*, int type, int state, const char*, void* self) noexcept {
    const bool final = state == ZOO_CONNECTED_STATE || state == ZOO_EXPIRED_SESSION_STATE ||
                       state == ZOO_AUTH_FAILED_STATE;
    if (type != ZOO_SESSION_EVENT || !final) return;
    auto& answer = *static_cast<Answer*>(self);
    const std::lock_guard lock(answer.mutex_);
    answer.is_here_ = true;
    answer.came_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, kAnswerLimit, [this] { return is_here_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  bool is_here_ = false;
};

}  // namespace

// The answer outlives all callbacks: zookeeper_close() waits for the C client's threads.
void end_by_another_handle(const Options& options, const std::string& server, log_callback_fn log) {
  Answer answer;
  CHandleParts parts;
  zhandle_t* const handle =
      open_c_handle(options, server, SessionWatcher(&Answer::heard, &answer), log, parts);
  if (handle == nullptr) return;
  answer.wait();
  zookeeper_close(handle);
}

}  // namespace lockstep::zookeeper
