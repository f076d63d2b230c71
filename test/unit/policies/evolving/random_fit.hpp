// Random requests and resource profiles for the tests of fit(), the same for the same seed.
#pragma once

#include <random>
#include <vector>

#include "policies/evolving/fit.hpp"
#include "test/unit/policies/evolving/literal_fit.hpp"

namespace aliquot::evolving {

// A request and what is in use, in both forms.
struct RandomFit {
  std::int64_t nodes = 0;
  literal::Profile requested;
  literal::Profile occupied;  // from 0 on

  [[nodiscard]] EvolutionProfile request() const {
    std::vector<ProfileStep> steps;
    for (const literal::Step& step : requested) steps.push_back({Duration{step.d}, step.n});
    return EvolutionProfile::of(steps).value();
  }
  // A step that occupies nothing is a gap between two applications.
  [[nodiscard]] ResourceProfile resources() const {
    ResourceProfile result(nodes);
    Instant at{0};
    for (const literal::Step& step : occupied) {
      if (step.n > 0) result.occupy({at, EvolutionProfile::of({{Duration{step.d}, step.n}}).value()});
      at = at + Duration{step.d};
    }
    return result;
  }
};

inline RandomFit random_fit(std::mt19937_64& random, std::size_t most_steps, std::size_t most_segments) {
  const auto up_to = [&](std::uint64_t most) { return static_cast<std::int64_t>(random() % most) + 1; };
  RandomFit made;
  made.nodes = up_to(8);
  const std::int64_t steps = up_to(most_steps);
  for (std::int64_t i = 0; i < steps; ++i)
    made.requested.push_back({up_to(6), up_to(static_cast<std::uint64_t>(made.nodes))});
  const std::int64_t segments = up_to(most_segments + 1) - 1;
  for (std::int64_t s = 0; s < segments; ++s)
    made.occupied.push_back({up_to(8), up_to(static_cast<std::uint64_t>(made.nodes) + 1) - 1});
  return made;
}

inline const std::vector<ExpandLimit>& some_limits() {
  static const std::vector<ExpandLimit> kLimits = {ExpandLimit::none(), ExpandLimit::times(1, 500'000),
                                                   ExpandLimit::times(2), ExpandLimit::times(3),
                                                   ExpandLimit::unlimited()};
  return kLimits;
}

}  // namespace aliquot::evolving
