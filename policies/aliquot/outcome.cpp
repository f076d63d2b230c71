#include "policies/aliquot/outcome.hpp"

#include <algorithm>
#include <cmath>

#include "policies/aliquot/crowds.hpp"

namespace aliquot {

double stretch_at_full_speed(const Draft& draft, const Outlooks& outlooks) {
  double largest = 0;
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i)) largest = std::max(largest, outlooks[i].at_full);
  }
  return largest;
}

double stretch_of_placed(const Draft& draft, const Outlooks& outlooks, Yield floor) {
  return std::max(stretch_at_full_speed(draft, outlooks), Crowds(draft, outlooks, floor).worst());
}

std::int32_t hundredths(double stretch) {
  return static_cast<std::int32_t>(std::lround(std::min(stretch, 1e6) * 100));
}

}  // namespace aliquot
