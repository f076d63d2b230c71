// Memory for values of one type that come and go: what one leaves is the next one's, without a call of the
// allocator. Values stay where they are made. The owner destroys every value before the slots go.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace aliquot {

template <class T>
class Slots {
 public:
  Slots() = default;
  Slots(const Slots&) = delete;
  Slots& operator=(const Slots&) = delete;
  ~Slots() = default;

  void swap(Slots& other) noexcept {
    blocks_.swap(other.blocks_);
    std::swap(free_, other.free_);
    std::swap(most_, other.most_);
  }

  // T{args...}
  template <class... Args>
  T* make(Args&&... args) {
    if (!free_) grow();
    Slot* const slot = free_;
    Slot* const next = slot->next;
    T* const made = ::new (static_cast<void*>(slot->bytes)) T{std::forward<Args>(args)...};
    free_ = next;
    return made;
  }
  void unmake(T* value) {
    value->~T();
    auto* slot = ::new (static_cast<void*>(value)) Slot;
    slot->next = std::exchange(free_, slot);
  }

 private:
  union Slot {
    Slot* next;
    alignas(T) std::byte bytes[sizeof(T)];
  };

  void grow() {
    blocks_.push_back(std::make_unique<Slot[]>(most_));
    for (std::size_t at = most_; at-- > 0;) {
      blocks_.back()[at].next = free_;
      free_ = &blocks_.back()[at];
    }
    most_ = std::min<std::size_t>(2 * most_, 1024);
  }

  std::vector<std::unique_ptr<Slot[]>> blocks_;
  Slot* free_ = nullptr;
  std::size_t most_ = 8;  // slots of the next block
};

}  // namespace aliquot
