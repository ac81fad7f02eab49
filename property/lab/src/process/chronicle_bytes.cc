#include "process/chronicle_bytes.h"

#include <cstring>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace lockstep::lab {

namespace {

template <class Known, class Type>
concept Is = std::is_same_v<std::remove_const_t<Known>, Type>;

// The members of a type, each once, to be written or to be read.
auto members(Is<search::Moment::Detail> auto& detail) {
  return std::tie(detail.name, detail.value);
}
auto members(Is<search::Moment> auto& moment) {
  return std::tie(moment.kind, moment.step, moment.time_ms, moment.process, moment.text,
                  moment.user, moment.details, moment.answers, moment.overtakes);
}
auto members(Is<search::ZnodeChange> auto& change) {
  return std::tie(change.kind, change.step, change.moment, change.path, change.zxid,
                  change.lifetime, change.owner, change.owned, change.data);
}
auto members(Is<search::GrantSpan> auto& grant) {
  return std::tie(grant.process, grant.znode, grant.begins, grant.znode_gone, grant.ends);
}
auto members(Is<search::WatchSpan> auto& watch) {
  return std::tie(watch.process, watch.path, watch.children, watch.begins_after, watch.ends_after);
}
auto members(Is<search::Violation> auto& violation) {
  return std::tie(violation.oracle, violation.message, violation.step);
}
auto members(Is<search::Chronicle> auto& chronicle) {
  return std::tie(chronicle.processes, chronicle.sessions, chronicle.moments, chronicle.changes,
                  chronicle.grants, chronicle.watches, chronicle.violation, chronicle.steps,
                  chronicle.replicas);
}

template <class Type>
concept Plain = std::is_arithmetic_v<Type> || std::is_enum_v<Type>;

class ByteWriter {
 public:
  template <Plain Type>
  void add(const Type& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(const std::string& text) {
    add(text.size());
    bytes += text;
  }
  void add(const Data& data) {
    add(data.is_null());
    add(std::string(data.view()));
  }
  template <class Type>
  void add(const std::optional<Type>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class Type>
  void add(const std::vector<Type>& values) {
    add(values.size());
    for (const Type& value : values) add(value);
  }
  template <class Key, class Value, class Less>
  void add(const std::map<Key, Value, Less>& values) {
    add(values.size());
    for (const auto& [key, value] : values) {
      add(key);
      add(value);
    }
  }
  template <class Type>
    requires requires(const Type& value) { members(value); }
  void add(const Type& value) {
    std::apply([this](const auto&... member) { (this->add(member), ...); }, members(value));
  }

  std::string bytes;
};

// Once bytes are missing, nothing more is read.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest(bytes) {}

  template <Plain Type>
  void take(Type& value) {
    const std::string_view taken = cut(sizeof value);
    if (!taken.empty()) std::memcpy(&value, taken.data(), sizeof value);
  }
  void take(std::string& text) { text = cut(count()); }
  void take(Data& data) {
    bool is_null = false;
    std::string text;
    take(is_null);
    take(text);
    if (!is_null) data = Data(std::string_view(text));
  }
  template <class Type>
  void take(std::optional<Type>& value) {
    bool has_value = false;
    take(has_value);
    if (has_value) take(value.emplace());
  }
  template <class Type>
  void take(std::vector<Type>& values) {
    for (std::size_t left = count(); left > 0 && complete; --left) take(values.emplace_back());
  }
  template <class Key, class Value, class Less>
  void take(std::map<Key, Value, Less>& values) {
    for (std::size_t left = count(); left > 0 && complete; --left) {
      Key key;
      take(key);
      take(values[key]);
    }
  }
  template <class Type>
    requires requires(Type& value) { members(value); }
  void take(Type& value) {
    std::apply([this](auto&... member) { (this->take(member), ...); }, members(value));
  }

  bool complete = true;
  std::string_view rest;

 private:
  std::size_t count() {
    std::size_t count = 0;
    take(count);
    return count;
  }
  std::string_view cut(std::size_t size) {
    complete = complete && size <= rest.size();
    if (!complete) return {};
    const std::string_view taken = rest.substr(0, size);
    rest.remove_prefix(size);
    return taken;
  }
};

}  // namespace

std::string bytes_of(const search::Chronicle& chronicle) {
  ByteWriter writer;
  writer.add(chronicle);
  return std::move(writer.bytes);
}

std::optional<search::Chronicle> chronicle_of(std::string_view bytes) {
  ByteReader reader(bytes);
  search::Chronicle chronicle;
  reader.take(chronicle);
  if (!reader.complete || !reader.rest.empty()) return std::nullopt;
  return chronicle;
}

}  // namespace lockstep::lab
