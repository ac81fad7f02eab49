// Replaces the commands that need the production backend, in a build without it: they say so.
#include <string>

#include "commands.h"
#include "program/usage.h"

namespace lockstep::program {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw UsageError(what + " needs the production backend, and this program was built without it " +
                   "(-DLOCKSTEP_WITH_ZOOKEEPER=OFF)");
}

void add_refusal(CLI::App& app, CommandLine& line, const std::string& name) {
  CLI::App* const command = app.add_subcommand(name, "Not in this build");
  command->allow_extras();
  command->callback([&line, name] { line.run = [name]() -> int { refuse(name); }; });
}

}  // namespace

void add_lock(CLI::App& app, CommandLine& line) { add_refusal(app, line, "lock"); }
void add_show(CLI::App& app, CommandLine& line) { add_refusal(app, line, "show"); }
void add_revoke(CLI::App& app, CommandLine& line) { add_refusal(app, line, "revoke"); }

lab::LockUnderTest on_zookeeper(const lab::LockUnderTest&) { refuse("--backend zookeeper"); }

ExplorerFigures client_figures() { return {}; }
void measure_real(const BenchSettings&, const TakeFigure&) { refuse("bench real"); }

}  // namespace lockstep::program
