// The counters of the VMs of a job, kept from change to change, say what a look at all VMs says.
#include "manager/core/pending_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "test/support/pending_work_reference.hpp"

namespace aliquot {
namespace {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : numbers_(seed) {}
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(numbers_() % end); }

  Vm vm() {
    Vm vm;
    vm.state = static_cast<VmState>(below(5));
    vm.node = {below(2)};
    vm.wanted = {below(2)};
    vm.cap = {below(3) * 500'000};
    vm.cap_stale = below(4) == 0;
    vm.has_run = below(2) == 0;
    vm.unclear = below(6) == 0;
    vm.failures = below(5);
    vm.not_before = Instant{below(2)};
    if (below(3) == 0) vm.flight = Flight{{1}, static_cast<ActionKind>(below(9)), {below(2)}, {1}, {}};
    return vm;
  }

 private:
  std::mt19937_64 numbers_;
};

bool any(const std::vector<Vm>& vms, bool (*has)(const Vm&)) { return std::ranges::any_of(vms, has); }

Yield lowest_of_all(const std::vector<Vm>& vms) {
  Yield rate = kFullYield;
  for (const Vm& vm : vms) {
    if (vm.state == VmState::ended) continue;
    const bool saving = vm.flight && vm.flight->kind == ActionKind::save;
    rate = vm.state == VmState::running && !saving ? std::min(rate, vm.cap) : Yield{};
  }
  return rate;
}

void expect_same(VmCounters& counters, const Job* job, const std::vector<Vm>& vms) {
  EXPECT_EQ(counters.pending_work(), test::pending_work(job, vms));
  EXPECT_EQ(counters.rate(vms), lowest_of_all(vms));
  EXPECT_EQ(counters.any(Trait::in_flight), any(vms, [](const Vm& vm) { return vm.flight.has_value(); }));
  EXPECT_EQ(counters.any(Trait::unclear), any(vms, [](const Vm& vm) { return vm.unclear; }));
  EXPECT_EQ(counters.any(Trait::delayed), any(vms, [](const Vm& vm) { return vm.not_before > Instant{}; }));
  const auto converged = [job](const Vm& vm) { return has_converged(job, vm); };
  EXPECT_EQ(counters.any(Trait::pending), !std::ranges::all_of(vms, converged));
}

// None: the job is leaving.
std::optional<Job> perhaps_a_job(Chance& chance) {
  Job job;
  job.phase = static_cast<Phase>(chance.below(3));
  job.yield = {500'000};
  if (chance.below(4) == 0) return std::nullopt;
  return job;
}

TEST(vm_counters, say_after_every_change_what_a_look_at_all_says) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Chance chance(seed);
    const std::optional<Job> planned = perhaps_a_job(chance);
    const Job* const job = planned ? &*planned : nullptr;
    std::vector<Vm> vms(1 + chance.below(4));
    for (Vm& vm : vms) vm = chance.vm();
    VmCounters counters;
    counters.take_from(job, chance.vm());  // what was known before is forgotten
    counters.count(job, vms);
    for (int changes = 0; changes < 20; ++changes) {
      expect_same(counters, job, vms);
      Vm& vm = vms[chance.below(static_cast<std::uint32_t>(vms.size()))];
      const Traits before = traits(job, vm);
      vm = chance.vm();
      counters.change(before, traits(job, vm));
      counters.forget_lowest_cap();
    }
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(vm_counters, taken_from_one_of_several_alike_are_the_same_as_counted) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Chance chance(seed);
    const std::optional<Job> planned = perhaps_a_job(chance);
    const Job* const job = planned ? &*planned : nullptr;
    VmCounters counters;
    counters.count(job, std::vector<Vm>(1 + chance.below(3), chance.vm()));
    const std::vector<Vm> vms(1 + chance.below(4), chance.vm());
    counters.take_from(job, vms.front());
    expect_same(counters, job, vms);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace aliquot
