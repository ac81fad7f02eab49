#include "lockstep/fakezk/ready_links.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace lockstep::fakezk {
namespace {

using Place = ReadyLinks::Place;
using Way = ReadyLinks::Way;
using Ready = std::vector<std::pair<LinkIndex, Way>>;

Ready list(const ReadyLinks& ready, LinkIndex first) {
  Ready found;
  ready.each(first, [&](LinkIndex link, Way way) { found.emplace_back(link, way); });
  return found;
}

TEST(ReadyLinksTest, OneDirectionThatIsNoLongerReadyLeavesTheOther) {
  for (const auto& [gone, left] :
       {std::pair(Way::kDeliver, Way::kApply), std::pair(Way::kApply, Way::kDeliver)}) {
    ReadyLinks ready;
    ready.resize(2);
    ready.set(Place(1), gone);
    ready.set(Place(1), left);
    ready.clear(Place(1), gone);
    const Ready other = {{1, left}};
    EXPECT_EQ(list(ready, 0), other);
  }
}

TEST(ReadyLinksTest, ListsOneLinkFirstAndDeliveryBeforeApplying) {
  ReadyLinks ready;
  EXPECT_EQ(list(ready, 0), Ready());
  ready.resize(3);
  EXPECT_EQ(list(ready, 0), Ready());
  ready.set(Place(2), Way::kDeliver);
  ready.set(Place(1), Way::kApply);
  ready.set(Place(1), Way::kDeliver);
  ready.set(Place(0), Way::kApply);
  const Ready by_link = {
      {0, Way::kApply}, {1, Way::kDeliver}, {1, Way::kApply}, {2, Way::kDeliver}};
  EXPECT_EQ(list(ready, 0), by_link);
  EXPECT_EQ(list(ready, 1),
            (Ready{{1, Way::kDeliver}, {1, Way::kApply}, {0, Way::kApply}, {2, Way::kDeliver}}));
  EXPECT_EQ(list(ready, 99), by_link);
  EXPECT_TRUE(ready.is(Place(0), Way::kApply));
  EXPECT_FALSE(ready.is(Place(0), Way::kDeliver));
}

TEST(ReadyLinksTest, HoldsMoreLinksThanAWordHasBits) {
  ReadyLinks ready;
  Ready expected = {{70, Way::kApply}};
  for (LinkIndex link = 0; link < 200; ++link) {
    ready.resize(link + 1);
    EXPECT_FALSE(ready.is(Place(link), Way::kDeliver));
    EXPECT_FALSE(ready.is(Place(link), Way::kApply));
    const Way way = link % 3 == 0 ? Way::kDeliver : Way::kApply;
    ready.set(Place(link), way);
    if (link != 70) expected.emplace_back(link, way);
  }
  EXPECT_EQ(list(ready, 70), expected);
  ready.clear(Place(199), Way::kApply);
  expected.pop_back();
  EXPECT_EQ(list(ready, 70), expected);
}

TEST(ReadyLinksTest, ANewLinkIsNotReady) {
  ReadyLinks ready;
  ready.resize(40);
  for (LinkIndex link = 0; link < 40; ++link) ready.set(Place(link), Way::kApply, true);
  ready.set(Place(39), Way::kApply, false);
  EXPECT_FALSE(ready.is(Place(39), Way::kApply));
  ready.resize(0);
  ready.resize(40);
  EXPECT_EQ(list(ready, 0), Ready());
  EXPECT_FALSE(ready.is(Place(0), Way::kApply));
}

}  // namespace
}  // namespace lockstep::fakezk
