#include "real/tcp_proxy.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "real/loopback.h"

namespace lockstep::support {

TcpProxy::TcpProxy(std::uint16_t server_port)
    : server_port_(server_port),
      listener_(listen_on(free_port())),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      port_(port_of(listener_)),
      thread_([this] { run(); }) {}

TcpProxy::~TcpProxy() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  thread_.join();
  for (const Link& link : links_) {
    close(link.client);
    close(link.server);
  }
  close(listener_);
  close(wake_);
}

void TcpProxy::cut() {
  const std::lock_guard lock(mutex_);
  for (Link& link : links_) break_link(link);
  wake();
}

// A socket closed like this discards its data and sends a reset.
void TcpProxy::reset() {
  const std::lock_guard lock(mutex_);
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  for (Link& link : links_) {
    setsockopt(link.client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    setsockopt(link.server, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    link.broken = true;
  }
  wake();
}

void TcpProxy::refuse() {
  {
    const std::lock_guard lock(mutex_);
    refusing_ = true;
  }
  cut();
}

void TcpProxy::accept_again() {
  const std::lock_guard lock(mutex_);
  refusing_ = false;
}

void TcpProxy::stall() {
  const std::lock_guard lock(mutex_);
  requests_held_ = true;
  replies_held_ = true;
  wake();
}

void TcpProxy::hold_requests() {
  const std::lock_guard lock(mutex_);
  requests_held_ = true;
  wake();
}

void TcpProxy::hold_replies() {
  const std::lock_guard lock(mutex_);
  replies_held_ = true;
  wake();
}

void TcpProxy::pass_again() {
  const std::lock_guard lock(mutex_);
  requests_held_ = false;
  replies_held_ = false;
  wake();
}

bool TcpProxy::holds_a_reply() {
  const std::lock_guard lock(mutex_);
  std::vector<pollfd> servers;
  for (const Link& link : links_) servers.push_back({link.server, POLLIN, 0});
  return replies_held_ && poll(servers.data(), servers.size(), 0) > 0;
}

void TcpProxy::cut_at_next_request() {
  const std::lock_guard lock(mutex_);
  drop_ = Drop::kNextRequest;
}

void TcpProxy::cut_at_next_reply() {
  const std::lock_guard lock(mutex_);
  drop_ = Drop::kNextReply;
}

void TcpProxy::heal() {
  const std::lock_guard lock(mutex_);
  drop_ = Drop::kNothing;
  refusing_ = requests_held_ = replies_held_ = false;
  wake();
}

void TcpProxy::run() {
  for (;;) {
    std::vector<pollfd> sockets = sockets_to_watch();
    poll(sockets.data(), sockets.size(), -1);
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    serve(sockets);
  }
}

// The listener, the wake-up, then client and server of every link. poll() ignores descriptor -1.
std::vector<pollfd> TcpProxy::sockets_to_watch() {
  const std::lock_guard lock(mutex_);
  std::vector<pollfd> sockets{{listener_, POLLIN, 0}, {wake_, POLLIN, 0}};
  for (const Link& link : links_) {
    sockets.push_back({requests_held_ ? -1 : link.client, POLLIN, 0});
    sockets.push_back({replies_held_ ? -1 : link.server, POLLIN, 0});
  }
  return sockets;
}

void TcpProxy::serve(const std::vector<pollfd>& ready) {
  std::uint64_t wakes = 0;
  if (ready[1].revents != 0) static_cast<void>(!read(wake_, &wakes, sizeof(wakes)));
  std::size_t index = 2;
  for (Link& link : links_) {
    const short from_client = ready[index++].revents;
    const short from_server = ready[index++].revents;
    if (from_client != 0 && !requests_held_ && !link.broken) {
      pass(link, link.client, link.server, Drop::kNextRequest);
    }
    if (from_server != 0 && !replies_held_ && !link.broken) {
      pass(link, link.server, link.client, Drop::kNextReply);
    }
  }
  std::erase_if(links_, [](const Link& link) {
    if (!link.broken) return false;
    close(link.client);
    close(link.server);
    return true;
  });
  if (ready[0].revents != 0) accept_client();
}

void TcpProxy::accept_client() {
  const int client = accept_from(listener_);
  if (client == -1) return;
  const int server = refusing_ ? -1 : connect_to(server_port_, std::chrono::seconds(1));
  if (server == -1) {
    close(client);
    return;
  }
  links_.push_back({client, server});
}

void TcpProxy::pass(Link& link, int from, int to, Drop drop_if) {
  char bytes[16384];
  const ssize_t size = recv(from, bytes, sizeof(bytes), MSG_DONTWAIT);
  if (size <= 0 || drop_ == drop_if) {
    if (size > 0) drop_ = Drop::kNothing;
    return break_link(link);
  }
  for (ssize_t sent = 0; sent < size;) {
    const ssize_t more =
        send(to, bytes + sent, static_cast<std::size_t>(size - sent), MSG_NOSIGNAL);
    if (more <= 0) return break_link(link);
    sent += more;
  }
}

// The loop closes the descriptors: it may be polling them now.
void TcpProxy::break_link(Link& link) {
  link.broken = true;
  shutdown(link.client, SHUT_RDWR);
  shutdown(link.server, SHUT_RDWR);
}

void TcpProxy::wake() const {
  const std::uint64_t one = 1;
  static_cast<void>(!write(wake_, &one, sizeof(one)));
}

}  // namespace lockstep::support
