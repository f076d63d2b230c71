// From an action to calls on the lanes of the nodes it concerns, and from their results to outcomes:
// exactly one for each task.
#pragma once

#include <memory>

#include "manager/hypervisor/backend.hpp"

namespace aliquot {

void dispatch(const std::shared_ptr<Backend>& backend, const Action& action,
              const std::shared_ptr<const JobSheet>& sheet);

}  // namespace aliquot
