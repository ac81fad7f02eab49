#pragma once

#include <CLI/CLI.hpp>

#include "program/bench.h"
#include "program/command.h"

namespace lockstep::program {

// The commands for operators of a real ensemble, and the suite of `lockstep bench` that measures
// one. A build without the production backend has commands of these names that only say so.
void add_lock(CLI::App& app, CommandLine& line);
void add_show(CLI::App& app, CommandLine& line);
void add_revoke(CLI::App& app, CommandLine& line);

// The figures of the suite `real`, each with the floor that the C client alone reaches with the
// same requests on the same servers. Errors: UsageError, std::runtime_error.
void measure_real(const BenchSettings& settings, const TakeFigure& take);
// The part of the suite explorer that hunts ZooKeeper's C client. It measures executions per second
// of three clients that connect, lock and unlock once by synchronous calls, and close; then without
// the C client's own mutexes in the schedule; then with a process for each execution.
[[nodiscard]] ExplorerFigures client_figures();

// Moves a scenario to the production backend, for `hunt --backend zookeeper`.
[[nodiscard]] lab::LockUnderTest on_zookeeper(const lab::LockUnderTest& lock);

}  // namespace lockstep::program
