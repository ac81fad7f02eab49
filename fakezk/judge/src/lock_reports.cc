// Reports of a lock's judges: a broken guarantee and, in a trace, the observed events.
#include <algorithm>
#include <utility>

#include "lockstep/judge/assertions.h"
#include "lockstep/judge/lock_oracles.h"
#include "session_name.h"

namespace lockstep::judge {

using search::Oracle;

void LockOracles::violated(std::string_view oracle, std::string message) {
  if (!verdict_) return;
  if (const auto known = search::oracle_called(oracle)) return report(*known, std::move(message));
  verdict_->report(oracle, std::move(message), world_->steps());
}

void LockOracles::report(Oracle oracle, std::string message) {
  if (!verdict_ || !asserted(oracle, rules_, *world_)) return;
  verdict_->report(oracle, std::move(message), world_->steps());
}

void LockOracles::report(Oracle oracle, const GrantRecord& grant, std::string_view what) {
  report(oracle, grant.znode.string() + ' ' + std::string(what));
}

void LockOracles::count(Oracle oracle, std::uint64_t facts) {
  if (asserted(oracle, rules_, *world_)) judged_.count(oracle, facts);
}

void LockOracles::count_grant(const GrantRecord& grant) {
  count(Oracle::kS1);
  if (grant.evidence <= world_->server().last_zxid()) return;
  report(
      Oracle::kMisuse, grant,
      "was granted on future evidence: " + std::to_string(grant.evidence) + " is not a zxid yet");
}

void LockOracles::report_released_again(const Path& znode, ReleaseOutcome first,
                                        ReleaseOutcome second) {
  report(Oracle::kR2, znode.string() + " was released as '" + std::string(name(first)) +
                          "' and, when asked again, as '" + std::string(name(second)) + "'");
}

void LockOracles::report_places(SessionId session, std::uint32_t places, const Path& znode) {
  report(Oracle::kLivelock, "one acquire of " + who(session) + " has taken " +
                                std::to_string(places) + " places in the queue, " + znode.string() +
                                " the last");
}

void LockOracles::report_late(SessionId session, Duration late) {
  const auto late_ms = std::chrono::duration_cast<std::chrono::milliseconds>(late).count();
  report(Oracle::kL4, "an acquire of " + who(session) + " resolved " + std::to_string(late_ms) +
                          " ms after its deadline");
}

void LockOracles::report_early(SessionId session, Duration early) {
  const auto early_ms = std::chrono::duration_cast<std::chrono::milliseconds>(early).count();
  report(Oracle::kL4, "an acquire of " + who(session) + " has timed out " +
                          std::to_string(early_ms) + " ms before its deadline");
}

void LockOracles::report_unresolved(SessionId session) {
  report(Oracle::kMisuse, "an acquire of " + who(session) +
                              " was reported by acquiring() and never by resolved(), although its"
                              " contender has finished");
}

void LockOracles::report_never_created(const GrantRecord& grant) {
  report(Oracle::kS1, grant.znode.string() + " was granted, but was never created as zxid " +
                          std::to_string(grant.created));
}

void LockOracles::report_evidence(const GrantRecord& grant) {
  report(Oracle::kS1, grant.znode.string() + " did not exist at zxid " +
                          std::to_string(grant.evidence) + ", on which its grant rests");
}

void LockOracles::report_continued(const GrantRecord& grant) {
  report(Oracle::kS1, grant.znode.string() + " continues the grant of " + grant.continues.string() +
                          ", which had gone by zxid " + std::to_string(grant.evidence));
}

void LockOracles::report_not_deleted(const GrantRecord& grant) {
  report(Oracle::kS1, grant.znode.string() + " was granted by the deletion of " +
                          grant.after.string() + ", which is still there");
}

void LockOracles::report_in_front(const GrantRecord& grant, const Life& other) {
  const std::string since = other.deleted == 0
                                ? "is still there"
                                : "was deleted at zxid " + std::to_string(other.deleted);
  report(Oracle::kS1, grant.znode.string() + " was granted while " +
                          std::string(text(other.znode)) + " of " + who(other.owner) +
                          " was in front of it: the grant rests on the queue as of zxid " +
                          std::to_string(grant.evidence) + ", and the znode in front " + since);
}

void LockOracles::report_leases(const GrantRecord& grant, std::uint32_t leases) {
  report(Oracle::kS1, grant.znode.string() + " was granted as one of " + std::to_string(leases) +
                          " leases, but only " + std::to_string(rules_.capacity) + " may exist");
}

void LockOracles::report_overlap(const GrantRecord& grant, const Grant& earlier) {
  report(Oracle::kS1, std::string(text(earlier.znode)) + " and " + grant.znode.string() +
                          " were granted at the same time");
}

void LockOracles::report_untold(const Grant& dead, const Life& life, const Path& now_granted) {
  report(Oracle::kS2, now_granted.string() + " is granted while " + who(life.owner) +
                          " still holds " + std::string(text(dead.znode)) +
                          ": it was not told of the loss, although its session has ended");
}

void LockOracles::report_order(Zxid first, Zxid second, Share later) {
  if (later == Share::kExclusive) {
    report(Oracle::kS3,
           "token " + std::to_string(second) + " was granted after token " + std::to_string(first));
  }
  report(Oracle::kL2, "the contender created as zxid " + std::to_string(second) +
                          " was granted after the one created as zxid " + std::to_string(first));
}

void LockOracles::report_theft(const fakezk::Change& change) {
  report(Oracle::kS4, std::string(text(change.path)) + " was deleted by " + who(change.actor) +
                          ", in a session that does not own it");
}

void LockOracles::tell_place(SessionId session, const Path& znode) {
  note(session, "has its place " + znode.string());
}

void LockOracles::tell_granted(const GrantRecord& grant) {
  tell_grant(grant, &fakezk::World::grant_begins);
  note(grant.session, "HOLDS " + grant.znode.string() + ", token " + std::to_string(grant.token));
}

void LockOracles::tell_handed_on(const GrantRecord& grant, std::uint32_t holder) {
  note(grant.session,
       "hands " + grant.znode.string() + " on, to its holder no. " + std::to_string(holder));
}

void LockOracles::tell_lost(const GrantRecord& grant, Error cause) {
  tell_grant(grant, &fakezk::World::grant_ends);
  note(grant.session, "LOST " + grant.znode.string() + ": " + std::string(name(cause)));
}

void LockOracles::tell_released(const GrantRecord& grant, ReleaseOutcome outcome) {
  tell_grant(grant, &fakezk::World::grant_ends);
  note(grant.session, "release: " + std::string(name(outcome)));
}

void LockOracles::tell_grant(const GrantRecord& grant,
                             void (fakezk::World::*what)(std::uint32_t, const Path&)) {
  if (const auto process = process_of(grant.session)) (world_->*what)(*process, grant.znode);
}

void LockOracles::note(SessionId session, std::string_view text) {
  if (const auto process = process_of(session)) world_->note(*process, text);
}

std::string LockOracles::who(SessionId session) const {
  const auto process = process_of(session);
  return process ? world_->process_name(*process) : session_name(session);
}

std::optional<std::uint32_t> LockOracles::process_of(SessionId session) const {
  const auto known =
      std::ranges::find(process_of_, session, &std::pair<SessionId, std::uint32_t>::first);
  if (known == process_of_.end()) return std::nullopt;
  return known->second;
}

}  // namespace lockstep::judge
