#include <algorithm>
#include <iostream>
#include <memory>

#include "command.h"
#include "lockstep/search/oracle.h"
#include "scenarios/registry.h"
#include "screen.h"
#include "text.h"

namespace lockstep::program {

namespace {

void list_as_json() {
  auto entries = nlohmann::ordered_json::array();
  for (const scenarios::Scenario& scenario : scenarios::all()) {
    nlohmann::ordered_json entry = {{"name", scenario.name},
                                    {"kind", scenario.kind},
                                    {"expects", scenario.expects},
                                    {"summary", scenario.summary},
                                    {"clients", scenario.size.clients},
                                    {"rounds", scenario.size.rounds}};
    if (!scenario.reference.empty()) entry["reference"] = scenario.reference;
    if (scenario.calm_fails) entry["calm_fails"] = true;
    entries.push_back(std::move(entry));
  }
  print_json({{"scenarios", std::move(entries)}});
}

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  result.append(width > text.size() ? width - text.size() : 0, ' ');
  return result + "  ";
}

// Explains the oracles that some scenario must violate, in order.
void explain_oracles() {
  for (const search::OracleFacts& row : search::oracles()) {
    const bool is_expected = std::ranges::any_of(
        scenarios::all(),
        [&](const scenarios::Scenario& each) { return each.expects == row.name; });
    if (is_expected) std::cout << "            " << padded(row.name, 8) << row.brief << '\n';
  }
  std::cout << "            " << padded("user:", 8) << "a check of the scenario's own\n";
}

void explain_the_columns() {
  std::cout << "\n"
            << "KIND        recipe    a lock of this library: no hunt may find a violation\n"
            << "            textbook  a lock as tutorials have it, with a bug that hunts find\n"
            << "            zoo       a lock with a bug that a project has shipped, or could\n"
            << "EXPECTS     pass, or what a hunt must see broken:\n";
  explain_oracles();
  std::cout
      << "CLIENTS     how many contend, and ROUNDS how often each takes the lock: the defaults\n"
      << "            of --clients and --rounds\n"
      << "Needs no race: the bug shows without one, and without faults.\n"
      << "\n"
      << "Hunt one by its name, or by the beginning of its name: lockstep hunt zoo-01\n";
}

void list_as_table() {
  std::size_t name = 4;
  std::size_t expects = 7;
  for (const scenarios::Scenario& scenario : scenarios::all()) {
    name = std::max(name, scenario.name.size());
    expects = std::max(expects, scenario.expects.size());
  }
  const std::string head = padded("NAME", name) + padded("KIND", 8) + padded("EXPECTS", expects) +
                           "CLIENTS  ROUNDS  SUMMARY";
  std::cout << Screen::output().strong(head) << '\n';
  for (const scenarios::Scenario& scenario : scenarios::all()) {
    std::cout << padded(scenario.name, name) << padded(scenario.kind, 8)
              << padded(scenario.expects, expects)
              << padded(std::to_string(scenario.size.clients), 7)
              << padded(std::to_string(scenario.size.rounds), 6) << scenario.summary
              << (scenario.calm_fails ? " (Needs no race.)\n" : "\n");
  }
  explain_the_columns();
}

}  // namespace

void add_list(CLI::App& app, CommandLine& line) {
  CLI::App* const command = app.add_subcommand("list", "Shows the scenarios that can be hunted");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON object");
  command->callback([&line, json] {
    line.run = [json] {
      if (*json) {
        list_as_json();
      } else {
        list_as_table();
      }
      return kOk;
    };
  });
}

}  // namespace lockstep::program
