#include <charconv>
#include <cstddef>
#include <sstream>

#include "differential/program_text.h"
#include "differential/words.h"

namespace lockstep::differential {

namespace {

// Reads the tokens of one line.
class Tokens {
 public:
  explicit Tokens(std::string_view line) : rest_(line) { skip_blanks(); }

  [[nodiscard]] bool empty() const { return rest_.empty() || rest_.front() == '#'; }
  [[nodiscard]] bool at(std::string_view word) const {
    Tokens copy(*this);
    return !empty() && rest_.front() != '"' && copy.word() == word;
  }
  bool take(std::string_view expected) {
    if (!at(expected)) return false;
    static_cast<void>(word());
    return true;
  }
  void must_take(std::string_view expected) {
    if (!take(expected)) throw std::runtime_error("expected " + std::string(expected));
  }

  std::string_view word() {
    const std::string_view taken = rest_.substr(0, rest_.find(' '));
    advance(taken.size());
    return taken;
  }

  template <class T>
  T number() {
    const std::string_view digits = word();
    T value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) {
      throw std::runtime_error("not a number: " + std::string(digits));
    }
    return value;
  }

  std::string quoted() {
    if (!rest_.starts_with('"')) throw std::runtime_error("expected a quoted string");
    std::string bytes;
    std::size_t at = 1;
    for (; at < rest_.size() && rest_[at] != '"'; ++at) {
      if (rest_.substr(at, 2) != "\\x") {
        bytes += rest_[at];
        continue;
      }
      bytes += static_cast<char>(std::stoi(std::string(rest_.substr(at + 2, 2)), nullptr, 16));
      at += 3;
    }
    if (at >= rest_.size()) throw std::runtime_error("a string that does not end");
    advance(at + 1);
    return bytes;
  }

  bool take_at_sign() {
    if (!rest_.starts_with('@')) return false;
    rest_.remove_prefix(1);
    return true;
  }

 private:
  void advance(std::size_t size) {
    rest_.remove_prefix(size);
    skip_blanks();
  }
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }

  std::string_view rest_;
};

Acl parse_acl(Tokens& tokens) {
  std::vector<AclEntry> entries;
  if (tokens.take("none")) return Acl(entries);
  while (tokens.take("[")) {
    const auto permissions = tokens.number<std::int32_t>();
    std::string scheme = tokens.quoted();
    std::string id = tokens.quoted();
    entries.emplace_back(permissions, std::move(scheme), std::move(id));
    tokens.must_take("]");
  }
  return Acl(entries);
}

// Returns false if the next word does not begin an option.
bool parse_option(Tokens& tokens, Op& op) {
  if (tokens.take("data")) {
    op.data = tokens.quoted();
  } else if (tokens.take("mode")) {
    op.mode = meaning_of(kModeWords, tokens.word());
  } else if (tokens.take("ttl")) {
    op.ttl_ms = tokens.number<std::int64_t>();
  } else if (tokens.take("version")) {
    op.version = tokens.number<std::int32_t>();
  } else if (tokens.take("acl")) {
    op.acl = parse_acl(tokens);
  } else if (tokens.take("type")) {
    op.watch_type = meaning_of(kWatchTypeWords, tokens.word());
  } else if (tokens.take("watch")) {
    op.watch = true;
  } else {
    return false;
  }
  return true;
}

Op parse_op(Tokens& tokens) {
  Op op(meaning_of(kOpWords, tokens.word()));
  if (op.op == OpCode::kMulti) {
    tokens.must_take("{");
    while (!tokens.take("}")) {
      op.ops.push_back(parse_op(tokens));
      if (!tokens.take(";") && !tokens.at("}")) throw std::runtime_error("expected ; or }");
    }
  } else if (op.op == OpCode::kAddAuth) {
    op.scheme = tokens.quoted();
    op.data = tokens.quoted();
  } else {
    op.absolute = tokens.take_at_sign();
    op.path = tokens.quoted();
    while (parse_option(tokens, op)) {
    }
  }
  return op;
}

Step parse_step(Tokens& tokens) {
  const std::string_view session = tokens.word();
  if (session.size() != 2 || session[0] != 's' || session[1] < '0' ||
      session[1] >= '0' + Program::kSessions) {
    throw std::runtime_error("not a session: " + std::string(session));
  }
  Step step(meaning_of(kStepWords, tokens.word()), session[1] - '0');
  if (step.kind == StepKind::kLose) step.applied = tokens.number<int>();
  return step;
}

void parse_line(std::string_view line, Program& program) {
  Tokens tokens(line);
  if (tokens.empty()) return;
  if (line.front() != ' ') {
    program.steps.push_back(parse_step(tokens));
  } else {
    if (program.steps.empty()) throw std::runtime_error("a request before the first step");
    program.steps.back().ops.push_back(parse_op(tokens));
  }
  if (!tokens.empty()) throw std::runtime_error("not understood: " + std::string(tokens.word()));
}

}  // namespace

Program parse_program(std::string_view text) {
  Program program;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    try {
      parse_line(line, program);
    } catch (const std::exception& error) {
      throw std::runtime_error("line " + std::to_string(number) + ": " + error.what());
    }
  }
  return program;
}

}  // namespace lockstep::differential
