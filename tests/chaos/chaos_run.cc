#include "chaos/chaos_run.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "chaos/queues.h"

namespace lockstep::chaos {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kWorkers = static_cast<int>(kLockKinds.size());
// The limit of a heap's growth from its second rest on: sessions come and go meanwhile.
constexpr std::int64_t kMostGrowth = 512 << 10;
constexpr std::int64_t kMostNewDescriptors = 8;
constexpr std::size_t kMostShown = 3;
constexpr std::size_t kMostLines = 120;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kShownAfter = kSecond / 20;

// A process and one of its workers.
std::string text_of(const std::pair<int, int>& worker) {
  return std::to_string(worker.first) + "." + std::to_string(worker.second) + " (" +
         std::string(name_of(lock_of_worker(worker.second))) + ")";
}

}  // namespace

ChaosRun::ChaosRun(Servers& servers, const Plan& plan) : servers_(servers), plan_(plan) {
  static std::atomic<int> runs = 0;
  root_ = "/chaos-" + std::to_string(++runs);
  create_root(servers_.ports(), root_);
  for (int i = 0; i < plan_.processes; ++i) {
    Site& site = sites_.emplace_back();
    site.number = i;
    site.session_timeout =
        plan_.session_timeouts[static_cast<std::size_t>(i) % plan_.session_timeouts.size()];
    for (const std::uint16_t port : servers_.ports()) site.ways.emplace_back(port);
    start(site);
  }
  faults_ = std::make_unique<Faults>(plan_.seed, servers_, sites_, collector_, [this](Site& site) {
    ++site.life;
    start(site);
  });
}

ChaosRun::~ChaosRun() = default;

std::vector<std::string> ChaosRun::arguments_of(const Site& site) const {
  std::string servers;
  for (const support::TcpProxy& way : site.ways) {
    servers += (servers.empty() ? "" : ",") + way.address();
  }
  const bool threads = site.number % 2 == 1;
  const int sessions = threads || site.number > 0 ? 1 : 2;
  const std::uint64_t seed = plan_.seed * 100 + static_cast<std::uint64_t>(site.number) * 10 +
                             static_cast<std::uint64_t>(site.life);
  return {threads ? "threads" : "coroutines",
          servers,
          root_,
          std::to_string(site.session_timeout.count()),
          std::to_string(seed),
          std::to_string(sessions),
          std::to_string(kWorkers),
          std::string(kFlawNames[static_cast<std::size_t>(plan_.flaw)])};
}

void ChaosRun::start(Site& site) {
  const std::string name = std::to_string(site.number) + "-" + std::to_string(site.life);
  errors_.push_back(directory_.path() / ("errors-" + name));
  site.process = std::make_unique<ContenderProcess>(
      arguments_of(site), collector_.connect(site.number, site.life), errors_.back());
}

void ChaosRun::violated(std::string check, std::string what) {
  violations_.push_back({std::move(check), "", std::move(what), monotonic_now()});
}

void ChaosRun::command(Command command) {
  for (const Site& site : sites_) site.process->command(command);
}

void ChaosRun::run() {
  bool good = one_round(milliseconds(0));  // Shows the memory at the beginning.
  for (int round = 0; good && round < plan_.rounds && plan_.chaos > milliseconds(0); ++round) {
    command(Command::kResume);
    good = one_round(plan_.chaos);
  }
  if (good && plan_.again_without_faults) {
    command(Command::kResume);
    good = one_round(milliseconds(0));
  }
  if (good) finish();
  check_errors();
}

bool ChaosRun::one_round(milliseconds chaos) {
  if (chaos > milliseconds(0)) {
    faults_->strike(chaos);
    faults_->heal();
  }
  const bool rested = wait_until_served() && wait_until_at_rest(Command::kPause);
  if (rested) check_orphans();
  if (rested) check_ends();
  events_ = collector_.take_events();
  for (const Violation& violation : collector_.violations()) violations_.push_back(violation);
  if (rested) judge();
  return violations_.empty();
}

// Waits in slices, so that it notices a process that has died.
bool ChaosRun::wait(const std::function<bool(const std::vector<Event>&)>& done,
                    milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (collector_.wait(done, milliseconds(200))) return true;
    for (Site& site : sites_) {
      if (const auto ended = site.process->ended()) {
        violated("process", "process " + std::to_string(site.number) + " has ended: " + *ended);
        return false;
      }
    }
  }
  return false;
}

bool ChaosRun::wait_until_served() {
  std::set<std::pair<int, int>> waiting;
  for (const Site& site : sites_) {
    const int workers = site.number == 0 ? 2 * kWorkers : kWorkers;
    for (int worker = 0; worker < workers; ++worker) waiting.insert({site.number, worker});
  }
  std::size_t seen = collector_.count();
  if (violations_.empty() && first_rest_.empty()) seen = 0;
  const std::int64_t start = monotonic_now();
  const bool served = wait(
      [&](const std::vector<Event>& events) {
        for (; seen < events.size(); ++seen) {
          if (events[seen].kind != Kind::kServed) continue;
          if (waiting.erase({events[seen].process, events[seen].worker}) == 0) continue;
          std::chrono::nanoseconds& slowest = slowest_[lock_of_worker(events[seen].worker)];
          slowest = std::max(slowest, std::chrono::nanoseconds(events[seen].at - start));
        }
        return waiting.empty();
      },
      plan_.patience);
  if (served) return true;
  std::string who;
  for (const auto& worker : waiting) who += " " + text_of(worker);
  violated("served", "never served again:" + who + busy_workers() + histories());
  return false;
}

bool ChaosRun::wait_until_at_rest(Command how) {
  std::size_t seen = collector_.count();
  std::set<int> waiting;
  for (const Site& site : sites_) waiting.insert(site.number);
  command(how);
  std::vector<Event> rests;
  const bool rested = wait(
      [&](const std::vector<Event>& events) {
        for (; seen < events.size(); ++seen) {
          if (events[seen].kind != Kind::kPaused) continue;
          if (waiting.erase(events[seen].process) == 1) rests.push_back(events[seen]);
        }
        return waiting.empty();
      },
      plan_.patience);
  ++rests_;
  check_rest(rests);
  if (rested) return true;
  std::string who;
  for (const int process : waiting) who += " " + std::to_string(process);
  violated("rest", "processes that do not come to rest:" + who + busy_workers() + histories());
  return false;
}

// Describes what the workers do that do not come to rest.
std::string ChaosRun::busy_workers() {
  const std::size_t seen = collector_.count();
  command(Command::kTell);
  static_cast<void>(collector_.wait([](const auto&) { return false; }, seconds(1)));
  const std::vector<Event> events = collector_.events();
  std::string text;
  for (std::size_t i = seen; i < events.size(); ++i) {
    if (events[i].kind != Kind::kDoes) continue;
    text += "\n    " + std::to_string(events[i].process) + "." + std::to_string(events[i].worker) +
            " (" + std::string(name_of(lock_of_worker(events[i].worker))) + "): " + events[i].lock;
  }
  return text;
}

// Lists the queues' znodes with all that is known of them.
std::string ChaosRun::histories() {
  const std::vector<Event> events = collector_.events();
  std::string text;
  for (const std::string& znode : znodes_in_queues(servers_.ports(), root_)) {
    text += "\n    " + znode;
    std::int64_t token = 0;
    for (const Event& event : events) {
      if (event.znode == znode && event.token != 0) token = event.token;
      const bool used = token != 0 && event.token == token && znode.starts_with(event.lock);
      if (event.znode != znode && !(used && event.kind != Kind::kWrite)) continue;
      text += "\n      " + std::to_string(event.process) + ": " + text_of(event);
    }
  }
  return text;
}

void ChaosRun::check_rest(const std::vector<Event>& rests) {
  for (const Event& rest : rests) {
    if (rest.token != 0) {
      violated("completions", "process " + std::to_string(rest.process) + ": " +
                                  std::to_string(rest.token) + " acquires never ended");
    }
    check_memory(rest);
  }
}

void ChaosRun::check_memory(const Event& rest) {
  const auto [first, is_first] = first_rest_.try_emplace({rest.process, rest.life}, rest);
  if (is_first) return;
  const std::string who = "process " + std::to_string(rest.process);
  const std::int64_t grown = rest.detail - first->second.detail;
  const std::int64_t descriptors = rest.created - first->second.created;
  grown_ = std::max(grown_, grown);
  if (grown > kMostGrowth) {
    violated("memory", who + " has grown by " + std::to_string(grown) + " bytes from " +
                           std::to_string(first->second.detail));
  }
  if (descriptors > kMostNewDescriptors) {
    violated("memory", who + " has " + std::to_string(descriptors) + " more descriptors than the " +
                           std::to_string(first->second.created) + " it began with");
  }
}

// Checks while the sessions of resting processes live, after those of killed ones have ended.
void ChaosRun::check_orphans() {
  const auto deadline = std::chrono::steady_clock::now() + plan_.patience_at_rest;
  std::vector<std::string> left;
  do {
    left = znodes_in_queues(servers_.ports(), root_);
    if (left.empty()) return;
    poll(nullptr, 0, 50);
  } while (std::chrono::steady_clock::now() < deadline);
  std::string names;
  for (const std::string& znode : left) names += " " + znode;
  violated("orphans", "no client holds or waits for:" + names);
}

void ChaosRun::check_ends() {
  std::vector<Event> open;
  const bool ended = wait(
      [&](const std::vector<Event>& events) {
        open = grants_without_end(events);
        return open.empty();
      },
      plan_.patience_at_rest);
  if (ended) return;
  for (const Event& grant : open) {
    violations_.push_back({"notices", grant.lock,
                           "process " + std::to_string(grant.process) + " holds nothing, but of " +
                               grant.znode + " it has not said how it ended",
                           grant.at});
  }
}

void ChaosRun::finish() {
  if (!wait_until_at_rest(Command::kQuit)) return;
  const auto deadline = std::chrono::steady_clock::now() + plan_.patience;
  for (Site& site : sites_) {
    std::optional<std::string> ended;
    while (!ended && std::chrono::steady_clock::now() < deadline) {
      ended = site.process->ended();
      if (!ended) poll(nullptr, 0, 5);
    }
    if (ended == "status 0") continue;
    violated("process", "process " + std::to_string(site.number) +
                            " should exit: " + ended.value_or("it does not"));
  }
}

void ChaosRun::check_errors() {
  for (const std::filesystem::path& file : errors_) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    if (text.str().empty()) continue;
    violated("stderr", file.filename().string() + ":\n" + text.str());
  }
}

void ChaosRun::judge() {
  const std::vector<Transaction> transactions = servers_.committed(root_);
  judge_server_order(events_, transactions, violations_, judged_);
  judge_client_order(events_, violations_, judged_);
  judge_notices(events_, violations_, judged_);
}

std::set<std::string> ChaosRun::failed_checks() const {
  std::set<std::string> checks;
  for (const Violation& violation : violations_) checks.insert(violation.check);
  return checks;
}

// The faults of the last seconds before the violation, and the events of its lock until shortly
// after.
std::string ChaosRun::around(const Violation& violation) const {
  std::vector<std::string> lines;
  for (const Event& event : events_) {
    const std::int64_t before = violation.at - event.at;
    const bool fault = event.kind == Kind::kFault || event.kind == Kind::kKilled;
    if (before < -kShownAfter || before > (fault ? 8 : 2) * kSecond) continue;
    if (!fault && event.kind != Kind::kStalled && event.lock != violation.lock) continue;
    lines.push_back("    " + std::to_string(-before / 1000) + " us, process " +
                    std::to_string(event.process) + ": " + text_of(event) + "\n");
  }
  if (violation.lock.empty() && lines.empty()) {
    for (const Event& event : events_)
      lines.push_back("    " + std::to_string(event.process) + ": " + text_of(event) + "\n");
  }
  std::string text;
  const std::size_t skipped = lines.size() > kMostLines ? lines.size() - kMostLines : 0;
  for (std::size_t i = skipped; i < lines.size(); ++i) text += lines[i];
  return text;
}

std::string ChaosRun::report() const {
  std::string text = "chaos: seed " + std::to_string(plan_.seed) + ", " +
                     std::to_string(violations_.size()) + " violations of:";
  for (const std::string& check : failed_checks()) text += " " + check;
  std::size_t shown = 0;
  for (const Violation& violation : violations_) {
    if (++shown > kMostShown) break;
    text += "\n  " + violation.check + " " + violation.lock + ": " + violation.what + "\n" +
            around(violation);
  }
  if (!violations_.empty() && plan_.chaos > milliseconds(0)) text += servers_.logs();
  return text;
}

std::string ChaosRun::figures() const {
  std::ostringstream text;
  text << "chaos: seed " << plan_.seed << ", " << faults_->struck() << " faults, " << judged_.grants
       << " grants judged, " << judged_.intervals << " uses, " << judged_.losses << " losses, "
       << judged_.excused << " overlaps excused by a process that did not run, " << rests_
       << " rests, heap +" << grown_ << " bytes at most, all served again within";
  for (const auto& [kind, time] : slowest_) {
    text << " " << std::chrono::duration_cast<milliseconds>(time).count() << " ms ("
         << name_of(kind) << ")";
  }
  return text.str();
}

}  // namespace lockstep::chaos
