#include "production_program.h"

#include <utility>

#include "lockstep/fakezk/world.h"
#include "lockstep/internal/check.h"
#include "lockstep/lab/words.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "on_zookeeper.h"

namespace lockstep::hunted {

ProductionProgram::ProductionProgram(lab::LockUnderTest lock, lab::ScenarioSize size,
                                     bool is_coarse)
    : ThreadsProgram(threads::ThreadOwners::kFirstOnes, is_coarse),
      lock_(std::move(lock)),
      size_(size),
      is_impatient_(lock_.last == lab::LastContender::kImpatient),
      oracles_(lock_.rules) {}

fakezk::ServerOptions ProductionProgram::servers() const {
  return {.tick_time = lock_.tick_time,
          .replicas = lock_.replicas,
          .container_check_interval = Duration::zero()};
}

std::string ProductionProgram::process_name(std::uint32_t process) const {
  std::string name(1, static_cast<char>('A' + process % 26));
  if (process >= 26) name += std::to_string(process / 26);
  return name;
}

void ProductionProgram::prepare(fakezk::World& world, search::Verdict& verdict) {
  if (lock_.at_start) lock_.at_start();
  oracles_.begin(world, verdict);
  resource_.begin(world, verdict, 1);
  attempts_ = 0;
  grants_ = 0;
  groundless_.clear();
  Request parent(OpCode::kCreate, lock_path_);
  parent.mode = CreateMode::kContainer;
  const bool created = world.servers().create_as_operator(parent, world.now());
  internal::check(created, "a scenario's lock path is valid");
}

std::vector<std::function<void()>> ProductionProgram::bodies() {
  std::vector<std::function<void()>> all;
  for (std::uint32_t i = 0; i < size_.clients; ++i) all.emplace_back([this, i] { contend(i); });
  return all;
}

std::string ProductionProgram::connection_string() const {
  std::string servers;
  for (fakezk::ReplicaIndex i = 0; i < lock_.replicas; ++i) {
    servers += (servers.empty() ? "" : ",") + std::string("127.0.0.1:") + std::to_string(2181 + i);
  }
  return servers;
}

void ProductionProgram::contend(std::uint32_t index) {
  fakezk::Process& process = threads::WorldHost::process_of(*hunted().execution().running());
  zookeeper::Runtime runtime;
  zookeeper::Options options(connection_string());
  static_cast<SessionOptions&>(options) = lock_.sessions;
  zookeeper::Client client(runtime, std::move(options));
  lab::Contender self(process, process_name(index), oracles_, resource_, thread_bodies_, client);
  if (is_impatient_ && index + 1 == size_.clients) self.become_impatient();
  runtime.run(lock_.contend(self, lock_path_, size_.rounds));
  const intercept::Execution::InRuntime inside;  // The counters are not the thread's own.
  attempts_ += self.attempts();
  grants_ += self.grants();
  if (self.groundless_failure() && groundless_.empty()) {
    groundless_ = lab::groundless(process_name(index), *self.groundless_failure());
  }
}

void ProductionProgram::restart(fakezk::Process& process) {
  for (const SessionId session : hunted().sessions_of(process)) {
    oracles_.set_owner(process.index(), session);
  }
  oracles_.crashed(process.index());
  resource_.crashed(process);
  begin_again(process);
}

std::uint64_t ProductionProgram::progress(const fakezk::World& world) {
  return world.server().history().size();
}

void ProductionProgram::judge_end(fakezk::World& world) {
  if (!all_have_ended()) return;
  for (std::uint32_t process = 0; process < world.process_count(); ++process) {
    oracles_.finished(process);
  }
  oracles_.check_orphans();
  if (lock_.check_at_end) lock_.check_at_end(world, hunted().verdict());
  if (grants_ > 0) {
    if (!groundless_.empty()) hunted().verdict().report("L1", groundless_, world.steps());
    return;
  }
  if (attempts_ == 0 || world.kinds_injected() != 0) return;
  hunted().verdict().report(search::Oracle::kMisuse,
                            "every acquire has failed, although no fault has struck: there is no"
                            " grant to judge",
                            world.steps());
}

search::Judgements ProductionProgram::judgements() const {
  search::Judgements all = ThreadsProgram::judgements();
  all += oracles_.judged();
  all += resource_.judged();
  all.count(search::Oracle::kL1, size_.clients);
  return all;
}

lab::LockUnderTest on_zookeeper(const lab::LockUnderTest& lock, bool is_coarse) {
  lab::LockUnderTest hunted = lock;
  hunted.name += kSuffix;
  hunted.isolated = false;
  hunted.make_program = [lock, is_coarse](lab::ScenarioSize size) {
    return std::make_unique<ProductionProgram>(lock, size, is_coarse);
  };
  return hunted;
}

}  // namespace lockstep::hunted
