// When the model's virtual machines are taken for alike, against comparing all that they are.
#include <gtest/gtest.h>

#include <functional>

#include "manager/hypervisor/model/model_job.hpp"

namespace aliquot {
namespace {

using Change = std::function<void(ModelVm&)>;

TEST(ModelVms, are_alike_if_they_are_equal_but_for_their_nodes) {
  const Change changes[] = {[](ModelVm&) {},
                            [](ModelVm& vm) { vm.state = ModelVm::State::paused; },
                            [](ModelVm& vm) { vm.incarnation = 7; },
                            [](ModelVm& vm) { vm.node = {3}; },
                            [](ModelVm& vm) { vm.cap = Yield{5}; },
                            [](ModelVm& vm) { vm.under_way.emplace(); },
                            [](ModelVm& vm) {
                              vm.under_way = Begun{{2}, ActionKind::save, {}, {}};
                            },
                            [](ModelVm& vm) { vm.resumed = true; },
                            [](ModelVm& vm) { vm.lost = true; },
                            [](ModelVm& vm) { vm.exit_code = 0; },
                            [](ModelVm& vm) { vm.exit_code = 1; },
                            [](ModelVm& vm) { vm.cpu_before = {1}; },
                            [](ModelVm& vm) { vm.time_before = {1}; },
                            [](ModelVm& vm) { vm.units = 2; },
                            [](ModelVm& vm) { vm.devices = 1; }};
  for (const Change& one : changes) {
    for (const Change& other : changes) {
      ModelVm a;
      ModelVm b;
      one(a);
      other(b);
      const bool found = alike(a, b);
      b.node = a.node;
      EXPECT_EQ(found, a == b);
    }
  }
}

}  // namespace
}  // namespace aliquot
