#include "connection.h"

namespace lockstep::threads {

Connection::Connection(fakezk::Process& process, intercept::Execution& execution,
                       std::uint32_t replica)
    : execution_(execution), connection_(process) {
  fakezk::World& world = process.world();
  if (world.server().replica_count() > 1) world.network()[connection_.link()].goes_to = replica;
  connection_.set_listener(this);
}

void Connection::send(std::string_view bytes) { connection_.feed(bytes); }

std::string_view Connection::arrived() {
  if (connection_.has_output()) {
    arrived_.erase(0, taken_);
    taken_ = 0;
    arrived_ += connection_.take_output();
  }
  return std::string_view(arrived_).substr(taken_);
}

void Connection::take(std::size_t bytes) { taken_ += bytes; }

// A connection that has fallen silent does not end: its client notices it by its own clock.
intercept::Stream::End Connection::end() const {
  const bool is_silent = connection_.ended_as() == Error::kOperationTimeout;
  return connection_.closed() && !is_silent ? End::kClosed : End::kNone;
}

void Connection::connection_changed() { execution_.descriptors_changed(); }

}  // namespace lockstep::threads
