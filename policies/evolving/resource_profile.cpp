#include "policies/evolving/resource_profile.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace aliquot::evolving {
namespace {

constexpr Instant kAlways{INT64_MIN};

// From then on so many more, or fewer, nodes are in use.
struct Change {
  Instant at;
  std::int64_t nodes = 0;
};

std::vector<Change> changes_of(const ScheduledProfile& scheduled, std::int64_t sign) {
  std::vector<Change> changes;
  changes.reserve(scheduled.profile.steps().size() + 1);
  Instant at = scheduled.start;
  std::int64_t before = 0;
  for (const ProfileStep& step : scheduled.profile.steps()) {
    changes.push_back({at, sign * (step.nodes - before)});
    before = step.nodes;
    at = at + step.duration;
  }
  changes.push_back({at, -sign * before});
  return changes;
}

}  // namespace

ResourceProfile::ResourceProfile(std::int64_t nodes) : nodes_(nodes), segments_{{kAlways, 0}} {
  build_tree();
}

// Merges the segments with the changes; a segment that is like the one before it vanishes.
void ResourceProfile::change(const ScheduledProfile& by, std::int64_t sign) {
  const std::vector<Change> changes = changes_of(by, sign);
  std::vector<Segment> merged;
  merged.reserve(segments_.size() + changes.size());
  auto segment = segments_.begin();
  auto change = changes.begin();
  std::int64_t occupied = 0;
  std::int64_t added = 0;
  while (segment != segments_.end() || change != changes.end()) {
    const Instant at = std::min(segment != segments_.end() ? segment->from : kNever,
                                change != changes.end() ? change->at : kNever);
    if (segment != segments_.end() && segment->from == at) occupied = (segment++)->occupied;
    if (change != changes.end() && change->at == at) added += (change++)->nodes;
    if (merged.empty() || merged.back().occupied != occupied + added)
      merged.push_back({at, occupied + added});
  }
  segments_ = std::move(merged);
  build_tree();
}

void ResourceProfile::build_tree() {
  leaves_ = std::bit_ceil(segments_.size());
  most_.assign(2 * leaves_, INT64_MIN);
  for (std::size_t s = 0; s < segments_.size(); ++s) most_[leaves_ + s] = segments_[s].occupied;
  for (std::size_t k = leaves_ - 1; k > 0; --k) most_[k] = std::max(most_[2 * k], most_[2 * k + 1]);
}

std::size_t ResourceProfile::segment_at(Instant at) const {
  const auto next = std::ranges::upper_bound(segments_, at, {}, &Segment::from);
  return static_cast<std::size_t>(std::distance(segments_.begin(), next)) - 1;
}

std::int64_t ResourceProfile::occupied(Instant at) const { return segments_[segment_at(at)].occupied; }

std::optional<Instant> ResourceProfile::last_change() const {
  return segments_.size() > 1 ? std::optional(segments_.back().from) : std::nullopt;
}

std::optional<std::size_t> ResourceProfile::last_above(std::size_t segment, std::int64_t occupied) const {
  std::size_t k = leaves_ + segment;
  while (most_[k] <= occupied) {
    while (k > 1 && k % 2 == 0) k /= 2;  // nothing to the left within this subtree
    if (k == 1) return std::nullopt;
    --k;
  }
  while (k < leaves_) k = most_[2 * k + 1] > occupied ? 2 * k + 1 : 2 * k;
  return k - leaves_;
}

std::optional<Instant> ResourceProfile::last_shortage(Instant from, Instant to, std::int64_t nodes) const {
  if (from >= to) return std::nullopt;
  const auto last = last_above(segment_at(to - Duration{1}), nodes_ - nodes);
  if (!last) return std::nullopt;
  const Instant end = *last + 1 < segments_.size() ? segments_[*last + 1].from : kNever;
  return end > from ? std::optional(end) : std::nullopt;
}

ResourceProfile ResourceProfile::reversed(Instant about) const {
  ResourceProfile result(nodes_);
  result.segments_.clear();
  result.segments_.reserve(segments_.size());
  for (std::size_t s = segments_.size(); s-- > 0;) {
    const bool first = s + 1 == segments_.size();
    const Instant from = first ? kAlways : Instant{about.raw - segments_[s + 1].from.raw};
    result.segments_.push_back({from, segments_[s].occupied});
  }
  result.build_tree();
  return result;
}

}  // namespace aliquot::evolving
