// The default solver: what it must find, what it must never claim.
#include "policies/placement/solver/fast.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "policies/placement/model/devices.hpp"
#include "policies/placement/solver/placer.hpp"
#include "test/support/random_system.hpp"
#include "tools/bench/esp_window.hpp"

namespace aliquot::ip {
namespace {

using test::random_system;

FreeResources free_of(std::uint32_t cpu, std::uint16_t devices) {
  FreeResources free;
  free.cpu = cpu;
  free.devices[0] = devices;
  return free;
}

Instance machine_l(std::uint32_t nodes = 1024) {
  Instance instance;
  instance.nodes = nodes;
  instance.kinds = {{0}};
  instance.classes = {{free_of(8, 2), nodes}};
  return instance;
}

Request cores_alone(std::uint32_t units, std::int64_t weight = 1) {
  Request r;
  r.units = units;
  r.weight = weight;
  return r;
}

Request on_nodes(std::uint32_t units, std::uint32_t nodes, std::uint16_t devices) {
  Request r = cores_alone(units);
  r.min_nodes = r.max_nodes = nodes;
  r.devices = devices;
  return r;
}

TEST(Fast, all_three_jobs_of_table_1_start_at_once) {
  Instance instance = machine_l();
  instance.requests = {cores_alone(4096), on_nodes(2048, 512, 2), on_nodes(2048, 512, 2)};
  const Answer answer = solve_fast(instance);
  ASSERT_EQ(3U, answer.chosen.size());
  EXPECT_EQ(512U, answer.chosen[1].nodes);
  EXPECT_EQ(512U, answer.chosen[2].nodes);
  EXPECT_EQ(1024U, answer.chosen[0].nodes);
}

// Replays the allocations on the free capacity; returns an error, or nothing.
std::string replay(const Instance& instance, const Answer& answer) {
  FreeCapacity capacity = free_capacity(instance);
  std::vector<std::uint64_t> units(instance.requests.size(), 0);
  std::vector<std::uint32_t> nodes(instance.requests.size(), 0);
  Value value = 0;
  for (auto a = answer.allocations.begin(); a != answer.allocations.end();) {
    FreeCapacity left;
    const std::uint32_t name = a->request;
    const Request& r = instance.requests[name];
    for (; a != answer.allocations.end() && a->request == name; ++a) {
      const auto from = std::find_if(capacity.begin(), capacity.end(),
                                     [&](const NodeClass& c) { return c.free == a->from; });
      if (from == capacity.end() || from->count < a->nodes) return "takes nodes that are not there";
      if (a->units == 0) return "takes a node for nothing";
      from->count -= a->nodes;
      if (std::uint64_t{a->units} * r.cpu > a->from.cpu) return "takes more CPU than there is";
      if (std::uint64_t{a->units} * r.memory > a->from.memory) return "takes too much memory";
      if (!has_device(a->from, r, a->device)) return "takes devices that are not there";
      if (r.devices > 0 && !r.models.accept({instance.kinds[a->from.kind][a->device.model]}))
        return "takes devices of another model";
      if (r.is_slice() && a->device.parts < r.parts) return "takes more of a device than is left";
      FreeResources after = a->from;
      allocate(instance, r, a->units, a->device, after);
      left.push_back({after, a->nodes});
      units[name] += std::uint64_t{a->units} * a->nodes;
      nodes[name] += a->nodes;
    }
    for (const NodeClass& each : left) {
      const auto same = std::find_if(capacity.begin(), capacity.end(),
                                     [&](const NodeClass& c) { return c.free == each.free; });
      same != capacity.end() ? void(same->count += each.count) : capacity.push_back(each);
    }
    if (units[name] != r.units) return "gives a job a part of its units, or them twice";
    if (nodes[name] < r.min_nodes || (r.max_nodes > 0 && nodes[name] > r.max_nodes))
      return "gives a job a number of nodes that it does not want";
    value += objective_value(instance, r, nodes[name]);
  }
  for (const Chosen& chosen : answer.chosen) {
    if (nodes[chosen.request] != chosen.nodes) return "counts nodes that it did not a";
  }
  return value == answer.incumbent ? "" : "states another value than it has";
}

TEST(Fast, every_answer_can_be_carried_out_and_has_the_value_that_it_states) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    test::SystemShape shape;
    shape.most_jobs = 20;
    shape.memory = seed % 2 == 1;
    shape.slices = seed % 3 == 0;
    const Instance instance = random_system(seed, shape);
    const Answer answer = solve_fast(instance);
    ASSERT_EQ("", replay(instance, answer)) << "seed " << seed;
    ASSERT_LE(answer.incumbent, answer.bound) << "seed " << seed;
    ASSERT_GE(answer.gap(), 0);
    ASSERT_LE(answer.gap(), 1);
  }
}

// As issue 4 asks, of every window: also of those with sizes +-4 on nodes in part in use.
TEST(Fast, every_window_of_the_esp_benchmark_is_within_one_percent_of_the_bound) {
  for (int kind = 0; kind < 4; ++kind) {
    double gaps = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      bench::EspShape shape;
      shape.busy = static_cast<int>(seed % 10) * 10;
      shape.by_cores = kind % 2 == 1;
      shape.uneven = kind / 2 == 1;
      const Instance instance = bench::esp_window(seed, shape);
      const Answer answer = solve_fast(instance);
      ASSERT_EQ("", replay(instance, answer)) << "seed " << seed;
      ASSERT_LE(answer.gap(), 0.01) << "seed " << seed << ", kind " << kind;
      gaps += answer.gap();
    }
    EXPECT_LE(gaps / 40, 0.001) << "kind " << kind;
  }
}

TEST(Fast, work_is_bounded_by_the_effort) {
  bench::EspShape shape;
  shape.uneven = true;
  shape.by_cores = true;
  const Instance instance = bench::esp_window(3, shape);
  const Answer little = solve_fast(instance, 50'000);
  const Answer much = solve_fast(instance, 3'000'000);
  EXPECT_FALSE(little.finished);
  EXPECT_LT(little.work, 250'000U);  // what is begun is finished
  EXPECT_LE(much.gap(), little.gap());
}

TEST(Fast, the_same_problem_has_the_same_answer) {
  const Instance instance = bench::esp_window(5);
  const Answer one = solve_fast(instance);
  const Answer two = solve_fast(instance);
  EXPECT_EQ(one.incumbent, two.incumbent);
  EXPECT_EQ(one.bound, two.bound);
  EXPECT_EQ(one.work, two.work);
  EXPECT_EQ(one.allocations.size(), two.allocations.size());
}

// A relative tolerance of 1e-4 could not tell these weights apart.
TEST(Fast, a_difference_of_one_between_large_priorities_decides) {
  Instance instance = machine_l(1);
  const std::int64_t large = std::int64_t{1} << 32;
  instance.requests = {cores_alone(8, large - 1), cores_alone(8, large), cores_alone(8, large - 2)};
  const Answer answer = solve_fast(instance);
  ASSERT_EQ(1U, answer.chosen.size());
  EXPECT_EQ(1U, answer.chosen.front().request);
  EXPECT_EQ(answer.incumbent, answer.bound);
}

TEST(Fast, hostile_requests_are_never_chosen_and_do_no_harm) {
  Instance instance = machine_l(4);
  Request r = cores_alone(0);
  instance.requests.push_back(r);  // no cores
  instance.requests.push_back(cores_alone(1'000'000));
  instance.requests.push_back(cores_alone(0xffffffff));
  instance.requests.push_back(on_nodes(4, 2, 3));  // more devices than any node
  r = on_nodes(4, 3, 0);
  r.max_nodes = 2;  // at least 3, at most 2
  instance.requests.push_back(r);
  r = cores_alone(2);
  r.devices = 1;
  r.models = DeviceModel{7};  // unknown
  instance.requests.push_back(r);
  r = cores_alone(16);
  r.per_node = 16;  // on one node
  instance.requests.push_back(r);
  r = cores_alone(2);
  r.cpu = 0xffffffff;
  instance.requests.push_back(r);
  r.units = r.max_nodes = r.memory = 0xffffffff;
  instance.requests.push_back(r);
  r.min_nodes = r.per_node = 0xffffffff;
  instance.requests.push_back(r);
  instance.requests.push_back(cores_alone(8));
  const Answer answer = solve_fast(instance);
  ASSERT_EQ(1U, answer.chosen.size());
  EXPECT_EQ(10U, answer.chosen.front().request);
  EXPECT_EQ(0U, solve_fast(Instance{}).chosen.size());
}

TEST(Fast, a_job_of_any_model_takes_its_devices_of_one_model) {
  Instance instance;
  instance.nodes = 1;
  instance.kinds = {{3, 5}};
  FreeResources free = free_of(8, 2);
  free.devices[1] = 4;
  instance.classes = {{free, 1}};
  Request r = cores_alone(1);
  r.devices = 3;
  instance.requests = {r};
  const Answer answer = solve_fast(instance);
  ASSERT_EQ(1U, answer.allocations.size());
  EXPECT_EQ(1U, answer.allocations.front().device.model);
}

}  // namespace
}  // namespace aliquot::ip
