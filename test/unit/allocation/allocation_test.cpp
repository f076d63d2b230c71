// Of tools/sim/allocation.cpp, which is linked into this test: every block of it comes from there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

namespace aliquot {
namespace {

struct Block {
  unsigned char* bytes = nullptr;
  std::size_t size = 0;
  unsigned char mark = 0;

  [[nodiscard]] bool whole() const {
    return std::all_of(bytes, bytes + size, [this](unsigned char byte) { return byte == mark; });
  }
};

Block make(std::size_t size, unsigned char mark) {
  Block block{static_cast<unsigned char*>(::operator new(size)), size, mark};
  std::memset(block.bytes, mark, size);
  return block;
}

TEST(Allocation, BlocksAreAlignedAndTheirOwnWhateverComesAndGoes) {
  std::vector<Block> blocks;
  std::uint64_t state = 1;
  for (int step = 0; step < 200'000; ++step) {
    state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    const std::uint64_t drawn = state >> 33;
    if (drawn % 3 != 0 || blocks.empty()) {
      const std::size_t size = drawn % 97 == 0 ? drawn % 100'000 : drawn % 1'100;
      blocks.push_back(make(size, static_cast<unsigned char>(step)));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back().bytes) % __STDCPP_DEFAULT_NEW_ALIGNMENT__,
                0U);
    } else {
      std::swap(blocks[drawn % blocks.size()], blocks.back());
      EXPECT_TRUE(blocks.back().whole());
      ::operator delete(blocks.back().bytes);
      blocks.pop_back();
    }
  }
  for (const Block& block : blocks) {
    EXPECT_TRUE(block.whole());
    ::operator delete(block.bytes, block.size);
  }
}

TEST(Allocation, WhatIsDroppedIsTheNextOnesOfItsSize) {
  for (const std::size_t size : {0, 1, 16, 17, 1'000, 1'024}) {
    void* const first = ::operator new(size);
    ::operator delete(first);
    void* const second = ::operator new(size);
    EXPECT_EQ(first, second) << size;
    ::operator delete(second);
  }
}

TEST(Allocation, ABlockMayBeDroppedByAnotherThread) {
  std::vector<Block> blocks;
  for (std::size_t size = 0; size < 3'000; ++size) blocks.push_back(make(size, 7));
  std::thread other([&blocks] {
    for (const Block& block : blocks) {
      EXPECT_TRUE(block.whole());
      ::operator delete(block.bytes);
    }
    for (Block& block : blocks) block = make(block.size, 9);
  });
  other.join();
  for (const Block& block : blocks) {
    EXPECT_TRUE(block.whole());
    ::operator delete(block.bytes);
  }
}

TEST(Allocation, TooMuchIsAnExceptionAsEver) {
  const volatile std::size_t all = SIZE_MAX;
  EXPECT_THROW((void)::operator new(all), std::bad_alloc);
  EXPECT_THROW((void)::operator new(all / 4), std::bad_alloc);
}

}  // namespace
}  // namespace aliquot
