// A double barrier that needs every client. The commits of the servers show whether it keeps its
// promises.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blocking_rounds.h"
#include "forwarding.h"
#include "lockstep/blocking/double_barrier.h"
#include "lockstep/double_barrier.h"
#include "lockstep/error_code.h"
#include "recipes.h"
#include "rounds.h"

namespace lockstep::scenarios {

namespace {

using fakezk::FaultKind;

constexpr std::chrono::seconds kPatience(60);

// The rounds that members have entered; reset before every execution.
std::vector<std::int32_t> rounds_entered;

// The number of the member that a change has created or deleted; none if the number does not keep
// the order, because its creator then gives up.
std::optional<std::int32_t> member_of(const fakezk::World& world, const fakezk::Change& change) {
  const Path znode(world.server().paths().text(change.path));
  const std::optional<std::int32_t> number = sequence_number(znode.name(), kMemberMark);
  return number && lockstep::keeps_order(*number) ? number : std::nullopt;
}

// Calls `look` with the members' numbers after each change up to zxid `until`.
void for_each_time(const fakezk::World& world, Zxid until, auto look) {
  if (fakezk::FootprintRecorder* const recorder = world.recorder()) recorder->touches_everything();
  std::vector<std::int32_t> members;
  for (const fakezk::Change& change : world.server().history()) {
    if (change.zxid > until) break;
    const std::optional<std::int32_t> member = member_of(world, change);
    if (!member) continue;
    if (change.kind == fakezk::Change::Kind::kCreated) members.push_back(*member);
    if (change.kind == fakezk::Change::Kind::kDeleted) std::erase(members, *member);
    look(members);
  }
}

bool after_any_of(const fakezk::World& world, std::initializer_list<FaultKind> kinds) {
  return std::ranges::any_of(
      kinds, [&](FaultKind kind) { return (world.kinds_injected() & bit(kind)) != 0; });
}
// Whether another client has deleted a member or "ready": the barrier promises nothing then.
bool meddled_with(const fakezk::World& world) {
  return after_any_of(world, {FaultKind::kForeignDelete, FaultKind::kForgottenWrites});
}

// No member enters before all have come, that is, unless all existed when the round began. Members
// of an earlier round do not count.
void check_entry(Contender& self, std::int32_t round, Zxid began, std::int32_t needed) {
  const fakezk::World& world = self.client().process().world();
  if (meddled_with(world)) return;
  std::int32_t earlier = -1;
  for (const std::int32_t other : rounds_entered) {
    if (other < round) earlier = std::max(earlier, other);
  }
  rounds_entered.push_back(round);
  bool all_came = false;
  for_each_time(world, began, [&](const std::vector<std::int32_t>& members) {
    const auto count =
        std::ranges::count_if(members, [&](std::int32_t member) { return member > earlier; });
    all_came = std::cmp_greater_equal(count, needed);
  });
  if (!all_came) self.oracles().violated("user:enter", "a member has entered before all had come");
}

// No member leaves before all have left or died.
void check_exit(Contender& self, std::int32_t round) {
  const fakezk::World& world = self.client().process().world();
  if (meddled_with(world)) return;
  bool all_gone = true;
  for_each_time(world, world.server().last_zxid(), [&](const std::vector<std::int32_t>& members) {
    all_gone = std::ranges::none_of(members, [&](std::int32_t member) { return member <= round; });
  });
  if (!all_gone) self.oracles().violated("user:leave", "a member has left, and another is inside");
}

// A wait may fail because a client has died: it never comes, and its session takes time to end.
void check_failure(Contender& self, Error error, const Context& patience) {
  const fakezk::World& world = self.client().process().world();
  const fakezk::FaultKinds harmless = bit(FaultKind::kCut) | bit(FaultKind::kLag) |
                                      bit(FaultKind::kLateApply) | bit(FaultKind::kLeaderChange);
  const bool all_live = (world.kinds_injected() & ~harmless) == 0;
  // The last two mean that the deadline passed before the server answered.
  const bool out_of_time = error == Error::kTimedOut || error == Error::kNotConnected ||
                           error == Error::kOperationTimeout;
  if (out_of_time && !all_live) return;
  if (!out_of_time && may_end_with(error, patience.deadline().has_value(), world.kinds_injected()))
    return;
  self.oracles().violated("user:reason",
                          "a barrier has failed without a cause: " + std::string(name(error)));
}

// Records the zxid by which the round began.
class Evidence final : public Forwarding {
 public:
  explicit Evidence(Contender& self) : Forwarding(self.oracles()) {}
  void granted(const GrantRecord& grant) override {
    began = grant.evidence;
    Forwarding::granted(grant);
  }
  void waiting(SessionId, const Path&, std::size_t) override {
  }  // It waits for all, not in a queue.

  Zxid began = 0;
};

Task<void> compute_together(Contender& self, Session& session, Path path, std::uint32_t) {
  Executor& executor = self.client().executor();
  const auto members = static_cast<std::int32_t>(self.client().process().world().process_count());
  Evidence observer(self);
  DoubleBarrier barrier(session, path, members, &observer);
  const Context patience(executor.now() + kPatience);
  std::optional<Attempt> attempt;
  attempt.emplace(self, session.id(), patience);
  Result<DoubleBarrier::Member> member = co_await barrier.enter(patience);
  attempt.reset();
  if (!member) co_return check_failure(self, member.error(), patience);
  check_entry(self, member->round(), observer.began, members);
  static_cast<void>(co_await session.sync(path));
  const Context limit(executor.now() + kPatience);
  const Result<void> left = co_await member->leave(limit);
  if (!left) co_return check_failure(self, left.error(), limit);
  check_exit(self, member->round());
}

// More clients come than the barrier needs; some soon give up, some go without leaving, some leave
// impatiently.
Task<void> compute_in_twos(Contender& self, Session& session, Path path) {
  constexpr std::int32_t kMembers = 2;
  constexpr std::chrono::seconds kImpatience(1);
  Executor& executor = self.client().executor();
  Evidence observer(self);
  DoubleBarrier barrier(session, std::move(path), kMembers, &observer);
  const bool gives_up = drawn(self, 2) == 1;
  const Context patience(executor.now() + (gives_up ? kImpatience : kPatience));
  std::optional<Attempt> attempt;
  attempt.emplace(self, session.id(), patience);
  Result<DoubleBarrier::Member> member = co_await barrier.enter(patience);
  attempt.reset();
  const bool nobody_came = !member && member.error() == Error::kTimedOut;
  if (nobody_came) co_return;
  if (!member) co_return check_failure(self, member.error(), patience);
  check_entry(self, member->round(), observer.began, kMembers);
  static_cast<void>(co_await session.sync("/"));
  const bool goes = drawn(self, 2) == 1;
  if (goes) co_return;
  const bool leaves_soon = drawn(self, 2) == 1;
  const Context limit(executor.now() + (leaves_soon ? kImpatience : kPatience));
  const Result<void> left = co_await member->leave(limit);
  if (left) co_return check_exit(self, member->round());
  // Another member may stay for longer.
  if (left.error() != Error::kTimedOut) check_failure(self, left.error(), limit);
}

// The error of a function that throws; kTimedOut if it returns false, kNothing if true.
template <class Call>
Error error_of(Call call) {
  try {
    return call() ? Error::kNothing : Error::kTimedOut;
  } catch (const blocking::LockError& error) {
    if (error.code().category() != zookeeper_category()) throw;
    return static_cast<Error>(error.code().value());
  }
}

void block_together(Contender& self, SessionId session, const Path& path, std::uint32_t) {
  Executor& executor = self.client().executor();
  const auto members = static_cast<std::int32_t>(self.client().process().world().process_count());
  Evidence observer(self);
  blocking::DoubleBarrier barrier(self.client(), path, members, &observer);
  const Context patience(executor.now() + kPatience);
  Error error = Error::kNothing;
  {
    const Attempt attempt(self, session, patience);
    error = error_of([&] { return barrier.try_enter_until(*patience.deadline()); });
  }
  if (error != Error::kNothing) return check_failure(self, error, patience);
  const std::int32_t round = barrier.round();
  check_entry(self, round, observer.began, members);
  const Context limit(executor.now() + kPatience);
  error = error_of([&] { return barrier.try_leave_until(*limit.deadline()); });
  if (error != Error::kNothing) return check_failure(self, error, limit);
  check_exit(self, round);
}

lab::LockUnderTest members_that(lab::Contend contend) {
  judge::LockRules rules = {Mark{kMemberMark, Share::kShared}};
  // A member that is free to go on may wait for another one that never comes.
  rules.idle_allowance = 10 * kPatience;
  lab::LockUnderTest lock =
      contention(std::move(contend), lab::LastContender::kPatient, std::move(rules));
  lock.at_start = [] { rounds_entered.clear(); };
  lock.isolated = false;
  return lock;
}

}  // namespace

lab::LockUnderTest double_barrier() { return members_that(&contend<&compute_together>); }
lab::LockUnderTest double_barrier_of_two() {
  return members_that(&draw_and_contend<&compute_in_twos>);
}
lab::LockUnderTest blocking_double_barrier() {
  return members_that(&block_in_rounds<&block_together>);
}

}  // namespace lockstep::scenarios
