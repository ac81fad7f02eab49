#include "lockstep/search/strategy.h"

namespace lockstep::search {

namespace {

// A different strategy for each execution, because no strategy is best at every bug. The shares
// follow the bugs each found when they were compared on the same set.
class Portfolio final : public Strategy {
 public:
  void begin(const ExecutionStart& start) override {
    fakezk::RandomStream random(start.seed);
    std::uint32_t draw = random.below(100);
    std::size_t index = 0;
    while (draw >= members_[index].percent) draw -= members_[index++].percent;
    current_ = members_[index].strategy.get();
    // A fresh seed: otherwise the draw that chose the member would choose its first steps, too.
    ExecutionStart members = start;
    members.seed = random.next();
    current_->begin(members);
  }
  fakezk::Choice next(const fakezk::Menu& menu) override { return current_->next(menu); }
  std::optional<std::uint32_t> last_fault(const fakezk::Menu& menu) override {
    return current_->last_fault(menu);
  }
  std::uint32_t number(std::uint32_t options) override { return current_->number(options); }

 private:
  struct Member {
    std::uint32_t percent;
    std::unique_ptr<Strategy> strategy;
  };
  std::array<Member, 5> members_ = {{{30, make_urw()},
                                     {25, make_pos()},
                                     {25, make_delay()},
                                     {10, make_pct()},
                                     {10, make_random_walk()}}};
  Strategy* current_ = nullptr;
};

}  // namespace

std::unique_ptr<Strategy> make_portfolio() { return std::make_unique<Portfolio>(); }

}  // namespace lockstep::search
