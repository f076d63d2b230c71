#include "policies/placement/class_costs.hpp"

#include <algorithm>
#include <cmath>

namespace aliquot::ip {

namespace {

constexpr std::size_t kMostOptions = 100'000;  // requests x classes: beyond, all nodes are taken for alike
constexpr double kSlack = 0x1p-44;             // of a worth: more than some hundred roundings of 2^-53

Value rounded_up(double value, double slack) { return static_cast<Value>(std::ceil(value + slack)) + 1; }

}  // namespace

ClassCosts::ClassCosts(const Instance& instance, const Rooms& rooms, const Relaxation& relaxation)
    : instance_(instance), rooms_(rooms), relaxation_(relaxation), price_(rooms.size(), 0) {
  if (!instance.nodes_cost || rooms.size() * relaxation.items.size() > kMostOptions) return;
  std::vector<std::uint32_t> sizes;
  for (const Room& room : rooms) {
    if (room.free.cpu > 0) sizes.push_back(room.free.cpu);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.size() < 2) return;
  sizes.pop_back();  // from the roomiest nobody is dearer
  const std::size_t count = std::min(sizes.size(), kMostBases);
  for (std::size_t b = 0; b < count; ++b) bases_.push_back(sizes[b * sizes.size() / count]);
  held_.resize(relaxation.shapes * rooms.size());
  std::vector<bool> known(relaxation.shapes, false);
  for (const Item& item : relaxation.items) {
    if (known[item.shape]) continue;
    known[item.shape] = true;
    for (std::size_t k = 0; k < rooms.size(); ++k) {
      held_[item.shape * rooms.size() + k] =
          units_held(instance, rooms[k].free, instance.requests[item.request]);
    }
  }
}

Worths ClassCosts::alone() const {
  Worths worths;
  for (const Item& item : relaxation_.items) worths.of_item.push_back(item.worth);
  return worths;
}

double ClassCosts::least_cost(const Item& item, const Request& request, double weight) {
  const std::uint32_t* held = held_.data() + item.shape * rooms_.size();
  options_.clear();
  for (std::uint32_t k = 0; k < rooms_.size(); ++k) {
    if (held[k] == 0) continue;
    const Option option{weight / held[k] + price_[k] * request.cpu, k};
    auto at = options_.end();
    options_.push_back(option);
    for (at = std::prev(options_.end()); at != options_.begin() && option.cost < std::prev(at)->cost; --at)
      *at = *std::prev(at);
    *at = option;
  }
  double cost = 0;
  double left = request.units;
  for (const Option& option : options_) {
    const double some = std::min(left, static_cast<double>(held[option.room]) * rooms_[option.room].count);
    cost += some * option.cost;
    left -= some;
    if (left <= 0) break;
  }
  return std::max(cost, weight * item.nodes);
}

Worths ClassCosts::with_prices(std::uint32_t base, std::int64_t weight) {
  const double unit = std::ldexp(1.0, kPlaces);
  const double w = static_cast<double>(weight) * unit;
  double all = 0;
  for (std::size_t k = 0; k < rooms_.size(); ++k) {
    const double cpu = rooms_[k].free.cpu;
    price_[k] = cpu > base ? w / base - w / cpu : 0;
    all += price_[k] * cpu * rooms_[k].count;
  }
  Worths worths;
  worths.constant = rounded_up(all, all * kSlack);
  for (const Item& item : relaxation_.items) {
    const Request& request = instance_.requests[item.request];
    const double own = static_cast<double>(request.weight) * unit;
    const double most = own * 2 * instance_.nodes;
    worths.of_item.push_back(rounded_up(most - least_cost(item, request, own), most * kSlack));
  }
  return worths;
}

}  // namespace aliquot::ip
