// Probe znodes (spring-integration#2557): before each acquire the client creates an ephemeral
// sequential znode to see whether ZooKeeper answers, and never deletes it. One znode for each
// acquire stays until the session ends. Correct: lockstep::take_place without a probe;
// Session::connected() tells the same.
#include "scenarios/broken_lock.h"

namespace lockstep::scenarios::zoo_21 {

namespace {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  // The flaw: this creates a probe, and nothing deletes it.
  const Path probe("/probe-");
  co_await ok(session.create(probe, Data(), CreateMode::kEphemeralSequential, context));
  co_return co_await sound_create(session, parent, mark, data, context);
}

const Registered kRegistered{Scenario{
    "zoo-21-probe-znodes", "zoo", "user:leaked-znode",
    "Creates a znode to see whether ZooKeeper answers, and never deletes it.",
    lab::ScenarioSize{2, 1}, &lock_scenario<WithCreate<&create>, kPatient, &no_ephemeral_is_left>,
    "spring-integration#2557", true}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_21
