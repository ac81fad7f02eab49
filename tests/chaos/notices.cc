#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "chaos/judge.h"

namespace lockstep::chaos {

namespace {

using Grant = std::tuple<int, int, std::string, std::int64_t>;  // Process, its life, znode, czxid.

Grant grant_of(const Event& event) {
  return {event.process, event.life, event.znode, event.created};
}

}  // namespace

void judge_notices(const std::vector<Event>& events, std::vector<Violation>& violations,
                   Judged& judged) {
  std::set<Grant> lost;
  std::set<Grant> released;
  for (const Event& event : events) {
    const Grant grant = grant_of(event);
    if (event.kind == Kind::kReleased) released.insert(grant);
    if (event.kind != Kind::kLost) continue;
    ++judged.losses;
    if (!lost.insert(grant).second) {
      violations.push_back({"notices", event.lock, event.znode + " was lost twice", event.at});
    }
    if (released.contains(grant)) {
      violations.push_back(
          {"notices", event.lock, event.znode + " was lost after its release", event.at});
    }
  }
}

std::vector<Event> grants_without_end(const std::vector<Event>& events) {
  std::set<Grant> ended;
  std::set<std::pair<int, int>> killed;
  for (const Event& event : events) {
    switch (event.kind) {
      case Kind::kLost:
      case Kind::kReleased:
      case Kind::kDropped: ended.insert(grant_of(event)); break;
      case Kind::kKilled: killed.insert({event.process, event.life}); break;
      default: break;
    }
  }
  std::vector<Event> open;
  std::ranges::copy_if(events, std::back_inserter(open), [&](const Event& event) {
    return event.kind == Kind::kGranted && !killed.contains({event.process, event.life}) &&
           !ended.contains(grant_of(event));
  });
  return open;
}

}  // namespace lockstep::chaos
