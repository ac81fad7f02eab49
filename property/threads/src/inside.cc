#include "lockstep/threads/inside.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "lockstep/judge/assertions.h"
#include "lockstep/threads/world_host.h"

namespace lockstep::threads {

namespace {

WorldHost& hunted() {
  WorldHost* const current = WorldHost::current();
  if (!current || !current->execution().running()) {
    throw std::logic_error("lockstep: this thread is not hunted");
  }
  return *current;
}

}  // namespace

void violated(std::string_view name, std::string message) {
  WorldHost& process = hunted();
  const intercept::Execution::InRuntime inside;
  process.verdict().report("user:" + std::string(name), std::move(message),
                           process.world().steps());
}

void note(std::string_view text) {
  WorldHost& process = hunted();
  const intercept::Execution::InRuntime inside;
  process.world().note(WorldHost::process_of(*process.execution().running()).index(), text);
}

Inside::Inside(std::string resource) : resource_(std::move(resource)) {
  WorldHost& process = hunted();
  const intercept::Execution::InRuntime inside;
  const intercept::Thread& self = *process.execution().running();
  self_ = &self;
  execution_ = process.execution().number();
  WorldHost::Insiders& insiders = process.insiders_of(resource_);
  process.world().note(WorldHost::process_of(self).index(), "inside of " + resource_);
  // A process that has crashed is no longer inside. A thread that has returned may be: it has left
  // its Inside to another one.
  std::erase_if(insiders, [](const intercept::Thread* other) { return other->killed(); });
  const bool is_judged = judge::asserted(search::Oracle::kS2, {}, process.world());
  if (is_judged) process.judged().count(search::Oracle::kS2);
  const auto excluded = std::ranges::find_if(insiders, [&](const intercept::Thread* other) {
    return is_judged && other != &self && !process.cannot_know_of_a_loss(*other) &&
           !process.cannot_know_of_a_loss(self);
  });
  if (excluded == insiders.end()) {
    insiders.push_back(&self);
    return;
  }
  inside_ = false;
  process.verdict().report(search::Oracle::kS2,
                           process.name_of(self) + " enters " + resource_ + ", where " +
                               process.name_of(**excluded) + " is",
                           process.world().steps());
}

Inside::~Inside() { leave(); }

void Inside::leave() {
  if (!std::exchange(inside_, false)) return;
  WorldHost* const current = WorldHost::current();
  // Its execution is over.
  if (!current || current->execution().number() != execution_) return;
  WorldHost& process = hunted();
  const intercept::Execution::InRuntime inside;
  // Others may be inside if this one could not know that its session was over, or if they cannot.
  WorldHost::Insiders& insiders = process.insiders_of(resource_);
  const auto self = std::ranges::find(insiders, self_);
  if (self != insiders.end()) insiders.erase(self);
  process.world().note(WorldHost::process_of(*process.execution().running()).index(),
                       "leaves " + resource_);
}

}  // namespace lockstep::threads
