#include "lockstep/lab/lock_under_test.h"

#include <algorithm>
#include <stdexcept>

#include "lockstep/lab/scenario.h"

namespace lockstep::lab {

namespace {

bool is_letter_or_digit(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9');
}

char upper(char byte) {
  return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte;
}

// A name appears in replay strings, shell commands and C++ code, so it must need no quoting and
// have no slash.
void check_name(const std::string& name) {
  const auto allowed = [](char byte) {
    return is_letter_or_digit(byte) ||
           std::string_view("-_.+").find(byte) != std::string_view::npos;
  };
  if (!name.empty() && std::ranges::all_of(name, allowed)) return;
  throw std::invalid_argument("the lock's name '" + name +
                              "' is not one of letters, digits, '-', '_', '.' and '+'");
}

bool same_rules(const judge::LockRules& a, const judge::LockRules& b) {
  const auto same_mark = [](const Mark& one, const Mark& other) {
    return one.text == other.text && one.share == other.share;
  };
  return std::ranges::equal(a.marks, b.marks, same_mark) && a.lease == b.lease &&
         a.capacity == b.capacity && a.sure_capacity() == b.sure_capacity() &&
         a.holders == b.holders && a.idle_allowance == b.idle_allowance && a.single == b.single;
}

// True if only those members are set that lock_under_test<M>() sets.
bool is_usual(const LockUnderTest& lock) {
  const bool judged = lock.at_start || lock.invariant || lock.check_at_end;
  const bool sessions = !lock.sessions.auth.empty() || !lock.sessions.default_acl.says_nothing() ||
                        lock.sessions.fencing_epoch != 0;
  return !judged && !sessions && lock.last == lock.usual_last && lock.replicas == 1 &&
         lock.tick_time == fakezk::ServerOptions().tick_time &&
         same_rules(lock.rules, judge::mutex_rules());
}

bool is_made_by_template(const LockUnderTest& lock) {
  return lock.source.find("lock_under_test<") != std::string::npos;
}

}  // namespace

std::string class_name(std::string_view scenario) {
  std::string name;
  bool begins_word = true;
  for (const char byte : scenario) {
    if (!is_letter_or_digit(byte)) {
      begins_word = true;
      continue;
    }
    name += begins_word ? upper(byte) : byte;
    begins_word = false;
  }
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) name.insert(0, "Lock");
  return name;
}

bool LockUnderTest::shares_nothing() const {
  if (!isolated || at_start) return false;
  if (!usual_contend) return true;
  using Function = Task<void> (*)(Contender&, Path, std::uint32_t);
  const Function* const now = contend.target<Function>();
  return now && *now == usual_contend;
}

std::unique_ptr<search::Program> LockUnderTest::program(ScenarioSize size) const {
  check_name(name);
  if (replicas == 0) throw std::invalid_argument("'" + name + "' has no server");
  if (tick_time <= Duration::zero()) {
    throw std::invalid_argument("'" + name + "' has servers whose tick takes no time");
  }
  if (make_program) return make_program(size);
  if (!contend) throw std::invalid_argument("'" + name + "' has no contender");
  return std::make_unique<LockScenario>(*this, size);
}

LockSource source_of(const LockUnderTest& lock, std::string_view mutex) {
  if (is_made_by_template(lock)) {
    if (!is_usual(lock)) {
      return {"lock_under_test()", lock.include,
              "// Replace lock_under_test(): the hunted lock is " + lock.source +
                  "\n// with additional rules, servers or checks."};
    }
    std::string code = lock.source;
    if (!mutex.empty()) {
      const std::size_t begin = code.find('<') + 1;
      code.replace(begin, code.rfind('>') - begin, mutex);
    }
    return {std::move(code), lock.include, ""};
  }
  if (!lock.source.empty() && mutex.empty()) return {lock.source, lock.include, ""};
  if (mutex.empty() && !is_usual(lock)) {
    return {"lock_under_test()", lock.include,
            "// Replace lock_under_test(): the LockUnderTest '" + lock.name + "' that was hunted."};
  }
  const std::string guessed = mutex.empty() ? class_name(lock.name) : std::string(mutex);
  const std::string note =
      mutex.empty()
          ? "// Replace the contender by the one that was hunted, unless it is of this class."
          : "";
  return {"&lockstep::lab::contend_for<" + guessed + ">", lock.include, note};
}

}  // namespace lockstep::lab
