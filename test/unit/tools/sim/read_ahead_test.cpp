#include "tools/sim/workload/read_ahead.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

// So many pieces of so many bytes, then the end or an error.
ReadAhead::Read pieces(std::size_t count, std::size_t size, Result<bool> end = false) {
  return [=, left = count](std::string& out) mutable -> Result<bool> {
    if (left == 0) return end;
    out.append(size, static_cast<char>('a' + left-- % 26));
    return true;
  };
}

std::string all_at_once(ReadAhead::Read read) {
  std::string text;
  while (*read(text)) continue;
  return text;
}

std::string all_ahead(ReadAhead::Read read) {
  ReadAhead ahead(std::move(read));
  std::string text;
  while (*ahead.read(text)) continue;
  EXPECT_FALSE(*ahead.read(text)) << "the end stays the end";
  return text;
}

TEST(ReadAhead, EveryByteComesInItsOrder) {
  for (const std::size_t count : {0, 1, 2, 100, 1'000}) {
    for (const std::size_t size : {1, 1'000, 65'536})
      EXPECT_TRUE(all_ahead(pieces(count, size)) == all_at_once(pieces(count, size)))
          << count << " pieces of " << size;
  }
}

TEST(ReadAhead, TheEndIsSaidOnlyOnceAllHasBeenHandedOut) {
  ReadAhead ahead(pieces(1, 10));
  std::string text;
  EXPECT_TRUE(*ahead.read(text));
  EXPECT_EQ(text.size(), 10U);
  EXPECT_FALSE(*ahead.read(text));
}

TEST(ReadAhead, AnErrorComesAfterWhatWasReadBeforeIt) {
  ReadAhead ahead(pieces(3, 100'000, fail(ErrorKind::invalid_argument, "it is damaged")));
  std::string text;
  Result<bool> more = true;
  while (more && *more) more = ahead.read(text);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message, "it is damaged");
  EXPECT_EQ(text.size(), 300'000U);
  EXPECT_FALSE(ahead.read(text)) << "and is said again";
}

TEST(ReadAhead, MayBeLeftInTheMiddle) {
  ReadAhead ahead(pieces(100'000, 65'536));
  std::string text;
  EXPECT_TRUE(*ahead.read(text));
}

}  // namespace
}  // namespace aliquot
