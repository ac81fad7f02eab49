#include "peer.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/completion_condition.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "listener.h"

namespace lockstep::service {

Peer::Peer(Socket socket, ServedWorld& world, std::uint32_t server, Over over)
    : socket_(std::move(socket)),
      world_(world),
      server_(server),
      connection_(world.connect(server)),
      filter_(world, *connection_, server),
      over_(std::move(over)),
      leave_timer_(socket_.get_executor()),
      delay_timer_(socket_.get_executor()) {
  connection_->set_listener(this);
  connection_->set_filter(&filter_);
  connection_->set_bounds({.long_answers = kLongAnswers, .output = kMuchOutput});
  boost::system::error_code ignored;
  std::ignore = socket_.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  std::ignore = socket_.non_blocking(true, ignored);
  const auto from = socket_.remote_endpoint(ignored);
  if (!ignored) address_ = text_of(from);
}

Peer::~Peer() {
  connection_->set_listener(nullptr);
  connection_->set_filter(nullptr);
  world_.disconnect(std::move(connection_));
}

connection::WordClient Peer::facts() const {
  return {.address = address_,
          .session = connection_->session_id(),
          .queued = connection_->unanswered(),
          .received = connection_->received(),
          .sent = connection_->sent()};
}

bool Peer::serves_its_session() const {
  const fakezk::Server& servers = world_.servers();
  const fakezk::SessionIndex session = servers.sessions().find(session_id());
  return session != fakezk::kNoSession && servers.link_of(session) == connection_->link();
}

bool Peer::may_read() const {
  if (waits_for_end()) return true;
  return !stalled_ && !connection_->closed() &&
         connection_->unread() <= wire::FrameReader::kUsualLimit + 4 &&
         connection_->unanswered() < kManyRequests && waiting() <= kMuchOutput;
}

void Peer::start(std::chrono::milliseconds greets_within) {
  greets_within_ = greets_within;
  wait_for_greeting();
  read();
}

void Peer::wait_for_greeting() {
  leave_timer_.expires_after(greets_within_);
  leave_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error && !self->connection_->greeted()) self->leave();
  });
}

void Peer::read() {
  if (reading_ || left_ || !may_read()) return;
  reading_ = true;
  socket_.async_wait(Socket::wait_read,
                     [self = shared_from_this()](const boost::system::error_code& error) {
                       self->reading_ = false;
                       if (!error) self->take_input();
                     });
}

// The kernel keeps the bytes that a stalled client has sent.
void Peer::take_input() {
  const bool reads = !stalled_ && !connection_->closed();
  if (left_ || (!reads && !waits_for_end())) return;
  boost::system::error_code error;
  const std::span<char> scratch = world_.scratch();
  const std::size_t size =
      socket_.read_some(boost::asio::buffer(scratch.data(), scratch.size()), error);
  if (error == boost::asio::error::would_block) return read();
  if (error) {
    leave();
    return world_.turn();
  }
  if (waits_for_end()) return read();
  connection_->feed(std::string_view(scratch.data(), size));
  if (connection_->greeted()) {
    leave_timer_.cancel();
  } else {
    wait_for_greeting();
  }
  // A real server would have read the requests that wait for room.
  if (has_spoken() || !connection_->has_room()) hear();
  world_.turn();
  look();
}

void Peer::hear() {
  heard_ = connection_->signs_of_life();
  world_.hear(*connection_);
}

void Peer::hear_unread() {
  boost::system::error_code error;
  if (!left_ && !stalled_ && socket_.available(error) > 0) world_.hear(*connection_);
}

void Peer::connection_changed() {
  if (std::exchange(looks_later_, true)) return;
  world_.call_after_turn(shared_from_this());
}

void Peer::stall(bool stalled) {
  stalled_ = stalled;
  look();
}

void Peer::look() {
  looks_later_ = false;
  if (left_) return;
  if (stalled_) return read();
  // From a session's first moment on, its client must send something in time.
  if (!established_ && connection_->session_id() != 0) {
    established_ = true;
    hear();
  }
  if (delay_ > Duration::zero() || !delayed_.empty()) {
    hold_back();
  } else if (!writing_ && connection_->has_output()) {
    write(connection_->take_output());
  }
  if (!writing_ && delayed_.empty() && connection_->closed()) return leave();
  if (lingers()) linger();
  if (waiting() + connection_->output_size() > kTooMuchOutput) return leave();
  if (waiting() <= kMuchOutput && connection_->read_on()) {
    connection_changed();
    world_.turn_later();
  }
  if (has_spoken()) hear();
  read();
}

void Peer::delay(Duration by) {
  delay_ = by;
  if (by == Duration::zero()) {
    for (Delayed& each : delayed_) each.due = {};
    delay_timer_.cancel();
  }
  look();
}

void Peer::hold_back() {
  if (connection_->has_output()) {
    auto due = boost::asio::steady_timer::clock_type::now() + delay_;
    if (!delayed_.empty()) due = std::max(due, delayed_.back().due);
    delayed_.push_back({due, connection_->take_output()});
    delayed_bytes_ += delayed_.back().bytes.size();
  }
  wait_for_delayed();
}

void Peer::wait_for_delayed() {
  if (delayed_.empty() || writing_ || std::exchange(waits_, true)) return;
  delay_timer_.expires_at(delayed_.front().due);
  delay_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    self->waits_ = false;
    if (self->left_ || self->stalled_) return;
    if (error) return self->wait_for_delayed();  // The delay is over.
    std::string bytes = std::move(self->delayed_.front().bytes);
    self->delayed_.pop_front();
    self->delayed_bytes_ -= bytes.size();
    self->write(std::move(bytes));
  });
}

void Peer::write(std::string bytes) {
  writing_ = true;
  output_ = std::move(bytes);
  boost::asio::async_write(
      socket_, boost::asio::buffer(output_),
      [this](const boost::system::error_code& error, std::size_t taken) {
        if (lingers()) linger();
        return boost::asio::transfer_all()(error, taken);
      },
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
        self->writing_ = false;
        self->output_.clear();
        if (self->left_) return;
        error ? self->leave() : self->look();
      });
}

// A reset, because a close would have the kernel keep the rest until the client takes it.
void Peer::linger() {
  leave_timer_.expires_after(kLinger);
  leave_timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (error || !self->lingers()) return;
    boost::system::error_code ignored;
    std::ignore = self->socket_.set_option(boost::asio::socket_base::linger(true, 0), ignored);
    self->leave();
  });
}

void Peer::leave() {
  if (std::exchange(left_, true)) return;
  const std::shared_ptr<Peer> kept = shared_from_this();
  boost::system::error_code ignored;
  std::ignore = socket_.close(ignored);
  leave_timer_.cancel();
  delay_timer_.cancel();
  connection_->hang_up();
  over_(kept);
}

}  // namespace lockstep::service
