// Requests of several sessions in flight: a list, a delete sent after it, and another session's
// create.
#include <gtest/gtest.h>

#include <string>

#include "conformance/conformance.h"

namespace lockstep::conformance {

namespace {

constexpr int kRaces = 100;

// The answers to a list, a delete sent after it, and a list sent after that.
struct Seen {
  std::size_t before = 0;
  std::optional<Error> refusal{};
  std::optional<Error> end{};
  std::size_t after = 0;
};

Task<Seen> list_and_remove(Session& session, Path parent) {
  Operation<Children> first = session.get_children(parent);
  Operation<void> removal = session.remove(parent);
  Operation<Children> second = session.get_children(parent);
  Seen seen;
  const Result<Children> before = co_await first;
  seen.before = must(before, "get_children").size();
  const Result<void> removed = co_await removal;
  seen.refusal = error_of(removed);
  const Result<Children> after = co_await second;
  seen.end = error_of(after);
  if (after) seen.after = after->size();
  co_return seen;
}

}  // namespace

// The answers agree in every order: if a delete is refused, the session's next list shows the
// child.
CONFORMANCE_TEST_IN_SESSION(Z125ARefusedDeleteIsFollowedByAListThatShowsTheChild) {
  const auto neighbour = co_await lab.open();
  for (int race = 0; race < kRaces; ++race) {
    const Path parent = lab.parent() / ("p" + std::to_string(race));
    co_await create(session, parent);
    Operation<Created> creation =
        neighbour->create(parent / "child", Data(), CreateMode::kEphemeral);
    const Seen seen = co_await list_and_remove(session, parent);
    const Result<Created> created = co_await creation;
    if (created) {
      EXPECT_EQ(seen.refusal, Error::kNotEmpty);
      EXPECT_EQ(seen.end, std::nullopt);
      EXPECT_EQ(seen.after, 1U);
    } else {
      EXPECT_EQ(error_of(created), Error::kNoNode);
      EXPECT_EQ(seen.before, 0U);
      EXPECT_EQ(seen.refusal, std::nullopt);
      EXPECT_EQ(seen.end, Error::kNoNode);
    }
  }
}

// A real server may refuse the delete although the lists before and after it show no child: the end
// of a session leaves a wrong count of children in the parent's pending change.
CONFORMANCE_TEST(Z125TheEndOfAnotherSessionLeavesADeleteDoneOrRefusedAsNotEmpty) {
  const auto session = co_await lab.open();
  for (int race = 0; race < kRaces; ++race) {
    const Path parent = lab.parent() / ("p" + std::to_string(race));
    co_await create(*session, parent);
    const auto owner = co_await lab.open();
    co_await create(*owner, parent / "e", Data(), CreateMode::kEphemeral);
    Operation<void> end = owner->close();
    Operation<Created> creation = session->create(parent / "x", Data(), CreateMode::kPersistent);
    Operation<void> removal = session->remove(parent / "x");
    const Seen seen = co_await list_and_remove(*session, parent);
    const Result<Created> created = co_await creation;
    must(created, "create");
    const Result<void> removed = co_await removal;
    must(removed, "remove");
    const Result<void> ended = co_await end;
    must(ended, "close");
    EXPECT_LE(seen.after, seen.before);
    EXPECT_EQ(seen.end, seen.refusal ? std::nullopt : std::optional(Error::kNoNode));
    EXPECT_EQ(seen.refusal.value_or(Error::kNotEmpty), Error::kNotEmpty);
  }
}

}  // namespace lockstep::conformance
