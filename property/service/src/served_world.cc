#include "served_world.h"

#include <boost/asio/post.hpp>
#include <random>
#include <utility>

#include "lockstep/fakezk/reaper.h"

namespace lockstep::service {

using SteadyClock = std::chrono::steady_clock;  // allow(steady_clock): the service is in real time

namespace {

// Counts on from the clock in the seven bytes after the server's number, as
// SessionTrackerImpl.initializeNextSessionId does: 64 sessions for each microsecond.
SessionId first_session_of_today() {
  constexpr std::uint64_t kOnlyServer = 1;
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(since_1970).count();
  return static_cast<SessionId>(kOnlyServer << 56 | static_cast<std::uint64_t>(now) << 14 >> 8);
}

fakezk::ServerOptions options_for(const ServiceOptions& service) {
  return {.tick_time = service.tick_time,
          .max_session_timeout = service.max_session_timeout,
          .replicas = service.servers,
          .ttl_enabled = service.times_to_live,
          .first_session = first_session_of_today(),
          .password_secret = std::random_device()(),
          .container_check_interval = service.container_check_interval};
}

// The simulated wall clock begins in 2020.
TimePoint world_time_of_today() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const std::chrono::milliseconds start(fakezk::wall_clock_ms(TimePoint()));
  return TimePoint(std::chrono::duration_cast<Duration>(since_1970 - start));
}

}  // namespace

ServedWorld::ServedWorld(boost::asio::io_context& context, const ServiceOptions& options)
    : context_(context),
      timer_(context),
      world_(options_for(options)),
      clients_(world_.add_process()),
      began_at_(world_time_of_today()),
      started_(SteadyClock::now()) {
  world_.advance_clock(began_at_);
}

TimePoint ServedWorld::present() const {
  return began_at_ + std::chrono::duration_cast<Duration>(SteadyClock::now() - started_);
}

std::unique_ptr<connection::ClientConnection> ServedWorld::connect(std::uint32_t server) {
  std::unique_ptr<connection::ClientConnection> fresh;
  if (free_links_.empty()) {
    fresh = std::make_unique<connection::ClientConnection>(clients_);
  } else {
    fresh = std::make_unique<connection::ClientConnection>(clients_, free_links_.back());
    free_links_.pop_back();
  }
  world_.network()[fresh->link()].goes_to = server;
  return fresh;
}

void ServedWorld::disconnect(std::unique_ptr<connection::ClientConnection> over) {
  free_links_.push_back(over->link());
  over.reset();
}

// Counts from the present: the world's time is that of the last turn, which may be long ago.
// Counting from there would expire the session too early, and break the promise on which clients
// rely.
void ServedWorld::hear(const connection::ClientConnection& from) {
  world_.servers().end_silence(from.link());
  world_.servers().begin_silence(from.link(), present());
}

void ServedWorld::turn() {
  if (present() - world_.now() > servers().options().tick_time) hear_unread_();
  come_to_the_present();
}

void ServedWorld::come_to_the_present() {
  world_.advance_clock(present());
  while (world_.step_without_time(prompt_)) {
  }
  for (const std::shared_ptr<TurnListener>& listener : std::exchange(turn_listeners_, {}))
    listener->look();
  wait_for_timer();
}

void ServedWorld::turn_later() {
  if (std::exchange(turns_later_, true)) return;
  boost::asio::post(context_, [this] {
    turns_later_ = false;
    turn();
  });
}

void ServedWorld::advance(Duration by) {
  began_at_ += by;
  waits_until_.reset();
  come_to_the_present();
}

void ServedWorld::wait_for_timer() {
  const std::optional<TimePoint> next = world_.next_timer();
  if (next == waits_until_) return;
  waits_until_ = next;
  timer_.cancel();
  if (!next) return;
  timer_.expires_at(started_ + (*next - began_at_));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    waits_until_.reset();
    turn();
  });
}

}  // namespace lockstep::service
