#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lockstep/fakezk/random_stream.h"
#include "lockstep/search/strategy.h"
#include "search/menu_parts.h"

namespace lockstep::fakezk {
namespace {

// Two of three sources give way at change points, and the third one goes on to its end. Then either
// of the two may go first.
TEST(PctTest, TheLastToGiveWayIsNotAlwaysTheLowest) {
  constexpr std::uint32_t kPositions = 30;
  const std::vector<Event> all = {event(Event::Kind::kApply, 0), event(Event::Kind::kApply, 1),
                                  event(Event::Kind::kApply, 2)};
  const std::unique_ptr<search::Strategy> pct = search::make_pct();
  const NoFaults none;
  int last_first = 0;
  int first_first = 0;
  for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
    pct->begin(search::ExecutionStart{mix(seed), kPositions, {}, 0});
    std::vector<std::uint32_t> order;
    for (std::uint32_t position = 0; position <= kPositions; ++position) {
      const std::uint32_t chosen = pct->next(Menu(all, none)).index;
      if (order.empty() || order.back() != chosen) order.push_back(chosen);
    }
    if (order.size() != 3 || order[0] == order[2]) continue;
    const std::vector<Event> rest = {all[order[0]], all[order[1]]};
    const std::uint32_t next = pct->next(Menu(rest, none)).index;
    ++(next == 0 ? first_first : last_first);
  }
  EXPECT_GT(first_first, 100);
  EXPECT_GT(last_first, 100);
}

}  // namespace
}  // namespace lockstep::fakezk
