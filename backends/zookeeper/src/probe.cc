#include "probe.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

#include "in_ms.h"

namespace lockstep::zookeeper {

namespace {

constexpr std::string_view kQuestion("srvr");
constexpr std::string_view kZxidLine("\nZxid: 0x");
constexpr std::size_t kMostBytes = 4096;

std::string hexadecimal(std::int64_t zxid) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                 static_cast<std::uint64_t>(zxid), 16);
  return "0x" + std::string(digits.data(), end.ptr);
}

}  // namespace

Probe::Probe(Address address, Depth depth, std::int64_t seen, TimePoint now, Duration budget)
    : address_(std::move(address)),
      depth_(depth),
      seen_(seen),
      budget_(budget),
      deadline_(after(now, budget)),
      socket_(::socket(address_.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  if (socket_ && ::connect(socket_.get(), address_.get(), address_.size()) == 0) {
    finish_connecting();
  } else if (!socket_ || errno != EINPROGRESS) {
    fail_with_errno(errno);
  }
}

void Probe::go_on(TimePoint now) {
  if (over_) return;
  pollfd ready = interest();
  if (::poll(&ready, 1, 0) == 1) {
    if (connected_) {
      read_answer();
    } else {
      finish_connecting();
    }
  }
  if (over_ || now < deadline_) return;
  fail(connected_ ? "accepted the connection but did not answer within " + in_ms(budget_)
                  : "did not accept the connection within " + in_ms(budget_));
}

void Probe::finish_connecting() {
  int error = 0;
  socklen_t size = sizeof(error);
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return fail_with_errno(error);
  connected_ = true;
  events_ = POLLIN;
  if (depth_ == Depth::kConnection) {
    over_ = true;
    return;
  }
  // The first bytes on a connection always fit into its buffer.
  static_cast<void>(::send(socket_.get(), kQuestion.data(), kQuestion.size(), MSG_NOSIGNAL));
}

void Probe::read_answer() {
  std::array<char, 1024> bytes{};
  const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size > 0) answer_.append(bytes.data(), static_cast<std::size_t>(size));
  // The server closes the connection after its answer.
  if (size <= 0 || answer_.size() >= kMostBytes) judge_answer();
}

void Probe::judge_answer() {
  over_ = true;
  socket_.reset();
  if (answer_.find("not currently serving requests") != std::string::npos) {
    return fail("does not serve requests (it may have no quorum)");
  }
  const std::size_t line = answer_.find(kZxidLine);
  if (line == std::string::npos) return;
  std::uint64_t zxid = 0;
  const std::string_view digits = std::string_view(answer_).substr(line + kZxidLine.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), zxid, 16);
  if (static_cast<std::int64_t>(zxid) < seen_) {
    fail("is behind this session, which has seen zxid " + hexadecimal(seen_) + " (it is at " +
         hexadecimal(static_cast<std::int64_t>(zxid)) +
         "): a server that lags, or an ensemble that was rebuilt");
  }
}

void Probe::fail(std::string reason) {
  over_ = true;
  socket_.reset();
  failure_ = std::move(reason);
}

void Probe::fail_with_errno(int error) { fail(std::generic_category().message(error)); }

}  // namespace lockstep::zookeeper
