#include "policies/scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace aliquot {

namespace {

constexpr std::size_t kFirstBlock = 16 * 1024;
constexpr std::size_t kLarge = 4 * 1024;

// An alignment is a power of two.
std::byte* aligned(std::byte* at, std::size_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  return at + (-address & (alignment - 1));
}

}  // namespace

Scratch::Lease::Lease(Scratch& owner)
    : owner_(owner),
      block_(owner.take()),
      next_(block_->data()),
      end_(next_ + block_->size()),
      elsewhere_(std::pmr::new_delete_resource()) {}

Scratch::Block* Scratch::take() {
  Block* spare = std::exchange(spare_, nullptr);
  return spare ? spare : new Block(kFirstBlock);
}

Scratch::Lease::~Lease() {
  if (missing_ > 0) *block_ = Block(block_->size() + missing_);
  delete std::exchange(owner_.spare_, block_);
}

void* Scratch::Lease::do_allocate(std::size_t size, std::size_t alignment) {
  if (size >= kLarge) {
    if (void* const found = reuse(size, alignment)) return found;
  }
  std::byte* const first = aligned(next_, alignment);
  if (first <= end_ && size <= static_cast<std::size_t>(end_ - first)) {
    next_ = first + size;
    return first;
  }
  missing_ += size + alignment;
  return elsewhere_.allocate(size, alignment);
}

// The smallest that suffices; what it has too much stays where it is.
void* Scratch::Lease::reuse(std::size_t size, std::size_t alignment) {
  Piece* best = nullptr;
  std::byte* first = nullptr;
  for (Piece& piece : given_back_) {
    if (piece.size < size || (best && piece.size >= best->size)) continue;
    std::byte* const from = aligned(piece.first, alignment);
    if (size > piece.size - static_cast<std::size_t>(from - piece.first)) continue;
    best = &piece;
    first = from;
  }
  if (!best) return nullptr;
  best->size -= static_cast<std::size_t>(first + size - best->first);
  best->first = first + size;
  return first;
}

void Scratch::Lease::do_deallocate(void* at, std::size_t size, std::size_t) {
  auto* const first = static_cast<std::byte*>(at);
  if (next_ != block_->data() && first + size == next_) {
    next_ = first;
  } else if (size >= kLarge) {
    const auto least = std::min_element(given_back_.begin(), given_back_.end(),
                                        [](const Piece& a, const Piece& b) { return a.size < b.size; });
    if (least->size < size) *least = {first, size};
  }
}

bool Scratch::Lease::do_is_equal(const memory_resource& other) const noexcept { return this == &other; }

}  // namespace aliquot
