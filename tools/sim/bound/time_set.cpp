#include "tools/sim/bound/time_set.hpp"

#include <algorithm>

namespace aliquot {

TimeSet::TimeSet(const std::vector<Segment>& segments) {
  for (const Segment& segment : segments) {
    if (!segments_.empty() && segments_.back().to == segment.from)
      segments_.back().to = segment.to;
    else
      segments_.push_back(segment);
  }
  Duration sum;
  for (const Segment& segment : segments_) {
    before_.push_back(sum);
    sum += segment.to - segment.from;
  }
}

Duration TimeSet::before(Instant t) const {
  const auto next = std::ranges::lower_bound(segments_, t, {}, &Segment::from);
  if (next == segments_.begin()) return {};
  const std::size_t last = static_cast<std::size_t>(next - segments_.begin()) - 1;
  return before_[last] + (std::min(t, segments_[last].to) - segments_[last].from);
}

}  // namespace aliquot
