#include "policies/dfrs/objective.hpp"

#include "policies/aliquot/prediction.hpp"
#include "policies/dfrs/estimated_stretch.hpp"

namespace aliquot {

YieldLine PackingObjective::line(const Job& job) const {
  if (kind == Kind::inverse_stretch) return stretch_line(job, now, horizon);
  if (kind == Kind::inverse_prediction) return prediction_line(job, now, horizon);
  return {1, 0, 1, floor_of(job.demand)};
}

}  // namespace aliquot
