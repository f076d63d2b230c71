// Large pages for a long vector that is about to be filled: its memory is then got in a few pieces, not in
// thousands. A wish, which the system may ignore; nothing follows from it but speed.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstdint>
#include <vector>

namespace aliquot {

// Room for so many elements; what is not used costs no memory.
template <class T>
void reserve_large(std::vector<T>& all, std::size_t count) {
  all.reserve(count);
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto begin = (reinterpret_cast<std::uintptr_t>(all.data()) + page - 1) & ~(page - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(all.data() + all.capacity()) & ~(page - 1);
  if (end > begin) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace aliquot
