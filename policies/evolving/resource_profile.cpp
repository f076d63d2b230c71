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

ResourceProfile::ResourceProfile(std::int64_t nodes) : nodes_(nodes) { set({kAlways}, {0}); }

// Merges the segments with the changes; a segment that is like the one before it vanishes.
void ResourceProfile::change(const ScheduledProfile& by, std::int64_t sign) {
  const std::vector<Change> changes = changes_of(by, sign);
  std::vector<Instant> begins;
  std::vector<std::int64_t> occupied;
  begins.reserve(begins_.size() + changes.size());
  occupied.reserve(begins.capacity());
  std::size_t segment = 0;
  std::size_t change = 0;
  std::int64_t before = 0;
  std::int64_t added = 0;
  while (segment < begins_.size() || change < changes.size()) {
    const Instant at = std::min(segment < begins_.size() ? begins_[segment] : kNever,
                                change < changes.size() ? changes[change].at : kNever);
    if (segment < begins_.size() && begins_[segment] == at) before = most_[leaves_ + segment++];
    if (change < changes.size() && changes[change].at == at) added += changes[change++].nodes;
    if (!occupied.empty() && occupied.back() == before + added) continue;
    begins.push_back(at);
    occupied.push_back(before + added);
  }
  set(std::move(begins), occupied);
}

void ResourceProfile::set(std::vector<Instant> begins, const std::vector<std::int64_t>& occupied) {
  begins_ = std::move(begins);
  leaves_ = std::bit_ceil(begins_.size());
  most_.assign(2 * leaves_, INT64_MIN);
  std::ranges::copy(occupied, most_.begin() + static_cast<std::ptrdiff_t>(leaves_));
  for (std::size_t k = leaves_ - 1; k > 0; --k) most_[k] = std::max(most_[2 * k], most_[2 * k + 1]);
}

std::size_t ResourceProfile::segment_at(Instant at) const {
  const auto next = std::ranges::upper_bound(begins_, at);
  return static_cast<std::size_t>(std::distance(begins_.begin(), next)) - 1;
}

std::int64_t ResourceProfile::occupied(Instant at) const { return most_[leaves_ + segment_at(at)]; }

std::optional<Instant> ResourceProfile::last_change() const {
  return begins_.size() > 1 ? std::optional(begins_.back()) : std::nullopt;
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
  const Instant end = *last + 1 < begins_.size() ? begins_[*last + 1] : kNever;
  return end > from ? std::optional(end) : std::nullopt;
}

ResourceProfile ResourceProfile::reversed(Instant about) const {
  std::vector<Instant> begins = {kAlways};
  std::vector<std::int64_t> occupied;
  begins.reserve(begins_.size());
  occupied.reserve(begins_.size());
  for (std::size_t s = begins_.size(); s-- > 0;) {
    occupied.push_back(most_[leaves_ + s]);
    if (s > 0) begins.push_back({about.raw - begins_[s].raw});  // where it began, the next one begins
  }
  ResourceProfile result(nodes_);
  result.set(std::move(begins), occupied);
  return result;
}

}  // namespace aliquot::evolving
