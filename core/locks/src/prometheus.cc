#include "lockstep/prometheus.h"

#include "lockstep/executor.h"
#include "lockstep/session.h"

namespace lockstep {

namespace {

std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text;
}

std::string label(std::string_view name, std::string_view value) {
  return std::string(name) + "=\"" + escaped(value) + '"';
}

// Exact decimal digits: a binary fraction would print noise.
std::string seconds(std::int64_t count, std::int64_t per_second) {
  std::string fraction = std::to_string(per_second + count % per_second).substr(1);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  std::string text = std::to_string(count / per_second);
  if (!fraction.empty()) text += "." + fraction;
  return text;
}

}  // namespace

// Builds the exposition: all samples of one metric follow its header.
class PrometheusMetrics::Text {
 public:
  explicit Text(const std::map<std::string, Figures>& locks) : locks_(locks) {}

  void header(std::string_view metric, std::string_view type, std::string_view help) {
    metric_ = "lockstep_" + std::string(metric);
    text_ += "# HELP " + metric_ + " " + std::string(help) + "\n";
    text_ += "# TYPE " + metric_ + " " + std::string(type) + "\n";
  }
  void sample(std::string_view suffix, const std::string& labels, const std::string& value) {
    text_ += metric_ + std::string(suffix);
    if (!labels.empty()) text_ += "{" + labels + "}";
    text_ += " " + value + "\n";
  }
  void sample(const std::string& labels, std::uint64_t value) {
    sample("", labels, std::to_string(value));
  }

  template <class Number>
  void per_lock(std::string_view metric, std::string_view type, std::string_view help,
                Number Figures::* number) {
    header(metric, type, help);
    for (const auto& [lock, figures] : locks_) {
      sample("", label("lock", lock), std::to_string(figures.*number));
    }
  }
  void per_lock(std::string_view metric, std::string_view help, Counts Figures::* counts,
                std::string_view by) {
    header(metric, "counter", help);
    for (const auto& [lock, figures] : locks_) {
      for (const auto& [word, count] : figures.*counts) {
        sample(label("lock", lock) + "," + label(by, word), count);
      }
    }
  }
  void per_lock(std::string_view metric, std::string_view help, Histogram Figures::* histogram) {
    header(metric, "histogram", help);
    for (const auto& [lock, figures] : locks_) samples(label("lock", lock), figures.*histogram);
  }
  void counts(const Counts& counts, std::string_view by, const std::string& also = {}) {
    for (const auto& [word, count] : counts) sample(also + label(by, word), count);
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void samples(const std::string& lock, const Histogram& histogram) {
    for (std::size_t i = 0; i < kBucketsMs.size(); ++i) {
      const std::string bound = label("le", seconds(kBucketsMs[i], 1000));
      sample("_bucket", lock + "," + bound, std::to_string(histogram.at_most[i]));
    }
    const std::string all = std::to_string(histogram.at_most.back());
    sample("_bucket", lock + ",le=\"+Inf\"", all);
    sample("_sum", lock, seconds(histogram.sum.count(), Duration::period::den));
    sample("_count", lock, all);
  }

  const std::map<std::string, Figures>& locks_;
  std::string metric_;
  std::string text_;
};

void PrometheusMetrics::Histogram::add(Duration value) {
  for (std::size_t i = 0; i < kBucketsMs.size(); ++i) {
    if (value <= std::chrono::milliseconds(kBucketsMs[i])) ++at_most[i];
  }
  ++at_most.back();
  sum += value;
}

void PrometheusMetrics::Figures::wait_no_more(std::int64_t contenders) {
  waiting -= contenders;
  if (waiting == 0) ahead = 0;
}

std::string PrometheusMetrics::text() const {
  using F = Figures;
  Text text(locks_);
  text.per_lock("places_reserved_total", "counter", "Znodes created in a queue.", &F::places);
  text.per_lock("grants_total", "Locks granted.", &F::grants, "share");
  text.per_lock("acquires_failed_total", "Acquires without a grant.", &F::failures, "error");
  text.per_lock("losses_total", "Grants that ended without release.", &F::losses, "cause");
  text.per_lock("suspicions_total", "counter", "Grants that became doubtful.", &F::suspicions);
  text.per_lock("recoveries_total", "counter", "Grants that were held again.", &F::recoveries);
  text.per_lock("releases_total", "Grants given back.", &F::releases, "outcome");
  text.per_lock("handovers_total", "counter", "Grants that went on inside their session.",
                &F::handovers);
  text.per_lock("rejoins_total", "counter", "Acquires repeated on a new session.", &F::rejoins);
  text.per_lock("revocations_asked_total", "counter", "Requests to give up.", &F::revocations);
  text.per_lock("foreign_children_total", "counter", "Children seen that are no contenders.",
                &F::foreign_children);
  text.per_lock("last_numbers_total", "counter", "Znodes with one of the last sequence numbers.",
                &F::last_numbers);
  text.per_lock("acquires_in_flight", "gauge", "Acquires that have not ended.", &F::in_flight);
  text.per_lock("waiting", "gauge", "Contenders in the queue without a grant.", &F::waiting);
  text.per_lock("held", "gauge", "Grants held.", &F::held);
  text.per_lock("ahead", "gauge", "Contenders ahead, as last seen.", &F::ahead);
  text.per_lock("wait_seconds", "From the place in the queue to the grant.", &F::waits);
  text.per_lock("hold_seconds", "From the grant to its end.", &F::holds);
  text.header("requests_total", "counter", "Requests made, sent or refused by the client.");
  text.counts(requests_, "op");
  text.header("request_errors_total", "counter", "Requests answered with an error.");
  for (const auto& [op, errors] : errors_) text.counts(errors, "error", label("op", op) + ",");
  text.header("ambiguous_creates_total", "counter", "Creates whose outcome is unknown.");
  text.sample("", ambiguous_creates_);
  text.header("orphan_deletes_total", "counter", "Znodes deleted in the background.");
  text.sample("", orphan_deletes_);
  text.header("orphans_left_total", "counter",
              "Znodes that could not be deleted in the background.");
  text.counts(orphans_left_, "error");
  text.header("session_states_total", "counter", "Changes of a session's state.");
  text.counts(states_, "state");
  return text.take();
}

void PrometheusMetrics::part_of(const Path& part, const Path& lock, LockPart kind) {
  Part& known = parts_[part.string()];
  known.lock = lock.string();
  known.kind = kind;
}

const PrometheusMetrics::Part* PrometheusMetrics::part(const Path& path) const {
  const auto found = parts_.find(path.string());
  return found == parts_.end() ? nullptr : &found->second;
}

bool PrometheusMetrics::is_turn(const Path& lock) const {
  const Part* const found = part(lock);
  return found && found->kind == LockPart::kTurns;
}

PrometheusMetrics::Figures& PrometheusMetrics::of(const Path& lock) {
  const Part* const found = part(lock);
  return locks_[found ? found->lock : lock.string()];
}

PrometheusMetrics::Figures& PrometheusMetrics::of(const GrantRecord& grant) {
  return part(grant.znode) ? of(grant.znode) : of(grant.lock);
}

PrometheusMetrics::Figures& PrometheusMetrics::of_contender(const Path& znode) {
  return part(znode) ? of(znode) : of(znode.parent());
}

std::optional<PrometheusMetrics::Ended> PrometheusMetrics::ended(Since& since, const Known& known) {
  const auto found = since.find(known);
  if (found == since.end()) return std::nullopt;
  Ended ended;
  if (found->second) ended.lasted = executor_->now() - *found->second;
  since.erase(found);
  return ended;
}

std::optional<PrometheusMetrics::Ended> PrometheusMetrics::wait_ended(SessionId session,
                                                                      const Path& znode) {
  return ended(waiting_since_, Known(session, znode, 0));
}

void PrometheusMetrics::began(Since& since, const Known& known) {
  std::optional<TimePoint> now;
  if (executor_) now = executor_->now();
  since[known] = now;
}

// The acquire of a turn is part of an acquire that is reported separately.
void PrometheusMetrics::acquire_begins(SessionId, const Path& lock) {
  if (!is_turn(lock)) ++of(lock).in_flight;
}
void PrometheusMetrics::acquire_ends(SessionId, const Path& lock) {
  if (is_turn(lock)) return;
  Figures& figures = of(lock);
  --figures.in_flight;
  // An UnfairMutex that gives up has had no place, whose end would say so.
  if (figures.in_flight == 0) figures.wait_no_more(0);
}

void PrometheusMetrics::place_reserved(SessionId session, const Path& lock, const Path& znode) {
  Figures& figures = of(lock);
  ++figures.places;
  ++figures.waiting;
  began(waiting_since_, Known(session, znode, 0));
}

void PrometheusMetrics::place_given_up(SessionId session, const Path& znode) {
  if (wait_ended(session, znode)) of_contender(znode).wait_no_more(1);
}

void PrometheusMetrics::waiting(SessionId, const Path& znode, std::size_t ahead) {
  of_contender(znode).ahead = ahead;
}

void PrometheusMetrics::foreign_child(const Path& lock, std::string_view) {
  ++of(lock).foreign_children;
}

void PrometheusMetrics::numbers_run_out(const Path& lock, std::int32_t) { ++of(lock).last_numbers; }

std::optional<PrometheusMetrics::Ended> PrometheusMetrics::waited_for(const GrantRecord& grant) {
  const Part* const lies_in = part(grant.lock);
  if (!lies_in) return wait_ended(grant.session, grant.znode);
  const auto turn = turns_.extract({grant.session, lies_in->lock});
  if (turn.empty()) return std::nullopt;
  return wait_ended(grant.session, turn.mapped());
}

// A turn does not end the wait.
void PrometheusMetrics::granted(const GrantRecord& grant) {
  if (is_turn(grant.lock)) {
    turns_.insert_or_assign({grant.session, part(grant.lock)->lock}, grant.znode);
    return;
  }
  Figures& figures = of(grant);
  ++figures.grants[grant.share == Share::kShared ? "shared" : "exclusive"];
  ++figures.held;
  const std::optional<Ended> waited = waited_for(grant);
  figures.wait_no_more(waited ? 1 : 0);
  if (waited && waited->lasted) figures.waits.add(*waited->lasted);
  began(held_since_, Known(grant.session, grant.znode, grant.created));
}

// If the place is still there, the turn ended without a lease.
void PrometheusMetrics::turn_ended(const GrantRecord& grant) {
  if (!wait_ended(grant.session, grant.znode)) return;
  of(grant.lock).wait_no_more(1);
  // The next contender of this session may have its turn already.
  const auto turn = turns_.find({grant.session, part(grant.lock)->lock});
  if (turn != turns_.end() && turn->second == grant.znode) turns_.erase(turn);
}

void PrometheusMetrics::gave_up(SessionId, const Path& lock, Error error) {
  if (!is_turn(lock)) ++of(lock).failures[name(error)];
}

void PrometheusMetrics::rejoining(const Path& lock) { ++of(lock).rejoins; }

void PrometheusMetrics::handed_on(const GrantRecord& grant, std::uint32_t) {
  ++of(grant.lock).handovers;
}

void PrometheusMetrics::revocation_asked(const GrantRecord& grant) { ++of(grant).revocations; }

void PrometheusMetrics::suspected(const GrantRecord& grant) { ++of(grant).suspicions; }
void PrometheusMetrics::held_again(const GrantRecord& grant) { ++of(grant).recoveries; }

void PrometheusMetrics::lost(const GrantRecord& grant, Error cause) {
  if (is_turn(grant.lock)) return turn_ended(grant);
  ++of(grant).losses[name(cause)];
  grant_ended(grant);
}

void PrometheusMetrics::released(const GrantRecord& grant, ReleaseOutcome outcome) {
  if (is_turn(grant.lock)) return turn_ended(grant);
  ++of(grant).releases[name(outcome)];
  grant_ended(grant);
}

void PrometheusMetrics::dropped(const GrantRecord& grant) {
  if (is_turn(grant.lock)) return turn_ended(grant);
  ++of(grant).releases["dropped"];
  grant_ended(grant);
}

// A grant can be lost and then released: it ends once.
void PrometheusMetrics::grant_ended(const GrantRecord& grant) {
  const Known known(grant.session, grant.znode, grant.created);
  const std::optional<Ended> hold = ended(held_since_, known);
  if (!hold) return;
  --of(grant).held;
  if (hold->lasted) of(grant).holds.add(*hold->lasted);
}

void PrometheusMetrics::requested(OpCode op) { ++requests_[name(op)]; }

void PrometheusMetrics::answered(OpCode op, std::optional<Error> error) {
  if (!error) return;
  ++errors_[name(op)][name(*error)];
  if (op == OpCode::kCreate && outcome_unknown(*error)) ++ambiguous_creates_;
}

void PrometheusMetrics::cleaning_up(const Path&) { ++orphan_deletes_; }

void PrometheusMetrics::not_cleaned_up(const Path&, Error error) { ++orphans_left_[name(error)]; }

void PrometheusMetrics::state_changed(const Session& session, SessionState state) {
  executor_ = &session.executor();
  ++states_[name(state)];
}

}  // namespace lockstep
