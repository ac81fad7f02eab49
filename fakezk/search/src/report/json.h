#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::search {

// Writes JSON that can stand inside an HTML script element: no byte of it ends the element, and
// invalid UTF-8 becomes U+FFFD. Commas are added automatically. (nlohmann::json could do that,
// but every hunt links this library, and should not need a JSON library: only the program has one.)
class JsonWriter {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);
  void string(std::string_view text);
  void number(std::int64_t value);
  void null();

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void quote(std::string_view text);

  std::string text_;
  bool comma_ = false;
};

}  // namespace lockstep::search
