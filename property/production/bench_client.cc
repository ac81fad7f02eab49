#include "commands.h"
#include "lockstep/threads/hunt_threads.h"
#include "three_clients.h"

namespace lockstep::program {

namespace {

Figure client_speed(std::string_view name, bool is_coarse, double seconds) {
  const threads::ThreadsUnderTest clients{.name = "clients",
                                          .body = &hunted::three_clients,
                                          .znodes = {"/lock"},
                                          .lock_path = "/lock",
                                          .is_coarse = is_coarse};
  lab::HuntSettings settings;
  settings.faults = {};
  settings.executions = lab::HuntSettings::kUnbounded;
  settings.seconds = seconds;
  const lab::HuntReport report = hunt_threads(clients, settings);
  expect(report.passed(), "three clients of the C client break something");
  return {name, static_cast<double>(report.executions) / report.seconds, "executions/s"};
}

}  // namespace

Figures measure_client(const BenchSettings& settings) {
  return {client_speed("real_client", false, settings.seconds),
          client_speed("real_client_coarse", true, settings.seconds)};
}

}  // namespace lockstep::program
