// Asks for large pages for a long vector, which is then mapped in a few steps instead of thousands. The
// system may ignore it; it affects only speed.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstdint>
#include <vector>

namespace aliquot {

// Reserves `count` elements; unused ones cost no memory.
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
