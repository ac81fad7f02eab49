#include "last_words.h"

#include <unistd.h>

#include <charconv>
#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/explore/schedule.h"

namespace lockstep::scenarios {

namespace {

// What runs on this thread, for the signal handler: plain data that is there already.
struct Running {
  const fakezk::World* world = nullptr;
  const char* head = nullptr;  // The replay string up to its deviations.
};
constinit thread_local Running running;

// Writes without allocating: the abort may have come from the allocator.
class Writer {
 public:
  Writer& operator<<(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
      if (written <= 0) break;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return *this;
  }
  Writer& operator<<(std::uint32_t number) {
    char digits[10];
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }
};

void print_last_words(int signal) {
  if (running.world) {
    const fakezk::World& world = *running.world;
    Writer writer;
    writer << "lockstep: the program under test has aborted in step " << world.steps()
           << ". Replay it:\n  lockstep replay " << std::string_view(running.head);
    bool first = true;
    for (const fakezk::Deviation& deviation : world.deviations()) {
      writer << (first ? "" : ",") << deviation.position << (deviation.choice.fault ? ".F" : ".")
             << deviation.choice.index;
      first = false;
    }
    writer << (first ? "calm/unknown\n" : "/unknown\n");
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

class Watched final : public fakezk::Program {
 public:
  Watched(std::unique_ptr<fakezk::Program> program, std::string head)
      : program_(std::move(program)), head_(std::move(head)) {}
  ~Watched() override { running = Running(); }

  [[nodiscard]] fakezk::ServerOptions servers() const override { return program_->servers(); }
  void reset(fakezk::World& world) override { program_->reset(world); }
  void start(fakezk::World& world, fakezk::Verdict& verdict) override {
    running = Running{&world, head_.c_str()};
    program_->start(world, verdict);
  }
  [[nodiscard]] fakezk::Restarter* restarter() override { return program_->restarter(); }
  void finish(fakezk::World& world) override { program_->finish(world); }
  void clear() override {
    program_->clear();
    running = Running();
  }
  [[nodiscard]] bool isolated() const override { return program_->isolated(); }
  [[nodiscard]] std::string process_name(std::uint32_t process) const override {
    return program_->process_name(process);
  }

 private:
  std::unique_ptr<fakezk::Program> program_;
  std::string head_;
};

std::string head_of(const Scenario& scenario, fake::ScenarioSize size,
                    const fakezk::FaultPlan& faults) {
  fakezk::ReplayString string;
  string.scenario = scenario.name;
  string.clients = size.clients;
  string.rounds = size.rounds;
  string.faults = faults;
  string.known = false;
  const std::string text = string.text();
  return text.substr(0, text.rfind("calm/"));
}

}  // namespace

std::unique_ptr<fakezk::Program> make_program(const Scenario& scenario, fake::ScenarioSize size,
                                              const fakezk::FaultPlan& faults) {
  std::signal(SIGABRT, &print_last_words);
  return std::make_unique<Watched>(scenario.make(size), head_of(scenario, size, faults));
}

}  // namespace lockstep::scenarios
