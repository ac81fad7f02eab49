#include "connection.h"

#include <utility>

#include "lockstep/connection/four_letter_word.h"

namespace lockstep::threads {

Connection::Connection(WorldHost& hunted, const intercept::Thread& thread, std::uint32_t replica)
    : process_(WorldHost::process_of(thread)),
      thread_(thread),
      hunted_(hunted),
      replica_(replica),
      connection_(process_) {
  fakezk::World& world = process_.world();
  if (world.server().replica_count() > 1) world.network()[connection_.link()].goes_to = replica;
  connection_.set_listener(this);
}

void Connection::send(std::string_view bytes) {
  constexpr std::size_t kWord = 4;
  if (first_.size() >= kWord) return feed(bytes);
  first_ += bytes;
  if (first_.size() < kWord) return;
  if (connection::is_four_letter_word(std::string_view(first_).substr(0, kWord))) {
    return answer_word();
  }
  feed(first_);
}

void Connection::feed(std::string_view bytes) {
  connection_.feed(bytes);
  if (!connection_.asked_to_close() || std::exchange(is_closing_, true)) return;
  hunted_.session_closing(connection_.session_id());
}

// Takes no turn: nothing that code under test does with the answer depends on a race.
void Connection::answer_word() {
  is_word_ = true;
  const fakezk::World& world = process_.world();
  arrived_ = connection::answer_four_letter_word(
      std::string_view(first_).substr(0, 4),
      {.servers = world.server(), .server = replica_, .now = world.now()});
  last_arrival_ = process_.now().time_since_epoch();
}

std::string_view Connection::arrived() {
  if (connection_.has_output()) {
    arrived_.erase(0, taken_);
    taken_ = 0;
    arrived_ += connection_.take_output();
  }
  return std::string_view(arrived_).substr(taken_);
}

void Connection::take(std::size_t bytes) { taken_ += bytes; }

// A silent connection does not end: its client notices by its own clock.
intercept::Stream::End Connection::end() const {
  if (is_word_) return End::kClosed;
  const bool is_silent = connection_.ended_as() == Error::kOperationTimeout;
  if (!connection_.closed() || is_silent) return End::kNone;
  return connection_.ended_as() && hunted_.breaks_connections() ? End::kBroken : End::kClosed;
}

void Connection::connection_changed() {
  last_arrival_ = process_.now().time_since_epoch();
  if (connection_.session_id() != 0 && !std::exchange(has_session_, true)) {
    hunted_.session_established(thread_, connection_.session_id());
  }
  if (connection_.refused_session() != 0 && !std::exchange(is_refused_, true)) {
    hunted_.session_end_received(connection_.refused_session());
  }
  hunted_.execution().descriptors_changed();
}

}  // namespace lockstep::threads
