#include "differential/program_text.h"

#include "differential/words.h"

namespace lockstep::differential {

namespace {

std::string format_entry(const AclEntry& entry) {
  return " [ " + std::to_string(entry.permissions) + " " + in_quotes(entry.scheme) + " " +
         in_quotes(entry.id) + " ]";
}

std::string format_ops(const std::vector<Op>& ops) {
  std::string text = " {";
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (i > 0) text += " ;";
    text += " " + format(ops[i]);
  }
  return text + " }";
}

}  // namespace

std::string in_quotes(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      text += c;
    } else {
      text += "\\x";
      text += kDigits[byte / 16];
      text += kDigits[byte % 16];
    }
  }
  return text + "\"";
}

std::string format(const Acl& acl) {
  if (acl.is_open()) return "open";
  std::string text;
  for (const AclEntry& entry : acl.entries()) text += format_entry(entry);
  return text.empty() ? "none" : text.substr(1);
}

std::string format(const Op& op) {
  std::string text(word_of(kOpWords, op.op));
  if (op.op == OpCode::kMulti) return text + format_ops(op.ops);
  if (op.op == OpCode::kAddAuth)
    return text + " " + in_quotes(op.scheme) + " " + in_quotes(*op.data);
  text += " " + (op.absolute ? "@" + in_quotes(op.path) : in_quotes(op.path));
  if (op.data) text += " data " + in_quotes(*op.data);
  if (op.mode != CreateMode::kPersistent)
    text += " mode " + std::string(word_of(kModeWords, op.mode));
  if (op.ttl_ms != 0) text += " ttl " + std::to_string(op.ttl_ms);
  if (op.version != -1) text += " version " + std::to_string(op.version);
  if (!op.acl.is_open()) text += " acl " + format(op.acl);
  if (op.watch) text += " watch";
  if (op.watch_type != WatchType::kAny)
    text += " type " + std::string(word_of(kWatchTypeWords, op.watch_type));
  return text;
}

std::string format(const Step& step) {
  std::string text =
      "s" + std::to_string(step.session) + " " + std::string(word_of(kStepWords, step.kind));
  if (step.kind == StepKind::kLose) text += " " + std::to_string(step.applied);
  text += "\n";
  for (const Op& op : step.ops) text += "  " + format(op) + "\n";
  return text;
}

std::string format(const Program& program) {
  std::string text;
  for (const Step& step : program.steps) text += format(step);
  return text;
}

}  // namespace lockstep::differential
