#include "commands.h"
#include "lockstep/threads/hunt_threads.h"
#include "three_clients.h"

namespace lockstep::program {

namespace {

threads::ThreadsUnderTest clients() {
  return {
      .name = "clients", .body = &hunted::three_clients, .znodes = {"/lock"}, .lock_path = "/lock"};
}

Figure client_speed(std::string_view name, const threads::ThreadsUnderTest& clients,
                    double seconds) {
  lab::HuntSettings settings;
  settings.faults = {};
  settings.executions = lab::HuntSettings::kUnbounded;
  settings.seconds = seconds;
  const lab::HuntReport report = hunt_threads(clients, settings);
  expect(report.passed(), "three clients of the C client break something");
  return {std::string(name), static_cast<double>(report.executions) / report.seconds,
          "executions/s"};
}

}  // namespace

Figures measure_client(const BenchSettings& settings) {
  threads::ThreadsUnderTest coarse = clients();
  coarse.is_coarse = true;
  threads::ThreadsUnderTest forked = clients();
  forked.in_forks = true;
  return {client_speed("real_client", clients(), settings.seconds),
          client_speed("real_client_coarse", coarse, settings.seconds),
          client_speed("real_client_forked", forked, settings.seconds)};
}

}  // namespace lockstep::program
