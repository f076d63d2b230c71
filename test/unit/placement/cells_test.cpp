// What requests take of a node's devices, against slots that are looked at one by one.
#include "policies/placement/cells.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "policies/model/free_devices.hpp"
#include "policies/model/view.hpp"
#include "policies/placement/coarsen.hpp"
#include "policies/placement/slices.hpp"
#include "test/support/random_view.hpp"

namespace aliquot::ip {
namespace {

Request slice_of(std::uint16_t parts, std::uint16_t model = kAny) {
  Request r;
  r.devices = 1;
  r.parts = parts;
  r.model = model;
  return r;
}

Instance asking(const std::vector<std::uint16_t>& parts) {
  Instance instance;
  instance.kinds = {{0}};
  for (const std::uint16_t each : parts) instance.requests.push_back(slice_of(each));
  instance.least_slice = SliceSizes(instance).least();
  return instance;
}

TEST(Cells, a_slice_goes_where_the_least_is_left_that_is_enough_and_else_cuts_a_whole_device) {
  const Instance instance = asking({200, 600});
  Cell free;
  free.cpu = 8;
  free.devices[0] = 1;
  free.cuts = {make_cut(0, 700), make_cut(0, 300)};
  const Kind kind = {0};
  EXPECT_EQ(cut_parts(*pick(kind, free, slice_of(200))), 300);
  EXPECT_EQ(cut_parts(*pick(kind, free, slice_of(400))), 700);
  EXPECT_EQ(cut_parts(*pick(kind, free, slice_of(800))), kWholeDevice);
  EXPECT_FALSE(pick(kind, free, slice_of(200, 1))) << "of another model";
  take(instance, slice_of(800), 1, *pick(kind, free, slice_of(800)), free);
  EXPECT_EQ(free.devices[0], 0);
  EXPECT_EQ(free.cuts[2], make_cut(0, 200));
  take(instance, slice_of(600), 1, *pick(kind, free, slice_of(600)), free);
  EXPECT_EQ(free.cuts[2], 0) << "100 parts are of no use to anybody";
  EXPECT_FALSE(pick(kind, free, slice_of(600)));
  EXPECT_FALSE(has(free, slice_of(600), make_cut(0, 700)));
}

// The same requests one after the other on cells of useful parts and on the slots themselves: whoever finds
// room in the one finds it in the other.
TEST(Cells, best_fit_by_what_is_useful_is_best_fit_on_the_slots) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    test::Dice dice(seed);
    std::vector<std::uint16_t> sizes;
    for (std::int64_t s = dice.between(1, 4); s > 0; --s)
      sizes.push_back(static_cast<std::uint16_t>(dice.between(30, 999)));
    Instance instance = asking(sizes);
    const SliceSizes useful(instance);
    Node node;
    Cell cell;
    std::vector<std::int32_t> free;
    std::vector<std::uint16_t> cuts;
    for (std::int64_t s = dice.between(1, 6); s > 0; --s) {
      node.devices.push_back({{0}});
      free.push_back(dice.chance(50) ? 1000 : static_cast<std::int32_t>(dice.between(0, 999)));
      if (free.back() == 1000) {
        ++cell.devices[0];
      } else if (useful.useful(free.back()) > 0) {
        cuts.push_back(make_cut(0, useful.useful(free.back())));
      }
    }
    std::sort(cuts.begin(), cuts.end(), std::greater<>());
    std::copy(cuts.begin(), cuts.end(), cell.cuts.begin());
    for (int k = 0; k < 20; ++k) {
      const Request r = slice_of(
          sizes[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(sizes.size()) - 1))]);
      const auto picked = pick(instance.kinds[0], cell, r);
      const auto slots = pick_devices(node, free, {1, r.parts, {0}});
      ASSERT_EQ(picked.has_value(), slots.has_value()) << "seed " << seed << ", request " << k;
      if (!picked) continue;
      take(instance, r, 0, *picked, cell);
      for (std::size_t s = 0; s < free.size(); ++s) free[s] -= (*slots >> s & 1) != 0 ? r.parts : 0;
    }
  }
}

TEST(Slices, useful_is_the_largest_sum_of_what_is_asked_for) {
  const SliceSizes sizes(asking({300, 500}));
  EXPECT_EQ(sizes.least(), 300);
  EXPECT_EQ(sizes.useful(299), 0);
  EXPECT_EQ(sizes.useful(550), 500);
  EXPECT_EQ(sizes.useful(799), 600);
  EXPECT_EQ(sizes.useful(999), 900);
  EXPECT_EQ(sizes.useful(-5), 0);
  EXPECT_FALSE(SliceSizes(Instance{}).any());
  EXPECT_EQ(SliceSizes(Instance{}).useful(999), 0);
}

TEST(Slices, rests_of_cut_devices_make_no_more_classes_than_there_may_be) {
  NodeCells cells;
  for (std::uint16_t n = 0; n < 900; ++n) {
    Cell cell;
    cell.cpu = 8;
    cell.cuts = {make_cut(0, static_cast<std::uint16_t>(999 - n)), make_cut(0, 7)};
    cells.emplace_back(cell);
  }
  const NodeCells before = cells;
  const std::vector<NodeClass> ceiling = coarsen(cells);
  EXPECT_LE(classes_of(cells).size(), kMostClasses);
  std::uint64_t above = 0, there = 0;
  for (const NodeClass& c : ceiling) above += std::uint64_t{c.count} * c.free.device_parts();
  for (std::size_t n = 0; n < cells.size(); ++n) {
    EXPECT_LE(cells[n]->device_parts(), before[n]->device_parts());
    there += before[n]->device_parts();
  }
  EXPECT_GE(above, there);
}

}  // namespace
}  // namespace aliquot::ip
