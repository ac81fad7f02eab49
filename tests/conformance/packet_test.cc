#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "conformance/conformance.h"

// S27: what is longer than the server's jute.maxbuffer costs the connection.
namespace lockstep::conformance {

namespace {

constexpr std::size_t kLongestPacket = 1048575;
// What a request takes besides path and data.
constexpr std::size_t kHeader = 8;
constexpr std::size_t kLength = 4;
constexpr std::size_t kOpenAcl = 27;
constexpr std::size_t kFlags = 4;
constexpr std::size_t kVersion = 4;
constexpr std::size_t kCreate = kLength + kLength + kOpenAcl + kFlags;
constexpr std::size_t kOpHeader = 9;

Task<void> expect_lost(Session& session, Path path, std::string data) {
  const auto created =
      co_await session.create(path, std::string_view(data), CreateMode::kPersistent);
  EXPECT_EQ(error_of(created), Error::kConnectionLoss);
  must(co_await session.connected(), "connected");
  const auto exists = co_await session.exists(path);
  EXPECT_EQ(error_of(exists), Error::kNoNode);
}

}  // namespace

CONFORMANCE_TEST(S27TheLongestCreate) {
  const auto session = co_await lab.open();
  const Path path = lab.parent() / "large";
  const std::string most(kLongestPacket - kHeader - kCreate - path.view().size(), 'x');
  co_await expect_lost(*session, path, most + 'x');
  co_await create(*session, path, std::string_view(most));
  const DataAndStat read = must(co_await session->get_data(path), "get_data");
  EXPECT_TRUE(read.data.view() == most);
}

CONFORMANCE_TEST(S27TheLongestSetData) {
  const auto session = co_await lab.open();
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

CONFORMANCE_TEST(S27TheLongestMulti) {
  const auto session = co_await lab.open();
  const Path a = lab.parent() / "a";
  const Path b = lab.parent() / "b";
  const std::size_t two_creates = 2 * (kOpHeader + kCreate) + a.view().size() + b.view().size();
  const std::string most(kLongestPacket - kHeader - two_creates - kOpHeader, 'x');
  const std::string too_much = most + 'x';
  const auto lost =
      co_await session->multi(Transaction()
                                  .create(a, "", CreateMode::kPersistent)
                                  .create(b, std::string_view(too_much), CreateMode::kPersistent));
  EXPECT_EQ(error_of(lost), Error::kConnectionLoss);
  EXPECT_EQ(failed_op(lost), std::nullopt);
  must(co_await session->connected(), "connected");
  const auto exists = co_await session->exists(a);
  EXPECT_EQ(error_of(exists), Error::kNoNode);
  co_await commit(*session, Transaction()
                                .create(a, "", CreateMode::kPersistent)
                                .create(b, std::string_view(most), CreateMode::kPersistent));
  const Stat stat = co_await stat_of(*session, b);
  EXPECT_EQ(stat.data_length, static_cast<std::int32_t>(most.size()));
}

// What is sent behind it goes down with it, and so does what was sent before and is not answered.
CONFORMANCE_TEST(S27ATooLongRequestTakesTheOthersWithIt) {
  const auto session = co_await lab.open();
  const std::string too_much(kLongestPacket, 'x');
  lab.gather_requests(*session);  // The connection ends once both are sent.
  auto refused =
      session->create(lab.parent() / "large", std::string_view(too_much), CreateMode::kPersistent);
  auto behind = session->create(lab.parent() / "behind", Data(), CreateMode::kPersistent);
  lab.let_go(*session);
  const auto large = co_await refused;
  EXPECT_EQ(error_of(large), Error::kConnectionLoss);
  const auto small = co_await behind;
  EXPECT_EQ(error_of(small), Error::kConnectionLoss);
  must(co_await session->connected(), "connected");
  const auto exists = co_await session->exists(lab.parent() / "behind");
  EXPECT_EQ(error_of(exists), Error::kNoNode);
}

}  // namespace lockstep::conformance
