// What a homogeneous cluster has in use over time: the resource profile that scheduled profiles are added
// to (Klein and Perez 2011, sec. 3.1).
//
// A step function of time, kept as segments of constant occupation; before the first and after the last
// scheduled profile nothing is in use. A tree of the segments' maxima answers where nodes are short in
// O(log segments); a change costs O(segments). Nodes are counted, not named: where the sum of all scheduled
// profiles never exceeds the nodes, an assignment of nodes exists (sec. 3.2). Occupation may exceed the
// nodes where the caller lets it, as when a node has failed; then nothing more fits there.
//
// It knows no policy, and has no clock. Errors: none; instants lie within kEarliest and kLatest, which
// fit() sees to.
#pragma once

#include <optional>
#include <vector>

#include "policies/evolving/profile.hpp"

namespace aliquot::evolving {

// The instants between which profiles may be scheduled: sums and differences of two are no overflow.
inline constexpr Instant kEarliest{-(std::int64_t{1} << 61)};
inline constexpr Instant kLatest{std::int64_t{1} << 61};

class ResourceProfile {
 public:
  // An empty cluster of 1 to kMostNodes nodes.
  explicit ResourceProfile(std::int64_t nodes);

  void occupy(const ScheduledProfile& by) { change(by, 1); }
  // Takes back what was occupied, as when an application ends early or its profile is fitted anew.
  void release(const ScheduledProfile& by) { change(by, -1); }

  [[nodiscard]] std::int64_t nodes() const { return nodes_; }
  [[nodiscard]] std::int64_t occupied(Instant at) const;
  // From here on nothing is in use; none if nothing ever is.
  [[nodiscard]] std::optional<Instant> last_change() const;
  [[nodiscard]] std::size_t segments() const { return begins_.size(); }

  // Of the segments that overlap [from, to) and have fewer than `nodes` free: the end of the last one.
  // None: as many are free throughout; kNever: there are not as many. Whatever needs the nodes over all of
  // [from, to), and cannot begin before `from`, cannot begin before that end.
  [[nodiscard]] std::optional<Instant> last_shortage(Instant from, Instant to, std::int64_t nodes) const;

  // Time runs backwards: what is in use at t is in use at `about` - t there.
  [[nodiscard]] ResourceProfile reversed(Instant about) const;

 private:
  void change(const ScheduledProfile& by, std::int64_t sign);
  // Replaces all segments. So much is in use in each; neighbours differ.
  void set(std::vector<Instant> begins, const std::vector<std::int64_t>& occupied);
  [[nodiscard]] std::size_t segment_at(Instant at) const;
  // The last segment up to this one with more in use; none: there is no such segment.
  [[nodiscard]] std::optional<std::size_t> last_above(std::size_t segment, std::int64_t occupied) const;

  std::int64_t nodes_;
  std::vector<Instant> begins_;  // of the segments; the first begins before all time
  // What is in use, and its maxima, as a heap: the children of k are 2k and 2k + 1, segment s is leaf
  // leaves_ + s.
  std::vector<std::int64_t> most_;
  std::size_t leaves_ = 1;
};

}  // namespace aliquot::evolving
