#include "chaos/transaction_log.h"

#include <algorithm>
#include <fstream>
#include <functional>
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

std::int64_t epoch_of(std::int64_t zxid) { return zxid >> 32; }

// The logs of all servers together. A server may log a transaction twice.
class Logs {
 public:
  explicit Logs(const std::string& root) : root_(root) {}

  void read(const std::filesystem::path& folder) {
    ends_.emplace_back();
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("log.")) read_file(entry.path());
      if (name.starts_with("snapshot.")) {
        holds(static_cast<std::int64_t>(std::stoull(name.substr(9), nullptr, 16)));
      }
    }
  }

  [[nodiscard]] std::vector<Transaction> committed() const {
    std::vector<Transaction> all;
    std::int64_t last = 0;
    for (const auto& [zxid, transactions] : logged_) {
      if (zxid > end_of(epoch_of(zxid))) continue;
      check_follows(last, zxid);
      last = zxid;
      all.insert(all.end(), transactions.begin(), transactions.end());
    }
    return all;
  }

 private:
  // The server that is being read has this transaction and those before it on its disk.
  void holds(std::int64_t zxid) {
    std::int64_t& end = ends_.back()[epoch_of(zxid)];
    end = std::max(end, zxid);
  }

  // The last transaction of an epoch that a majority holds; zero if there is none.
  [[nodiscard]] std::int64_t end_of(std::int64_t epoch) const {
    std::vector<std::int64_t> ends;
    for (const auto& of_server : ends_) {
      const auto end = of_server.find(epoch);
      ends.push_back(end == of_server.end() ? 0 : end->second);
    }
    std::ranges::sort(ends, std::ranges::greater());
    return ends[ends.size() / 2];
  }

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
    holds(known.zxid);
    const auto [entry, is_new] = logged_.try_emplace(known.zxid);
    if (is_new) apply(op, reader, known, entry->second);
  }

  // Within an epoch, zxids are consecutive.
  static void check_follows(std::int64_t last, std::int64_t zxid) {
    const bool follows = zxid == last + 1;
    const bool begins = epoch_of(zxid) > epoch_of(last) && (zxid & 0xFFFFFFFF) == 1;
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
  // By server and epoch: the last transaction that it holds in its log or in a snapshot.
  std::vector<std::map<std::int64_t, std::int64_t>> ends_;
};

}  // namespace

std::vector<Transaction> read_transactions(const std::vector<std::filesystem::path>& logs,
                                           const std::string& root) {
  Logs all(root);
  for (const std::filesystem::path& log : logs) all.read(log);
  return all.committed();
}

}  // namespace lockstep::chaos
