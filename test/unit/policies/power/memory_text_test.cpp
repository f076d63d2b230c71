// What was learned of arrivals and loads goes into a text and comes back whole, and no other text is taken.
#include "policies/power/memory_text.hpp"

#include <gtest/gtest.h>

#include "test/support/small_view.hpp"

namespace aliquot::power {
namespace {

PowerMemory learned() {
  PowerMemory memory;
  for (std::int64_t hour = 0; hour < 400; hour += 7) {
    memory.arrivals.advance(Instant{} + kHour * hour);
    memory.arrivals.add(Instant{} + kHour * hour, whole_nodes(hour % 5));
    memory.daily.add(Instant{} + kHour * hour, Instant{} + kHour * hour + seconds(90), whole_nodes(3));
  }
  memory.stretch.see(Instant{} + kHour * 200, seconds(700), seconds(100) * kFullYield, seconds(20));
  memory.boots.resize(3);
  for (const std::int64_t boot : {21, 19, 25, 22}) memory.boots[1].see(seconds(boot));
  return memory;
}

TEST(PowerMemoryText, gives_back_what_was_learned) {
  const PowerMemory before = learned();
  const auto after = read_memory(print_memory(before));
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->arrivals, before.arrivals);
  EXPECT_EQ(after->daily, before.daily);
  EXPECT_EQ(after->stretch, before.stretch);
  EXPECT_EQ(after->boots, before.boots);
  EXPECT_EQ(read_memory(print_memory({}))->arrivals, ArrivalStatistics{});
}

TEST(PowerMemoryText, of_an_earlier_version_has_no_boots) {
  PowerMemory before = learned();
  before.boots.clear();
  std::string text = print_memory(before);
  text.replace(0, 14, "power-memory-2");
  text.resize(text.size() - 2);  // the number of nodes
  const auto after = read_memory(text);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->arrivals, before.arrivals);
  EXPECT_TRUE(after->boots.empty());
}

TEST(PowerMemoryText, takes_no_other_text) {
  const std::string text = print_memory(learned());
  for (const std::string& wrong :
       {std::string(), std::string("power-memory-1 3"), text.substr(0, text.size() / 2), text + " 1",
        text.substr(0, 20) + "x" + text.substr(20), std::string("power-memory-3 -2 ") + text.substr(17)})
    EXPECT_FALSE(read_memory(wrong)) << wrong.substr(0, 40);
  std::string huge = text;
  huge.replace(huge.find('\n') + 1, 1, "9000000000000000000");
  ASSERT_FALSE(read_memory(huge));
  EXPECT_EQ(read_memory(huge).error().message, "word 3 is not what was kept of arrivals, loads and boots");
}

}  // namespace
}  // namespace aliquot::power
