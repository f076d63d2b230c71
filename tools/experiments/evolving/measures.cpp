#include "tools/experiments/evolving/measures.hpp"

#include <algorithm>

namespace aliquot::evolving {
namespace {

// What the measures are made of.
struct Totals {
  double useful = 0;     // node-seconds
  double allocated = 0;  // node-seconds
  double makespan_s = 0;
  double completion_s = 0;  // sums over the applications
  double waiting_s = 0;
};

Totals totals_of(std::span<const EvolutionProfile> requested, const std::vector<ScheduledProfile>& given) {
  Totals totals;
  NodeTime useful, allocated;
  for (std::size_t a = 0; a < requested.size(); ++a) {
    useful = useful + requested[a].area();
    allocated = allocated + given[a].profile.area();
    totals.makespan_s = std::max(totals.makespan_s, to_seconds(given[a].end()));
    totals.completion_s += to_seconds(given[a].end());
    totals.waiting_s += to_seconds(given[a].start);
  }
  totals.useful = useful.to_node_seconds();
  totals.allocated = allocated.to_node_seconds();
  return totals;
}

// Nothing of nothing is all of it: where rigid starts everything at once, so does every other algorithm.
double percent_of(double part, double whole) { return part == whole ? 100 : 100 * part / whole; }

Values values_of(std::span<const EvolutionProfile> requested, const std::vector<ScheduledProfile>& given,
                 std::int64_t nodes, const Totals& rigid) {
  Values values;
  const auto put = [&](Measure measure, double value) {
    values[static_cast<std::size_t>(measure)].push_back(value);
  };
  const Totals own = totals_of(requested, given);
  put(Measure::waste, percent_of(own.allocated, own.useful) - 100);
  put(Measure::utilisation, percent_of(own.allocated, rigid.allocated));
  put(Measure::effective_utilisation, percent_of(own.useful, static_cast<double>(nodes) * own.makespan_s));
  put(Measure::makespan, percent_of(own.makespan_s, rigid.makespan_s));
  put(Measure::completion, percent_of(own.completion_s, rigid.completion_s));
  put(Measure::waiting, percent_of(own.waiting_s, rigid.waiting_s));
  double expanded = 0;
  for (std::size_t a = 0; a < requested.size(); ++a) {
    const Duration asked = requested[a].total_duration();
    const Duration got = given[a].profile.total_duration();
    expanded += got > asked ? 1 : 0;
    put(Measure::expansion, percent_of(to_seconds(got), to_seconds(asked)) - 100);
    put(Measure::application_waste,
        percent_of(given[a].profile.area().to_node_seconds(), requested[a].area().to_node_seconds()) - 100);
  }
  put(Measure::expanded, percent_of(expanded, static_cast<double>(requested.size())));
  return values;
}

Result<std::vector<ScheduledProfile>> schedule(std::span<const EvolutionProfile> requested,
                                               std::int64_t nodes, const Algorithm& algorithm) {
  if (!algorithm.rigid) return schedule_in_order(requested, nodes, algorithm.rule);
  std::vector<EvolutionProfile> rigid;
  for (const EvolutionProfile& application : requested) rigid.push_back(application.rigid());
  return schedule_in_order(rigid, nodes, algorithm.rule);
}

}  // namespace

Result<std::array<Values, kAlgorithms.size()>> measure(std::span<const EvolutionProfile> requested,
                                                       std::int64_t nodes) {
  std::array<Values, kAlgorithms.size()> measured;
  Totals rigid;
  for (std::size_t k = 0; k < kAlgorithms.size(); ++k) {
    const auto given = schedule(requested, nodes, kAlgorithms[k]);
    if (!given) return tl::unexpected(given.error());
    if (kAlgorithms[k].rigid) rigid = totals_of(requested, *given);  // the first
    measured[k] = values_of(requested, *given, nodes, rigid);
  }
  return measured;
}

}  // namespace aliquot::evolving
