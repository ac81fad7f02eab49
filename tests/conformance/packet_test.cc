#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/conformance.h"
#include "conformance/identities.h"
#include "lockstep/fair_mutex.h"
#include "support/session_waits.h"

// Z27: a packet longer than the server's jute.maxbuffer costs the connection. A client does not
// send one, unless its own limit is configured too high.
namespace lockstep::conformance {

namespace {

constexpr std::size_t kLongestPacket = 1048575;
// The sizes of a request's fields, apart from path and data.
constexpr std::size_t kHeader = 8;
constexpr std::size_t kLength = 4;
constexpr std::size_t kOpenAcl = 27;
constexpr std::size_t kFlags = 4;
constexpr std::size_t kVersion = 4;
constexpr std::size_t kCreateFields = kLength + kLength + kOpenAcl + kFlags;
constexpr std::size_t kOpHeader = 9;

Task<std::shared_ptr<Session>> open_careless(Lab& lab) {
  SessionOptions options;
  options.packet_limit = 10 * kLongestPacket;
  return lab.open(std::move(options));
}

Task<void> expect_lost(Session& session, Path path, std::string data) {
  const auto created =
      co_await session.create(path, std::string_view(data), CreateMode::kPersistent);
  EXPECT_EQ(error_of(created), Error::kConnectionLoss);
  must(co_await session.connected(), "connected");
  EXPECT_EQ(error_of(co_await session.exists(path)), Error::kNoNode);
}

}  // namespace

CONFORMANCE_TEST(Z27TheLongestCreateWorks) {
  const auto session = co_await open_careless(lab);
  const Path path = lab.parent() / "large";
  const std::string most(kLongestPacket - kHeader - kCreateFields - path.view().size(), 'x');
  co_await expect_lost(*session, path, most + 'x');
  co_await create(*session, path, std::string_view(most));
  const DataAndStat read = must(co_await session->get_data(path), "get_data");
  EXPECT_TRUE(read.data.view() == most);
}

CONFORMANCE_TEST(Z27TheLongestSetDataWorks) {
  const auto session = co_await open_careless(lab);
  const Path path = lab.parent() / "large";
  co_await create(*session, path, "before");
  const std::size_t room = kLongestPacket - kHeader - kLength - kLength - kVersion;
  const std::string most(room - path.view().size(), 'x');
  const std::string too_much = most + 'x';
  const auto lost = co_await session->set_data(path, std::string_view(too_much));
  EXPECT_EQ(error_of(lost), Error::kConnectionLoss);
  must(co_await session->connected(), "connected");
  const DataAndStat before = must(co_await session->get_data(path), "get_data");
  EXPECT_EQ(before.data.view(), "before");
  EXPECT_EQ(before.stat.version, 0);
  const Stat stat = co_await set_data(*session, path, std::string_view(most));
  EXPECT_EQ(stat.data_length, static_cast<std::int32_t>(most.size()));
}

CONFORMANCE_TEST(Z27TheLongestMultiWorks) {
  const auto session = co_await open_careless(lab);
  const Path a = lab.parent() / "a";
  const Path b = lab.parent() / "b";
  const std::size_t two_creates =
      2 * (kOpHeader + kCreateFields) + a.view().size() + b.view().size();
  const std::string most(kLongestPacket - kHeader - two_creates - kOpHeader, 'x');
  const std::string too_much = most + 'x';
  const auto lost =
      co_await session->multi(Transaction()
                                  .create(a, "", CreateMode::kPersistent)
                                  .create(b, std::string_view(too_much), CreateMode::kPersistent));
  EXPECT_EQ(error_of(lost), Error::kConnectionLoss);
  EXPECT_EQ(failed_op(lost), std::nullopt);
  must(co_await session->connected(), "connected");
  EXPECT_EQ(error_of(co_await session->exists(a)), Error::kNoNode);
  co_await commit(*session, Transaction()
                                .create(a, "", CreateMode::kPersistent)
                                .create(b, std::string_view(most), CreateMode::kPersistent));
  EXPECT_EQ((co_await stat_of(*session, b)).data_length, static_cast<std::int32_t>(most.size()));
}

// The requests that are unanswered or sent later are lost with the connection.
CONFORMANCE_TEST(Z27ATooLongRequestTakesTheOthersWithIt) {
  const auto session = co_await open_careless(lab);
  const std::string too_much(kLongestPacket, 'x');
  lab.gather_requests(*session);  // The connection ends after both have been sent.
  auto refused =
      session->create(lab.parent() / "large", std::string_view(too_much), CreateMode::kPersistent);
  auto later = session->create(lab.parent() / "later", Data(), CreateMode::kPersistent);
  lab.let_go(*session);
  EXPECT_EQ(error_of(co_await refused), Error::kConnectionLoss);
  EXPECT_EQ(error_of(co_await later), Error::kConnectionLoss);
  must(co_await session->connected(), "connected");
  EXPECT_EQ(error_of(co_await session->exists(lab.parent() / "later")), Error::kNoNode);
}

// Sets watches on paths of `bytes` in total, in requests that are shorter.
Task<std::vector<Watch>> watch_paths(Session& session, Path parent, std::size_t bytes) {
  constexpr std::size_t kMost = 100'000;
  std::vector<Watch> watches;
  while (bytes > 0) {
    const std::size_t length = std::min(bytes, kMost);
    const char letter = static_cast<char>('a' + watches.size());
    const Path path = parent / std::string(length - kLength - parent.view().size() - 1, letter);
    auto read = must(co_await session.exists_watched(path), "exists_watched");
    watches.push_back(std::move(read.watch));
    bytes -= length;
  }
  co_return std::move(watches);
}

// The type of the packet, the last zxid and the lengths of its three lists.
constexpr std::size_t kSetWatches = 8 + 3 * kLength;

// A reconnecting client sets all watches of its session again in one packet.
CONFORMANCE_TEST(Z53NoConnectionLastsWithMoreWatchesThanOnePacketTakes) {
  const auto session = co_await open_careless(lab);
  const auto watches =
      co_await watch_paths(*session, lab.parent(), kLongestPacket - kHeader - kSetWatches + 1);
  lab.cut(*session);
  for (int round = 0; round < 3; ++round) {
    co_await support::StateReached(*session, SessionState::kSuspended);
    co_await support::StateReached(*session, SessionState::kConnected);
  }
}

CONFORMANCE_TEST(Z53AsManyWatchesAsOnePacketTakesSurviveAReconnect) {
  const auto session = co_await open_careless(lab);
  const auto watches =
      co_await watch_paths(*session, lab.parent(), kLongestPacket - kHeader - kSetWatches);
  co_await lab.disconnect(*session);
  co_await lab.reconnect(*session);
  const support::StateRecorder recorder(*session);
  must(co_await session->sync(lab.parent()), "sync");
  EXPECT_TRUE(recorder.states().empty());
  for (const Watch& watch : watches) EXPECT_FALSE(watch.has_fired());
}

CONFORMANCE_TEST_IN_SESSION(Z27TheClientRefusesTooLongRequestsAndKeepsTheConnection) {
  const support::StateRecorder recorder(session);
  const Path path = lab.parent() / "large";
  const std::string most(kLongestPacket - kHeader - kCreateFields - path.view().size(), 'x');
  const std::string too_much = most + 'x';
  const auto created =
      co_await session.create(path, std::string_view(too_much), CreateMode::kPersistent);
  EXPECT_EQ(error_of(created), Error::kPacketTooLarge);
  co_await create(session, path, std::string_view(most));
  const std::string larger(kLongestPacket, 'x');
  const auto set = co_await session.set_data(path, std::string_view(larger));
  EXPECT_EQ(error_of(set), Error::kPacketTooLarge);
  const auto multi =
      co_await session.multi(Transaction().check(path).set_data(path, std::string_view(larger)));
  EXPECT_EQ(error_of(multi), Error::kPacketTooLarge);
  EXPECT_EQ(failed_op(multi), std::nullopt);
  const auto acl_set = co_await session.set_acl(path, only(1, "digest", "x:" + larger));
  EXPECT_EQ(error_of(acl_set), Error::kPacketTooLarge);
  const auto auth_added = co_await session.add_auth("digest", std::string_view(larger));
  EXPECT_EQ(error_of(auth_added), Error::kPacketTooLarge);
  EXPECT_EQ((co_await stat_of(session, path)).version, 0);
  EXPECT_TRUE(recorder.states().empty());
}

CONFORMANCE_TEST(Z27TheLimitIsASetting) {
  SessionOptions options;
  options.packet_limit = 200;
  const auto session = co_await lab.open(std::move(options));
  const std::string most(200 - kHeader - kCreateFields - lab.parent().view().size() - 2, 'x');
  const std::string too_much = most + 'x';
  const auto created = co_await session->create(lab.parent() / "a", std::string_view(too_much),
                                                CreateMode::kPersistent);
  EXPECT_EQ(error_of(created), Error::kPacketTooLarge);
  co_await create(*session, lab.parent() / "a", std::string_view(most));
}

// Other locks of the session do not even become suspected.
CONFORMANCE_TEST_IN_SESSION(Z27TooMuchDataIsAnErrorOfItsLockAlone) {
  FairMutex other(session, lab.parent() / "other");
  const HeldLock held = must(co_await other.acquire(), "acquire");
  const support::StateRecorder recorder(session);
  const std::string two_megabytes(2'000'000, 'x');
  LockOptions options{Data(std::string_view(two_megabytes))};
  FairMutex mutex(session, lab.parent() / "lock", std::move(options));
  EXPECT_EQ(error_of(co_await mutex.acquire()), Error::kPacketTooLarge);
  must(co_await session.sync(lab.parent()), "sync");
  EXPECT_TRUE(recorder.states().empty());
  EXPECT_EQ(held.state(), LockState::kHeld);
}

}  // namespace lockstep::conformance
