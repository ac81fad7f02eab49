// The checks of `bench real` fail for mutexes that break what they promise.
#include "production/lock_cycles.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "lockstep/when_all.h"
#include "lockstep/zookeeper/client.h"
#include "production/operator_lab.h"

namespace lockstep {
namespace {

using program::GiveWay;
using program::Tally;

struct Granted {
  Zxid token;
  [[nodiscard]] static Path znode() { return "/zookeeper"; }  // Which every server has.
};
CohortToken token_of(const Granted& granted) { return {granted.token, 1}; }

constexpr const char* kNothingElse = "under measurement: an acquire fails";

// Grants to whoever asks, in another event for each, as replies do; a hundred times.
class GrantsAtOnce {
 public:
  GrantsAtOnce(zookeeper::Runtime& runtime, Zxid step) : runtime_(runtime), step_(step) {}
  Task<Result<Granted>> acquire() {
    co_await GiveWay(runtime_);
    if (left_ == 0) co_return failure(Error::kClosing);
    --left_;
    newest_ += step_;
    co_return Granted(newest_);
  }

 private:
  zookeeper::Runtime& runtime_;
  Zxid step_;
  int left_ = 100;
  Zxid newest_ = 1000;
};

struct Released : std::suspend_never {
  [[nodiscard]] static ReleaseOutcome await_resume() { return ReleaseOutcome::kReleased; }
};

class Contention {
 public:
  explicit Contention(Zxid step) : mutex_(runtime_, step) {}

  // The message of the first check that fails.
  template <class Inside>
  std::string complaint(std::size_t contenders, Inside inside) {
    std::vector<Task<void>> all;
    const auto leave = [](const Granted&) { return Released(); };
    for (std::size_t i = 0; i < contenders; ++i) {
      all.push_back(program::contend(mutex_, runtime_, TimePoint::max(), tally_, inside, leave));
    }
    try {
      runtime_.run(when_all(std::move(all)));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  }
  std::string complaint_of_holders(std::size_t contenders) {
    return complaint(contenders, [this](const Granted&) { return GiveWay(runtime_); });
  }
  std::string complaint_with_evidence() {
    zookeeper::Client client(runtime_,
                             zookeeper::Options(support::ZookeeperServer::shared().address()));
    std::shared_ptr<Session> session;
    runtime_.run(open(client, session));
    std::optional<Path> previous;
    return complaint(1, program::PreviousIsGone(*session, previous));
  }

 private:
  static Task<void> open(Client& client, std::shared_ptr<Session>& session) {
    const auto opened = co_await client.session(Context());
    session = *opened;
  }

  zookeeper::Runtime runtime_;
  GrantsAtOnce mutex_;
  Tally tally_;
};

TEST(LockCyclesTest, TwoHoldersAreSeen) {
  EXPECT_EQ(Contention(1).complaint_of_holders(1), kNothingElse);
  EXPECT_EQ(Contention(1).complaint_of_holders(2),
            "under measurement: two contenders hold one lock");
}

TEST(LockCyclesTest, GrantsOutOfOrderAreSeen) {
  EXPECT_EQ(Contention(-1).complaint_of_holders(1),
            "under measurement: a lock is not granted in the order of arrival");
}

TEST(LockCyclesTest, AHolderWithoutAReleaseIsSeen) {
  EXPECT_EQ(Contention(1).complaint_with_evidence(),
            "under measurement: a lock is granted before its release");
}

}  // namespace
}  // namespace lockstep
