// operator new and delete of aliquot-sim: small blocks from lists by size, everything else from malloc.
//
// A simulation makes and drops a dozen small objects for each job, from one thread; what is dropped is the
// next one's of its size, for a few instructions. Each thread has lists of its own: a block that another
// thread drops is that one's from then on, and what a thread leaves behind is not used again. Not for a
// build under a sanitizer, which must see every block.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// Stands before every block, and keeps its alignment.
struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) Head {
  std::size_t size_class;  // 0: from malloc
  Head* next;              // of the free blocks of this size
};

constexpr std::size_t kStep = sizeof(Head);
constexpr std::size_t kLargest = 1024;
constexpr std::size_t kChunk = std::size_t{1} << 16;

struct Lists {
  std::array<Head*, kLargest / kStep + 1> free;
  std::byte* at;  // of the chunk that is being handed out
  std::byte* end;
};
constinit thread_local Lists lists{};

Head* from_malloc(std::size_t size) {
  for (;;) {
    if (void* const memory = std::malloc(size)) return static_cast<Head*>(memory);
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

// What is left of the last chunk is too small for this one, and lost.
Head* fresh(std::size_t size_class) {
  const std::size_t size = sizeof(Head) + size_class * kStep;
  if (static_cast<std::size_t>(lists.end - lists.at) < size) {
    lists.at = reinterpret_cast<std::byte*>(from_malloc(kChunk));
    lists.end = lists.at + kChunk;
  }
  Head* const head = ::new (static_cast<void*>(lists.at)) Head{size_class, nullptr};
  lists.at += size;
  return head;
}

[[gnu::noinline]] void* large(std::size_t size) {
  if (size > SIZE_MAX - sizeof(Head)) throw std::bad_alloc();
  return ::new (static_cast<void*>(from_malloc(sizeof(Head) + size))) Head{0, nullptr} + 1;
}

}  // namespace

void* operator new(std::size_t size) {
  if (size > kLargest) return large(size);
  const std::size_t size_class = std::max<std::size_t>((size + kStep - 1) / kStep, 1);
  Head*& free = lists.free[size_class];
  if (!free) return fresh(size_class) + 1;
  Head* const head = free;
  free = head->next;
  return head + 1;
}

void operator delete(void* block) noexcept {
  if (!block) return;
  Head* const head = static_cast<Head*>(block) - 1;
  if (head->size_class == 0) return std::free(head);
  head->next = lists.free[head->size_class];
  lists.free[head->size_class] = head;
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }
