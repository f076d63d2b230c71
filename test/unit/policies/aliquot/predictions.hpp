// The predictions of all jobs of a draft, as a decision begins with them.
#pragma once

#include <vector>

#include "policies/aliquot/prediction.hpp"
#include "policies/draft.hpp"

namespace aliquot::test {

inline std::vector<Prediction> predictions_of(const Draft& draft) {
  std::vector<Prediction> predictions;
  for (std::size_t i = 0; i < draft.size(); ++i)
    predictions.push_back(predict(draft.job(i), draft.view().now, draft.view().now, kStretchBound));
  return predictions;
}

}  // namespace aliquot::test
