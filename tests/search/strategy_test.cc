#include "lockstep/search/strategy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "search/menu_parts.h"

namespace lockstep::fakezk {
namespace {

// A client that is late with one task may be in time with another.
TEST(StrategyTest, SourceOfAnEventIsOneTask) {
  std::set<std::uint32_t> sources;
  for (const auto kind :
       {Event::Kind::kApply, Event::Kind::kDeliver, Event::Kind::kCloseSession, Event::Kind::kStray,
        Event::Kind::kReplicate, Event::Kind::kWake, Event::Kind::kGoOn}) {
    for (const std::uint32_t index : {0u, 1u, 2u})
      sources.insert(search::source_of(event(kind, index)));
  }
  EXPECT_EQ(sources.size(), 21U);
  EXPECT_TRUE(sources.insert(search::source_of(event(Event::Kind::kTimer, 0))).second);
  EXPECT_TRUE(sources.insert(search::source_of(event(Event::Kind::kReap, 0))).second);
  EXPECT_EQ(search::source_of(event(Event::Kind::kReap, 0)),
            search::source_of(event(Event::Kind::kReap, 1)));
}

}  // namespace
}  // namespace lockstep::fakezk
