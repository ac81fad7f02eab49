#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/client.h"
#include "lockstep/executor.h"
#include "lockstep/fake/session.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::fake {

// A simulated process with its sessions, opened one after the other.
class FakeClient final : public Client {
 public:
  static constexpr Duration kDefaultTimeout = std::chrono::seconds(10);

  FakeClient(fakezk::Process& process, std::string name, Duration timeout = kDefaultTimeout,
             Path chroot = Path(Text()), SessionOptions options = {})
      : process_(process),
        name_(std::move(name)),
        timeout_(timeout),
        chroot_(std::move(chroot)),
        options_(std::move(options)),
        replaced_(process) {}
  // Attaches to an existing session instead of opening its first one.
  FakeClient(fakezk::Process& process, std::string name, Duration timeout,
             const FakeSession::Credentials& attach_to)
      : process_(process),
        name_(std::move(name)),
        timeout_(timeout),
        attach_to_(attach_to),
        replaced_(process) {}

  Task<Result<std::shared_ptr<Session>>> session(Context context) override;
  [[nodiscard]] Executor& executor() const override { return process_; }

  [[nodiscard]] fakezk::Process& process() const { return process_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // The options of the sessions that it opens from now on.
  void set_options(SessionOptions options) { options_ = std::move(options); }
  // Starts with an already connected session.
  void resume(const FakeSession::Snapshot& snapshot);
  // Releases its sessions and its observer.
  void let_go() noexcept;
  // Goes on without its current session, which the caller owns from then on: null if there is none.
  // The next session() opens another one.
  std::shared_ptr<FakeSession> leave_session();
  // The current session, alive or not; opens the first one if there is none.
  std::shared_ptr<FakeSession> current();
  // The id of the current session; 0 without one.
  [[nodiscard]] SessionId session_id() const { return session_ ? session_->id() : 0; }
  // The ids of the current session and of those that were left and still exist.
  [[nodiscard]] std::vector<SessionId> session_ids() const;
  [[nodiscard]] bool has_session(SessionId id) const;  // Whether it is one of them.
  // The pending requests and watches of the current session, and of those that were left.
  [[nodiscard]] FakeSession::Waiting session_waiting() const;

 private:
  // Sessions that are over, after the next one was opened. That may happen while one of them tells
  // its listeners of its end, so they live until the code that runs now has returned.
  class Replaced final : public Runnable {
   public:
    explicit Replaced(fakezk::Process& process) : process_(process) {}
    ~Replaced() override { destroy(); }
    void add(std::shared_ptr<FakeSession> session);
    void destroy() noexcept;

   private:
    void run() override { destroy(); }

    fakezk::Process& process_;
    std::vector<std::shared_ptr<FakeSession>> sessions_;
  };

  void open();

  fakezk::Process& process_;
  std::string name_;
  Duration timeout_;
  Path chroot_{Text()};  // Null: none.
  SessionOptions options_;
  std::optional<FakeSession::Credentials> attach_to_;
  std::shared_ptr<FakeSession> session_;
  std::vector<std::weak_ptr<FakeSession>> left_;
  Replaced replaced_;
};

}  // namespace lockstep::fake
