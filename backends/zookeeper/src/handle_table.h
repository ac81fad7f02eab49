#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "message.h"

namespace lockstep::zookeeper {

class Handle;

// The `void*` that the C client passes to every callback. It holds a number instead of an address:
// completions can be lost, and watchers stay registered for an unknown time, so nothing that must
// be freed may depend on them. The upper bits identify the handle, the lower ones its request.
class CallbackContext {
 public:
  CallbackContext(std::uint64_t handle_key, RequestId request) noexcept
      : bits_((handle_key << kRequestBits) | request) {}
  explicit CallbackContext(const void* context) noexcept
      : bits_(reinterpret_cast<std::uintptr_t>(context)) {}

  [[nodiscard]] void* pointer() const noexcept { return reinterpret_cast<void*>(bits_); }
  [[nodiscard]] std::uint64_t handle_key() const noexcept { return bits_ >> kRequestBits; }
  [[nodiscard]] RequestId request() const noexcept { return bits_ & ((1ull << kRequestBits) - 1); }

 private:
  static constexpr int kRequestBits = 44;
  static_assert(sizeof(std::uintptr_t) == 8, "handle and request share one pointer");

  std::uintptr_t bits_;
};

// The handles of this process by key. Thread-safe.
class HandleTable {
 public:
  // The only table; never destroyed, since threads of the C client may outlive main().
  static HandleTable& instance();

  // The entry of a handle. Destroyed after the C client has ended all callbacks of the handle.
  class Entry {
   public:
    explicit Entry(Handle& handle) : key_(instance().add(handle)) {}
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() { instance().remove(key_); }
    [[nodiscard]] std::uint64_t key() const { return key_; }

   private:
    const std::uint64_t key_;
  };

  [[nodiscard]] Handle* find(std::uint64_t key);

 private:
  [[nodiscard]] std::uint64_t add(Handle& handle);
  void remove(std::uint64_t key);
  // A forked child makes its own handles, so no thread of its parent may hold the table's lock
  // during the fork.
  HandleTable();
  static void before_fork() { instance().mutex_.lock(); }
  static void after_fork() { instance().mutex_.unlock(); }

  std::mutex mutex_;
  std::uint64_t last_key_ = 0;
  std::unordered_map<std::uint64_t, Handle*> handles_;
};

}  // namespace lockstep::zookeeper
