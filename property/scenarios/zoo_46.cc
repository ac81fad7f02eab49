#include "zoo_46.h"

namespace lockstep::scenarios::zoo_46 {

namespace {

Task<void> give_up_later(Session& session, Path znode, std::stop_token called_off) {
  const Context unless_called_off(std::move(called_off));
  const Result<void> slept =
      co_await sleep_for(session.executor(), std::chrono::seconds(1), unless_called_off);
  if (slept && !is_over(session.state())) remove_guaranteed(session, znode);
}

}  // namespace

TimedPlace::TimedPlace(Session& session, const Path& znode) {
  session.in_background(give_up_later(session, znode, alarm_.get_token()));
}

// The flaw: should call it off.
void TimedPlace::granted() {}

}  // namespace lockstep::scenarios::zoo_46
