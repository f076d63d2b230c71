#include "policies/packing/exact/configuration_lp.hpp"

#include <algorithm>

namespace aliquot {

namespace {

constexpr double kNodeValue = 0x1p34;         // whole numbers this fine lose nothing that matters
constexpr std::int64_t kMostUnits = 1 << 20;  // of tasks that take nothing
constexpr double kJustShort = 1 - 1e-6;
constexpr double kJustFits = 1 + 1e-9;

std::vector<double> as_doubles(std::span<const std::int64_t> counts) {
  std::vector<double> doubles;
  for (const std::int64_t count : counts)
    doubles.push_back(static_cast<double>(std::max<std::int64_t>(count, 0)));
  return doubles;
}

}  // namespace

ConfigurationLp::ConfigurationLp(std::size_t shapes, std::size_t kinds, std::uint64_t effort)
    : master_(shapes, kinds), dual_values_(shapes, 0), effort_(effort) {}

void ConfigurationLp::set_sizes(std::span<const TaskSize> sizes, std::span<const NodeSize> kinds) {
  sizes_.assign(sizes.begin(), sizes.end());
  kinds_.assign(kinds.begin(), kinds.end());
  for (std::uint32_t c = 0; c < columns_.size(); ++c) {
    const auto& [kind, pattern] = *columns_[c];
    master_.set_usable(c, fits(pattern, sizes_, kinds_[kind]));
  }
}

std::uint32_t ConfigurationLp::column_of(std::uint32_t kind, const Pattern& pattern) {
  const auto [at, is_new] = known_.try_emplace({kind, pattern}, master_.columns());
  if (is_new) {
    std::vector<RestrictedMaster::Part> parts;
    for (const ShapeUnits& part : pattern) parts.push_back({part.shape, static_cast<double>(part.units)});
    (void)master_.add(kind, parts);
    columns_.push_back(&at->first);
  }
  return at->second;
}

void ConfigurationLp::suggest(std::uint32_t kind, const Pattern& pattern) {
  (void)column_of(kind, pattern);
}

std::optional<std::uint32_t> ConfigurationLp::single_column(std::uint32_t shape,
                                                            std::span<const std::int64_t> nodes) {
  std::uint32_t best = 0;
  std::int64_t most = 0;
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    const std::int64_t units = nodes[k] > 0 ? units_in(kinds_[k], sizes_[shape], kMostUnits) : 0;
    if (units <= most) continue;
    most = units;
    best = k;
  }
  if (most == 0) return std::nullopt;
  return column_of(best, {{shape, static_cast<std::uint32_t>(most)}});
}

bool ConfigurationLp::warm_start(std::span<const std::int64_t> demand,
                                 std::span<const std::int64_t> nodes) {
  return solved_ && master_.restart(as_doubles(demand), as_doubles(nodes), effort_);
}

bool ConfigurationLp::cold_start(std::span<const std::int64_t> demand,
                                 std::span<const std::int64_t> nodes) {
  std::vector<std::uint32_t> single(demand.size(), 0);
  for (std::uint32_t s = 0; s < demand.size(); ++s) {
    if (demand[s] <= 0) continue;
    const std::optional<std::uint32_t> column = single_column(s, nodes);
    if (!column) {  // one task of this shape has a value, and no node can hold any
      solved_ = false;
      std::fill(dual_values_.begin(), dual_values_.end(), 0);
      dual_values_[s] = 1;
      return false;
    }
    single[s] = *column;
  }
  master_.start(as_doubles(demand), as_doubles(nodes), single);
  solved_ = true;
  return true;
}

ConfigurationLp::Verdict ConfigurationLp::solve(std::span<const std::int64_t> demand,
                                                std::span<const std::int64_t> nodes) {
  if (std::none_of(demand.begin(), demand.end(), [](std::int64_t d) { return d > 0; })) {
    solved_ = false;
    return Verdict::fits;
  }
  if (!warm_start(demand, nodes) && !cold_start(demand, nodes)) return Verdict::exceeds;
  while (master_.minimise(effort_)) {
    compute_dual_values(demand);
    if (master_.load() <= kJustFits) return Verdict::fits;
    switch (price(demand, nodes)) {
      case Pricing::proof:
        return Verdict::exceeds;
      case Pricing::neither:
        return Verdict::unknown;
      case Pricing::improved:
        break;
    }
  }
  effort_ = 0;
  return Verdict::unknown;
}

void ConfigurationLp::compute_dual_values(std::span<const std::int64_t> demand) {
  for (std::uint32_t s = 0; s < dual_values_.size(); ++s) {
    const double value = demand[s] > 0 ? master_.value_of_shape(s) : 0;
    dual_values_[s] = value > 0 ? static_cast<std::int64_t>(value * kNodeValue) : 0;
  }
}

KnapsackResult ConfigurationLp::search(std::uint32_t kind, std::int64_t known, KnapsackGoal goal) {
  KnapsackResult result = solve_knapsack(items_, kinds_[kind], known, goal);
  effort_ -= std::min(effort_, result.steps);
  return result;
}

// Looks for patterns that are worth more than their nodes.
ConfigurationLp::Pricing ConfigurationLp::price(std::span<const std::int64_t> demand,
                                                std::span<const std::int64_t> nodes) {
  const Int128 asked = value_of_all(dual_values_, demand);
  // No known pattern is worth more than its node; those in use are worth just that.
  std::vector<std::int64_t> known;
  Int128 all_known = 0;
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    known.push_back(static_cast<std::int64_t>(std::max(master_.value_of_node(k), 0.0) * kNodeValue));
    all_known += static_cast<Int128>(known[k]) * nodes[k];
  }
  // If all nodes held this many times what is known, they would just not hold what is asked for: only a
  // pattern beyond that stands in the way of the proof.
  const double more = all_known == 0 || asked <= all_known
                          ? 1
                          : static_cast<double>(asked) / static_cast<double>(all_known);
  Int128 held = 0;
  bool improved = false;
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    if (nodes[k] <= 0) continue;
    const auto enough = static_cast<std::int64_t>(static_cast<double>(known[k]) * more * kJustShort);
    const KnapsackResult result = search(k, std::max(known[k], enough), KnapsackGoal::improving);
    held += static_cast<Int128>(result.bound) * nodes[k];
    for (const Pattern& pattern : result.found) {
      const std::uint32_t before = master_.columns();
      improved |= column_of(k, pattern) == before;
    }
  }
  if (asked > held) return Pricing::proof;
  return improved ? Pricing::improved : Pricing::neither;
}

Int128 ConfigurationLp::value_of_all(std::span<const std::int64_t> values,
                                     std::span<const std::int64_t> demand) {
  Int128 all = 0;
  items_.clear();
  for (std::uint32_t s = 0; s < values.size(); ++s) {
    all += static_cast<Int128>(demand[s]) * values[s];
    if (values[s] > 0) items_.push_back({sizes_[s], demand[s], values[s], s});
  }
  return all;
}

bool ConfigurationLp::proves(std::span<const std::int64_t> values, std::span<const std::int64_t> demand,
                             std::span<const std::int64_t> nodes) {
  Int128 left = value_of_all(values, demand);
  std::int64_t others = std::count_if(nodes.begin(), nodes.end(), [](std::int64_t n) { return n > 0; });
  for (std::uint32_t k = 0; k < kinds_.size() && left > 0; ++k) {
    if (nodes[k] <= 0) continue;
    // The last kind need not be known exactly: only whether a node of it can hold too much.
    const bool last = --others == 0;
    const std::int64_t enough = last ? static_cast<std::int64_t>((left - 1) / nodes[k]) : 0;
    left -=
        static_cast<Int128>(search(k, enough, last ? KnapsackGoal::any_above : KnapsackGoal::best).bound) *
        nodes[k];
  }
  return left > 0;
}

std::optional<Pattern> ConfigurationLp::lightest_obstacle(std::span<const std::int64_t> values,
                                                          std::span<const std::int64_t> demand,
                                                          std::int64_t count) {
  if (count <= 0) return std::nullopt;
  const auto enough = static_cast<std::int64_t>((value_of_all(values, demand) - 1) / count);
  KnapsackResult result = search(0, enough, KnapsackGoal::lightest);
  if (!result.complete || result.found.empty()) return std::nullopt;
  return std::move(result.found.back());
}

std::vector<ConfigurationLp::Fraction> ConfigurationLp::fractions() const {
  std::vector<Fraction> fractions;
  if (!solved_) return fractions;
  for (const RestrictedMaster::Amount& amount : master_.amounts()) {
    const auto& [kind, pattern] = *columns_[amount.column];
    fractions.push_back({kind, amount.nodes, pattern});
  }
  return fractions;
}

}  // namespace aliquot
