#include "lockstep/threads/inside.h"

#include <stdexcept>
#include <utility>

#include "lockstep/judge/assertions.h"
#include "lockstep/threads/hunted_process.h"

namespace lockstep::threads {

namespace {

HuntedProcess& hunted() {
  HuntedProcess* const current = HuntedProcess::current();
  if (!current || !current->execution().running()) {
    throw std::logic_error("lockstep: this thread is not hunted");
  }
  return *current;
}

}  // namespace

void violated(std::string_view name, std::string message) {
  HuntedProcess& process = hunted();
  const intercept::Execution::Inside inside;
  process.verdict().report("user:" + std::string(name), std::move(message),
                           process.world().steps());
}

void note(std::string_view text) {
  HuntedProcess& process = hunted();
  const intercept::Execution::Inside inside;
  process.world().note(HuntedProcess::process_of(*process.execution().running()).index(), text);
}

Inside::Inside(std::string resource) : resource_(std::move(resource)) {
  HuntedProcess& process = hunted();
  const intercept::Execution::Inside inside;
  const intercept::Thread& self = *process.execution().running();
  const auto [other, is_alone] = process.insiders().try_emplace(resource_, &self);
  process.world().note(HuntedProcess::process_of(self).index(), "inside of " + resource_);
  const bool is_judged = judge::asserted(search::Oracle::kS2, {}, process.world());
  if (is_judged) process.judged().count(search::Oracle::kS2);
  if (is_alone) return;
  // A process that has crashed is inside no more.
  if (!is_judged || other->second->ended() || process.cannot_know_of_a_loss(*other->second) ||
      process.cannot_know_of_a_loss(self)) {
    other->second = &self;
    return;
  }
  inside_ = false;
  process.verdict().report(search::Oracle::kS2,
                           process.name_of(self) + " enters " + resource_ + ", where " +
                               process.name_of(*other->second) + " is",
                           process.world().steps());
}

Inside::~Inside() { leave(); }

void Inside::leave() {
  if (!std::exchange(inside_, false)) return;
  HuntedProcess& process = hunted();
  const intercept::Execution::Inside inside;
  // Another thread may be inside if this one could not know that its session was over.
  const auto at = process.insiders().find(resource_);
  if (at != process.insiders().end() && at->second == process.execution().running()) {
    process.insiders().erase(at);
  }
  process.world().note(HuntedProcess::process_of(*process.execution().running()).index(),
                       "leaves " + resource_);
}

}  // namespace lockstep::threads
