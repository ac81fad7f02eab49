#include "bench.h"

#include <algorithm>
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
#include "processor_time.h"
#include "text.h"
#include "usage.h"

namespace lockstep::program {

namespace {

// -------------------------------------------------------------------------------- suite fake

// Microseconds of the processor per repetition of `work`, which does `repetitions` at a time: the
// median of many calls, because other load on this machine only ever adds to some of them.
double microseconds(double seconds, int repetitions, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kAtLeast = 5;
  constexpr double kMicrosecondsPerSecond = 1e6;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::vector<double> measured;
  while (measured.size() < kAtLeast || Clock::now() < end) {
    const double start = processor_seconds();
    work();
    measured.push_back((processor_seconds() - start) * kMicrosecondsPerSecond / repetitions);
  }
  return median(std::move(measured));
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

void fake_backend(const BenchSettings& settings, const TakeFigure& take) {
  const double seconds = settings.seconds;
  take({"simulation_start", microseconds(seconds, kStarts, &start_simulations), "us"});
  take({"operation", operation(seconds), "us"});
  take({"lock_cycle", lock_cycle(seconds), "us"});
  for (const Figure& figure : scale(seconds)) take(figure);
}

// ------------------------------------------------------------------------------- the command

void measure_explorer(const ExplorerFigures& figures, const BenchSettings& settings,
                      const TakeFigure& take) {
  for (const ExplorerFigure& figure : figures) {
    const std::vector<std::string>& wanted = settings.figures;
    if (wanted.empty() || std::ranges::find(wanted, figure.name) != wanted.end()) {
      take({std::string(figure.name), figure.measure(settings), figure.unit});
    }
  }
}

ExplorerFigures explorer_figures(const ExplorerFigures& of_client) {
  ExplorerFigures all = search_figures();
  std::ranges::copy(of_client, std::back_inserter(all));
  return all;
}

void check_figures(const std::vector<std::string>& wanted, const ExplorerFigures& figures) {
  std::string names;
  for (const ExplorerFigure& figure : figures) {
    names += (names.empty() ? "" : ", ") + std::string(figure.name);
  }
  for (const std::string& name : wanted) {
    if (std::ranges::find(figures, name, &ExplorerFigure::name) == figures.end()) {
      throw UsageError("bench explorer: there is no figure '" + name + "', only " + names);
    }
  }
}

void check_suite(const std::string& suite, const BenchSettings& settings) {
  if (suite != "explorer" && suite != "fake" && suite != "real") {
    throw UsageError("there is no suite '" + suite + "', only explorer, fake and real");
  }
  const bool for_real = !settings.zookeeper.empty() || settings.force_sync ||
                        settings.contenders != BenchSettings().contenders;
  if (for_real && suite != "real") {
    throw UsageError("bench: --zookeeper, --force-sync and --contenders belong to the suite real");
  }
  if (!settings.figures.empty() && suite != "explorer") {
    throw UsageError("bench: --figure belongs to the suite explorer");
  }
}

void print(const Figure& figure) {
  std::cout << std::left << std::setw(36) << figure.name << std::right << std::setw(12)
            << std::fixed << std::setprecision(figure.value < 100 ? 3 : 0) << figure.value << ' '
            << figure.unit << '\n'
            << std::flush;
}

int run(const std::string& suite, const BenchSettings& settings, bool json,
        const ExplorerFigures& of_client, Measure measure_real) {
  check_suite(suite, settings);
  const ExplorerFigures figures = explorer_figures(of_client);
  check_figures(settings.figures, figures);
  auto results = nlohmann::ordered_json::array();
  const TakeFigure take = [&results, json](const Figure& figure) {
    if (!json) return print(figure);
    results.push_back({{"name", figure.name}, {"value", figure.value}, {"unit", figure.unit}});
  };
  if (suite == "explorer") {
    measure_explorer(figures, settings, take);
  } else if (suite == "fake") {
    fake_backend(settings, take);
  } else {
    measure_real(settings, take);
  }
  if (json) print_json({{"suite", suite}, {"results", std::move(results)}});
  return kOk;
}

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

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
                     "How long to measure each figure (2); an exhaustive search of explorer takes "
                     "as long as it needs, a minute or more with faults");
  command
      ->add_option("--figure", settings->figures,
                   "explorer: measure only this figure; may be given several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      ->add_option("--zookeeper", settings->zookeeper,
                   "real: the servers, as host:port,host:port; by default it starts one")
      ->check(&refuse_empty)
      ->type_name("HOSTS");
  command->add_flag("--force-sync", settings->force_sync,
                    "real: its own server forces every transaction to the disk");
  add_number<std::size_t>(*command, "--contenders", settings->contenders, 2, 100,
                          "real: how many contend for one lock (10)");
  command->add_flag("--json", *json, "Print one JSON object");
  command->callback([&line, suite, settings, json, measure_real] {
    line.run = [&line, suite, settings, json, measure_real] {
      settings->shows_progress = !*json;
      return run(*suite, *settings, *json, line.client_figures, measure_real);
    };
  });
}

}  // namespace lockstep::program
