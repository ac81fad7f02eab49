#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <ios>
#include <iostream>
#include <limits>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "command.h"
#include "lockstep/lab/hunt.h"
#include "text.h"
#include "usage.h"

namespace lockstep::program {

namespace {

using Json = nlohmann::ordered_json;

// An execution has a limit of steps (lab::most_steps_of).
constexpr std::uint64_t kMostStepsEach = 1'000'000;

// Keys that are equal in all parts of one hunt.
constexpr std::array kShared = {"scenario", "strategy", "seed",        "clients",
                                "rounds",   "faults",   "fault_budget"};
// Required keys.
constexpr std::array kRead = {"scenario", "strategy",     "seed",      "clients",    "rounds",
                              "faults",   "fault_budget", "first",     "executions", "steps",
                              "seconds",  "trace_hash",   "violation", "stopped_by"};
// More than an oracle can have judged in kMostExecutions executions.
constexpr std::uint64_t kMostJudged = lab::HuntSettings::kMostExecutions * kMostStepsEach;

// The output of `hunt --json` for a part of a hunt's executions.
struct Part {
  std::string file;
  Json json;
  std::uint64_t first = 0;
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  double seconds = 0;
  std::uint64_t trace_hash = 0;
};

std::uint64_t read_hash(const std::string& text) {
  std::uint64_t hash = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw UsageError("trace_hash '" + text + "' is not a hexadecimal number");
  }
  return hash;
}

// The number under `key`; the JSON library would silently convert a negative or fractional one.
std::uint64_t read_count(const Json& json, const char* key, std::uint64_t most) {
  const Json& value = json.at(key);
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= most) return value;
  throw UsageError(std::string(key) + " is " + value.dump() + ", not a number from 0 to " +
                   std::to_string(most));
}

double read_seconds(const Json& json) {
  const Json& value = json.at("seconds");
  if (value.is_number() && value.get<double>() >= 0) return value;
  throw UsageError("seconds is " + value.dump() + ", not a number from 0 on");
}

// Parts of earlier versions have none.
void check_judged(const Json& json) {
  const Json judged = json.value("judged", Json());
  if (!judged.is_object()) return;
  for (const auto& [oracle, times] : judged.items()) {
    static_cast<void>(read_count(judged, oracle.c_str(), kMostJudged));
  }
}

void read_into(Part& part) {
  const Json& json = part.json;
  if (!json.is_object()) throw UsageError("it is not a JSON object");
  if (json.value("strategy", Json()) == lab::HuntSettings::kExhaustive) {
    throw UsageError("it is an exhaustive search, which has no parts to be merged");
  }
  for (const char* key : kRead) {
    if (!json.contains(key)) throw UsageError("it has no " + std::string(key));
  }
  part.first = read_count(json, "first", lab::HuntSettings::kMostExecutions);
  part.executions = read_count(json, "executions", lab::HuntSettings::kMostExecutions);
  part.steps = read_count(json, "steps", part.executions * kMostStepsEach);
  part.seconds = read_seconds(json);
  check_judged(json);
  const Json& hash = json.at("trace_hash");
  if (!hash.is_string()) throw UsageError("trace_hash is " + hash.dump() + ", not a string");
  part.trace_hash = read_hash(hash);
  const Json& violation = json.at("violation");
  if (!violation.is_null() && !violation.is_object()) {
    throw UsageError("violation is " + violation.dump() + ", neither null nor an object");
  }
}

// The JSON library reads the buffer of the stream, which throws what the stream would note: a
// directory can be opened, but not read.
Json parsed(std::istream& stream, const std::string& file) {
  try {
    return Json::parse(stream, nullptr, false);
  } catch (const std::ios_base::failure& error) {
    throw UsageError("cannot read '" + file + "': " + error.code().message());
  }
}

Part read(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) {
    throw UsageError("cannot read '" + file + "': " + std::generic_category().message(errno));
  }
  Part part;
  part.file = file;
  part.json = parsed(stream, file);
  try {
    if (part.json.is_discarded()) throw UsageError("it is not JSON");
    read_into(part);
  } catch (const UsageError& error) {
    throw UsageError("'" + file +
                     "' is not the output of 'hunt --json' for a part: " + error.what());
  }
  return part;
}

void check_that_they_belong_together(const Part& one, const Part& next) {
  const auto check = [&](const std::string& key, const Json& ours, const Json& theirs) {
    if (ours == theirs) return;
    throw UsageError("'" + one.file + "' and '" + next.file + "' are not parts of one hunt: " +
                     key + " is " + ours.dump() + " and " + theirs.dump());
  };
  for (const char* key : kShared) check(key, one.json.at(key), next.json.at(key));
  // Parts of earlier versions have no backend. Only those of `run --hunt` have a program.
  for (const auto& [key, usual] : {std::pair("backend", Json("fake")), {"program", Json()}}) {
    check(key, one.json.value(key, usual), next.json.value(key, usual));
  }
}

void check_that_it_follows(const Part& one, const Part& next) {
  const std::uint64_t end = one.first + one.executions;
  if (next.first == end) return;
  throw UsageError("'" + next.file + "' begins with execution " + std::to_string(next.first) +
                   ", but '" + one.file + "' ends before " + std::to_string(end));
}

// Adds up the judgements of all parts. Null if a part has none, as parts of earlier versions, or if
// the sum has no room.
Json sum_of_judged(const Json& all, const Json& next) {
  if (!all.is_object() || !next.is_object()) return nullptr;
  Json sum = all;
  for (auto& [oracle, times] : sum.items()) {
    const Json more = next.value(oracle, Json());
    if (!times.is_number_unsigned() || !more.is_number_unsigned()) return nullptr;
    const auto before = times.get<std::uint64_t>();
    const auto added = more.get<std::uint64_t>();
    if (added > std::numeric_limits<std::uint64_t>::max() - before) return nullptr;
    times = before + added;
  }
  return sum;
}

// Joins the parts in order, up to the first violation, into the result of a single hunt.
Json merged(std::vector<Part> parts) {
  std::ranges::sort(parts, {}, &Part::first);
  Part all = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    check_that_they_belong_together(parts.front(), parts[i]);
    if (!all.json.at("violation").is_null()) continue;
    check_that_it_follows(parts[i - 1], parts[i]);
    all.executions += parts[i].executions;
    all.steps += parts[i].steps;
    all.seconds += parts[i].seconds;
    all.trace_hash += parts[i].trace_hash;
    all.json["judged"] =
        sum_of_judged(all.json.value("judged", Json()), parts[i].json.value("judged", Json()));
    all.json["violation"] = parts[i].json.at("violation");
    all.json["stopped_by"] = parts[i].json.at("stopped_by");
  }
  all.json.erase("jobs");
  // Traces and states that several parts have reached cannot be told from others.
  if (parts.size() > 1) all.json.erase("coverage");
  all.json["executions"] = all.executions;
  all.json["steps"] = all.steps;
  all.json["seconds"] = all.seconds;
  all.json["executions_per_second"] = static_cast<double>(all.executions) / all.seconds;
  all.json["trace_hash"] = hex(all.trace_hash);
  return all.json;
}

int run(const std::vector<std::string>& files) {
  std::vector<Part> parts;
  parts.reserve(files.size());
  for (const std::string& file : files) parts.push_back(read(file));
  const Json result = merged(std::move(parts));
  print_json(result);
  return result.at("violation").is_null() ? kOk : kViolation;
}

}  // namespace

void add_merge(CLI::App& app, CommandLine& line) {
  CLI::App* const command = app.add_subcommand(
      "merge", "Joins the JSON of parts of one hunt (hunt --first), as if it had been one");
  const auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("FILE", *files, "Outputs of 'hunt --json', in any order")->required();
  command->add_flag_callback("--json", [] {}, "Print one JSON object (always on)");
  command->footer(
      "Exit status: 0 no violation, 1 violation, 2 bad input, 74 the result cannot be written.");
  command->callback([&line, files] { line.run = [files] { return run(*files); }; });
}

}  // namespace lockstep::program
