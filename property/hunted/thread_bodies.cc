#include "thread_bodies.h"

#include <exception>
#include <thread>
#include <utility>

#include "lockstep/async_event.h"

namespace lockstep::hunted {

namespace {

// The thread posts it when its body has returned.
class Returned final : public Runnable {
 public:
  explicit Returned(AsyncEvent& event) : event_(event) {}
  void run() override { event_.set(); }

 private:
  AsyncEvent& event_;
};

}  // namespace

Task<void> ThreadBodies::run_beside(Executor& executor, fakezk::Process&,
                                    std::function<void()> body) {
  AsyncEvent event(executor);
  Returned returned(event);
  std::exception_ptr thrown;
  std::jthread thread([&] {
    try {
      body();
    } catch (...) {
      thrown = std::current_exception();
    }
    executor.post(returned);
  });
  static_cast<void>(co_await event.wait());
  thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace lockstep::hunted
