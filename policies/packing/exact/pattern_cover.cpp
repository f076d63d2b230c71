#include "policies/packing/exact/pattern_cover.hpp"

#include <algorithm>
#include <optional>

namespace aliquot {

namespace {

constexpr double kMostLost = 0.005;  // of a node: what a pattern may be worth less than it

class Cover {
 public:
  Cover(const ConfigProgram& program, std::span<const std::int64_t> left,
        std::span<const std::int64_t> free)
      : columns_(program.columns()),
        left_(left.begin(), left.end()),
        free_(free.begin(), free.end()),
        ways_(left.size()) {
    for (std::uint32_t c = 0; c < columns_.size(); ++c) {
      if (available(c) && program.loses(c) <= kMostLost) candidates_.push_back(c);
    }
    for (const std::uint32_t c : candidates_) count(c, 1);
  }

  PatternPacking take_all() {
    PatternPacking taken;
    while (const std::optional<std::uint32_t> shape = rarest()) {
      const PatternMaster::Column& column = columns_[best_for(*shape)];
      taken.push_back({column.kind, 1, column.pattern});
      --free_[column.kind];
      for (const ShapeUnits& part : column.pattern) left_[part.shape] -= part.units;
      std::erase_if(candidates_, [this](std::uint32_t c) {
        if (available(c)) return false;
        count(c, -1);
        return true;
      });
    }
    return taken;
  }

 private:
  [[nodiscard]] bool available(std::uint32_t column) const {
    const PatternMaster::Column& c = columns_[column];
    return free_[c.kind] > 0 &&
           std::all_of(c.pattern.begin(), c.pattern.end(),
                       [this](const ShapeUnits& p) { return left_[p.shape] >= p.units; });
  }
  void count(std::uint32_t column, int step) {
    for (const ShapeUnits& part : columns_[column].pattern) ways_[part.shape] += step;
  }
  [[nodiscard]] std::optional<std::uint32_t> rarest() const {
    std::optional<std::uint32_t> found;
    for (std::uint32_t s = 0; s < ways_.size(); ++s) {
      if (ways_[s] > 0 && (!found || ways_[s] < ways_[*found])) found = s;
    }
    return found;
  }
  [[nodiscard]] std::uint32_t best_for(std::uint32_t shape) const {
    std::uint32_t best = 0;
    double most = 0;
    for (const std::uint32_t c : candidates_) {
      double rarity = 0;
      bool has_it = false;
      for (const ShapeUnits& part : columns_[c].pattern) {
        rarity += 1.0 / ways_[part.shape];
        has_it = has_it || part.shape == shape;
      }
      if (!has_it || rarity <= most) continue;
      most = rarity;
      best = c;
    }
    return best;
  }

  const std::vector<PatternMaster::Column>& columns_;
  std::vector<std::int64_t> left_;
  std::vector<std::int64_t> free_;
  std::vector<int> ways_;                  // by shape: candidates that have it
  std::vector<std::uint32_t> candidates_;  // columns of which every task is still there
};

}  // namespace

PatternPacking cover_by_known(const ConfigProgram& program, std::span<const std::int64_t> left,
                              std::span<const std::int64_t> free) {
  return Cover(program, left, free).take_all();
}

}  // namespace aliquot
