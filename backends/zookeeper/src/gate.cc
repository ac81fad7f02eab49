#include "gate.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

namespace lockstep::zookeeper {

namespace {

constexpr std::size_t kMostVisitors = 8;

// Offsets in a handshake (zookeeper.c, serialize_prime_connect), after its length.
constexpr std::size_t kZxidAt = 8;
constexpr std::size_t kSessionAt = 20;
constexpr std::size_t kPasswordAt = 32;
constexpr char kTlsHandshake = 0x16;

std::int64_t big_endian(const char* bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes, sizeof(number));
  if constexpr (std::endian::native == std::endian::little) number = std::byteswap(number);
  return static_cast<std::int64_t>(number);
}

std::string dotted(std::uint32_t ip) {
  return std::to_string(ip >> 24) + "." + std::to_string(ip >> 16 & 0xff) + "." +
         std::to_string(ip >> 8 & 0xff) + "." + std::to_string(ip & 0xff);
}

std::string reason(const char* what, int error) {
  return std::string(what) + ": " + std::generic_category().message(error);
}

}  // namespace

// Listens on an address drawn from 127.64.0.0/10, where no server runs: the C client tells servers
// apart only by host.
std::optional<std::string> Gate::open(Random& random) {
  listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener_) return reason("no socket for the gate", errno);
  const std::uint64_t drawn = random.next();
  const auto host = static_cast<std::uint32_t>(drawn & 0x3ffffc);
  const std::uint32_t ip = 0x7f400000 | (host == 0 ? 4u : host);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(ip);
  socklen_t size = sizeof(address);
  sockaddr* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_.get(), generic, size) != 0 ||
      ::listen(listener_.get(), static_cast<int>(kMostVisitors)) != 0 ||
      ::getsockname(listener_.get(), generic, &size) != 0) {
    const int error = errno;
    listener_.reset();
    return reason("cannot listen on the loopback interface", error);
  }
  spelling_ = Address::spelling_for_c_client(dotted(ip));
  const auto name = [&](std::uint32_t number) {
    return spelled(Address::from(dotted(number), ntohs(address.sin_port)).value());
  };
  here_ = name(ip);
  nowhere_ = {name(ip + 1), name(ip + 2)};
  return std::nullopt;
}

void Gate::close() {
  listener_.reset();
  visitors_.clear();
  guest_.hang_up();
}

void Gate::Line::hang_up() noexcept {
  if (socket_) ::shutdown(socket_.get(), SHUT_RDWR);
  socket_.reset();
}

std::string Gate::route(const std::optional<Address>& target) {
  if (target) return here_ + "," + spelled(*target) + "," + here_;
  turn_ = 1 - turn_;
  return here_ + "," + nowhere_[turn_] + "," + here_;
}

bool Gate::receive(const Guest& expected) {
  if (guest_ && is_gone(guest_)) guest_.hang_up();
  accept_visitors();
  bool arrived = false;
  std::erase_if(visitors_, [&](Visitor& visitor) {
    const Verdict verdict = judge(visitor, expected);
    if (verdict != Verdict::kLetIn) return verdict == Verdict::kTurnAway;
    zxid_ = expected.speaks_tls ? 0 : big_endian(&visitor.bytes[kZxidAt]);
    guest_ = std::move(visitor.socket);
    arrived = true;
    return true;
  });
  return arrived;
}

void Gate::accept_visitors() {
  for (;;) {
    Visitor visitor;
    visitor.socket =
        Line(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    starved_ = !visitor.socket && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR;
    if (!visitor.socket) return;
    if (visitors_.size() == kMostVisitors) visitors_.erase(visitors_.begin());
    visitors_.push_back(std::move(visitor));
  }
}

// Keeps a handshake waiting if the gate does not expect its session yet: the news of that session
// may still be on its way.
Gate::Verdict Gate::judge(Visitor& visitor, const Guest& expected) {
  while (visitor.size < kHandshakeSize) {
    const ssize_t size = ::recv(visitor.socket.get(), &visitor.bytes[visitor.size],
                                kHandshakeSize - visitor.size, 0);
    if (size < 0 && errno == EAGAIN) break;
    if (size <= 0) return Verdict::kTurnAway;
    visitor.size += static_cast<std::size_t>(size);
  }
  if (expected.speaks_tls) {
    if (visitor.size == 0) return Verdict::kWait;
    return visitor.bytes[0] == kTlsHandshake ? Verdict::kLetIn : Verdict::kTurnAway;
  }
  if (visitor.size < kHandshakeSize) return Verdict::kWait;
  if (is_gone(visitor.socket)) return Verdict::kTurnAway;
  const bool known =
      big_endian(&visitor.bytes[kSessionAt]) == expected.session &&
      std::equal(expected.password.begin(), expected.password.end(), &visitor.bytes[kPasswordAt]);
  return known ? Verdict::kLetIn : Verdict::kWait;
}

// Reads what follows the handshake: the end comes after it.
bool Gate::is_gone(const Line& socket) {
  std::array<char, 4096> rest{};
  const ssize_t size = ::recv(socket.get(), rest.data(), rest.size(), 0);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
}

// Counts from the handshake: the kernel may have accepted the connection long before.
Duration Gate::waited() const {
  tcp_info info{};
  socklen_t size = sizeof(info);
  if (::getsockopt(guest_.get(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return Duration(0);
  return std::chrono::milliseconds(info.tcpi_last_data_recv);
}

// A visitor that waits to be judged has sent its data already: polling for it would not block.
void Gate::add_interest(std::vector<pollfd>& descriptors) const {
  descriptors.push_back({listener_.get(), static_cast<short>(starved_ ? 0 : POLLIN), 0});
  if (guest_) descriptors.push_back({guest_.get(), POLLRDHUP, 0});
  for (const Visitor& visitor : visitors_) {
    const bool spoken = visitor.size == kHandshakeSize;
    descriptors.push_back(
        {visitor.socket.get(), static_cast<short>(spoken ? POLLRDHUP : POLLIN), 0});
  }
}

}  // namespace lockstep::zookeeper
