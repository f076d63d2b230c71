// Memory that is used again never stands in two hands at once.
#include "policies/scratch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

using test::Dice;

struct Piece {
  unsigned char* at;
  std::size_t size;
  std::size_t alignment;
  unsigned char mark;

  [[nodiscard]] bool untouched() const {
    return std::all_of(at, at + size, [&](unsigned char byte) { return byte == mark; });
  }
};

Piece take(std::pmr::memory_resource& memory, Dice& dice, unsigned char mark) {
  const auto size = static_cast<std::size_t>(dice.between(1, dice.chance(40) ? 40'000 : 300));
  const std::size_t alignment = std::size_t{1} << dice.between(0, 5);
  Piece piece{static_cast<unsigned char*>(memory.allocate(size, alignment)), size, alignment, mark};
  std::memset(piece.at, mark, size);
  return piece;
}

// What is held keeps what was written to it, whatever is taken and given back meanwhile.
void take_and_give_back(Scratch& scratch, Dice& dice) {
  Scratch::Lease lease(scratch);
  std::vector<Piece> held;
  for (int step = 0; step < 200; ++step) {
    if (held.empty() || dice.chance(55)) {
      held.push_back(take(*lease.memory(), dice, static_cast<unsigned char>(step)));
      ASSERT_EQ(0U, reinterpret_cast<std::uintptr_t>(held.back().at) % held.back().alignment);
      continue;
    }
    const auto k = static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(held.size()) - 1));
    std::swap(held[k], held.back());
    ASSERT_TRUE(held.back().untouched());
    lease.memory()->deallocate(held.back().at, held.back().size, held.back().alignment);
    held.pop_back();
  }
  for (const Piece& piece : held) ASSERT_TRUE(piece.untouched());
}

TEST(Scratch, gives_no_byte_to_two) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Scratch scratch;
    Dice dice(seed);
    for (int decision = 0; decision < 5; ++decision) {
      take_and_give_back(scratch, dice);
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", decision " << decision;
    }
  }
}

TEST(Scratch, uses_a_large_piece_again) {
  Scratch scratch;
  for (int decision = 0; decision < 2; ++decision) {
    Scratch::Lease lease(scratch);
    void* const first = lease.memory()->allocate(50'000, 8);
    void* const behind = lease.memory()->allocate(8, 8);
    lease.memory()->deallocate(first, 50'000, 8);
    void* const again = lease.memory()->allocate(20'000, 8);
    EXPECT_EQ(first, again);  // in the first decision the block is too small: it stands elsewhere
    lease.memory()->deallocate(again, 20'000, 8);
    lease.memory()->deallocate(behind, 8, 8);
  }
}

}  // namespace
}  // namespace aliquot
