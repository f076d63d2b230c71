#include "policies/packing/exact/yield_problem.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace aliquot {

namespace {

constexpr Yield kLeast{1};  // of the levels
// At the bound a packing is worth more effort than at levels that are only tried because there was none.
constexpr std::size_t kMostDives = 30;
constexpr std::size_t kDivesBelow = 4;

// All amounts are multiples of it: what a node has beyond its own multiple is of no use to anybody.
template <class Amount>
std::int64_t grid_of(std::span<const TaskSize> sizes, Amount&& amount) {
  std::int64_t grid = 0;
  for (const TaskSize& size : sizes) {
    grid = std::gcd(grid, amount(size));
    if (grid == 1) break;
  }
  return grid;
}

std::int64_t down_to(std::int64_t grid, std::int64_t amount) {
  return grid > 0 && amount > 0 ? amount - amount % grid : amount;
}

}  // namespace

YieldProblem::YieldProblem(std::span<const YieldShape> shapes, std::span<const YieldNodes> kinds,
                           std::uint64_t work)
    : shapes_(shapes), kinds_(kinds), work_(work), sizes_(shapes.size()) {
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    sizes_[s].memory = shapes[s].memory;
    demand_.push_back(shapes[s].count);
  }
  const std::int64_t grid = grid_of(sizes_, [](const TaskSize& size) { return size.memory.raw; });
  for (const YieldNodes& kind : kinds) {
    room_.push_back({kind.capacity, {down_to(grid, kind.memory.raw)}, kind.count});
    nodes_.push_back(kind.count);
  }
}

void YieldProblem::go_to(Yield level) {
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const YieldShape& shape = shapes_[s];
    sizes_[s].cpu.raw =
        shape.floor <= level ? shape.need.raw : multiply_divide(shape.need.raw, shape.floor.raw, level.raw);
  }
  const std::int64_t grid = grid_of(sizes_, [](const TaskSize& size) { return size.cpu.raw; });
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    room_[k].cpu.raw =
        down_to(grid, multiply_divide(kinds_[k].capacity.raw, kMillion, level.raw) - kinds_[k].taken.raw);
  }
  if (program_) program_->resize(sizes_, room_);
}

// All tasks together, and each alone.
bool YieldProblem::volume_fits() const {
  Int128 cpu = 0;
  Int128 memory = 0;
  for (const NodeRoom& kind : room_) {
    if (kind.cpu.raw < 0) return false;  // what stays there has not even its own share
    cpu += static_cast<Int128>(kind.cpu.raw) * kind.count;
    memory += static_cast<Int128>(kind.memory.raw) * kind.count;
  }
  for (std::size_t s = 0; s < sizes_.size(); ++s) {
    if (demand_[s] <= 0) continue;
    cpu -= static_cast<Int128>(sizes_[s].cpu.raw) * demand_[s];
    memory -= static_cast<Int128>(sizes_[s].memory.raw) * demand_[s];
    const bool somewhere = std::any_of(room_.begin(), room_.end(), [&](const NodeRoom& kind) {
      return kind.count > 0 && sizes_[s].cpu <= kind.cpu && sizes_[s].memory <= kind.memory;
    });
    if (!somewhere) return false;
  }
  return cpu >= 0 && memory >= 0;
}

BestYield YieldProblem::bound(std::optional<Yield> known) {
  BestYield best;
  const Yield least = std::max(known.value_or(kLeast), kLeast);
  best.bound = kFullYield;
  if (!volume_fits(kFullYield)) {
    if (!known && !volume_fits(least)) return {least, false, {}, {}};
    best.bound = last_that_works(least, kFullYield, [&](Yield level) { return volume_fits(level); });
  }
  if (known == best.bound || !small_enough()) return best;
  if (pack_by_lists(best.bound, best)) return best;
  LevelBorder border{best.bound, known.value_or(Yield{0}), best.bound};
  if (!close_in(border, least)) return {least, known.has_value(), {}, {}};
  best.bound = border.bound;
  return best;
}

bool YieldProblem::close_in(LevelBorder& border, Yield least) {
  go_to(border.bound);
  program_->go_on(demand_, nodes_);
  Yield level = border.bound;
  if (!program_->known_fit()) level = border.first_probe(program_->load(), least);
  for (;; level = border.next_probe()) {
    go_to(level);
    program_->go_on(demand_, nodes_);
    if (program_->solve() != ConfigProgram::Verdict::exceeds) break;
    if (level <= least) return false;
    program_->keep();
    worths_ = program_->worths();
    border.exceeds_at(level, program_->load());
    if (!border.leaps() && !tighten(border, least)) return false;
  }
  if (level == border.bound) return true;
  if (!program_->spent()) climb(border, lowest_in_use(level));
  // What the last proof says is known but for how far down it holds.
  return border.bound <= border.fits || border.tight || tighten(border, least);
}

// The program fits at `fits`: up to the bound, or to where it is proven to fit no longer.
void YieldProblem::climb(LevelBorder& border, Yield fits) {
  for (border.fits_at(fits); border.fits < border.bound && !program_->spent();) {
    go_to(border.fits + Yield{1});
    program_->climb();
    if (program_->known_fit()) {
      border.fits_at(lowest_in_use(border.fits + Yield{1}));
      continue;
    }
    const Yield level = border.next_step();
    go_to(level);
    program_->climb();
    const ConfigProgram::Verdict verdict = program_->solve();
    if (verdict == ConfigProgram::Verdict::exceeds) {
      program_->keep();
      worths_ = program_->worths();
      border.ends_below(level);
    } else if (!program_->spent()) {
      border.fits_at(lowest_in_use(level));
    }
  }
}

// Down to where the last proof no longer holds.
bool YieldProblem::tighten(LevelBorder& border, Yield least) {
  std::optional<Yield> next = next_level(std::max(least, border.fits), border.proven);
  if (!next && border.fits > least) {  // that it fits there was an advice of floating-point numbers
    border.fits = Yield{0};
    next = next_level(least, border.proven);
  }
  if (!next) return false;
  border.ends_at(*next);
  return true;
}

// The program fits at `level` by the patterns it uses, and so at the highest level at which all of them do.
Yield YieldProblem::lowest_in_use(Yield level) const {
  Yield lowest = kFullYield;
  for (const PatternMaster::Amount& amount : program_->amounts()) {
    const PatternMaster::Column& column = program_->columns()[amount.column];
    lowest = std::min(lowest, yield_of(shapes_, column.pattern, kinds_[column.kind]).value_or(level));
  }
  for (const YieldNodes& nodes : kinds_) {
    if (nodes.taken.raw > 0) lowest = std::min(lowest, yield_of(shapes_, {}, nodes).value_or(level));
  }
  return std::max(lowest, level);
}

// The highest level below `proven` at which the worths no longer prove anything; none: they do at `least`.
std::optional<Yield> YieldProblem::next_level(Yield least, Yield proven) {
  const bool plain =
      kinds_.size() == 1 &&
      std::all_of(shapes_.begin(), shapes_.end(), [&](const YieldShape& s) { return s.floor <= least; });
  // Mostly it is not far: what a node takes at a slightly lower level tells it at once.
  for (std::int64_t percent = 90; plain && percent >= 50; percent -= 20) {
    go_to(std::max(least, Yield{proven.raw * percent / 100}));
    std::optional<Pattern> obstacle = program_->lightest_obstacle(worths_);
    if (!obstacle) continue;
    const Yield next =
        std::min(yield_of(shapes_, *obstacle, kinds_.front()).value_or(least), proven - Yield{1});
    program_->suggest(0, *std::move(obstacle));  // it is what the program lacks there
    return next;
  }
  const auto open = [&](Yield level) {
    go_to(level);
    return !program_->proves(worths_, demand_, nodes_);
  };
  if (!open(least)) return std::nullopt;
  return last_that_works(least, proven, open);
}

bool YieldProblem::out_of_reach(Yield yield) {
  for (std::size_t s = 0; s < shapes_.size(); ++s) sizes_[s].cpu = shapes_[s].need * yield;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    room_[k].cpu = kinds_[k].capacity - kinds_[k].taken * yield;
  }
  if (!volume_fits()) return true;
  if (worths_.empty()) return false;
  program_->resize(sizes_, room_);
  return program_->proves(worths_, demand_, nodes_);
}
// What the lists find is a beginning for the program, if not a packing.
bool YieldProblem::pack_by_lists(Yield level, BestYield& best) {
  go_to(level);
  listed_ = level;
  if (!program_) program_.emplace(sizes_, room_, work_);
  for (const ListOrder order : kListOrders) {
    ListPacking packed = pack_in_order(sizes_, demand_, room_, nodes_, order);
    if (packed.complete) {
      adopt(std::move(packed.filled), best);
      return true;
    }
    for (FilledKind& filled : packed.filled) program_->suggest(filled.kind, std::move(filled.pattern));
  }
  return false;
}

// At the bound the program has a solution already and lists rarely find one: they come last.
bool YieldProblem::pack_at(Yield level, BestYield& best) {
  const bool at_bound = level == best.bound;
  if (!at_bound && level != listed_ && pack_by_lists(level, best)) return true;
  if (pack_by_patterns(level, at_bound ? kMostDives : kDivesBelow, best)) return true;
  return at_bound && level != listed_ && pack_by_lists(level, best);
}

bool YieldProblem::pack_by_patterns(Yield level, std::size_t most_dives, BestYield& best) {
  if (program_->spent()) return false;
  go_to(level);
  program_->go_on(demand_, nodes_);
  if (program_->solve() != ConfigProgram::Verdict::fits) return false;
  auto packing = round_patterns(*program_, task(), most_dives);
  if (!packing) return false;
  adopt(*std::move(packing), best);
  return true;
}

void YieldProblem::adopt(PatternPacking packing, BestYield& best) const {
  Yield lowest = kFullYield;
  for (const YieldNodes& nodes : kinds_) {  // what stays there wants its share of empty ones too
    if (nodes.taken.raw > 0) lowest = std::min(lowest, yield_of(shapes_, {}, nodes).value_or(Yield{0}));
  }
  for (const FilledKind& filled : packing) {
    lowest = std::min(lowest, yield_of(shapes_, filled.pattern, kinds_[filled.kind]).value_or(Yield{0}));
  }
  if (best.packing && best.packed >= lowest) return;
  best.packing = std::move(packing);
  best.packed = lowest;
}

void YieldProblem::pack(BestYield& best, std::optional<Yield> known) {
  if (!best.possible || best.packing || !small_enough() || known == best.bound) return;
  if (pack_at(best.bound, best)) return;
  constexpr std::int64_t kFirstStep = 200;  // a part of the bound
  Yield bad = best.bound;
  for (std::int64_t step = 1; step < kFirstStep; step *= 2) {
    const Yield level{best.bound.raw - best.bound.raw * step / kFirstStep};
    if (known && level <= *known) break;
    if (pack_at(level, best)) break;
    bad = level;
  }
  for (int halvings = 0; best.packing && halvings < 3 && bad.raw - best.packed.raw > 1; ++halvings) {
    const Yield middle{(best.packed.raw + bad.raw) / 2};
    if (!pack_at(middle, best)) bad = middle;
  }
}

}  // namespace aliquot
