#include "policies/scratch.hpp"

#include <utility>

namespace aliquot {

namespace {
constexpr std::size_t kFirstBlock = 16 * 1024;
}

Scratch::Lease::Lease(Scratch& owner)
    : owner_(owner), block_(owner.take()), arena_(block_->data(), block_->size(), &overflow_) {}

Scratch::Block* Scratch::take() {
  Block* spare = std::exchange(spare_, nullptr);
  return spare ? spare : new Block(kFirstBlock);
}

Scratch::Lease::~Lease() {
  arena_.release();
  if (overflow_.bytes > 0) *block_ = Block(block_->size() + overflow_.bytes);
  delete std::exchange(owner_.spare_, block_);
}

void* Scratch::Lease::Overflow::do_allocate(std::size_t size, std::size_t alignment) {
  bytes += size;
  return std::pmr::new_delete_resource()->allocate(size, alignment);
}

void Scratch::Lease::Overflow::do_deallocate(void* at, std::size_t size, std::size_t alignment) {
  std::pmr::new_delete_resource()->deallocate(at, size, alignment);
}

bool Scratch::Lease::Overflow::do_is_equal(const memory_resource& other) const noexcept {
  return this == &other;
}

}  // namespace aliquot
