#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "small_world.h"

// Descriptors and random sources of an execution.

namespace lockstep::intercept {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::string read_all(int file) {
  std::string text;
  char bytes[3];
  for (ssize_t size = 0; (size = ::read(file, bytes, sizeof bytes)) > 0;) {
    text.append(bytes, static_cast<std::size_t>(size));
  }
  return text;
}

TEST(InterceptedDescriptorsTest, PipesCarryBytesAndEnd) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::thread writer([&] {
      EXPECT_EQ(::write(ends[1], "hello", 5), 5);
      EXPECT_EQ(::write(ends[1], " you", 4), 4);
      ::close(ends[1]);
    });
    EXPECT_EQ(read_all(ends[0]), "hello you");
    writer.join();
    EXPECT_EQ(::close(ends[0]), 0);
    EXPECT_EQ(::close(ends[0]), -1);
    EXPECT_EQ(errno, EBADF);
  });
}

TEST(InterceptedDescriptorsTest, NonblockingDescriptorsDoNotWait) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_NE(::fcntl(ends[0], F_GETFL) & O_NONBLOCK, 0);
    ::close(ends[0]);
    ::close(ends[1]);
  });
}

TEST(InterceptedDescriptorsTest, PollWaitsForEventsAndForTime) {
  run_in_orders([] {
    const int file = ::eventfd(0, EFD_NONBLOCK);
    pollfd asked{file, POLLIN, 0};
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(::poll(&asked, 1, 250), 0);
    EXPECT_EQ(std::chrono::steady_clock::now() - start, milliseconds(250));
    std::thread other([&] {
      const std::uint64_t one = 1;
      EXPECT_EQ(::write(file, &one, sizeof one), 8);
    });
    EXPECT_EQ(::poll(&asked, 1, -1), 1);
    EXPECT_EQ(asked.revents, POLLIN);
    std::uint64_t count = 0;
    EXPECT_EQ(::read(file, &count, sizeof count), 8);
    EXPECT_EQ(count, 1u);
    other.join();
    ::close(file);
  });
}

TEST(InterceptedDescriptorsTest, APollOutlastsANumber) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    std::thread other([&] {
      pollfd asked{ends[0], POLLIN, 0};
      const auto start = steady_clock::now();
      EXPECT_EQ(::poll(&asked, 1, 1'000), 1);
      EXPECT_EQ(steady_clock::now() - start, milliseconds(1'000));
      EXPECT_EQ(asked.revents, POLLNVAL);
    });
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_EQ(::close(ends[0]), 0);
    other.join();
    EXPECT_EQ(::close(ends[1]), 0);
  });
}

TEST(InterceptedDescriptorsTest, SelectFindsWhatIsReady) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    EXPECT_EQ(::send(ends[0], "x", 1, 0), 1);
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(ends[0], &readable);
    FD_SET(ends[1], &readable);
    EXPECT_EQ(::select(ends[1] + 1, &readable, nullptr, nullptr, nullptr), 1);
    EXPECT_FALSE(FD_ISSET(ends[0], &readable));
    EXPECT_TRUE(FD_ISSET(ends[1], &readable));
    ::close(ends[0]);
    ::close(ends[1]);
  });
}

TEST(InterceptedDescriptorsTest, EventsHaveTwoNames) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    EXPECT_EQ(::write(ends[1], "x", 1), 1);
    std::array<pollfd, 2> asked = {pollfd{ends[0], POLLRDNORM, 0},
                                   pollfd{ends[1], POLLOUT | POLLWRNORM, 0}};
    EXPECT_EQ(::poll(asked.data(), asked.size(), -1), 2);
    EXPECT_EQ(asked[0].revents, POLLRDNORM);
    EXPECT_EQ(asked[1].revents, POLLOUT | POLLWRNORM);
    for (const int file : ends) ::close(file);
  });
}

TEST(InterceptedDescriptorsTest, SelectAnswersAsInLinux) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    fd_set read;
    FD_ZERO(&read);
    FD_SET(ends[0], &read);
    fd_set except = read;
    timeval time{.tv_sec = 2, .tv_usec = 0};
    std::thread other([&] {
      std::this_thread::sleep_for(milliseconds(500));
      ::close(ends[1]);
    });
    EXPECT_EQ(::select(ends[0] + 1, &read, nullptr, &except, &time), 1);
    EXPECT_TRUE(FD_ISSET(ends[0], &read));
    EXPECT_FALSE(FD_ISSET(ends[0], &except));
    EXPECT_EQ(time.tv_sec, 1);
    EXPECT_EQ(time.tv_usec, 500'000);
    other.join();
    ::close(ends[0]);
    EXPECT_EQ(::select(ends[0] + 1, &read, nullptr, nullptr, &time), -1);
    EXPECT_EQ(errno, EBADF);
    EXPECT_EQ(::select(-1, nullptr, nullptr, nullptr, &time), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(::select(0, nullptr, nullptr, nullptr, &time), 0);
    EXPECT_EQ(time.tv_sec, 0);
    EXPECT_EQ(time.tv_usec, 0);
  });
}

// Up to PIPE_BUF bytes of a write stay together.
TEST(InterceptedDescriptorsTest, SmallWritesToAPipeAreWhole) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
    const std::string much(65'536 - 100, 'x');
    EXPECT_EQ(::write(ends[1], much.data(), much.size()), static_cast<ssize_t>(much.size()));
    pollfd asked{ends[1], POLLOUT, 0};
    EXPECT_EQ(::poll(&asked, 1, 0), 0);
    EXPECT_EQ(::write(ends[1], much.data(), PIPE_BUF), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(::write(ends[1], much.data(), PIPE_BUF + 1), 100);
    EXPECT_EQ(::fcntl(ends[1], F_SETFL, 0), 0);
    std::thread other([&] {
      EXPECT_EQ(::write(ends[1], much.data(), PIPE_BUF), PIPE_BUF);
      EXPECT_EQ(::write(ends[1], "", 0), 0);
      ::close(ends[1]);
    });
    std::string bytes(70'000, '\0');
    EXPECT_EQ(::read(ends[0], bytes.data(), 0), 0);
    EXPECT_EQ(::read(ends[0], bytes.data(), 65'536), 65'536);
    EXPECT_EQ(::fcntl(ends[0], F_SETFL, 0), 0);
    EXPECT_EQ(::read(ends[0], bytes.data(), bytes.size()), PIPE_BUF);
    EXPECT_EQ(::read(ends[0], bytes.data(), bytes.size()), 0);
    other.join();
    ::close(ends[0]);
  });
}

TEST(InterceptedDescriptorsTest, PipesHaveStreamsOfLibc) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    FILE* const writer = ::fdopen(ends[1], "w");
    FILE* const reader = ::fdopen(ends[0], "r");
    EXPECT_EQ(::fileno(reader), ends[0]);
    std::thread other([=] {
      std::fprintf(writer, "a line %d\n", 1);
      std::fflush(writer);
      EXPECT_EQ(::dprintf(::fileno(writer), "another %d\n", 2), 10);
      std::fclose(writer);
    });
    std::array<char, 32> line{};
    EXPECT_STREQ(std::fgets(line.data(), line.size(), reader), "a line 1\n");
    EXPECT_STREQ(std::fgets(line.data(), line.size(), reader), "another 2\n");
    EXPECT_EQ(std::fgets(line.data(), line.size(), reader), nullptr);
    other.join();
    std::fclose(reader);
    EXPECT_EQ(::fcntl(ends[0], F_GETFL), -1);
  });
}

TEST(InterceptedDescriptorsTest, CallsForFilesKnowPipes) {
  run_in_orders([] {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    struct stat shown{};
    EXPECT_EQ(::fstat(ends[0], &shown), 0);
    EXPECT_TRUE(S_ISFIFO(shown.st_mode));
    EXPECT_EQ(::lseek(ends[0], 0, SEEK_SET), -1);
    EXPECT_EQ(errno, ESPIPE);
    EXPECT_EQ(::isatty(ends[0]), 0);
    EXPECT_EQ(errno, ENOTTY);
    EXPECT_EQ(::fcntl(ends[0], F_GETFL), O_RDONLY);
    EXPECT_EQ(::fcntl(ends[1], F_GETFL), O_WRONLY);
    for (const int file : ends) ::close(file);
    EXPECT_EQ(::fstat(ends[0], &shown), -1);
    EXPECT_EQ(errno, EBADF);
  });
}

TEST(InterceptedDescriptorsTest, ThreadsConnectToEachOther) {
  run_in_orders([] {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(::bind(listener, generic, size), 0);
    ASSERT_EQ(::listen(listener, 1), 0);
    ASSERT_EQ(::getsockname(listener, generic, &size), 0);
    std::thread client([&] {
      const int file = ::socket(AF_INET, SOCK_STREAM, 0);
      ASSERT_EQ(::connect(file, generic, size), 0);
      EXPECT_EQ(::send(file, "ping", 4, 0), 4);
      EXPECT_EQ(read_all(file), "pong");
      ::close(file);
    });
    const int accepted = ::accept(listener, nullptr, nullptr);
    char bytes[4];
    EXPECT_EQ(::recv(accepted, bytes, sizeof bytes, MSG_PEEK), 4);
    EXPECT_EQ(::recv(accepted, bytes, sizeof bytes, MSG_WAITALL), 4);
    EXPECT_EQ(std::string(bytes, 4), "ping");
    EXPECT_EQ(::send(accepted, "pong", 4, 0), 4);
    ::close(accepted);
    client.join();
    ::close(listener);
  });
}

TEST(InterceptedDescriptorsTest, OtherAddressesHaveNoListener) {
  run_in_orders([] {
    const int file = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(1);
    EXPECT_EQ(::connect(file, reinterpret_cast<sockaddr*>(&address), sizeof address), -1);
    EXPECT_EQ(errno, ECONNREFUSED);
    ::close(file);
  });
}

TEST(InterceptedDescriptorsTest, RealDescriptorsStayReal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  run_in_orders([&] {
    EXPECT_EQ(::write(ends[1], "real", 4), 4);
    char bytes[4];
    EXPECT_EQ(::read(ends[0], bytes, 4), 4);
  });
  ::close(ends[0]);
  ::close(ends[1]);
}

// Reads the device as std::ifstream and libc's streams do.
std::uint64_t from_streams() {
  std::uint64_t first = 0;
  std::ifstream stream("/dev/urandom", std::ios::binary);
  stream.read(reinterpret_cast<char*>(&first), sizeof first);
  EXPECT_TRUE(stream.good());
  stream.close();
  EXPECT_FALSE(stream.fail());
  std::uint64_t second = 0;
  std::FILE* const file = std::fopen("/dev/random", "r");
  EXPECT_EQ(std::fread(&second, sizeof second, 1, file), 1u);
  EXPECT_TRUE(file && std::fclose(file) == 0);
  EXPECT_NE(first, second);
  return first ^ second;
}

std::vector<std::uint64_t> drawn() {
  std::vector<std::uint64_t> all;
  SmallWorld world;
  world.run([&] {
    std::random_device device;
    all.push_back(device());
    all.push_back(static_cast<std::uint64_t>(::random()));
    std::uint64_t word = 0;
    const int file = ::open("/dev/urandom", O_RDONLY);
    EXPECT_EQ(::read(file, &word, sizeof word), 8);
    ::close(file);
    all.push_back(word);
    ::srandom(7);
    all.push_back(static_cast<std::uint64_t>(::random()));
    all.push_back(static_cast<std::uint64_t>(::getpid()));
    all.push_back(static_cast<std::uint64_t>(::mrand48()));
    unsigned short seed[3] = {1, 2, 3};
    ::seed48(seed);
    all.push_back(static_cast<std::uint64_t>(::mrand48()));
    all.push_back(::arc4random_uniform(1'000'000));
    ::arc4random_buf(&word, sizeof word);
    all.push_back(word);
    all.push_back(from_streams());
  });
  return all;
}

TEST(InterceptedDescriptorsTest, RandomNumbersAreTheSameInEachExecution) {
  const std::vector<std::uint64_t> first = drawn();
  EXPECT_EQ(first, drawn());
  EXPECT_NE(first[0], first[2]);
}

}  // namespace
}  // namespace lockstep::intercept
