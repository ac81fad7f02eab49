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

// ZooKeeper's numbers of operations in transactions (ZooDefs.OpCode).
enum class Op : std::int32_t {
  kCreate = 1,
  kDelete = 2,
  kMulti = 14,
  kCreate2 = 15,
  kCreateContainer = 19,
  kDeleteContainer = 20,
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

// The logs of all servers together. A server may log a transaction twice.
class Logs {
 public:
  explicit Logs(const std::string& root) : root_(root) {}

  void read(const std::filesystem::path& folder) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("log.")) read_file(entry.path());
      // A new leader begins with a snapshot, which holds only committed transactions.
      if (name.starts_with("snapshot.")) {
        const auto zxid = static_cast<std::int64_t>(std::stoull(name.substr(9), nullptr, 16));
        std::int64_t& end = ends_[zxid >> 32];
        end = std::max(end, zxid);
      }
    }
  }

  [[nodiscard]] std::vector<Transaction> committed() const {
    std::vector<Transaction> all;
    std::int64_t last = 0;
    const std::int64_t epoch = logged_.empty() ? 0 : logged_.rbegin()->first >> 32;
    for (const auto& [zxid, transactions] : logged_) {
      const auto end = ends_.find(zxid >> 32);
      if (zxid >> 32 != epoch && end != ends_.end() && zxid > end->second) continue;
      check_follows(last, zxid);
      last = zxid;
      all.insert(all.end(), transactions.begin(), transactions.end());
    }
    return all;
  }

 private:
  void read_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    Reader reader(bytes);
    if (reader.left() < kFileHeader) return;
    reader.take(kFileHeader);
    while (reader.left() > 12) {
      reader.int64();  // A checksum.
      const std::int32_t size = reader.int32();
      // The file is longer than its content, and a killed server leaves half a record.
      if (size <= 0 || reader.left() < static_cast<std::size_t>(size) + 1) return;
      const std::string_view transaction = reader.take(static_cast<std::size_t>(size));
      if (reader.take(1) != "B") return;
      read_transaction(transaction);
    }
  }

  void read_transaction(std::string_view bytes) {
    Reader reader(bytes);
    Transaction known;
    known.session = reader.int64();
    reader.int32();
    known.zxid = reader.int64();
    reader.int64();
    const Op op{reader.int32()};
    const auto [entry, is_new] = logged_.try_emplace(known.zxid);
    if (is_new) apply(op, reader, known, entry->second);
  }

  // Within an epoch, zxids are consecutive.
  static void check_follows(std::int64_t last, std::int64_t zxid) {
    const bool follows = zxid == last + 1;
    const bool begins = (zxid >> 32) > (last >> 32) && (zxid & 0xFFFFFFFF) == 1;
    if (last == 0 || follows || begins) return;
    std::ostringstream text;
    text << std::hex << "the transaction logs jump from 0x" << last << " to 0x" << zxid;
    throw std::runtime_error(text.str());
  }

  void apply(Op op, Reader& reader, Transaction known, std::vector<Transaction>& to) const {
    switch (op) {
      case Op::kCreate:
      case Op::kCreate2:
        known.kind = Transaction::Kind::kCreate;
        known.path = reader.buffer();
        reader.buffer();
        for (std::int32_t entries = reader.int32(); entries > 0; --entries) {
          reader.int32();
          reader.buffer();
          reader.buffer();
        }
        known.ephemeral = reader.number(1) != 0;
        break;
      case Op::kDelete:
      case Op::kDeleteContainer:
        known.kind = Transaction::Kind::kDelete;
        known.path = reader.buffer();
        break;
      case Op::kCloseSession:
        known.kind = Transaction::Kind::kEndOfSession;
        return to.push_back(std::move(known));
      case Op::kMulti:
        for (std::int32_t count = reader.int32(); count > 0; --count) {
          const Op part{reader.int32()};
          Reader content(reader.buffer());
          apply(part, content, known, to);
        }
        return;
      default: return;
    }
    if (known.path.starts_with(root_ + "/")) to.push_back(std::move(known));
  }

  const std::string& root_;
  std::map<std::int64_t, std::vector<Transaction>> logged_;  // By zxid.
  std::map<std::int64_t, std::int64_t> ends_;                // The last known commit of each epoch.
};

}  // namespace

std::vector<Transaction> read_transactions(const std::vector<std::filesystem::path>& logs,
                                           const std::string& root) {
  Logs all(root);
  for (const std::filesystem::path& log : logs) all.read(log);
  return all.committed();
}

}  // namespace lockstep::chaos
