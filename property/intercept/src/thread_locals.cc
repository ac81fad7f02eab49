#include "thread_locals.h"

#include <asm/prctl.h>
#include <dlfcn.h>
#include <immintrin.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Null in a program without that sanitizer.
extern "C" {
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __tsan_init();
}

namespace lockstep::intercept {

namespace {

// The thread_local variables of these modules describe the real thread: those of libc, those of
// Lockstep as a library, and those of sanitizers, which identify threads by them.
bool stays(std::string_view module) {
  constexpr std::array<std::string_view, 6> kStay = {
      "/libc.so", "/ld-linux", "/liblockstep_run.so", "/libasan.so", "/liblsan.so", "/libubsan.so"};
  return std::ranges::any_of(
      kStay, [&](std::string_view name) { return module.find(name) != module.npos; });
}

// ThreadSanitizer's variables take a million bytes, too many to copy at each switch: they are
// copied once. Only a few of them depend on the running fiber, and the sanitizer sets those at each
// switch.
bool follows_switches(std::string_view module) { return module.find("/libtsan.so") != module.npos; }

// Finds a function or variable that glibc exports for debuggers, or for libraries that create
// threads. Throws std::logic_error if there is none.
template <typename T>
T* find_in_libc(const char* name) {
  void* const found = ::dlsym(RTLD_DEFAULT, name);
  if (!found) {
    throw std::logic_error(std::string("threads cannot be intercepted: this libc has no ") + name);
  }
  return reinterpret_cast<T*>(found);
}

// The beginning of the block to which the thread pointer points (tcbhead_t in glibc's
// sysdeps/x86_64/nptl/tls.h).
struct ThreadHeader {
  void* thread_pointer;
  void* vector;  // The dynamic thread vector: the addresses of each module's variables.
  void* self;
};

std::byte* thread_pointer() { return static_cast<std::byte*>(__builtin_thread_pointer()); }

// Writes the FS register by an instruction of FSGSBASE, which Linux permits if bit 1 of AT_HWCAP2
// is set. The system call takes much longer.
__attribute__((target("fsgsbase"))) void write_register(std::byte* block) {
  _writefsbase_u64(reinterpret_cast<std::uintptr_t>(block));
}

bool may_write_register() {
  static const bool may_write = (::getauxval(AT_HWCAP2) & 2) != 0;
  return may_write;
}

void set_thread_pointer(std::byte* block) {
  if (may_write_register()) return write_register(block);
  ::syscall(SYS_arch_prctl, ARCH_SET_FS, block);
}

// Sanitizers keep what they know of the running thread in its variables.
bool is_sanitized() { return __asan_init || __tsan_init; }

// Whether leave() leaves a thread's variables in place.
bool stays_in_place() { return !may_write_register() && !is_sanitized(); }

std::ptrdiff_t offset_of(const void* variable) {
  return static_cast<const std::byte*>(variable) - thread_pointer();
}

// A range of thread_local variables, at an offset from the thread pointer.
struct Piece {
  std::ptrdiff_t offset;
  std::size_t size;
  const std::byte* image;  // Initial contents, followed by zeros. Shared pieces do not use it.
  std::size_t image_size;
};

class Layout {
 public:
  static Layout& instance() {
    static Layout layout;
    return layout;
  }

  void share(std::ptrdiff_t begin, std::ptrdiff_t end) { move(begin, end, own_, following_); }
  void share_always(std::ptrdiff_t begin, std::ptrdiff_t end) { move(begin, end, own_, shared_); }

  std::byte* take() {
    if (idle_.empty()) return make();
    std::byte* const block = idle_.back();
    idle_.pop_back();
    initialize(block);
    return block;
  }
  void give_back(std::byte* block) { idle_.push_back(block); }

  void copy_shared(std::byte* to, const std::byte* from) const { copy(shared_, to, from); }
  void copy_following(std::byte* to, const std::byte* from) const { copy(following_, to, from); }

 private:
  static void copy(const std::vector<Piece>& pieces, std::byte* to, const std::byte* from) {
    for (const Piece& piece : pieces) {
      std::memcpy(to + piece.offset, from + piece.offset, piece.size);
    }
  }

  Layout() {
    ::dl_iterate_phdr(
        [](dl_phdr_info* module, std::size_t, void* self) {
          static_cast<Layout*>(self)->find(*module);
          return 0;
        },
        this);
    const std::ptrdiff_t at = reinterpret_cast<std::byte*>(&errno) - thread_pointer();
    move(at, at + static_cast<std::ptrdiff_t>(sizeof(errno)), shared_, own_);
  }

  void find(const dl_phdr_info& module) {
    if (!module.dlpi_tls_data) return;
    const std::ptrdiff_t offset = static_cast<std::byte*>(module.dlpi_tls_data) - thread_pointer();
    // The variables of a library that was loaded later are not in the block: libc allocates them
    // when they are first used.
    if (offset >= 0 || offset < -static_cast<std::ptrdiff_t>(static_bytes())) return;
    for (int i = 0; i < module.dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = module.dlpi_phdr[i];
      if (header.p_type != PT_TLS) continue;
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader's addresses are numbers.
      const auto* const image =
          reinterpret_cast<const std::byte*>(module.dlpi_addr + header.p_vaddr);
      const Piece piece = {offset, header.p_memsz, image, header.p_filesz};
      pieces_of(module.dlpi_name).push_back(piece);
    }
  }

  std::vector<Piece>& pieces_of(std::string_view module) {
    if (follows_switches(module)) return following_;
    return stays(module) ? shared_ : own_;
  }

  static std::size_t static_bytes() {
    using Describe = void(std::size_t* size, std::size_t* alignment);
    std::size_t size = 0;
    std::size_t alignment = 0;
    find_in_libc<Describe>("_dl_get_tls_static_info")(&size, &alignment);
    return size;
  }

  // Moves the memory between the two offsets from pieces of one kind to the other.
  static void move(std::ptrdiff_t begin, std::ptrdiff_t end, std::vector<Piece>& from,
                   std::vector<Piece>& to) {
    std::vector<Piece> left;
    for (const Piece& piece : from) {
      const std::ptrdiff_t last = piece.offset + static_cast<std::ptrdiff_t>(piece.size);
      const std::ptrdiff_t cut = std::clamp(begin, piece.offset, last);
      const std::ptrdiff_t end_of_cut = std::clamp(end, cut, last);
      add(piece, piece.offset, cut, left);
      add(piece, cut, end_of_cut, to);
      add(piece, end_of_cut, last, left);
    }
    from = std::move(left);
  }

  static void add(const Piece& whole, std::ptrdiff_t begin, std::ptrdiff_t end,
                  std::vector<Piece>& to) {
    if (begin == end) return;
    const auto skipped = static_cast<std::size_t>(begin - whole.offset);
    const auto size = static_cast<std::size_t>(end - begin);
    const std::size_t image = whole.image_size > skipped ? whole.image_size - skipped : 0;
    to.push_back({begin, size, whole.image + skipped, std::min(image, size)});
  }

  // Copies the real thread's struct pthread into the new block, so that libc still sees that
  // thread: its ID, its stack canary, and the values of keys, by which a sanitizer finds its record
  // of the thread.
  static std::byte* make() {
    static auto* const allocate = find_in_libc<void*(void*)>("_dl_allocate_tls");
    static const auto bytes = *find_in_libc<const std::uint32_t>("_thread_db_sizeof_pthread");
    auto* const block = static_cast<std::byte*>(allocate(nullptr));
    if (!block) throw std::bad_alloc();
    ThreadHeader header = {};
    std::memcpy(&header, block, sizeof(header));
    header.thread_pointer = block;
    header.self = block;
    std::memcpy(block, thread_pointer(), bytes);
    std::memcpy(block, &header, sizeof(header));
    return block;
  }

  void initialize(std::byte* block) const {
    for (const Piece& piece : own_) {
      std::memcpy(block + piece.offset, piece.image, piece.image_size);
      std::memset(block + piece.offset + piece.image_size, 0, piece.size - piece.image_size);
    }
  }

  std::vector<Piece> own_;
  std::vector<Piece> shared_;
  std::vector<Piece> following_;
  std::vector<std::byte*> idle_;
};

}  // namespace

ThreadLocals::ThreadLocals() : block_(Layout::instance().take()) {}

ThreadLocals::~ThreadLocals() {
  if (left_in_place_ == this) restore_real();
  Layout::instance().give_back(block_);
}

void ThreadLocals::prepare() { static_cast<void>(Layout::instance()); }

void ThreadLocals::share(const void* begin, std::size_t bytes) {
  const std::ptrdiff_t offset = offset_of(begin);
  Layout::instance().share(offset, offset + static_cast<std::ptrdiff_t>(bytes));
}

void ThreadLocals::share_with_runtime(const void* begin, std::size_t bytes) {
  if (!stays_in_place()) return;
  const std::ptrdiff_t offset = offset_of(begin);
  Layout::instance().share_always(offset, offset + static_cast<std::ptrdiff_t>(bytes));
}

void ThreadLocals::enter() {
  if (left_in_place_ == this) {
    left_in_place_ = nullptr;
    errno = errno_;
    return;
  }
  std::byte* const before = std::exchange(real_, save_real());
  if (before != real_) Layout::instance().copy_following(block_, real_);
  Layout::instance().copy_shared(block_, real_);
  set_thread_pointer(block_);
}

void ThreadLocals::leave() {
  if (stays_in_place()) {
    errno_ = errno;
    left_in_place_ = this;
    return;
  }
  set_thread_pointer(real_);
  Layout::instance().copy_shared(real_, block_);
}

void ThreadLocals::restore_real() {
  if (left_in_place_) set_thread_pointer(save_real());
}

// The block of the real thread, which has all of its variables from now on. The thread pointer may
// still point to another one.
std::byte* ThreadLocals::save_real() {
  ThreadLocals* const left = std::exchange(left_in_place_, nullptr);
  if (!left) return thread_pointer();
  errno = left->errno_;  // The real thread has used it meanwhile.
  Layout::instance().copy_shared(left->real_, left->block_);
  return left->real_;
}

}  // namespace lockstep::intercept
