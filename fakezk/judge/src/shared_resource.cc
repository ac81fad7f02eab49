#include "lockstep/judge/shared_resource.h"

#include <algorithm>
#include <string>

#include "lockstep/judge/assertions.h"
#include "lockstep/search/chronicle.h"
#include "session_name.h"

namespace lockstep::judge {

using search::Oracle;

namespace {

// Records that a judgement depends on the process: on the knowledge of its client and on its clock.
void record_memory_of(const Executor& executor, const fakezk::World& world) {
  fakezk::FootprintRecorder* const recorder = world.recorder();
  const auto* const process = recorder ? dynamic_cast<const fakezk::Process*>(&executor) : nullptr;
  if (process) recorder->reads(fakezk::ObjectKind::kProcess, process->index());
}

}  // namespace

void SharedResource::begin(fakezk::World& world, search::Verdict& verdict, std::uint32_t stock) {
  world_ = &world;
  verdict_ = &verdict;
  inside_.clear();
  newest_ = 0;
  newest_writer_ = 0;
  stock_ = stock;
  woken_ = 0;
  judged_ = {};
}

void SharedResource::enter(const Session& session, std::uint32_t user) {
  record_memory_write();
  const LockRules any_rules = {};
  const bool is_judged = asserted(Oracle::kS2, any_rules, *world_);
  if (is_judged) judged_.count(Oracle::kS2);
  note(session, "enters", user);
  if (is_judged && !inside_.empty() && !excused(session)) judge_entry(session, user);
  inside_.push_back({&session, user, &session.executor(), std::nullopt});
}

void SharedResource::judge_entry(const Session& session, std::uint32_t user) {
  for (const Visit& visit : inside_) {
    const Session* const inside = visit.session;
    if (excused(*inside) && !relies(visit)) continue;
    verdict_->report(Oracle::kS2,
                     who(session, user) + " enters while " + who_is_inside(visit, session, user) +
                         ", which is " + std::string(name(inside->state())) + ", is still inside",
                     world_->steps());
  }
}

std::string SharedResource::who_is_inside(const Visit& visit, const Session& enters,
                                          std::uint32_t user) const {
  const bool once_more = &enters.executor() == visit.executor && visit.user == user;
  return once_more ? "its own session" : who(*visit.session, visit.user);
}

// The server has ended the session, but the client cannot know yet.
bool SharedResource::excused(const Session& session) const {
  record_memory_of(session.executor(), *world_);
  return !is_over(session.state()) && !world_->server().session_alive(session.id());
}

bool SharedResource::relies(const Visit& visit) const {
  record_memory_of(*visit.executor, *world_);
  return visit.relies_until && visit.executor->now() < *visit.relies_until;
}

inline void SharedResource::judge_reliance(const Visit& visit) {
  const Session& session = *visit.session;
  const bool closed = session.state() == SessionState::kClosed;
  if (closed || world_->server().session_alive(session.id()) || !relies(visit)) return;
  report_reliance(visit);
}

void SharedResource::report_reliance(const Visit& visit) {
  const LockRules any_rules = {};
  if (!asserted(Oracle::kS2, any_rules, *world_)) return;
  verdict_->report(Oracle::kS2,
                   "the session of " + who(*visit.session, visit.user) +
                       " has ended on the server, although its client may still rely on it",
                   world_->steps());
}

std::vector<SharedResource::Visit>::iterator SharedResource::visit_of(const Session& session,
                                                                      std::uint32_t user) {
  return std::ranges::find_if(
      inside_, [&](const Visit& visit) { return visit.session == &session && visit.user == user; });
}

void SharedResource::rely(const Session& session, TimePoint until, std::uint32_t user) {
  record_memory_write();
  const auto visit = visit_of(session, user);
  if (visit == inside_.end()) return;
  // Until now, the earlier promise holds.
  judge_reliance(*visit);
  visit->relies_until = until;
  judge_reliance(*visit);
}

void SharedResource::leave(const Session& session, std::uint32_t user) {
  record_memory_write();
  const auto inside = visit_of(session, user);
  if (inside == inside_.end()) return;
  note(session, "leaves", user);
  judge_reliance(*inside);
  inside_.erase(inside);
}

void SharedResource::crashed(const Executor& executor) {
  record_memory_write();
  std::erase_if(inside_, [&](const Visit& visit) { return visit.executor == &executor; });
}

void SharedResource::write(Zxid token) {
  record_memory_write();
  if (world_->traced()) note("written with token " + std::to_string(token));
  if (token < newest_) {
    verdict_->report(
        "user:stale-write",
        "token " + std::to_string(token) + " was written after token " + std::to_string(newest_),
        world_->steps());
  }
  if (token <= newest_) return;
  newest_ = token;
  newest_writer_ = 0;  // The writer is unknown.
}

bool SharedResource::write_fenced(const Session& writer, Zxid token) {
  record_memory_write();
  if (token == newest_ && newest_writer_ != 0 && newest_writer_ != writer.id()) {
    verdict_->report(Oracle::kMisuse,
                     "two sessions have written with the fencing token " + std::to_string(token) +
                         ", but every grant has its own token",
                     world_->steps());
  }
  const bool accepted = token >= newest_;
  if (world_->traced()) {
    note(writer, (accepted ? "writes with token " : "is refused to write with token ") +
                     std::to_string(token));
  }
  if (accepted) {
    newest_ = token;
    newest_writer_ = writer.id();
    return true;
  }
  if (world_->server().session_alive(writer.id()) && !by_operator()) {
    verdict_->report("user:fenced-out",
                     "token " + std::to_string(token) + " is refused after token " +
                         std::to_string(newest_) + ", although its holder's session lives",
                     world_->steps());
  }
  return false;
}

std::uint32_t SharedResource::stock() {
  record_memory_write();
  return stock_;
}

void SharedResource::sell() {
  record_memory_write();
  if (stock_ == 0) {
    return verdict_->report("user:oversold", "the last one was sold twice", world_->steps());
  }
  --stock_;
  if (world_->traced()) note("one is sold, left: " + std::to_string(stock_));
}

void SharedResource::released() {
  record_memory_write();
  woken_ = 0;
}

void SharedResource::woken() {
  record_memory_write();
  if (world_->recorder()) return;
  const LockRules any_rules = {};
  const bool is_judged = asserted(Oracle::kL3, any_rules, *world_);
  if (is_judged) judged_.count(Oracle::kL3);
  if (++woken_ < 2 || !is_judged) return;
  verdict_->report(Oracle::kL3, "one release has woken " + std::to_string(woken_) + " waiters",
                   world_->steps());
}

// The process that runs the session, or one of its users.
std::string SharedResource::who(const Session& session, std::uint32_t user) const {
  const auto* const process = dynamic_cast<const fakezk::Process*>(&session.executor());
  if (!process) return session_name(session.id());
  return search::user_name(world_->process_name(process->index()), user);
}

void SharedResource::tell(const Session& session, std::string_view text, std::uint32_t user) const {
  const auto* const process = dynamic_cast<const fakezk::Process*>(&session.executor());
  if (process) world_->note(process->index(), text, user);
}

// The writer is unknown.
void SharedResource::note(std::string_view text) const {
  world_->note(search::Chronicle::kNoProcess, text);
}

// The judge's memory of one process's visit decides how it judges the next one.
void SharedResource::record_memory_write() {
  if (fakezk::FootprintRecorder* const recorder = world_->recorder()) {
    recorder->writes(fakezk::ObjectKind::kOracle);
  }
}

}  // namespace lockstep::judge
