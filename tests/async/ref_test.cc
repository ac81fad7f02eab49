#include "lockstep/internal/ref.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

using internal::Counted;
using internal::Ref;

// Counts the live objects.
class Thing : public Counted {
 public:
  explicit Thing(std::atomic<int>& alive) : alive_(alive) { ++alive_; }
  virtual ~Thing() { --alive_; }

 private:
  std::atomic<int>& alive_;
};

class Special final : public Thing {
 public:
  using Thing::Thing;
};

TEST(RefTest, LastOwnerDeletesTheObject) {
  std::atomic<int> alive = 0;
  Ref<Thing> first = Ref<Thing>::make(alive);
  EXPECT_TRUE(first->has_one_owner());
  Ref<Thing> second = first;
  EXPECT_FALSE(first->has_one_owner());
  EXPECT_EQ(first, second);
  first = {};
  EXPECT_EQ(alive, 1);
  EXPECT_TRUE(second->has_one_owner());
  second = {};
  EXPECT_EQ(alive, 0);
}

TEST(RefTest, MovingMakesNoOwner) {
  std::atomic<int> alive = 0;
  Ref<Thing> from = Ref<Thing>::make(alive);
  const Ref<Thing> to = std::move(from);
  EXPECT_FALSE(from);  // A moved Ref is null.
  EXPECT_TRUE(to->has_one_owner());
}

TEST(RefTest, AssigningToItselfKeepsTheObject) {
  std::atomic<int> alive = 0;
  Ref<Thing> ref = Ref<Thing>::make(alive);
  Ref<Thing>& same = ref;
  ref = same;
  EXPECT_EQ(alive, 1);
  EXPECT_TRUE(ref->has_one_owner());
}

TEST(RefTest, OwnerOfADerivedObjectOwnsItsBase) {
  std::atomic<int> alive = 0;
  const Ref<Special> special = Ref<Special>::make(alive);
  {
    const Ref<Thing> base = special;
    EXPECT_EQ(base.get(), special.get());
    EXPECT_FALSE(special->has_one_owner());
  }
  EXPECT_TRUE(special->has_one_owner());
  EXPECT_FALSE((std::is_convertible_v<Ref<Thing>, Ref<Special>>));
}

TEST(RefTest, OwnersMayBeOnSeveralThreads) {
  std::atomic<int> alive = 0;
  Ref<Thing> shared = Ref<Thing>::make(alive);
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 2; ++thread) {
      threads.emplace_back([ours = shared] {
        for (int copies = 0; copies < 1'000; ++copies) static_cast<void>(Ref<Thing>(ours));
      });
    }
  }
  EXPECT_TRUE(shared->has_one_owner());
  shared = {};
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace lockstep
