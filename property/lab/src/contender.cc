#include "lockstep/lab/contender.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace lockstep::lab {

void Contender::clear() noexcept {
  client_.fake().let_go();
  attempts_ = 0;
  grants_ = 0;
  groundless_.reset();
  finished_ = false;
  has_drawn_early_ = false;
  kept_.clear();
  users_.clear();
}

void Contender::note(std::string_view text, std::uint32_t user) {
  fakezk::Process& process = client_.process();
  process.world().note(process.index(), text, user);
}

std::uint32_t Contender::enter_user() {
  const auto free = std::ranges::find(users_, UserState::kNone);
  const auto index = static_cast<std::uint32_t>(free - users_.begin());
  if (free == users_.end()) users_.push_back(UserState::kNone);
  users_[index] = UserState::kRuns;
  return index + 1;
}

std::vector<std::uint32_t> Contender::running_users() const {
  std::vector<std::uint32_t> running;
  for (std::uint32_t index = 0; index < users_.size(); ++index) {
    if (users_[index] == UserState::kRuns) running.push_back(index + 1);
  }
  return running;
}

Duration Contender::holding_time() {
  using std::chrono::milliseconds;
  constexpr std::array<milliseconds, 3> kTimes = {milliseconds(600), milliseconds(4'000),
                                                  milliseconds(60'000)};
  fakezk::World& world = client_.process().world();
  if (world.steps() == 0) has_drawn_early_ = true;
  const bool takes_its_time = world.draw(2) != 0;
  if (!takes_its_time) return Duration::zero();
  const std::uint32_t drawn = world.draw(kTimes.size());
  return kTimes[drawn];
}

void Contender::tried(const Result<HeldLock>& held) {
  ++attempts_;
  if (!held) return;
  ++grants_;
  if (oracles_.has_heard_of(held->znode(), held->fencing_token())) return;
  oracles_.violated("misuse",
                    "a lock is held without the oracles' knowledge: its HeldLock has to be made"
                    " with the LockObserver given to the recipe");
}

void Contender::tried(const Result<HeldLock>& held, const Context& patience) {
  tried(held);
  if (held || groundless_ || held.error() == Error::kConflict) return;
  if (held.error() == Error::kTimedOut && patience.deadline()) return;
  if (client_.process().world().kinds_injected() == 0) groundless_ = held.error();
}

void Contender::check_sharing(std::string_view name) {
  if (!isolated_) return;
  oracles_.violated("misuse", client_.name() + " uses " + std::string(name) +
                                  ", which contenders share, although LockUnderTest::isolated says"
                                  " that they share nothing");
}

}  // namespace lockstep::lab
