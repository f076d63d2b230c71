#include "policies/placement/solver/class_prices.hpp"

#include <algorithm>
#include <cmath>

#include "policies/placement/model/devices.hpp"

namespace aliquot::ip {

namespace {

constexpr std::size_t kMostBases = 8;
constexpr std::size_t kMostTerms = 100'000;  // requests x classes: beyond, all nodes count as alike
constexpr double kError = 0x1p-44;           // of a value: more than some hundred roundings of 2^-53

Value rounded_up(double value, double error) { return static_cast<Value>(std::ceil(value + error)) + 1; }

}  // namespace

ClassPrices::ClassPrices(const Instance& instance, const FreeCapacity& capacity,
                         const Relaxation& relaxation)
    : instance_(instance), capacity_(capacity), relaxation_(relaxation) {
  if (!instance.nodes_cost || capacity.size() * relaxation.items.size() > kMostTerms) return;
  std::vector<std::uint32_t> sizes;
  for (const NodeClass& c : capacity) {
    if (c.free.cpu > 0) sizes.push_back(c.free.cpu);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.size() < 2) return;
  sizes.pop_back();  // no node is larger than the largest
  const std::size_t count = std::min(sizes.size(), kMostBases);
  for (std::size_t b = 0; b < count; ++b) bases_.push_back(sizes[b * sizes.size() / count]);
  units_.resize(relaxation.shapes);
  for (const Item& item : relaxation.items) {
    if (!units_[item.shape].empty()) continue;
    for (const NodeClass& c : capacity)
      units_[item.shape].push_back(units_on(instance, c.free, instance.requests[item.request]));
  }
}

ItemValues ClassPrices::without_prices() const {
  ItemValues values;
  for (const Item& item : relaxation_.items) values.of_item.push_back(item.value);
  return values;
}

double ClassPrices::least_cost(const Item& item, double weight, const std::vector<double>& price) const {
  const Request& request = instance_.requests[item.request];
  const std::vector<std::uint32_t>& units = units_[item.shape];
  std::vector<std::pair<double, std::size_t>> classes;  // cost of a unit
  for (std::size_t k = 0; k < units.size(); ++k) {
    if (units[k] > 0) classes.push_back({weight / units[k] + price[k] * request.cpu, k});
  }
  std::sort(classes.begin(), classes.end());
  double cost = 0;
  double left = request.units;
  for (const auto& [unit_cost, k] : classes) {
    const double some = std::min(left, static_cast<double>(units[k]) * capacity_[k].count);
    cost += some * unit_cost;
    left -= some;
    if (left <= 0) break;
  }
  return std::max(cost, weight * item.nodes);
}

ItemValues ClassPrices::with_prices(std::uint32_t base, std::int64_t weight) const {
  const double fixed_point = std::ldexp(1.0, kFractionBits);
  const double w = static_cast<double>(weight) * fixed_point;
  std::vector<double> price;
  double all = 0;
  for (const NodeClass& c : capacity_) {
    const double cpu = c.free.cpu;
    price.push_back(cpu > base ? w / base - w / cpu : 0);
    all += price.back() * cpu * c.count;
  }
  ItemValues values;
  values.constant = rounded_up(all, all * kError);
  for (const Item& item : relaxation_.items) {
    const double own = static_cast<double>(instance_.requests[item.request].weight) * fixed_point;
    const double most = own * 2 * instance_.nodes;
    values.of_item.push_back(rounded_up(most - least_cost(item, own, price), most * kError));
  }
  return values;
}

}  // namespace aliquot::ip
