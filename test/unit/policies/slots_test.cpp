// How many tasks a node takes beside what it has given away, against counting in wider numbers.
#include <gtest/gtest.h>

#include "policies/draft.hpp"
#include "test/support/random_view.hpp"

namespace aliquot {
namespace {

std::int64_t naive(std::int64_t each, std::int64_t tasks, std::int64_t free) {
  if (each > free) return 0;
  return each == 0 ? tasks : std::min<std::int64_t>(tasks, free / each);
}

TEST(SlotsBeside, equals_the_reference_however_many_tasks_of_whatever_size) {
  test::Dice dice(1);
  for (int round = 0; round < 20'000; ++round) {
    const auto tasks = static_cast<std::uint32_t>(dice.between(1, std::uint32_t{1} << dice.between(0, 31)));
    const std::int64_t memory = dice.between(0, std::int64_t{1} << dice.between(0, 45));
    const std::int64_t cpu = dice.between(0, std::int64_t{1} << dice.between(0, 30));
    const Memory free{dice.between(0, std::int64_t{1} << dice.between(0, 47))};
    const Cpu spare{dice.between(0, std::int64_t{1} << dice.between(0, 33))};
    ASSERT_EQ(SlotsBeside(Memory{memory}, Cpu{cpu}, tasks).within(free, spare),
              std::min(naive(memory, tasks, free.raw), naive(cpu, tasks, spare.raw)))
        << tasks << " tasks of " << memory << " bytes and " << cpu << " in " << free.raw << " and "
        << spare.raw;
  }
}

// What Bins::slots asks: a product that passes 64 bits.
TEST(SlotsBeside, as_many_as_can_be_asked_for_of_two_gigabytes_are_four_in_ten) {
  const SlotsBeside slots(Memory{2'310'176'445}, Cpu{}, std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(slots.within(Memory{10'000'000'000}, Cpu{}), 4);
}

}  // namespace
}  // namespace aliquot
