#include "differential/shrink_program.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

namespace lockstep::differential {

namespace {

using Programs = std::vector<Program>;

template <class T>
std::vector<T> without(const std::vector<T>& all, std::size_t first, std::size_t count) {
  std::vector<T> rest = all;
  const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(first);
  rest.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(count, rest.size() - first)));
  return rest;
}

void drop_steps(const Program& program, Programs& into) {
  for (std::size_t count = program.steps.size(); count > 0; count /= 2) {
    for (std::size_t first = 0; first < program.steps.size(); first += count) {
      Program fewer;
      fewer.steps = without(program.steps, first, count);
      into.push_back(std::move(fewer));
    }
  }
}

// Moves all steps of a session to one with a lower number.
void merge_sessions(const Program& program, Programs& into) {
  for (int from = program.sessions() - 1; from > 0; --from) {
    for (int to = 0; to < from; ++to) {
      Program merged = program;
      for (Step& step : merged.steps) {
        if (step.session == from) step.session = to;
      }
      if (!(merged == program)) into.push_back(std::move(merged));
    }
  }
}

// Moves its path and all paths below it one level up: "/a/b" becomes "/b".
void lift(Op& op, const std::string& first_name) {
  for (Op& part : op.ops) lift(part, first_name);
  if (op.path == first_name || op.path.starts_with(first_name + "/")) {
    op.path.erase(0, first_name.size());
  }
}

std::string first_name_of(const std::string& path) {
  return path.substr(0, path.find('/', std::min<std::size_t>(1, path.size())));
}

void lift_znodes(const Program& program, Programs& into) {
  std::set<std::string> names;
  for (const Step& step : program.steps) {
    for (const Op& op : step.ops) names.insert(first_name_of(op.path));
  }
  for (const std::string& name : names) {
    Program lifted = program;
    for (Step& step : lifted.steps) {
      for (Op& op : step.ops) lift(op, name);
    }
    if (!(lifted == program)) into.push_back(std::move(lifted));
  }
}

void change_if(Op& op, std::vector<Op>& into, const std::function<void(Op&)>& change) {
  Op changed = op;
  change(changed);
  if (!(changed == op)) into.push_back(std::move(changed));
}

std::vector<Op> simpler_ops(Op op) {
  std::vector<Op> into;
  for (std::size_t i = 0; i < op.ops.size(); ++i) {
    into.push_back(op.ops[i]);  // Replaces the multi; a check cannot stand alone.
    if (into.back().op == OpCode::kCheck) into.pop_back();
    change_if(op, into, [i](Op& other) { other.ops = without(other.ops, i, 1); });
  }
  for (std::size_t i = 0; i < op.ops.size(); ++i) {
    for (Op& part : simpler_ops(op.ops[i])) {
      change_if(op, into, [i, &part](Op& other) { other.ops[i] = std::move(part); });
    }
  }
  if (op.op != OpCode::kMulti) {
    change_if(op, into, [](Op& other) { lift(other, first_name_of(other.path)); });
  }
  change_if(op, into, [](Op& other) { other.watch = false; });
  change_if(op, into, [](Op& other) { other.version = -1; });
  change_if(op, into, [](Op& other) { other.watch_type = WatchType::kAny; });
  change_if(op, into, [](Op& other) { other.acl = Acl(); });
  if (op.op == OpCode::kAddAuth) return into;
  change_if(op, into, [](Op& other) { other.data.reset(); });
  if (!has_ttl(op.mode)) {
    change_if(op, into, [](Op& other) { other.mode = CreateMode::kPersistent; });
  }
  if (!op.acl.is_open() && op.acl.entries().size() > 1) {
    for (const AclEntry& entry : op.acl.entries()) {
      change_if(op, into, [&entry](Op& other) { other.acl = Acl({entry}); });
    }
  }
  return into;
}

void simplify_step(const Program& program, std::size_t index, Programs& into) {
  const Step& step = program.steps[index];
  const auto add = [&](const Step& changed) {
    if (changed == step) return;
    into.push_back(program);
    into.back().steps[index] = changed;
  };
  for (std::size_t i = 0; i < step.ops.size(); ++i) {
    Step fewer = step;
    fewer.ops = without(step.ops, i, 1);
    fewer.applied = std::min(fewer.applied, static_cast<int>(fewer.ops.size()));
    add(fewer);
  }
  Step simple = step;
  if (step.kind == StepKind::kExpire) simple.kind = StepKind::kKill;
  add(simple);
  for (std::size_t i = 0; i < step.ops.size(); ++i) {
    for (Op& op : simpler_ops(step.ops[i])) {
      Step changed = step;
      changed.ops[i] = std::move(op);
      add(changed);
    }
  }
}

// Splits a step into one step per request, if the requests need not be in flight together.
void take_apart(const Program& program, std::size_t index, Programs& into) {
  const Step& step = program.steps[index];
  if (step.kind != StepKind::kSend || step.ops.size() < 2) return;
  Program apart = program;
  apart.steps.erase(apart.steps.begin() + static_cast<std::ptrdiff_t>(index));
  for (std::size_t i = step.ops.size(); i-- > 0;) {
    Step one(StepKind::kSend, step.session);
    one.ops = {step.ops[i]};
    apart.steps.insert(apart.steps.begin() + static_cast<std::ptrdiff_t>(index), std::move(one));
  }
  into.push_back(std::move(apart));
}

}  // namespace

std::vector<Program> simpler(const Program& program) {
  Programs all;
  drop_steps(program, all);
  merge_sessions(program, all);
  lift_znodes(program, all);
  for (std::size_t i = 0; i < program.steps.size(); ++i) simplify_step(program, i, all);
  for (std::size_t i = 0; i < program.steps.size(); ++i) take_apart(program, i, all);
  return all;
}

}  // namespace lockstep::differential
