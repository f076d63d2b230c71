#include "policies/packing/exact/config_program.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace aliquot {

namespace {

constexpr double kWorthOfANode = 0x1p34;      // whole numbers this fine lose nothing that matters
constexpr std::int64_t kMostUnits = 1 << 20;  // of tasks that take nothing
constexpr double kJustShort = 1 - 1e-6;
constexpr double kJustFits = 1 + 1e-9;
constexpr int kLookAtAll = 5;              // rounds of pricing until columns far from use are looked at
constexpr std::uint64_t kWorkOfATry = 16;  // for each shape, of whoever asks for a solution to try it

// Different for most that are different.
std::uint64_t mark_of(std::uint32_t kind, const Pattern& pattern) {
  std::uint64_t mark = kind;
  for (const ShapeUnits& part : pattern) {
    mark = (mark ^ (std::uint64_t{part.shape} << 32 | part.units)) * 0x9e3779b97f4a7c15;
    mark ^= mark >> 29;
  }
  return mark;
}

}  // namespace

ConfigProgram::ConfigProgram(std::span<const TaskSize> sizes, std::span<const NodeRoom> kinds,
                             std::uint64_t work)
    : sizes_(sizes.begin(), sizes.end()),
      kinds_(kinds.begin(), kinds.end()),
      worth_(sizes.size()),
      known_(kinds.size()),
      work_left_(work) {
  alone_at_.assign(sizes_.size() * kinds_.size(), -1);
}

void ConfigProgram::resize(std::span<const TaskSize> sizes, std::span<const NodeRoom> kinds) {
  sizes_.assign(sizes.begin(), sizes.end());
  kinds_.assign(kinds.begin(), kinds.end());
}

bool ConfigProgram::fits(const PatternMaster::Column& column) const {
  NodeRoom left = kinds_[column.kind];
  for (const ShapeUnits& part : column.pattern) {
    left.cpu -= sizes_[part.shape].cpu * part.units;
    left.memory -= sizes_[part.shape].memory * part.units;
  }
  return left.cpu.raw >= 0 && left.memory.raw >= 0;
}

void ConfigProgram::suggest(std::uint32_t kind, Pattern pattern) {
  const std::uint64_t mark = mark_of(kind, pattern);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (marks_[c] == mark && columns_[c].kind == kind && columns_[c].pattern == pattern) return;
  }
  add({kind, std::move(pattern)});
}

void ConfigProgram::add(PatternMaster::Column column) {
  usable_.push_back(fits(column) ? 1 : 0);
  marks_.push_back(mark_of(column.kind, column.pattern));
  columns_.push_back(std::move(column));
}

// Columns that are too large at this level rest until a lower one.
void ConfigProgram::sort_out() {
  usable_.clear();
  for (const PatternMaster::Column& column : columns_) usable_.push_back(fits(column) ? 1 : 0);
  if (master_) master_->look_anew();
}

// On the kind that holds most of them.
std::optional<std::uint32_t> ConfigProgram::alone(std::uint32_t shape) {
  const TaskSize& size = sizes_[shape];
  std::uint32_t best = 0;
  std::int64_t most = 0;
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    if (nodes_[k] <= 0 || size.cpu > kinds_[k].cpu || size.memory > kinds_[k].memory) continue;
    std::int64_t units = kMostUnits;
    if (size.cpu.raw > 0) units = std::min(units, kinds_[k].cpu.raw / size.cpu.raw);
    if (size.memory.raw > 0) units = std::min(units, kinds_[k].memory.raw / size.memory.raw);
    if (units <= most) continue;
    most = units;
    best = k;
  }
  if (most == 0) return std::nullopt;
  std::int32_t& known = alone_at_[shape * kinds_.size() + best];
  if (known < 0 || usable_[static_cast<std::uint32_t>(known)] == 0) {
    known = static_cast<std::int32_t>(columns_.size());
    add({best, {{shape, static_cast<std::uint32_t>(most)}}});
  }
  return static_cast<std::uint32_t>(known);
}

void ConfigProgram::go_on(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes) {
  sort_out();
  const bool same = std::ranges::equal(demand, demand_) && std::ranges::equal(nodes, nodes_);
  const bool goes_on =
      master_ && master_->can_stand() && (same || master_->ask_again(demand, nodes, work_left_));
  if (!goes_on) return start(demand, nodes);
  demand_.assign(demand.begin(), demand.end());
  nodes_.assign(nodes.begin(), nodes.end());
}

void ConfigProgram::climb() {
  sort_out();
  if (!master_ || (!master_->can_stand() && !master_->do_without(work_left_))) go_back();
}

bool ConfigProgram::improve(PatternMaster::Among among) {
  if (master_->improve(work_left_, among)) return true;
  work_left_ = 0;
  return false;
}

bool ConfigProgram::known_fit() {
  if (master_) (void)improve(PatternMaster::Among::all);
  return load() <= kJustFits;
}

bool ConfigProgram::asks_for_nothing() const {
  return std::all_of(demand_.begin(), demand_.end(), [](std::int64_t d) { return d <= 0; });
}

double ConfigProgram::load() const {
  if (master_) return master_->load();
  return asks_for_nothing() ? 0 : std::numeric_limits<double>::infinity();
}

std::vector<PatternMaster::Amount> ConfigProgram::amounts() const {
  return master_ ? master_->amounts() : std::vector<PatternMaster::Amount>{};
}

double ConfigProgram::loses(std::uint32_t column) const {
  return master_ ? master_->loses(column) : std::numeric_limits<double>::infinity();
}

void ConfigProgram::go_back() {
  if (!kept_ || !kept_->can_stand()) return start(demand_, nodes_);
  master_ = kept_;
  master_->look_anew();
}

void ConfigProgram::start(std::span<const std::int64_t> demand, std::span<const std::int64_t> nodes) {
  sort_out();
  demand_.assign(demand.begin(), demand.end());
  nodes_.assign(nodes.begin(), nodes.end());
  alone_.clear();
  for (std::uint32_t s = 0; s < demand_.size(); ++s) {
    if (demand_[s] <= 0) continue;
    const std::optional<std::uint32_t> column = alone(s);
    if (!column) return prove_nowhere(s);
    alone_.push_back(*column);
  }
  if (alone_.empty()) return master_.reset();
  if (!master_) master_.emplace();
  master_->start(columns_, usable_, demand_, nodes_, alone_);
}

// One task of it is worth something, and no node that there is can hold any.
void ConfigProgram::prove_nowhere(std::uint32_t shape) {
  master_.reset();
  worth_.assign(worth_.size(), 0);
  worth_[shape] = 1;
}

void ConfigProgram::take_worths() {
  for (std::uint32_t s = 0; s < worth_.size(); ++s) {
    const double price = demand_[s] > 0 ? master_->price_of_shape(s) : 0;
    worth_[s] = price > 0 ? static_cast<std::int64_t>(price * kWorthOfANode) : 0;
  }
}

std::int64_t ConfigProgram::most_worth(std::uint32_t kind, std::int64_t known,
                                       PatternKnapsack::Search search) {
  const std::uint64_t before = knapsack_.steps();
  const std::int64_t most =
      knapsack_.most_worth(worthy_, kinds_[kind].cpu, kinds_[kind].memory, known, search);
  work_left_ -= std::min(work_left_, knapsack_.steps() - before);
  return most;
}

ConfigProgram::Priced ConfigProgram::price(bool to_the_least_load) {
  take_worths();
  // No pattern known is worth more than its node's price; those in use are worth just that.
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    known_[k] = static_cast<std::int64_t>(std::max(master_->price_of_kind(k), 0.0) * kWorthOfANode);
  }
  const Int128 asked = worth_of_all(worth_, demand_);
  Int128 known = 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k) known += static_cast<Int128>(known_[k]) * nodes_[k];
  // If all nodes held this much more than what is known, they would just not hold what is asked for: only a
  // pattern beyond that stands in the way of the proof.
  const double more = to_the_least_load || known == 0 || asked <= known
                          ? 1
                          : static_cast<double>(asked) / static_cast<double>(known);
  Priced priced;
  Int128 held = 0;
  for (std::uint32_t k = 0; k < kinds_.size(); ++k) {
    if (nodes_[k] <= 0) continue;
    const auto enough = static_cast<std::int64_t>(static_cast<double>(known_[k]) * more * kJustShort);
    held += static_cast<Int128>(most_worth(k, std::max(known_[k], enough), PatternKnapsack::Search::good)) *
            nodes_[k];
    for (const Pattern& pattern : knapsack_.found()) {
      add({k, pattern});
      priced.improved = true;
    }
  }
  priced.proof = asked > held;
  return priced;
}

ConfigProgram::Verdict ConfigProgram::solve(bool to_the_least_load) {
  if (asks_for_nothing()) return Verdict::fits;
  if (!master_) return Verdict::exceeds;
  for (int turn = 1; !spent(); ++turn) {
    const bool all = to_the_least_load || turn % kLookAtAll == 0;
    if (!improve(all ? PatternMaster::Among::all : PatternMaster::Among::near)) break;
    if (!to_the_least_load && master_->load() <= kJustFits) {
      take_worths();
      return Verdict::fits;
    }
    const Priced priced = price(to_the_least_load);
    if (priced.proof) return Verdict::exceeds;
    if (priced.improved) continue;
    const double before = master_->load();
    if (all || !improve(PatternMaster::Among::all) || master_->load() >= before) break;
  }
  return master_->load() <= kJustFits ? Verdict::fits : Verdict::unknown;
}

bool ConfigProgram::step_aside() {
  work_left_ -= std::min<std::uint64_t>(work_left_, kWorkOfATry * sizes_.size());
  return master_ && master_->step_aside(kJustFits, work_left_);
}

Int128 ConfigProgram::worth_of_all(std::span<const std::int64_t> worths,
                                   std::span<const std::int64_t> demand) {
  Int128 all = 0;
  worthy_.clear();
  for (std::uint32_t s = 0; s < worths.size(); ++s) {
    all += static_cast<Int128>(demand[s]) * worths[s];
    if (worths[s] > 0) worthy_.push_back({sizes_[s], demand[s], worths[s], s});
  }
  return all;
}

bool ConfigProgram::proves(std::span<const std::int64_t> worths, std::span<const std::int64_t> demand,
                           std::span<const std::int64_t> nodes) {
  Int128 left = worth_of_all(worths, demand);
  std::int64_t others = std::count_if(nodes.begin(), nodes.end(), [](std::int64_t n) { return n > 0; });
  for (std::uint32_t k = 0; k < kinds_.size() && left > 0; ++k) {
    if (nodes[k] <= 0) continue;
    // The last kind need not be known exactly: only whether a node of it can hold too much.
    const bool last = --others == 0;
    const std::int64_t enough = last ? static_cast<std::int64_t>((left - 1) / nodes[k]) : 0;
    const auto search = last ? PatternKnapsack::Search::any_above : PatternKnapsack::Search::exact;
    left -= static_cast<Int128>(most_worth(k, enough, search)) * nodes[k];
  }
  return left > 0;
}

std::optional<Pattern> ConfigProgram::lightest_obstacle(std::span<const std::int64_t> worths) {
  if (nodes_.front() <= 0) return std::nullopt;
  const Int128 all = worth_of_all(worths, demand_);
  const auto enough = static_cast<std::int64_t>((all - 1) / nodes_.front());
  (void)most_worth(0, enough, PatternKnapsack::Search::lightest);
  if (knapsack_.spent() || knapsack_.found().empty()) return std::nullopt;
  return knapsack_.found().back();
}

}  // namespace aliquot
