#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lockstep/client.h"
#include "lockstep/fake/session.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::fake {

// A simulated process with the sessions it has opened, one after the other.
class FakeClient final : public Client {
 public:
  static constexpr Duration kDefaultTimeout = std::chrono::seconds(10);

  FakeClient(fakezk::Process& process, std::string name, Duration timeout = kDefaultTimeout)
      : process_(process), name_(std::move(name)), timeout_(timeout) {}

  Task<Result<std::shared_ptr<Session>>> session(Context context) override;
  [[nodiscard]] Executor& executor() const override { return process_; }

  [[nodiscard]] fakezk::Process& process() const { return process_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // The current session, alive or not; opens the first one if there was none.
  std::shared_ptr<FakeSession> current();
  // What the current session waits for.
  [[nodiscard]] FakeSession::Waiting session_waiting() const {
    return session_ ? session_->waiting() : FakeSession::Waiting();
  }

 private:
  fakezk::Process& process_;
  std::string name_;
  Duration timeout_;
  std::shared_ptr<FakeSession> session_;
};

}  // namespace lockstep::fake
