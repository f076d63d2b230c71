// The answers to what operators do to nodes, as JSON bodies, and the reasons for which it is refused. What
// becomes of the jobs is told before it is done, from the present state. Pure; docs/protocol.md lists the
// keys.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/sight.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/core/state.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Error: not_found, with the known names.
[[nodiscard]] Result<NodeId> node_named(const CoreState& state, const std::string& name);

// Error: conflict, if the node answers (`held_by_other`: VMs of another cluster run on it, so it does), or
// is confirmed down already.
[[nodiscard]] Result<void> can_confirm_down(const CoreState& state, NodeId node, bool held_by_other);

// A job with VMs on a node that is confirmed down.
struct JobFate {
  JobId job;
  std::string what;  // rerun | fail | end | wait
  std::string text;
};
// By id. Saved jobs are not among them: their images are in shared storage.
[[nodiscard]] std::vector<JobFate> fates_on(const CoreState& state, NodeId node);
[[nodiscard]] std::string confirm_down_answer(const CoreState& state, NodeId node, bool dry_run,
                                              const Sight& sight = {});

// A job on a node that is drained; `turn`: move | save | rerun | wait | stay.
struct DrainRow {
  JobId job;
  std::string turn;
  std::string why;
};
[[nodiscard]] nlohmann::json rows_json(const CoreState& state, const std::vector<DrainRow>& rows);
[[nodiscard]] nlohmann::json rows_json(const CoreState& state, const std::vector<JobFate>& fates);
[[nodiscard]] std::string drain_answer(const CoreState& state, NodeId node, const Drain& drain,
                                       const std::vector<DrainRow>& rows, bool dry_run,
                                       const AnswerClock& clock, const Sight& sight = {});
[[nodiscard]] std::string resumed_answer(const std::string& node);

}  // namespace aliquot
