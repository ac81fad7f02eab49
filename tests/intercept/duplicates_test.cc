#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "small_world.h"

// Several numbers for one descriptor, and event files.

namespace lockstep::intercept {
namespace {

TEST(InterceptedDuplicatesTest, AreOneDescriptor) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const int again = ::dup(ends[1]);
    const int third = ::fcntl(ends[1], F_DUPFD_CLOEXEC, 700);
    EXPECT_EQ(third, 700);
    EXPECT_EQ(::fcntl(ends[1], F_DUPFD, 700), 701);
    ::close(701);
    EXPECT_EQ(::fcntl(again, F_SETFL, O_NONBLOCK), 0);
    EXPECT_NE(::fcntl(third, F_GETFL) & O_NONBLOCK, 0);
    ::close(ends[1]);
    EXPECT_EQ(::write(again, "a", 1), 1);
    ::close(again);
    EXPECT_EQ(::write(third, "b", 1), 1);
    ::close(third);
    char bytes[2];
    EXPECT_EQ(::read(ends[0], bytes, 2), 2);
    EXPECT_EQ(::read(ends[0], bytes, 2), 0) << "the last number has been closed";
    ::close(ends[0]);
  });
}

TEST(InterceptedDuplicatesTest, TakeTheNumberOfAnother) {
  run_in_orders([] {
    int ends[2];
    int others[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::pipe(others), 0);
    EXPECT_EQ(::dup2(ends[1], others[1]), others[1]);
    char byte = 0;
    EXPECT_EQ(::read(others[0], &byte, 1), 0) << "its writer has been closed";
    EXPECT_EQ(::write(others[1], "x", 1), 1);
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    EXPECT_EQ(::dup2(ends[1], ends[1]), ends[1]);
    EXPECT_EQ(::dup3(ends[1], ends[1], 0), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(::dup3(ends[1], 800, O_CLOEXEC), 800);
    EXPECT_EQ(::dup2(ends[1], 5000), -1);
    EXPECT_EQ(errno, EBADF);
    for (const int file : {ends[0], ends[1], others[0], others[1], 800}) ::close(file);
    EXPECT_EQ(::dup(ends[0]), -1);
    EXPECT_EQ(errno, EBADF);
  });
}

// Other threads may close the number when a call begins, before it looks for the descriptor.
void expect_to_miss_closed_numbers(int (*open)(), int (*use)(int file)) {
  int missed = 0;
  run_in_orders([&] {
    const int file = open();
    bool uses = false;
    bool is_closed_before = false;
    int result = 0;
    int error = 0;
    std::thread user([&] {
      uses = true;
      result = use(file);
      error = errno;
      uses = false;
    });
    std::thread closer([&] {
      ::close(file);
      is_closed_before = uses;
    });
    user.join();
    closer.join();
    if (!is_closed_before) return;
    EXPECT_EQ(result, -1);
    EXPECT_EQ(error, EBADF);
    ++missed;
  });
  EXPECT_GT(missed, 0);
}

TEST(InterceptedDuplicatesTest, CallsMissNumbersThatCloseAsTheyBegin) {
  const auto make_event_file = [] { return ::eventfd(0, 0); };
  expect_to_miss_closed_numbers(make_event_file, [](int file) { return ::dup2(file, 800); });
  expect_to_miss_closed_numbers(make_event_file,
                                [](int file) { return ::dup3(file, 800, O_CLOEXEC); });
  expect_to_miss_closed_numbers([] { return ::epoll_create1(0); },
                                [](int file) {
                                  epoll_event event{};
                                  return ::epoll_wait(file, &event, 1, 0);
                                });
  expect_to_miss_closed_numbers([] { return ::socket(AF_INET, SOCK_STREAM, 0); },
                                [](int file) {
                                  sockaddr_in address{};
                                  address.sin_family = AF_INET;
                                  address.sin_port = htons(1);
                                  return ::connect(file, reinterpret_cast<sockaddr*>(&address),
                                                   sizeof address);
                                });
}

TEST(InterceptedDuplicatesTest, OfARealDescriptorStayReal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  run_in_orders([&] {
    const int again = ::dup(ends[1]);
    EXPECT_EQ(::write(again, "x", 1), 1);
    ::close(again);
  });
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(InterceptedDuplicatesTest, DoNotMixWithRealOnes) {
  SmallWorld world;
  world.run([] {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::dup2(ends[0], STDIN_FILENO);
  });
  const std::string why =
      "a descriptor of hunted code cannot take the number of a real one, or the reverse";
  EXPECT_EQ(world.misuses(), std::vector<std::string>{"dup2: " + why});
}

// A number that has been closed and given again is another one to an epoll that still knows the
// descriptor under it.
TEST(InterceptedDuplicatesTest, AnEpollKnowsThemByDescriptorAndNumber) {
  run_in_orders([] {
    const int epoll = ::epoll_create1(0);
    const int file = ::eventfd(1, 0);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = 1;
    ASSERT_EQ(::epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event), 0);
    const int again = ::dup(file);
    ::close(file);
    ASSERT_EQ(::eventfd(1, 0), file);
    event.data.u32 = 2;
    EXPECT_EQ(::epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event), 0);
    std::array<epoll_event, 4> events{};
    EXPECT_EQ(::epoll_wait(epoll, events.data(), 4, 0), 2);
    for (const int each : {file, again, epoll}) ::close(each);
  });
}

// Interest in no event is interest in errors and ends.
TEST(InterceptedDuplicatesTest, AnEpollReportsTheEndWithoutBeingAsked) {
  run_in_orders([] {
    const int epoll = ::epoll_create1(0);
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    epoll_event event{};
    ASSERT_EQ(::epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event), 0);
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
    EXPECT_EQ(::epoll_wait(epoll, &event, 1, 0), 0);
    ::close(ends[1]);
    EXPECT_EQ(::epoll_wait(epoll, &event, 1, -1), 1);
    EXPECT_EQ(event.events, static_cast<std::uint32_t>(EPOLLHUP));
    ::close(ends[0]);
    ::close(epoll);
  });
}

// ---------------------------------------------------------------------------------- event files

TEST(InterceptedEventFilesTest, AFullOneCanBeWrittenAfterARead) {
  run_in_orders([] {
    constexpr std::uint64_t kMost = ~std::uint64_t{0} - 1;
    const int file = ::eventfd(0, 0);
    EXPECT_EQ(::eventfd_write(file, kMost), 0);
    std::thread reader([=] {
      eventfd_t value = 0;
      EXPECT_EQ(::eventfd_read(file, &value), 0);
    });
    pollfd writable{file, POLLOUT, 0};
    EXPECT_EQ(::poll(&writable, 1, -1), 1);
    reader.join();
    ::close(file);
  });
}

TEST(InterceptedEventFilesTest, AWriteWaitsUntilItFits) {
  run_in_orders([] {
    constexpr std::uint64_t kMost = ~std::uint64_t{0} - 1;
    const int file = ::eventfd(0, 0);
    EXPECT_EQ(::eventfd_write(file, kMost - 2), 0);
    std::thread writer([=] { EXPECT_EQ(::eventfd_write(file, 5), 0); });
    std::thread other([=] { EXPECT_EQ(::eventfd_write(file, 4), 0); });
    eventfd_t sum = 0;
    while (sum < 9 || sum >= kMost - 2) {
      eventfd_t value = 0;
      EXPECT_EQ(::eventfd_read(file, &value), 0);
      if (value >= kMost - 2) value -= kMost - 2;
      sum += value;
    }
    writer.join();
    other.join();
    EXPECT_EQ(sum, 9u);
    EXPECT_EQ(::fcntl(file, F_SETFL, O_NONBLOCK), 0);
    eventfd_t none = 0;
    EXPECT_EQ(::eventfd_read(file, &none), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(::eventfd_write(file, kMost + 1), -1);
    EXPECT_EQ(errno, EINVAL);
    ::close(file);
  });
}

// --------------------------------------------------------------------------- several messages

struct Messages {
  explicit Messages(std::vector<std::string> texts) : parts(std::move(texts)) {
    for (std::string& part : parts) buffers.push_back({part.data(), part.size()});
    for (iovec& buffer : buffers) {
      mmsghdr& message = headers.emplace_back();
      message.msg_hdr.msg_iov = &buffer;
      message.msg_hdr.msg_iovlen = 1;
    }
  }
  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(headers.size()); }
  std::vector<std::string> parts;
  std::vector<iovec> buffers;
  std::vector<mmsghdr> headers;
};

TEST(InterceptedMessagesTest, AreSentAndReceivedTogether) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    Messages sent({"abc", "de"});
    EXPECT_EQ(::sendmmsg(ends[0], sent.headers.data(), sent.count(), 0), 2);
    EXPECT_EQ(sent.headers[1].msg_len, 2u);
    Messages got({"--", "--", "--", "--"});
    EXPECT_EQ(::recvmmsg(ends[1], got.headers.data(), 4, MSG_WAITFORONE, nullptr), 3);
    EXPECT_EQ(got.parts, (std::vector<std::string>{"ab", "cd", "e-", "--"}));
    EXPECT_EQ(got.headers[2].msg_len, 1u);
    EXPECT_EQ(::recvmmsg(ends[1], got.headers.data(), 4, MSG_DONTWAIT, nullptr), -1);
    EXPECT_EQ(errno, EAGAIN);
    ::send(ends[0], "fghij", 5, 0);
    timespec none{};
    EXPECT_EQ(::recvmmsg(ends[1], got.headers.data(), 4, 0, &none), 1) << "the time is over";
    ::close(ends[0]);
    ::close(ends[1]);
  });
}

}  // namespace
}  // namespace lockstep::intercept
