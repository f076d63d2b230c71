#include "manager/core/weight_transitions.hpp"

#include <map>
#include <utility>

namespace aliquot {
namespace {

void weigh(ClusterState& state, DerivedJob& known, Weight weight) {
  Submission later = *known.record->submission;
  later.demand.weight = weight;
  state.derived.touch(known, true);
  known.spec.reset();
  const JobEdit edit(state, *known.job);
  known.record->submission = std::move(later);
  known.job->demand.weight = weight;
}

}  // namespace

void on(ClusterState& state, const WeightsChanged& event) {
  std::map<std::pair<std::string_view, std::uint32_t>, Weight> weights;
  for (const UserWeight& one : event.weights) weights[{one.account, one.uid}] = one.weight;
  for (const auto& [id, record] : state.core.records) {
    const Submission& submission = *record.submission;
    const auto its = weights.find({submission.account, submission.uid});
    if (its == weights.end() || its->second == submission.demand.weight) continue;
    DerivedJob* const known = state.derived.find(id);
    if (!known || !known->job) continue;
    weigh(state, *known, its->second);
    state.cause().disturbed = true;
  }
}

}  // namespace aliquot
