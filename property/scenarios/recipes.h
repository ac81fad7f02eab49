#pragma once

#include <memory>

#include "lockstep/fake/scenario.h"
#include "lockstep/fakezk/explore/program.h"

// What the contenders of the library's own recipes do: as much of each recipe as a few clients can
// do in few steps, under the oracles that fit it. The last contender gives up after a second.
namespace lockstep::scenarios {

std::unique_ptr<fakezk::Program> fair_mutex(fake::ScenarioSize size);
// By turns a client writes and goes on reading, reads and goes on writing, does all of that, and
// only writes.
std::unique_ptr<fakezk::Program> read_write_lock(fake::ScenarioSize size);
// Two leases.
std::unique_ptr<fakezk::Program> semaphore(fake::ScenarioSize size);
// One lease at first; whoever gets it makes it two.
std::unique_ptr<fakezk::Program> shared_semaphore(fake::ScenarioSize size);
// Every other client names the two locks in the opposite order.
std::unique_ptr<fakezk::Program> multi_lock(fake::ScenarioSize size);
// Two levels each.
std::unique_ptr<fakezk::Program> recursive_mutex(fake::ScenarioSize size);
std::unique_ptr<fakezk::Program> unfair_mutex(fake::ScenarioSize size);
// Everybody asks the holder to give up; every third holder does not care, until it has to.
std::unique_ptr<fakezk::Program> revocable_mutex(fake::ScenarioSize size);
// Every third client looks first who leads, and who follows.
std::unique_ptr<fakezk::Program> leader_election(fake::ScenarioSize size);

// The same where a client may meet a server that has not applied its own writes yet.
std::unique_ptr<fakezk::Program> fair_mutex_on_three_servers(fake::ScenarioSize size);
std::unique_ptr<fakezk::Program> unfair_mutex_on_three_servers(fake::ScenarioSize size);
std::unique_ptr<fakezk::Program> read_write_lock_on_three_servers(fake::ScenarioSize size);

// Every other holder asks how long its session is proven, and relies on it. Two ticks are a session
// timeout, as few as there may be.
std::unique_ptr<fakezk::Program> fair_mutex_held_long(fake::ScenarioSize size);
std::unique_ptr<fakezk::Program> fair_mutex_valid_until(fake::ScenarioSize size);

// The same as code that blocks, on fibers.
std::unique_ptr<fakezk::Program> blocking_fair_mutex(fake::ScenarioSize size);
// A client reads, and another one writes.
std::unique_ptr<fakezk::Program> blocking_read_write_lock(fake::ScenarioSize size);
std::unique_ptr<fakezk::Program> blocking_semaphore(fake::ScenarioSize size);

}  // namespace lockstep::scenarios
