#pragma once

#include <gtest/gtest.h>

#include <expected>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/create_mode.h"
#include "lockstep/result.h"
#include "lockstep/session.h"
#include "support/lab.h"

// One suite for both backends: what ZooKeeper does, as a client of this library sees it. A test is
// named after the statement that it checks.
namespace lockstep::conformance {

using support::Lab;
using support::must;

class Conformance : public ::testing::TestWithParam<std::unique_ptr<Lab> (*)()> {
 protected:
  void run(Task<void> (*test)(Lab& lab)) {
    const std::unique_ptr<Lab> lab = GetParam()();
    lab->run(test(*lab));
  }
};

// Requests that are under way together, in the order of sending. Each is made by a function without
// arguments, because an operation never moves.
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

// The error of a result, if it is one.
inline std::optional<Error> error_of(const std::expected<MultiResults, MultiError>& result) {
  if (result) return std::nullopt;
  return result.error().error;
}
inline std::optional<std::size_t> failed_op(const std::expected<MultiResults, MultiError>& result) {
  if (result) return std::nullopt;
  return result.error().op;
}
template <class T>
std::optional<Error> error_of(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error();
}

// Operations that are expected to work: an exception otherwise.
Task<Created> create(Session& session, Path path, Data data = Data(),
                     Creation creation = CreateMode::kPersistent);
Task<Stat> stat_of(Session& session, Path path);
Task<void> remove(Session& session, Path path);
Task<Stat> set_data(Session& session, Path path, Data data);
Task<MultiResults> commit(Session& session, Transaction transaction);
Task<void> add_auth(Session& session, std::string user_and_password);
// Adds a credential that the server rejects, and waits until the session is over. The server closes
// the connection right behind its answer, and a client may notice that before it has read why
// (Z66): then it loses its connection, comes back with the credential, and is told that time.
Task<void> add_rejected_auth(Session& session, std::string scheme = "unknown");
// Ways for a request to end that stood behind a rejected credential, or was one.
[[nodiscard]] bool fails_with_a_rejection(std::optional<Error> error);
// A session that was rejected told its listeners so, once, after any connection that it lost.
[[nodiscard]] bool ends_with_a_rejection(const std::vector<SessionState>& states);
Task<Acl> acl_of(Session& session, Path path);
Task<void> set_acl(Session& session, Path path, Acl acl);
// Why a multi failed, which was not expected to work: an exception otherwise.
Task<MultiError> failure_of(Session& session, Transaction transaction);
// The watches that reads leave behind.
Task<Watch> watch_data(Session& session, Path path);
Task<Watch> watch_exists(Session& session, Path path);
Task<Watch> watch_children(Session& session, Path path);
// The event of a watch that fires.
Task<WatchEvent> event_of(const Watch& watch);
// Everything that was on the way to the session when this was called has arrived.
Task<void> settle(Session& session, Path path);

}  // namespace lockstep::conformance

namespace lockstep {

// For GoogleTest's messages.
inline void PrintTo(Error error, std::ostream* out) { *out << name(error); }
inline void PrintTo(EventType type, std::ostream* out) { *out << name(type); }
inline void PrintTo(SessionState state, std::ostream* out) { *out << name(state); }
inline void PrintTo(const AclEntry& entry, std::ostream* out) {
  *out << entry.scheme << ':' << entry.id << ':' << entry.permissions;
}
inline void PrintTo(const Acl& acl, std::ostream* out) {
  for (const AclEntry& entry : acl.entries()) {
    PrintTo(entry, out);
    *out << ' ';
  }
}
inline void PrintTo(const WatchEvent& event, std::ostream* out) {
  *out << name(event.type()) << ' ' << event.path().view();
}

}  // namespace lockstep

// A test that is a coroutine: CONFORMANCE_TEST(Name) { ... co_await ... }, with `lab` at hand.
#define CONFORMANCE_TEST(name)              \
  static Task<void> name(Lab& lab);         \
  TEST_P(Conformance, name) { run(&name); } \
  static Task<void> name([[maybe_unused]] Lab& lab)
