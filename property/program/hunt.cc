#include "hunt.h"

#include <memory>
#include <string>

#include "command.h"
#include "hunt_result.h"
#include "scenario_named.h"
#include "search_options.h"
#include "text.h"
#include "usage.h"

namespace lockstep::program {

namespace {

using lab::HuntReport;
using lab::HuntSettings;

struct HuntArguments : SearchOptions {
  std::string scenario;
  bool blocking = false;
  std::string backend = "fake";
};

const scenarios::Scenario& scenario_of(const HuntArguments& options) {
  const scenarios::Scenario& scenario = scenario_named(options.scenario);
  return options.blocking ? blocking_form_of(scenario) : scenario;
}

Backend backend_of(const HuntArguments& options, Backend zookeeper) {
  if (options.backend == "fake") return nullptr;
  if (options.strategy == HuntSettings::kExhaustive) {
    throw UsageError("--strategy exhaustive: only with --backend fake");
  }
  return zookeeper;
}

HuntCommand hunt_of(const HuntArguments& options, Backend zookeeper) {
  HuntCommand what;
  what.scenario = &scenario_of(options);
  what.backend = backend_of(options, zookeeper);
  read_settings(options, what);
  return what;
}

}  // namespace

std::string command_for(const HuntCommand& what, const std::string& program) {
  const HuntSettings& settings = what.settings;
  std::string command =
      program + (what.target ? " run --hunt" : " hunt " + std::string(what.scenario->name)) +
      " --clients " + std::to_string(settings.size.clients);
  if (!what.target) command += " --rounds " + std::to_string(settings.size.rounds);
  command += " --strategy " + settings.strategy + " --faults " + fault_kinds(settings.faults);
  if (settings.faults.any()) {
    command += " --fault-budget " + std::to_string(settings.faults.total());
  }
  if (what.backend) command += " --backend zookeeper";
  const std::string_view reduction = lab::reduction_of(settings).name;
  if (reduction != lab::reduction_of({}).name) command += " --reduction " + std::string(reduction);
  if (settings.first > 0) command += " --first " + std::to_string(settings.first);
  if (settings.most_executions() < HuntSettings::kUnbounded) {
    command += " --executions " + std::to_string(settings.most_executions());
  }
  if (settings.is_exhaustive()) return command;
  // Without --seed, the program would draw another seed.
  return command + " --seed " + std::to_string(settings.seed) + what.target_command;
}

std::string command_up_to_failure(const HuntCommand& what, const HuntReport& report,
                                  const std::string& program) {
  HuntCommand up_to_failure = what;
  up_to_failure.settings.executions = report.failed_execution - what.settings.first + 1;
  return command_for(up_to_failure, program);
}

std::string replay_command(const search::Failure& failure, const std::string& program) {
  return program + " replay " + failure.replay;
}

std::string replay_command(const HuntCommand& what, const search::Failure& failure,
                           const std::string& program) {
  if (!what.target) return replay_command(failure, program);
  return program + " run --hunt --replay " + failure.replay + what.target_command;
}

void add_hunt(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("hunt", "Searches the schedules of a scenario for a violation");
  const auto options = std::make_shared<HuntArguments>();
  command
      ->add_option("SCENARIO", options->scenario,
                   "A scenario shown by 'list', or the beginning of its name: zoo-01")
      ->required();
  add_bounds(*command, *options, "the scenario's");
  add_scenario_options(*command, *options);
  add_fault_options(*command, *options);
  command->add_flag("--blocking", options->blocking,
                    "Hunt the scenario's blocking code: SCENARIO-blocking");
  command
      ->add_option("--backend", options->backend,
                   "'fake', or 'zookeeper': the production backend with ZooKeeper's C client and "
                   "all threads in the simulated world, one job")
      ->check(CLI::IsMember({"fake", "zookeeper"}))
      ->capture_default_str();
  add_output_options(*command, *options);
  command->footer(
      "An exhaustive search does not judge " + search::not_judged() +
      ".\n"
      "Exit status: 0 no violation, 1 violation, 2 bad input, 3 an exhaustive search contradicts\n"
      "itself, 74 a result cannot be written, 130 or 143 interrupted before there was a "
      "violation.");
  command->callback([&line, options] {
    line.run = [&line, options] {
      return hunt_and_show(hunt_of(*options, line.zookeeper), *options, line.program);
    };
  });
}

}  // namespace lockstep::program
