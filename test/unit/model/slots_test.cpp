// Values come and go; what one leaves is the next one's.
#include "policies/model/slots.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace aliquot {
namespace {

TEST(Slots, GiveWhatWasLeftToWhatComesNext) {
  Slots<std::string> slots;
  std::string* const first = slots.make("one");
  slots.unmake(first);
  std::string* const second = slots.make(std::string(40, 'x'));
  EXPECT_EQ(first, second);
  EXPECT_EQ(second->size(), 40U);
  slots.unmake(second);
}

TEST(Slots, KeepEveryValueWhereItWasMade) {
  Slots<std::string> slots;
  std::vector<std::string*> made;
  for (int i = 0; i < 5000; ++i) made.push_back(slots.make(std::to_string(i)));
  EXPECT_EQ(std::set(made.begin(), made.end()).size(), 5000U);
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(*made[i], std::to_string(i));
  for (int i = 0; i < 5000; i += 2) slots.unmake(made[i]);
  for (int i = 0; i < 5000; i += 2) made[i] = slots.make(std::to_string(-i));
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(*made[i], std::to_string(i % 2 == 0 ? -i : i));
  for (std::string* value : made) slots.unmake(value);
}

TEST(Slots, GoWithTheirOwner) {
  Slots<std::string> here;
  std::string* const value = here.make("kept");
  Slots<std::string> there;
  there.swap(here);
  EXPECT_EQ(*value, "kept");
  there.unmake(value);
  std::string* const other = here.make("new");
  EXPECT_NE(value, other);
  here.unmake(other);
}

}  // namespace
}  // namespace aliquot
