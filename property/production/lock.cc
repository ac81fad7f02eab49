#include <memory>

#include "commands.h"
#include "ensemble.h"
#include "lock_run.h"
#include "lockstep/zookeeper/client.h"
#include "program/usage.h"
#include "signals.h"

namespace lockstep::program {

namespace {

constexpr const char* kLockFooter =
    "lockstep lock PATH --zookeeper HOSTS [OPTIONS] -- COMMAND...\n"
    "\n"
    "COMMAND begins when the lock is held. LOCKSTEP_FENCING_TOKEN in its environment grows with\n"
    "every holder: a resource that refuses smaller tokens is safe even from a paused holder.\n"
    "Signals go on to COMMAND and the processes of its group.\n"
    "\n"
    "When the lock is in doubt, COMMAND gets SIGTERM; SIGKILL follows before another client can\n"
    "have the lock, also if this program is stopped. If this program is killed, COMMAND dies too.\n"
    "When COMMAND ends, processes that it has left in its group get SIGKILL before the release;\n"
    "with --on-loss warn they go on. Processes of other users cannot be ended: use\n"
    "sudo lockstep lock ... -- COMMAND, not lockstep lock ... -- sudo COMMAND.\n"
    "`lockstep revoke` sends COMMAND a SIGTERM.\n"
    "\n"
    "Exit status: that of COMMAND, 128+n if it died of signal n; 75 the lock was not acquired in\n"
    "time, or no server can be reached; 76 the lock was lost or in doubt and COMMAND was stopped;\n"
    "126 COMMAND cannot be executed, 127 it does not exist; 2 bad input; 70 an error of this\n"
    "program, 74 a result cannot be written.\n";

bool warn_only(const std::string& text) {
  if (text != "kill" && text != "warn") {
    throw UsageError("--on-loss: '" + text + "' is neither kill nor warn");
  }
  return text == "warn";
}

int run(const LockSettings& settings) {
  const InheritedDescriptors inherited;
  const Path lock = lock_path(settings.path);
  const zookeeper::Options options = settings.ensemble.options();
  if (settings.command.empty()) throw UsageError("lock: COMMAND is missing, after --");
  if (const std::optional<CannotRun> cannot = why_not_runnable(settings.command.front())) {
    say(cannot->why);
    return cannot->status;
  }
  Signals signals;
  zookeeper::Runtime runtime;
  zookeeper::Client client(runtime, options);
  LockRun locked(settings, lock, client, signals, inherited);
  runtime.run(locked.run());
  return locked.status();
}

}  // namespace

void add_lock(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("lock", "Runs a command while holding a lock on a real ensemble");
  command->footer(kLockFooter);
  const auto settings = std::make_shared<LockSettings>();
  add_path(*command, settings->path);
  add_ensemble(*command, settings->ensemble);
  command
      ->add_option_function<std::string>(
          "--timeout",
          [settings](const std::string& text) {
            settings->patience = duration_of("--timeout", text);
          },
          "How long to wait for the lock, such as 30s; 0: not at all (without limit)")
      ->type_name("D");
  command->add_flag("--shared", settings->shared,
                    "Hold it together with other shared holders, as a reader");
  command
      ->add_option_function<std::string>(
          "--on-loss", [settings](const std::string& text) { settings->warn = warn_only(text); },
          "When the lock is in doubt: kill stops COMMAND, warn only reports (kill)")
      ->type_name("kill|warn");
  command->callback([&line, settings] {
    line.run = [&line, settings] {
      settings->command = line.after_separator;
      return run(*settings);
    };
  });
}

}  // namespace lockstep::program
