// Evolution profiles: how many nodes an application needs, step by step (Klein and Perez, "Towards
// Scheduling Evolving Applications", CoreGRID/ERCIM Workshop 2011, sec. 3.1).
//
// A requested profile is what an application asks for. A scheduled profile is what it is given: the same
// steps with the same node counts, expanded (a step holds its nodes for longer than it computes, since the
// next step must wait for more nodes) and delayed (it starts later). What a cluster has in use over time is
// in resource_profile.hpp.
//
// Durations are microseconds, node counts whole numbers, areas node-microseconds. A profile is a value.
// Errors: of() refuses a profile that is empty or too large; everything that is computed from an
// EvolutionProfile can rely on the bounds below.
#pragma once

#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot::evolving {

inline constexpr std::size_t kMostSteps = 10'000;
inline constexpr std::int64_t kMostNodes = 1'000'000;
// Of a requested profile; 142 years, so that a thousand of them after each other are still an Instant.
inline constexpr Duration kLongestProfile{std::int64_t{1} << 52};

// So many nodes for so long: node-microseconds.
struct NodeTime {
  Int128 raw = 0;

  friend constexpr auto operator<=>(NodeTime, NodeTime) = default;
  friend constexpr NodeTime operator+(NodeTime a, NodeTime b) { return {a.raw + b.raw}; }
  friend constexpr NodeTime operator-(NodeTime a, NodeTime b) { return {a.raw - b.raw}; }
  // For ratios in reports.
  [[nodiscard]] constexpr double to_node_seconds() const { return static_cast<double>(raw) / 1e6; }
};
constexpr NodeTime node_time(Duration span, std::int64_t nodes) {
  return {static_cast<Int128>(span.raw) * nodes};
}

struct ProfileStep {
  Duration duration;
  std::int64_t nodes = 0;
  friend bool operator==(const ProfileStep&, const ProfileStep&) = default;
};

class EvolutionProfile {
 public:
  // At least one step; each lasts at least a microsecond and has 1 to kMostNodes nodes.
  [[nodiscard]] static Result<EvolutionProfile> of(std::vector<ProfileStep> steps);

  [[nodiscard]] const std::vector<ProfileStep>& steps() const { return steps_; }
  [[nodiscard]] Duration total_duration() const;
  [[nodiscard]] std::int64_t most_nodes() const;
  [[nodiscard]] NodeTime area() const;

  // The steps from last to first.
  [[nodiscard]] EvolutionProfile reversed() const;
  // What a resource manager that knows no evolution sees: the most nodes for the whole duration.
  [[nodiscard]] EvolutionProfile rigid() const;
  // The same steps, step i for durations[i], none shorter than it was.
  [[nodiscard]] EvolutionProfile expanded(const std::vector<Duration>& durations) const;
  // Whether this is `requested`, or an expanded version of it.
  [[nodiscard]] bool expands(const EvolutionProfile& requested) const;

  friend bool operator==(const EvolutionProfile&, const EvolutionProfile&) = default;

 private:
  explicit EvolutionProfile(std::vector<ProfileStep> steps) : steps_(std::move(steps)) {}
  std::vector<ProfileStep> steps_;
};

// An expanded profile, delayed: the paper's leading step without nodes is the start.
struct ScheduledProfile {
  Instant start;
  EvolutionProfile profile;

  [[nodiscard]] Instant end() const { return start + profile.total_duration(); }
  friend bool operator==(const ScheduledProfile&, const ScheduledProfile&) = default;
};

}  // namespace aliquot::evolving
