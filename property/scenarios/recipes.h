#pragma once

#include <memory>

#include "lockstep/lab/scenario.h"
#include "lockstep/search/program.h"

// What the contenders of the library's own recipes do: as much of each recipe as a few clients can
// do in few steps, under the oracles that fit it. The last contender gives up after a second.
namespace lockstep::scenarios {

std::unique_ptr<search::Program> fair_mutex(lab::ScenarioSize size);
// By turns a client writes and goes on reading, reads and goes on writing, does all of that, and
// only writes.
std::unique_ptr<search::Program> read_write_lock(lab::ScenarioSize size);
// Two leases.
std::unique_ptr<search::Program> semaphore(lab::ScenarioSize size);
// One lease at first; whoever gets it makes it two.
std::unique_ptr<search::Program> shared_semaphore(lab::ScenarioSize size);
// Every other client names the two locks in the opposite order.
std::unique_ptr<search::Program> multi_lock(lab::ScenarioSize size);
// Two levels each.
std::unique_ptr<search::Program> recursive_mutex(lab::ScenarioSize size);
std::unique_ptr<search::Program> unfair_mutex(lab::ScenarioSize size);
// Everybody asks the holder to give up; every third holder does not care, until it has to.
std::unique_ptr<search::Program> revocable_mutex(lab::ScenarioSize size);
// Every third client looks first who leads, and who follows.
std::unique_ptr<search::Program> leader_election(lab::ScenarioSize size);

// The same where a client may meet a server that has not applied its own writes yet.
std::unique_ptr<search::Program> fair_mutex_on_three_servers(lab::ScenarioSize size);
std::unique_ptr<search::Program> unfair_mutex_on_three_servers(lab::ScenarioSize size);
std::unique_ptr<search::Program> read_write_lock_on_three_servers(lab::ScenarioSize size);

// Every other holder asks how long its session is proven, and relies on it. Two ticks are a session
// timeout, as few as there may be.
std::unique_ptr<search::Program> fair_mutex_held_long(lab::ScenarioSize size);
std::unique_ptr<search::Program> fair_mutex_valid_until(lab::ScenarioSize size);

// The same as code that blocks, on fibers.
std::unique_ptr<search::Program> blocking_fair_mutex(lab::ScenarioSize size);
// A client reads, and another one writes.
std::unique_ptr<search::Program> blocking_read_write_lock(lab::ScenarioSize size);
std::unique_ptr<search::Program> blocking_semaphore(lab::ScenarioSize size);

}  // namespace lockstep::scenarios
