// Lists of tasks that are known already, found by what is in them.
#pragma once

#include <bit>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace aliquot {

// Of tasks of a job. That of a list is the sum of those of what is in it: the order is that of the entries.
[[nodiscard]] constexpr std::uint64_t hash_of(std::uint32_t entry, std::uint32_t units) {
  std::uint64_t hash = (std::uint64_t{entry} << 32 | units) + 0x9e3779b97f4a7c15U;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

// Open addressing, a power of two of places.
class KnownLists {
 public:
  KnownLists(std::size_t most, std::pmr::memory_resource* memory)
      : slots_(std::bit_ceil(2 * most + 1), memory) {}

  // Where the list is, or belongs: its number plus one is to be written to a place that says 0.
  // same(number): is it equal to this one?
  template <class Same>
  std::uint32_t& find(std::uint64_t hash, Same&& same) {
    const auto mark = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].next != 0 && !(slots_[at].mark == mark && same(slots_[at].next - 1)))
      at = (at + 1) & (slots_.size() - 1);
    slots_[at].mark = mark;
    return slots_[at].next;
  }

 private:
  struct Slot {
    std::uint32_t mark = 0;  // of its hash
    std::uint32_t next = 0;
  };
  std::pmr::vector<Slot> slots_;
};

}  // namespace aliquot
