#include "bench.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <memory>
#include <vector>

#include "command.h"
#include "lockstep/fair_mutex.h"
#include "lockstep/fake/simulation.h"
#include "search.h"
#include "text.h"
#include "usage.h"

namespace lockstep::program {

namespace {

// ---------------------------------------------------------------------------- suite explorer

Figure search_speed(std::string_view name, const scenarios::Scenario* scenario,
                    const fakezk::FaultPlan& faults, double seconds) {
  Search what;
  what.scenario = scenario;
  what.settings.size = {.clients = 3, .rounds = 1};
  what.settings.faults = faults;
  what.settings.executions = lab::HuntSettings::kUnbounded;
  what.settings.seconds = seconds;
  const lab::HuntReport report = search(what, false);
  if (report.failure) {
    throw std::runtime_error("the lock under measurement breaks " +
                             report.failure->violation.oracle);
  }
  return {std::string(name), executions_per_second(report), "executions/s"};
}

// Measures the time to search all schedules of the same lock.
Figure exhaustive_time(std::string_view name, const fakezk::FaultPlan& faults) {
  Search what;
  what.scenario = scenarios::find("fair-mutex");
  what.settings.size = {.clients = 3, .rounds = 1};
  what.settings.faults = faults;
  what.settings.strategy = lab::HuntSettings::kExhaustive;
  const lab::HuntReport report = search(what, false);
  if (!report.exhaustive->exhausted) throw std::runtime_error("under measurement: not exhausted");
  return {std::string(name), report.seconds, "s"};
}

Figures explorer(const BenchSettings& settings) {
  const double seconds = settings.seconds;
  const scenarios::Scenario* const mutex = scenarios::find("fair-mutex");
  const scenarios::Scenario* const blocking = scenarios::find_blocking("fair-mutex");
  return {search_speed("search_fault_free", mutex, fakezk::FaultPlan(), seconds),
          search_speed("search_faults", mutex, fakezk::FaultPlan::all(2), seconds),
          search_speed("search_blocking", blocking, fakezk::FaultPlan(), seconds),
          exhaustive_time("exhaustive_fault_free_seconds", fakezk::FaultPlan()),
          exhaustive_time("exhaustive_one_fault_seconds", fakezk::FaultPlan::all(1)),
          {"floor_recipe", recipe_alone(seconds), "executions/s"}};
}

// -------------------------------------------------------------------------------- suite fake

// Microseconds per repetition of `work`, which does `repetitions` at a time: the median of many
// calls, because other load on this machine only ever adds to some of them.
double microseconds(double seconds, int repetitions, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kAtLeast = 5;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::vector<double> measured;
  while (measured.size() < kAtLeast || Clock::now() < end) {
    const auto start = Clock::now();
    work();
    const std::chrono::duration<double, std::micro> gone = Clock::now() - start;
    measured.push_back(gone.count() / repetitions);
  }
  const auto median = measured.begin() + static_cast<std::ptrdiff_t>(measured.size() / 2);
  std::ranges::nth_element(measured, median);
  return *median;
}

constexpr int kStarts = 100;
void start_simulations() {
  for (int i = 0; i < kStarts; ++i) {
    fake::Simulation simulation;
    const auto session = simulation.open("A");
    expect(session->state() == SessionState::kConnected, "the session is not connected");
  }
}

constexpr int kPairs = 1000;
Task<bool> create_and_remove(Session& session) {
  const Path path("/bench");
  for (int i = 0; i < kPairs; ++i) {
    const Result<Created> created = co_await session.create(path, Data(), CreateMode::kPersistent);
    if (!created) co_return false;
    const Result<void> removed = co_await session.remove(path);
    if (!removed) co_return false;
  }
  co_return true;
}

constexpr int kCycles = 1000;
Task<bool> lock_and_unlock(FairMutex& mutex) {
  for (int i = 0; i < kCycles; ++i) {
    Result<HeldLock> held = co_await mutex.acquire();
    if (!held) co_return false;
    const ReleaseOutcome outcome = co_await held->release();
    if (outcome != ReleaseOutcome::kReleased) co_return false;
  }
  co_return true;
}

// A simulation keeps the history of all commits, so each measurement starts with a new one.
double operation(double seconds) {
  return microseconds(seconds, 2 * kPairs, [] {
    fake::Simulation simulation;
    const auto session = simulation.open("A");
    expect(simulation.run(create_and_remove(*session)), "an operation fails");
  });
}

double lock_cycle(double seconds) {
  return microseconds(seconds, kCycles, [] {
    fake::Simulation simulation;
    const auto session = simulation.open("A");
    FairMutex mutex(*session, "/lock");
    expect(simulation.run(lock_and_unlock(mutex)), "a lock cycle fails");
    expect(simulation.exists("/lock"), "the lock's parent is missing");
  });
}

Figures fake_backend(const BenchSettings& settings) {
  const double seconds = settings.seconds;
  Figures figures = {{"simulation_start", microseconds(seconds, kStarts, &start_simulations), "us"},
                     {"operation", operation(seconds), "us"},
                     {"lock_cycle", lock_cycle(seconds), "us"}};
  std::ranges::copy(scale(seconds), std::back_inserter(figures));
  return figures;
}

// ------------------------------------------------------------------------------- the command

struct Suite {
  std::string_view name;
  Measure measure;
};

Suite suite_called(const std::string& name, Measure measure_real) {
  const std::array suites = {Suite{"explorer", &explorer}, Suite{"fake", &fake_backend},
                             Suite{"real", measure_real}};
  const auto found = std::ranges::find(suites, name, &Suite::name);
  if (found == suites.end()) {
    throw UsageError("there is no suite '" + name + "', only explorer, fake and real");
  }
  return *found;
}

int run(const Suite& suite, const BenchSettings& settings, bool json, Measure measure_client) {
  Figures figures = suite.measure(settings);
  if (suite.measure == &explorer) {
    std::ranges::copy(measure_client(settings), std::back_inserter(figures));
  }
  auto results = nlohmann::ordered_json::array();
  for (const Figure& figure : figures) {
    results.push_back({{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}});
    if (json) continue;
    std::cout << std::left << std::setw(36) << figure.name << std::right << std::setw(12)
              << std::fixed << std::setprecision(figure.value < 100 ? 3 : 0) << figure.value << ' '
              << figure.unit << '\n';
  }
  if (json) print_json({{"suite", suite.name}, {"results", std::move(results)}});
  return kOk;
}

}  // namespace

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("under measurement: ") + what);
}

void add_bench(CLI::App& app, CommandLine& line, Measure measure_real) {
  CLI::App* const command =
      app.add_subcommand("bench", "Measures the explorer, the fake or a real ensemble");
  const auto suite = std::make_shared<std::string>();
  const auto settings = std::make_shared<BenchSettings>();
  const auto json = std::make_shared<bool>(false);
  command
      ->add_option("SUITE", *suite,
                   "explorer: executions per second; fake: microseconds and bytes; real: locks per "
                   "second on real servers, with floors")
      ->required();
  add_number<double>(*command, "--seconds", settings->seconds, 0.001, 3600,
                     "How long to measure each figure (2)");
  command
      ->add_option("--zookeeper", settings->zookeeper,
                   "real: the servers, as host:port,host:port; by default it starts one")
      ->type_name("HOSTS");
  command->add_flag("--force-sync", settings->force_sync,
                    "real: its own server forces every transaction to the disk");
  add_number<std::size_t>(*command, "--contenders", settings->contenders, 2, 100,
                          "real: how many contend for one lock (10)");
  command->add_flag("--json", *json, "Print one JSON object");
  command->callback([&line, suite, settings, json, measure_real] {
    line.run = [&line, suite, settings, json, measure_real] {
      const Suite chosen = suite_called(*suite, measure_real);
      const bool for_real = !settings->zookeeper.empty() || settings->force_sync ||
                            settings->contenders != BenchSettings().contenders;
      if (for_real && chosen.name != "real") {
        throw UsageError(
            "bench: --zookeeper, --force-sync and --contenders belong to the suite real");
      }
      return run(chosen, *settings, *json, line.measure_client);
    };
  });
}

}  // namespace lockstep::program
