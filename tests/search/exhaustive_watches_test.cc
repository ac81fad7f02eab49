// Exhaustive searches of programs that ask for watches: of which znode, and whose.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "plays.h"

namespace lockstep::search {
namespace {

using namespace unit;

// Its own watch has fired or not, and another client may have left one there.
Task<void> watch_and_take_it_back(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const auto left = co_await (*session)->get_data_watched("/a");
  if (left) static_cast<void>(co_await (*session)->remove_watch(left->watch));
}

Task<void> watch_once(Actor& self) {
  const auto session = co_await self.client().session(Context());
  static_cast<void>(co_await (*session)->get_data_watched("/a"));
}

Task<void> watch_and_remove_all(Actor& self) {
  const auto session = co_await self.client().session(Context());
  const auto left = co_await (*session)->get_data_watched("/a");
  static_cast<void>(co_await (*session)->remove_watches("/a"));
}

void expect_agreement_in_each_order(std::vector<Act> acts) {
  std::ranges::sort(acts);
  do {
    Play play(acts);
    expect_agreement(play);
  } while (std::ranges::next_permutation(acts).found);
}

// The answer to a check tells whether any connection watches.
TEST(ExhaustiveWatchesTest, ReductionsAgreeOnACheckAndAWatchOfAnotherClient) {
  expect_agreement_in_each_order({&watch_and_take_it_back, &write_once<'a'>, &watch_once});
}

TEST(ExhaustiveWatchesTest, ReductionsAgreeOnACheckAndAnotherClientThatRemovesItsWatch) {
  Play play({&watch_and_take_it_back, &write_once<'a'>, &watch_and_remove_all});
  expect_agreement(play);
  Play other({&watch_and_remove_all, &write_once<'a'>, &watch_and_take_it_back});
  expect_agreement(other);
}

}  // namespace
}  // namespace lockstep::search
