#include "policies/evolving/profile.hpp"

#include <algorithm>
#include <string>

namespace aliquot::evolving {
namespace {

std::string step_name(std::size_t number) { return "step " + std::to_string(number + 1); }

}  // namespace

Result<EvolutionProfile> EvolutionProfile::of(std::vector<ProfileStep> steps) {
  if (steps.empty())
    return fail(ErrorKind::invalid_argument, "an evolution profile has no step: give it at least one");
  if (steps.size() > kMostSteps)
    return fail(ErrorKind::too_large, "an evolution profile has " + std::to_string(steps.size()) +
                                          " steps: at most " + std::to_string(kMostSteps) +
                                          " are possible");
  Duration left = kLongestProfile;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].duration.raw < 1)
      return fail(ErrorKind::invalid_argument,
                  step_name(i) + " has no duration: give it at least a microsecond");
    if (steps[i].nodes < 1 || steps[i].nodes > kMostNodes)
      return fail(ErrorKind::invalid_argument, step_name(i) + " has " + std::to_string(steps[i].nodes) +
                                                   " nodes: give it 1 to " + std::to_string(kMostNodes));
    if (steps[i].duration > left)
      return fail(ErrorKind::too_large,
                  step_name(i) + " ends more than 142 years after the start: shorten the profile");
    left -= steps[i].duration;
  }
  return EvolutionProfile(std::move(steps));
}

Duration EvolutionProfile::total_duration() const {
  Duration total;
  for (const ProfileStep& step : steps_) total += step.duration;
  return total;
}

std::int64_t EvolutionProfile::most_nodes() const {
  return std::ranges::max_element(steps_, {}, &ProfileStep::nodes)->nodes;
}

NodeTime EvolutionProfile::area() const {
  NodeTime area;
  for (const ProfileStep& step : steps_) area = area + node_time(step.duration, step.nodes);
  return area;
}

EvolutionProfile EvolutionProfile::reversed() const {
  return EvolutionProfile({steps_.rbegin(), steps_.rend()});
}

EvolutionProfile EvolutionProfile::rigid() const {
  return EvolutionProfile({{total_duration(), most_nodes()}});
}

EvolutionProfile EvolutionProfile::expanded(const std::vector<Duration>& durations) const {
  EvolutionProfile result = *this;
  for (std::size_t i = 0; i < steps_.size(); ++i)
    result.steps_[i].duration = std::max(steps_[i].duration, durations[i]);
  return result;
}

bool EvolutionProfile::expands(const EvolutionProfile& requested) const {
  return std::ranges::equal(steps_, requested.steps_, [](const ProfileStep& own, const ProfileStep& asked) {
    return own.nodes == asked.nodes && own.duration >= asked.duration;
  });
}

}  // namespace aliquot::evolving
