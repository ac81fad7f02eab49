#include "commands.h"
#include "lockstep/threads/hunt_threads.h"
#include "three_clients.h"

namespace lockstep::program {

namespace {

threads::ThreadsUnderTest clients() {
  return {
      .name = "clients", .body = &hunted::three_clients, .znodes = {"/lock"}, .lock_path = "/lock"};
}

double executions_per_second_of(const threads::ThreadsUnderTest& clients, double seconds) {
  lab::HuntSettings settings{
      .faults = {}, .executions = lab::HuntSettings::kUnbounded, .seconds = seconds};
  const lab::HuntReport report = hunt_threads(clients, settings);
  expect(report.passed(), "three clients of the C client break something");
  return static_cast<double>(report.executions) / report.seconds;
}

double real_client(const BenchSettings& settings) {
  return executions_per_second_of(clients(), settings.seconds);
}
double real_client_coarse(const BenchSettings& settings) {
  threads::ThreadsUnderTest coarse = clients();
  coarse.is_coarse = true;
  return executions_per_second_of(coarse, settings.seconds);
}
double real_client_forked(const BenchSettings& settings) {
  threads::ThreadsUnderTest forked = clients();
  forked.in_forks = true;
  return executions_per_second_of(forked, settings.seconds);
}

}  // namespace

ExplorerFigures client_figures() {
  return {{"real_client", kExecutionsPerSecond, &real_client},
          {"real_client_coarse", kExecutionsPerSecond, &real_client_coarse},
          {"real_client_forked", kExecutionsPerSecond, &real_client_forked}};
}

}  // namespace lockstep::program
