#include "chaos/transaction_log.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace lockstep::chaos {

namespace {

// ZooKeeper's numbers for what a transaction does (ZooDefs.OpCode).
enum class Op : std::int32_t {
  kCreate = 1,
  kDelete = 2,
  kMulti = 14,
  kCreate2 = 15,
  kCreateContainer = 19,
  kDeleteContainer = 20,
  kCreateTtl = 21,
  kCloseSession = -11,
};

constexpr std::size_t kFileHeader = 16;

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t left() const { return bytes_.size(); }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) throw std::runtime_error("a transaction that ends too early");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::int64_t number(std::size_t size) {
    std::uint64_t value = 0;
    for (const char byte : take(size)) value = value << 8U | static_cast<unsigned char>(byte);
    return size == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
  }
  std::int32_t int32() { return static_cast<std::int32_t>(number(4)); }
  std::int64_t int64() { return number(8); }
  std::string_view buffer() {
    const std::int32_t size = int32();
    return take(size < 0 ? 0 : static_cast<std::size_t>(size));
  }

 private:
  std::string_view bytes_;
};

class Log {
 public:
  Log(std::vector<Transaction>& to, const std::string& root) : to_(to), root_(root) {}

  void read(const std::string& file) {
    Reader reader(file);
    if (reader.left() < kFileHeader) return;
    reader.take(kFileHeader);
    while (reader.left() > 12) {
      reader.int64();  // A checksum.
      const std::int32_t size = reader.int32();
      // The file is longer than what was written to it, and a killed server leaves half a record.
      if (size <= 0 || reader.left() < static_cast<std::size_t>(size) + 1) return;
      transaction(reader.take(static_cast<std::size_t>(size)));
      if (reader.take(1) != "B") return;
    }
  }

 private:
  void transaction(std::string_view bytes) {
    Reader reader(bytes);
    Transaction known;
    known.session = reader.int64();
    reader.int32();
    known.zxid = reader.int64();
    reader.int64();
    const Op op{reader.int32()};
    expect(known.zxid);
    apply(op, reader, known);
  }

  // Within an epoch, zxids are consecutive.
  void expect(std::int64_t zxid) {
    const bool follows = zxid == last_ + 1;
    const bool begins = (zxid >> 32) > (last_ >> 32) && (zxid & 0xFFFFFFFF) == 1;
    if (last_ != 0 && !follows && !begins) {
      std::ostringstream text;
      text << std::hex << "the transaction log jumps from 0x" << last_ << " to 0x" << zxid;
      throw std::runtime_error(text.str());
    }
    last_ = zxid;
  }

  void apply(Op op, Reader& reader, Transaction known) {
    switch (op) {
      case Op::kCreate:
      case Op::kCreate2: {
        known.kind = Transaction::Kind::kCreate;
        known.path = reader.buffer();
        reader.buffer();
        for (std::int32_t entries = reader.int32(); entries > 0; --entries) {
          reader.int32();
          reader.buffer();
          reader.buffer();
        }
        known.ephemeral = reader.number(1) != 0;
        return keep(std::move(known));
      }
      case Op::kDelete:
      case Op::kDeleteContainer:
        known.kind = Transaction::Kind::kDelete;
        known.path = reader.buffer();
        return keep(std::move(known));
      case Op::kCloseSession:
        known.kind = Transaction::Kind::kEndOfSession;
        to_.push_back(std::move(known));
        return;
      case Op::kMulti:
        for (std::int32_t count = reader.int32(); count > 0; --count) {
          const Op part{reader.int32()};
          Reader content(reader.buffer());
          apply(part, content, known);
        }
        return;
      default: return;
    }
  }

  void keep(Transaction known) {
    if (known.path.starts_with(root_ + "/")) to_.push_back(std::move(known));
  }

  std::vector<Transaction>& to_;
  const std::string& root_;
  std::int64_t last_ = 0;
};

}  // namespace

std::vector<Transaction> read_transactions(const std::filesystem::path& log,
                                           const std::string& root) {
  std::map<std::uint64_t, std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(log)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("log.")) files[std::stoull(name.substr(4), nullptr, 16)] = entry.path();
  }
  std::vector<Transaction> transactions;
  Log reader(transactions, root);
  for (const auto& [zxid, file] : files) {
    std::ifstream stream(file, std::ios::binary);
    reader.read(std::string(std::istreambuf_iterator<char>(stream), {}));
  }
  return transactions;
}

}  // namespace lockstep::chaos
