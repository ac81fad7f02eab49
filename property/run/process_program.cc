#include "process_program.h"

#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "exit_functions.h"
#include "lockstep/fakezk/world.h"
#include "lockstep/internal/check.h"
#include "lockstep/sequence.h"

namespace lockstep::run {

namespace {

constexpr std::string_view kCopy = "{client}";

// The number that the server appends to a sequential znode's name.
std::optional<std::int32_t> number_of(std::string_view name) {
  constexpr std::size_t kDigits = 10;
  if (name.size() < kDigits) return std::nullopt;
  const std::string_view digits = name.substr(name.size() - kDigits);
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc() || end != digits.end()) return std::nullopt;
  return number;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = 0; (at = name.find(word, at)) != name.npos; ++at) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_letter(name[at - 1]);
    if (begins && (end == name.size() || !is_letter(name[end]))) return true;
  }
  return false;
}

// Judges by the usual names of such znodes (Curator's and kazoo's among them): a reader does not
// wait for readers.
bool is_shared(std::string_view name) {
  constexpr std::array<std::string_view, 6> kWords = {"read",     "READ",  "readlock",
                                                      "readLock", "rlock", "shared"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return has_word(name, word); });
}

std::string with_number(std::string argument, std::uint32_t copy) {
  for (std::size_t at; (at = argument.find(kCopy)) != argument.npos;) {
    argument.replace(at, kCopy.size(), std::to_string(copy + 1));
  }
  return argument;
}

}  // namespace

ProcessProgram::ProcessProgram(Target target, program::TargetSettings settings)
    : ThreadsProgram(threads::ThreadOwners::kFirstOnes, false),
      target_(std::move(target)),
      settings_(std::move(settings)) {}

fakezk::ServerOptions ProcessProgram::servers() const {
  return {.container_check_interval = Duration::zero()};
}

std::string ProcessProgram::process_name(std::uint32_t process) const {
  std::string name(1, static_cast<char>('A' + process % 26));
  if (process >= 26) name += std::to_string(process / 26);
  return name;
}

void ProcessProgram::prepare(fakezk::World& world, search::Verdict& verdict) {
  world_ = &world;
  verdict_ = &verdict;
  removals_ = 0;
  sessions_ = 0;
  if (!settings_.lock_path.empty()) {
    std::string path;
    for (const std::string_view rest(settings_.lock_path); path.size() < rest.size();) {
      path = rest.substr(0, std::min(rest.find('/', path.size() + 1), rest.size()));
      Request create(OpCode::kCreate, Path(path));
      create.mode = CreateMode::kPersistent;
      const bool created = world.servers().create_as_operator(create, world.now());
      internal::check(created, "the znode of a lock has a valid path");
    }
  }
  judged_changes_ = world.server().history().size();
}

std::vector<std::function<void()>> ProcessProgram::bodies() {
  hunted().execution().separate_memory();
  forget_exit_functions();
  if (!surroundings_ || !surroundings_->are_of(::getpid()))
    surroundings_.emplace(target_.variables);
  target_.variables = surroundings_->restore();
  hunted().execution().set_first_file(static_cast<int>(surroundings_->first_file()));
  output_.emplace(settings_.shows_output);
  std::vector<std::function<void()>> all;
  for (std::uint32_t i = 0; i < settings_.copies; ++i) all.emplace_back([this, i] { run_main(i); });
  return all;
}

void ProcessProgram::forget() {
  output_.reset();
  world_ = nullptr;
}

// getopt() keeps its position in libc, and starts again when that is 0.
void ProcessProgram::run_main(std::uint32_t copy) {
  std::vector<std::string> words;
  for (const std::string& word : target_.arguments) words.push_back(with_number(word, copy));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  optind = 0;
  const auto count = static_cast<int>(words.size());
  run_constructors(target_.init, count, arguments.data(), target_.variables);
  std::exit(target_.main(count, arguments.data(), target_.variables));
}

void ProcessProgram::restart(fakezk::Process& process) {
  forget_exit_functions(process.index());
  begin_again(process);
}

bool ProcessProgram::process_ends(intercept::Thread& thread, int status) {
  const std::uint32_t process = threads::WorldHost::process_of(thread).index();
  if (thread.call() == "exit") run_exit_functions(process, status);
  if (thread.call() == "quick_exit") run_quick_exit_functions(process);
  hunted().execution().end_threads_of(thread);
  const int told = status & 0xff;  // A parent learns no more.
  const std::string how = "exits with status " + std::to_string(told);
  world_->note(process, how);
  if (!settings_.allowed.test(static_cast<std::size_t>(told))) {
    verdict_->report("user:exit-status", process_name(process) + ' ' + how, world_->steps());
  }
  return true;
}

void ProcessProgram::committed() {
  const fakezk::History& history = world_->server().history();
  for (; judged_changes_ < history.size(); ++judged_changes_) {
    const fakezk::Change& change = history[judged_changes_];
    const bool is_removal = change.kind == fakezk::Change::Kind::kDeleted;
    if (is_removal && change.owner != 0 && change.actor == change.owner) judge_removal(change);
  }
}

void ProcessProgram::judge_removal(const fakezk::Change& removal) {
  if (settings_.lock_path.empty()) return;
  const Path znode = world_->server().paths().path(removal.path);
  if (znode.parent().view() != settings_.lock_path || !number_of(znode.name())) return;
  if (!hunted().has_kept_its_connection(removal.owner)) return;
  const std::vector<Path> rivals = rivals_of(znode);
  if (rivals.empty() && is_shared(znode.name())) return;
  ++removals_;
  const auto front = std::ranges::find_if(rivals, [&](const Path& rival) {
    return precedes(*number_of(rival.name()), *number_of(znode.name()));
  });
  if (front == rivals.end()) return;
  verdict_->report(search::Oracle::kS1,
                   "a client has removed its znode " + std::string(znode.name()) +
                       ", as after holding the lock, while " + std::string(front->name()) +
                       " stands in front of it",
                   world_->steps());
}

std::vector<Path> ProcessProgram::rivals_of(const Path& znode) const {
  const std::optional<fakezk::PathId> id =
      world_->server().paths().find(Path(settings_.lock_path).text());
  const fakezk::Znode* const parent = id ? world_->server().tree().find(*id) : nullptr;
  std::vector<Path> rivals;
  if (!parent) return rivals;
  for (const fakezk::PathId child : parent->children) {
    Path path = world_->server().paths().path(child);
    const bool both_share = is_shared(path.name()) && is_shared(znode.name());
    if (number_of(path.name()) && !both_share) rivals.push_back(std::move(path));
  }
  return rivals;
}

// Ignores ephemerals of ended processes: they go when their sessions expire.
void ProcessProgram::judge_end(fakezk::World& world) {
  sessions_ = world.server().session_count();
  if (settings_.lock_path.empty() || !all_have_ended()) return;
  const std::optional<fakezk::PathId> id =
      world.server().paths().find(Path(settings_.lock_path).text());
  const fakezk::Znode* const parent = id ? world.server().tree().find(*id) : nullptr;
  if (!parent || parent->children.empty()) return;
  verdict_->report(search::Oracle::kS5,
                   "left behind: " + world.server().paths().path(parent->children.front()).string(),
                   world.steps());
}

search::Judgements ProcessProgram::judgements() const {
  search::Judgements judged = ThreadsProgram::judgements();
  judged.count(search::Oracle::kS1, removals_);
  // A program without a session makes no use of ZooKeeper that could be misuse.
  judged.count(search::Oracle::kMisuse, sessions_);
  return judged;
}

}  // namespace lockstep::run
