#include "process_program.h"

#include <getopt.h>
#include <unistd.h>

#include <algorithm>
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

// Judges by the usual names of such znodes: a reader does not wait for readers.
bool is_shared(std::string_view name) {
  return name.find("read") != name.npos || name.find("READ") != name.npos ||
         name.find("shared") != name.npos;
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
  fakezk::ServerOptions servers;
  servers.container_check_interval = Duration::zero();
  return servers;
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
  const std::uint32_t process = threads::HuntedProcess::process_of(thread).index();
  if (thread.call() == "exit") run_exit_functions(process, status);
  hunted().execution().end_threads_of(thread);
  const std::string how = "exits with status " + std::to_string(status);
  world_->note(process, how);
  if (status != 0) {
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
  if (znode.parent().view() != settings_.lock_path) return;
  if (!hunted().has_kept_its_connection(removal.owner)) return;
  ++removals_;
  const std::optional<Path> front = in_front_of(znode);
  if (!front) return;
  verdict_->report(search::Oracle::kS1,
                   "a client has removed its znode " + std::string(znode.name()) +
                       ", as after holding the lock, while " + std::string(front->name()) +
                       " stands in front of it",
                   world_->steps());
}

std::optional<Path> ProcessProgram::in_front_of(const Path& znode) const {
  const std::optional<std::int32_t> own = number_of(znode.name());
  const std::optional<fakezk::PathId> id =
      world_->server().paths().find(Path(settings_.lock_path).text());
  const fakezk::Znode* const parent = id ? world_->server().tree().find(*id) : nullptr;
  if (!own || !parent) return std::nullopt;
  for (const fakezk::PathId child : parent->children) {
    Path path = world_->server().paths().path(child);
    const std::optional<std::int32_t> number = number_of(path.name());
    const bool both_share = is_shared(path.name()) && is_shared(znode.name());
    if (number && precedes(*number, *own) && !both_share) return path;
  }
  return std::nullopt;
}

// Ignores ephemerals of ended processes: they go when their sessions expire.
void ProcessProgram::judge_end(fakezk::World& world) {
  if (settings_.lock_path.empty() || !all_have_ended()) return;
  const std::optional<fakezk::PathId> id =
      world.server().paths().find(Path(settings_.lock_path).text());
  const fakezk::Znode* const parent = id ? world.server().tree().find(*id) : nullptr;
  if (!parent || parent->children.empty()) return;
  verdict_->report(search::Oracle::kR1,
                   "left behind: " + world.server().paths().path(parent->children.front()).string(),
                   world.steps());
}

search::Judgements ProcessProgram::judgements() const {
  search::Judgements judged = ThreadsProgram::judgements();
  judged.count(search::Oracle::kS1, removals_);
  return judged;
}

}  // namespace lockstep::run
