#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::wire {

// Jute, the encoding of ZooKeeper's messages (zookeeper-jute, BinaryInputArchive and
// BinaryOutputArchive): big-endian numbers; texts and buffers with their length in front, vectors
// with their count, where -1 stands for null. A vector with any other negative count is empty.
using Ustring = std::optional<std::string>;
using Buffer = std::optional<std::string>;
template <class T>
using Vector = std::optional<std::vector<T>>;

// Why bytes are no message.
enum class Malformed : std::uint8_t {
  kTruncated,      // They end too early.
  kBadLength,      // A text's length is negative and not -1, or any exceeds what is left.
  kUnknownOp,      // There is no such operation, or not in that place.
  kNotThisRecord,  // The message is of another kind.
};
[[nodiscard]] std::string_view name(Malformed how);

// A record lists its fields, in their order, to a reader or a writer:
//   template <class Self, class Archive> static void fields(Self& self, Archive& archive);
class Writer;
class Reader;
template <class T>
concept Record = requires(const T& record, Writer& writer) { T::fields(record, writer); };

// Appends fields to a text that outlives it.
class Writer {
 public:
  explicit Writer(std::string& out) : out_(&out) {}

  template <class... Fields>
  void operator()(const Fields&... fields) {
    (write(fields), ...);
  }

 private:
  void write(bool value) { out_->push_back(value ? '\1' : '\0'); }
  void write(std::int32_t value);
  void write(std::int64_t value);
  void write(const std::optional<std::string>& text);
  template <class T>
  void write(const Vector<T>& vector) {
    write(vector ? static_cast<std::int32_t>(vector->size()) : -1);
    if (!vector) return;
    for (const T& element : *vector) write(element);
  }
  template <Record T>
  void write(const T& record) {
    T::fields(record, *this);
  }

  std::string* out_;
};

// Reads fields from bytes that outlive it. After an error every field keeps its value, and the
// first error stays. It allocates no more than a small multiple of the bytes that it is given,
// whatever lengths and counts they claim.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class... Fields>
  void operator()(Fields&... fields) {
    (read(fields), ...);
  }

  [[nodiscard]] const std::optional<Malformed>& error() const { return error_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }
  // For an error that the caller has found.
  void fail(Malformed how) {
    if (!error_) error_ = how;
  }

 private:
  void read(bool& value);
  void read(std::int32_t& value);
  void read(std::int64_t& value);
  void read(std::optional<std::string>& text);
  template <class T>
  void read(Vector<T>& vector) {
    const std::optional<std::size_t> elements = count();
    if (!elements) return vector.reset();
    vector.emplace();
    // Not reserved: it grows only with elements that are there.
    for (std::size_t i = 0; i < *elements && !error_; ++i) read(vector->emplace_back());
  }
  template <Record T>
  void read(T& record) {
    T::fields(record, *this);
  }

  // A null text, of four bytes, is the smallest element of any vector.
  static constexpr std::size_t kSmallestElement = 4;

  [[nodiscard]] std::string_view take(std::size_t count);
  [[nodiscard]] std::uint64_t number(std::size_t size);
  // The count of a vector. None if it is null, or after an error.
  [[nodiscard]] std::optional<std::size_t> count();
  [[nodiscard]] std::optional<std::size_t> within_bytes(std::int32_t count, std::size_t element);

  std::string_view bytes_;
  std::optional<Malformed> error_;
};

}  // namespace lockstep::wire
