// The answers about orphans, VMs of this cluster that no job knows, as JSON bodies. Pure; docs/protocol.md
// lists the keys.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/foreign_vms.hpp"
#include "policies/model/error.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

[[nodiscard]] std::string orphans_answer(const ClusterView& view, const std::vector<OrphanVm>& orphans,
                                         const AnswerClock& clock);

struct Reclaimed {
  OrphanVm vm;
  std::optional<Error> error;  // none: it is destroyed
};
[[nodiscard]] std::string reclaimed_answer(const ClusterView& view, const std::vector<Reclaimed>& done,
                                           const AnswerClock& clock);

}  // namespace aliquot
