#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "small_world.h"

// Transfers with several buffers: readv, writev, sendmsg and recvmsg.

namespace lockstep::intercept {
namespace {

std::vector<iovec> buffers_of(std::vector<std::string>& parts) {
  std::vector<iovec> buffers;
  for (std::string& part : parts) buffers.push_back({part.data(), part.size()});
  return buffers;
}

msghdr message_of(std::vector<iovec>& buffers) {
  msghdr message{};
  message.msg_iov = buffers.data();
  message.msg_iovlen = buffers.size();
  return message;
}

ssize_t write_parts(int file, std::vector<std::string> parts) {
  const std::vector<iovec> buffers = buffers_of(parts);
  return ::writev(file, buffers.data(), static_cast<int>(buffers.size()));
}

ssize_t send_parts(int file, std::vector<std::string> parts, int flags = 0) {
  std::vector<iovec> buffers = buffers_of(parts);
  const msghdr message = message_of(buffers);
  return ::sendmsg(file, &message, flags);
}

// Receives into buffers of these sizes, and returns them.
std::vector<std::string> received_parts(int file, const std::vector<std::size_t>& sizes,
                                        int flags = 0) {
  std::vector<std::string> parts;
  for (const std::size_t size : sizes) parts.emplace_back(size, '-');
  std::vector<iovec> buffers = buffers_of(parts);
  msghdr message = message_of(buffers);
  static_cast<void>(::recvmsg(file, &message, flags));
  return parts;
}

class Pair {
 public:
  Pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  ~Pair() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  [[nodiscard]] int one() const { return ends_[0]; }
  [[nodiscard]] int other() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{};
};

TEST(InterceptedVectorsTest, BuffersAreGatheredAndScattered) {
  run_in_orders([] {
    const Pair pair;
    EXPECT_EQ(write_parts(pair.one(), {"he", "", "llo"}), 5);
    std::vector<std::string> parts = {"---", "-", "---"};
    const std::vector<iovec> buffers = buffers_of(parts);
    EXPECT_EQ(::readv(pair.other(), buffers.data(), 3), 5);
    EXPECT_EQ(parts, (std::vector<std::string>{"hel", "l", "o--"}));
    EXPECT_EQ(send_parts(pair.one(), {"go", "od", " bye"}), 8);
    const std::vector<std::string> good_bye = {"goo", "d bye", "--"};
    EXPECT_EQ(received_parts(pair.other(), {3, 5, 2}, MSG_PEEK), good_bye);
    EXPECT_EQ(received_parts(pair.other(), {3, 5, 2}), good_bye);
  });
}

TEST(InterceptedVectorsTest, FlagsSayWhetherToWait) {
  run_in_orders([] {
    const Pair pair;
    EXPECT_EQ(received_parts(pair.other(), {2}, MSG_DONTWAIT), std::vector<std::string>{"--"});
    EXPECT_EQ(errno, EAGAIN);
    std::thread sender([&] {
      for (const char* const part : {"a", "b", "c"}) send_parts(pair.one(), {part});
    });
    EXPECT_EQ(received_parts(pair.other(), {2, 1}, MSG_WAITALL),
              (std::vector<std::string>{"ab", "c"}));
    sender.join();
  });
}

// The data does not fit into the pipe.
TEST(InterceptedVectorsTest, AWriteThatMayWaitTakesAll) {
  run_in_orders([] {
    const Pair pair;
    const std::string half(100'000, 'x');
    std::thread writer([&] { EXPECT_EQ(write_parts(pair.one(), {half, half}), 200'000); });
    std::vector<char> bytes(4'096);
    std::size_t left = 200'000;
    while (left > 0) {
      const ssize_t some = ::read(pair.other(), bytes.data(), bytes.size());
      ASSERT_GT(some, 0);
      left -= static_cast<std::size_t>(some);
    }
    writer.join();
  });
}

// ------------------------------------------------------------------------------------- connections

int listener_at(sockaddr_in& address) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener, generic, size), 0);
  EXPECT_EQ(::listen(listener, 1), 0);
  EXPECT_EQ(::getsockname(listener, generic, &size), 0);
  return listener;
}

constexpr std::string_view kFirst = "ab";
constexpr std::string_view kSecond = "cdefg";
constexpr std::size_t kMessages = 40;

// Sends the message in two buffers, and the rest after each call in the next ones. Adds where
// transfers have ended within it.
void send_message(int file, bool by_message, std::set<std::size_t>& ends) {
  const std::string whole = std::string(kFirst) + std::string(kSecond);
  std::size_t sent = 0;
  while (sent < whole.size()) {
    const std::size_t first = std::max(sent, kFirst.size()) - sent;
    const std::vector<std::string> parts = {whole.substr(sent, first), whole.substr(sent + first)};
    const ssize_t some = by_message ? send_parts(file, parts) : write_parts(file, parts);
    if (some > 0) sent += static_cast<std::size_t>(some);
    if (some > 0 && sent < whole.size()) ends.insert(sent);
    pollfd asked{file, POLLOUT, 0};
    if (some == -1) ::poll(&asked, 1, -1);
  }
}

// Returns everything before the end. Adds how much the transfers have put into two buffers.
std::string read_messages(int file, std::set<std::size_t>& sizes) {
  std::string all;
  for (;;) {
    std::array<char, 3> first{};
    std::array<char, 4> second{};
    const std::array<iovec, 2> buffers = {iovec{first.data(), first.size()},
                                          iovec{second.data(), second.size()}};
    const ssize_t some = ::readv(file, buffers.data(), 2);
    if (some <= 0) return all;
    const auto size = static_cast<std::size_t>(some);
    sizes.insert(size);
    all.append(first.data(), std::min(size, first.size()));
    all.append(second.data(), size - std::min(size, first.size()));
  }
}

struct Ends {
  std::set<std::size_t> sent;
  std::set<std::size_t> received;
};

void exchange(bool by_message, Ends& ends) {
  sockaddr_in address{};
  const int listener = listener_at(address);
  std::thread client([&] {
    const int file = ::socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(::connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    char greeting = 0;
    EXPECT_EQ(::read(file, &greeting, 1), 1);  // Before that, a connection takes everything.
    ::fcntl(file, F_SETFL, O_NONBLOCK);
    for (std::size_t i = 0; i < kMessages; ++i) send_message(file, by_message, ends.sent);
    ::close(file);
  });
  const int accepted = ::accept(listener, nullptr, nullptr);
  EXPECT_EQ(::write(accepted, "!", 1), 1);
  const std::string all = read_messages(accepted, ends.received);
  client.join();
  ::close(accepted);
  ::close(listener);
  std::string expected;
  for (std::size_t i = 0; i < kMessages; ++i) (expected += kFirst) += kSecond;
  EXPECT_EQ(all, expected);
}

class VectorTransferTest : public ::testing::TestWithParam<bool> {};

// A transfer moves all, one byte, all but one, or half: it ends within the first buffer or the
// second.
TEST_P(VectorTransferTest, EndsWithinABuffer) {
  Ends ends;
  run_in_orders([&] { exchange(GetParam(), ends); }, 200);
  EXPECT_TRUE(std::ranges::includes(ends.sent, std::set<std::size_t>{1, 3, 6}));
  EXPECT_TRUE(std::ranges::includes(ends.received, std::set<std::size_t>{1, 3, 6, 7}));
}

INSTANTIATE_TEST_SUITE_P(Calls, VectorTransferTest, ::testing::Bool(),
                         [](const auto& call) { return call.param ? "sendmsg" : "writev"; });

// --------------------------------------------------------------------------------------- bad calls

TEST(InterceptedVectorsTest, AncillaryDataIsRefused) {
  SmallWorld world;
  world.run([] {
    const Pair pair;
    std::vector<std::string> parts = {"file"};
    std::vector<iovec> buffers = buffers_of(parts);
    msghdr message = message_of(buffers);
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> ancillary{};
    message.msg_control = ancillary.data();
    message.msg_controllen = ancillary.size();
    ::sendmsg(pair.one(), &message, 0);
  });
  EXPECT_EQ(world.misuses(), std::vector<std::string>{
                                 "sendmsg: ancillary data (msg_control) cannot be intercepted"});
}

TEST(InterceptedVectorsTest, RoomForAncillaryDataStaysEmpty) {
  run_in_orders([] {
    const Pair pair;
    EXPECT_EQ(send_parts(pair.one(), {"x"}), 1);
    std::vector<std::string> parts = {"-"};
    std::vector<iovec> buffers = buffers_of(parts);
    msghdr message = message_of(buffers);
    sockaddr_in sender{};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> ancillary{};
    message.msg_name = &sender;
    message.msg_namelen = sizeof sender;
    message.msg_control = ancillary.data();
    message.msg_controllen = ancillary.size();
    EXPECT_EQ(::recvmsg(pair.other(), &message, 0), 1);
    EXPECT_EQ(message.msg_namelen, 0u);
    EXPECT_EQ(message.msg_controllen, 0u);
    EXPECT_EQ(message.msg_flags, 0);
  });
}

void expect_error(ssize_t result, int error) {
  EXPECT_EQ(result, -1);
  EXPECT_EQ(errno, error);
}

TEST(InterceptedVectorsTest, BadVectorsAreErrors) {
  run_in_orders([] {
    const Pair pair;
    std::vector<iovec> buffers(IOV_MAX + 1);
    msghdr message = message_of(buffers);
    expect_error(::writev(pair.one(), buffers.data(), IOV_MAX + 1), EINVAL);
    expect_error(::readv(pair.one(), buffers.data(), IOV_MAX + 1), EINVAL);
    expect_error(::sendmsg(pair.one(), &message, 0), EMSGSIZE);
    expect_error(::recvmsg(pair.one(), &message, 0), EMSGSIZE);
    buffers.resize(2);
    buffers[0].iov_len = SSIZE_MAX;
    buffers[1].iov_len = 1;
    expect_error(::writev(pair.one(), buffers.data(), 2), EINVAL);
    expect_error(::readv(pair.one(), buffers.data(), 2), EINVAL);
    expect_error(write_parts(1'000, {"x"}), EBADF);
  });
}

TEST(InterceptedVectorsTest, RealDescriptorsStayReal) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  run_in_orders([&] {
    EXPECT_EQ(write_parts(ends[0], {"re", "al"}), 4);
    EXPECT_EQ(received_parts(ends[1], {3, 1}), (std::vector<std::string>{"rea", "l"}));
    EXPECT_EQ(send_parts(ends[1], {"back"}), 4);
    std::array<char, 4> bytes{};
    const iovec buffer{bytes.data(), bytes.size()};
    EXPECT_EQ(::readv(ends[0], &buffer, 1), 4);
  });
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace lockstep::intercept
