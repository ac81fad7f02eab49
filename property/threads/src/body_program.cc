#include "body_program.h"

#include <utility>

#include "lockstep/fakezk/world.h"
#include "lockstep/internal/check.h"

namespace lockstep::threads {

BodyProgram::BodyProgram(ThreadsUnderTest threads)
    : ThreadsProgram(ThreadOwners::kThemselves, threads.is_coarse), threads_(std::move(threads)) {}

fakezk::ServerOptions BodyProgram::servers() const {
  fakezk::ServerOptions servers;
  servers.container_check_interval = Duration::zero();
  servers.replicas = threads_.replicas;
  return servers;
}

std::string BodyProgram::process_name(std::uint32_t process) const {
  return process == 0 ? "main" : "T" + std::to_string(process);
}

void BodyProgram::prepare(fakezk::World& world, search::Verdict&) {
  if (threads_.at_start) threads_.at_start();
  for (const std::string& znode : threads_.znodes) {
    Request create(OpCode::kCreate, Path(znode));
    create.mode = CreateMode::kPersistent;
    const bool created = world.servers().create_as_operator(create, world.now());
    internal::check(created, "the znodes of a program are valid paths, each after its parent");
  }
}

// Ephemerals are deleted with their sessions, which are closed or will expire.
void BodyProgram::judge_end(fakezk::World& world) {
  if (threads_.lock_path.empty() || !all_have_ended()) return;
  const Path path(threads_.lock_path);
  const std::optional<fakezk::PathId> id = world.server().paths().find(path.text());
  const fakezk::Znode* const parent = id ? world.server().tree().find(*id) : nullptr;
  if (!parent) return;
  for (const fakezk::PathId child : parent->children) {
    const fakezk::Znode* const znode = world.server().tree().find(child);
    if (!znode || znode->ephemeral_owner != 0) continue;
    return hunted().verdict().report(search::Oracle::kS5,
                                     "left behind: " + world.server().paths().path(child).string(),
                                     world.steps());
  }
}

}  // namespace lockstep::threads
