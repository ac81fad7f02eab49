#pragma once

#include <gtest/gtest.h>

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/create_mode.h"
#include "lockstep/result.h"
#include "lockstep/session.h"
#include "support/error_of.h"
#include "support/lab.h"
#include "support/printers.h"

// One suite for both backends: what ZooKeeper does, as a client of this library sees it. A test is
// named after the statement of docs/zookeeper-semantics.md that it checks.
namespace lockstep::conformance {

using support::error_of;
using support::Lab;
using support::must;

inline constexpr CreateMode kPlain = CreateMode::kPersistent;

class Conformance : public ::testing::TestWithParam<std::unique_ptr<Lab> (*)()> {
 protected:
  using Test = Task<void> (*)(Lab& lab);
  using TestInSession = Task<void> (*)(Lab& lab, Session& session);
  using TestInTwoSessions = Task<void> (*)(Lab& lab, Session& one, Session& other);
  using TestOnZnode = Task<void> (*)(Lab& lab, Session& session, const Path& path);
  using TestOfWatcher = Task<void> (*)(Lab& lab, Session& watcher, Session& actor,
                                       const Path& path);

  void run(Test test) {
    const std::unique_ptr<Lab> lab = GetParam()();
    lab->run(test(*lab));
  }
  void run(TestInSession test) {
    const std::unique_ptr<Lab> lab = GetParam()();
    lab->run(in_session(*lab, test));
  }
  void run(TestInTwoSessions test) {
    const std::unique_ptr<Lab> lab = GetParam()();
    lab->run(in_two_sessions(*lab, test));
  }
  void run(TestOnZnode test) {
    const std::unique_ptr<Lab> lab = GetParam()();
    lab->run(on_znode(*lab, test));
  }
  void run(TestOfWatcher test) {
    const std::unique_ptr<Lab> lab = GetParam()();
    lab->run(of_watcher(*lab, test));
  }

 private:
  static Task<void> in_session(Lab& lab, TestInSession test);
  static Task<void> in_two_sessions(Lab& lab, TestInTwoSessions test);
  static Task<void> on_znode(Lab& lab, TestOnZnode test);
  static Task<void> of_watcher(Lab& lab, TestOfWatcher test);
};

// Requests in flight together, in the order of sending. Takes functions without arguments that make
// them, because an operation cannot move.
template <class T>
class Sent {
 public:
  template <class Send>
  void add(const Send& send) {
    operations_.emplace_back(new Operation<T>(send()));
  }
  [[nodiscard]] std::size_t size() const { return operations_.size(); }
  [[nodiscard]] Operation<T>& operator[](std::size_t index) { return *operations_[index]; }

 private:
  std::vector<std::unique_ptr<Operation<T>>> operations_;
};

// The index of the operation that made a multi fail.
inline std::optional<std::size_t> failed_op(const std::expected<MultiResults, MultiError>& result) {
  if (result) return std::nullopt;
  return result.error().op;
}

// The following operations throw if they fail.
Task<Created> create(Session& session, Path path, Data data = Data(),
                     Creation creation = CreateMode::kPersistent);
Task<Stat> stat_of(Session& session, Path path);
Task<void> remove(Session& session, Path path);
Task<Stat> set_data(Session& session, Path path, Data data);
Task<MultiResults> commit(Session& session, Transaction transaction);
Task<void> add_auth(Session& session, std::string user_and_password);
// Adds a credential that the server rejects, and waits until the session is over. The server closes
// the connection right after its answer, and a client may notice that before it has read the reason
// (Z66): it then loses its connection, sends the credential again after the reconnect and is
// rejected.
Task<void> add_rejected_auth(Session& session, std::string scheme = "unknown");
// Whether a rejected credential, or a request sent after one, may end with `error`.
[[nodiscard]] bool fails_with_a_rejection(std::optional<Error> error);
// Whether the session reported the rejection to its listeners once, after all lost connections.
[[nodiscard]] bool ends_with_a_rejection(const std::vector<SessionState>& states);
Task<Acl> acl_of(Session& session, Path path);
Task<void> set_acl(Session& session, Path path, Acl acl);
// Returns the error of a multi that is expected to fail; throws if it succeeds.
Task<MultiError> failure_of(Session& session, Transaction transaction);
// The watch that a read has set.
Task<Watch> watch_data(Session& session, Path path);
Task<Watch> watch_exists(Session& session, Path path);
Task<Watch> watch_children(Session& session, Path path);
// The event of a watch that fires.
Task<WatchEvent> event_of(const Watch& watch);
// Waits until everything in flight to the session at the time of the call has arrived.
Task<void> settle(Session& session, Path path);

}  // namespace lockstep::conformance

// A test that is a coroutine: CONFORMANCE_TEST(Name) { ... co_await ... }, with `lab` at hand.
#define CONFORMANCE_TEST(name)              \
  static Task<void> name(Lab& lab);         \
  TEST_P(Conformance, name) { run(&name); } \
  static Task<void> name([[maybe_unused]] Lab& lab)

// The same with a `session`.
#define CONFORMANCE_TEST_IN_SESSION(name)             \
  static Task<void> name(Lab& lab, Session& session); \
  TEST_P(Conformance, name) { run(&name); }           \
  static Task<void> name([[maybe_unused]] Lab& lab, Session& session)

// The same with two sessions, which get these names.
#define CONFORMANCE_TEST_IN_TWO_SESSIONS(name, one, other)        \
  static Task<void> name(Lab& lab, Session& one, Session& other); \
  TEST_P(Conformance, name) { run(&name); }                       \
  static Task<void> name([[maybe_unused]] Lab& lab, Session& one, Session& other)

// The same with a `session` that has created the znode `path`.
#define CONFORMANCE_TEST_ON_ZNODE(name)                                 \
  static Task<void> name(Lab& lab, Session& session, const Path& path); \
  TEST_P(Conformance, name) { run(&name); }                             \
  static Task<void> name([[maybe_unused]] Lab& lab, Session& session, const Path& path)

// The same with two sessions: `actor` has created the znode, and changes what `watcher` watches.
#define CONFORMANCE_TEST_OF_WATCHER(name)                                               \
  static Task<void> name(Lab& lab, Session& watcher, Session& actor, const Path& path); \
  TEST_P(Conformance, name) { run(&name); }                                             \
  static Task<void> name([[maybe_unused]] Lab& lab, Session& watcher, Session& actor,   \
                         const Path& path)
