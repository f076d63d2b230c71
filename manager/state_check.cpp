#include "manager/state_check.hpp"

#include <utility>

namespace aliquot {

bool StateCheck::every_second(const ClusterView& view) {
  units_ += kUnitsASecond;
  ++seconds_;
  const std::uint64_t work = view.jobs.size() + view.nodes.size();
  if (seconds_ < kEverySeconds || units_ < work) return false;
  units_ = 0;
  seconds_ = 0;
  std::set<std::string> found;
  for (const Violation& violation : check_view(view)) {
    found.insert(violation.text);
    if (!known_.contains(violation.text)) report_(violation);
  }
  known_ = std::move(found);
  return true;
}

}  // namespace aliquot
