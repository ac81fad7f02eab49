#include "threads_program.h"

#include <dlfcn.h>

#include <utility>

#include "library_state.h"
#include "lockstep/fakezk/world.h"
#include "lockstep/internal/check.h"

namespace lockstep::threads {

namespace {

constexpr std::string_view kLibrary = "/libzookeeper_mt.so";

// Without the messages that libzookeeper writes on standard error, unless the code under test asks
// for them.
const LibraryState& library() {
  static const LibraryState state = [] {
    if (void* const set_level = ::dlsym(RTLD_DEFAULT, "zoo_set_debug_level")) {
      reinterpret_cast<void (*)(int)>(set_level)(0);
    }
    return LibraryState(kLibrary);
  }();
  return state;
}

}  // namespace

ThreadsProgram::ThreadsProgram(ThreadsUnderTest threads) : threads_(std::move(threads)) {
  static_cast<void>(library());
}

fakezk::ServerOptions ThreadsProgram::servers() const {
  fakezk::ServerOptions servers;
  servers.container_check_interval = Duration::zero();
  servers.replicas = threads_.replicas;
  return servers;
}

void ThreadsProgram::start(fakezk::World& world, search::Verdict& verdict) {
  library().restore();
  if (threads_.at_start) threads_.at_start();
  world.set_rest_watcher(this);
  world.set_faults(fakezk::FaultPlan());
  world.set_tracer(nullptr);
  create_znodes(world);
  moves_ = 0;
  moved_at_ = world.now();
  healed_ = false;
  judged_ = {};
  fibers_.execution_begins();
  hunted_ = std::make_unique<HuntedProcess>(world, verdict);
  if (threads_.is_coarse) {
    hunted_->execution().set_quiet(library().code_begin(), library().code_end());
  }
  hunted_->run(threads_.body);
  world.begin_trace();
}

void ThreadsProgram::create_znodes(fakezk::World& world) {
  for (const std::string& znode : threads_.znodes) {
    Request create(OpCode::kCreate, Path(znode));
    create.mode = CreateMode::kPersistent;
    const bool created = world.servers().create_as_operator(create, world.now());
    internal::check(created, "the znodes of a program are valid paths, each after its parent");
  }
}

void ThreadsProgram::clear() {
  hunted_.reset();
  fibers_.execution_ends();
}

std::string ThreadsProgram::process_name(std::uint32_t process) const {
  return HuntedProcess::process_name(process);
}

std::uint64_t ThreadsProgram::moves() const {
  std::uint64_t moves = 0;
  for (const auto& thread : hunted_->execution().threads()) {
    if (!thread->by_library()) moves += thread->moves() + (thread->ended() ? 1 : 0);
  }
  return moves;
}

bool ThreadsProgram::all_wait() const {
  for (const auto& thread : hunted_->execution().threads()) {
    if (thread->by_library() || thread->ended()) continue;
    if (!thread->waits() || thread->has_timer()) return false;
  }
  return true;
}

bool ThreadsProgram::main_has_ended() const {
  return hunted_->execution().threads().front()->ended();
}

// Threads of the C client send pings for ever, so nothing ever comes to an end by itself: the rest
// hangs when it has not moved for half a minute, although everything is repaired.
void ThreadsProgram::at_rest(TimePoint until) {
  constexpr std::chrono::seconds kPatience{30};
  if (!hunted_) return;
  if (const std::uint64_t now = moves(); now != moves_ || !all_wait()) {
    moves_ = now;
    moved_at_ = hunted_->world().now();
    return;
  }
  if (until - moved_at_ < kPatience) return;
  if (!healed_) {
    healed_ = true;
    moved_at_ = until;
    return hunted_->world().heal();
  }
  if (main_has_ended()) return report_left_threads();
  report_hang();
}

void ThreadsProgram::report_left_threads() {
  std::string text =
      "main has returned, but threads still run; close handles and join threads before that:";
  for (const auto& thread : hunted_->execution().threads()) {
    if (thread->ended()) continue;
    text += "\n  " + hunted_->name_of(*thread) + ", in " + std::string(thread->call());
  }
  hunted_->verdict().report(search::Oracle::kMisuse, std::move(text), hunted_->world().steps());
}

std::string ThreadsProgram::who_waits_for_what() const {
  std::string text;
  for (const auto& thread : hunted_->execution().threads()) {
    if (thread->ended()) continue;
    text += "\n  " + hunted_->name_of(*thread) + " waits in " + std::string(thread->call());
  }
  return text;
}

void ThreadsProgram::report_hang() {
  hunted_->verdict().report(
      search::Oracle::kDeadlock,
      "no thread has moved for 30 seconds, although nothing fails:" + who_waits_for_what(),
      hunted_->world().steps());
}

void ThreadsProgram::finish(fakezk::World& world) {
  judged_.count(search::Oracle::kDeadlock, hunted_->execution().threads().size());
  for (const auto& thread : hunted_->execution().threads()) {
    if (thread->ended()) continue;
    hunted_->verdict().report(search::Oracle::kDeadlock,
                              "nothing can happen any more:" + who_waits_for_what(), world.steps());
    return;
  }
  check_leftovers(world);
}

// All handles are closed. A session whose close was lost with its connection takes its znodes with
// it when it expires, which is no matter of the code under test.
void ThreadsProgram::check_leftovers(fakezk::World& world) {
  if (threads_.lock_path.empty()) return;
  judged_.count(search::Oracle::kR1);
  const auto id = world.server().paths().find(Path(threads_.lock_path).text());
  const fakezk::Znode* const parent = id ? world.server().tree().find(*id) : nullptr;
  if (!parent) return;
  for (const fakezk::PathId child : parent->children) {
    const fakezk::Znode* const znode = world.server().tree().find(child);
    if (!znode || znode->ephemeral_owner != 0) continue;
    hunted_->verdict().report(search::Oracle::kR1,
                              "left behind: " + world.server().paths().path(child).string(),
                              world.steps());
    return;
  }
}

}  // namespace lockstep::threads
