// The answers about the cluster and the manager as JSON bodies: nodes, policy, mode, status, hello, events.
// Pure; docs/protocol.md lists the keys.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"
#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/node_answers.hpp"
#include "manager/api/answers/sight.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/core/state.hpp"
#include "manager/store/store.hpp"
#include "policies/policy.hpp"

namespace aliquot {

// The source of a node that is in force no more.
inline constexpr std::string_view kRemovedNode = "removed";
// Where a node comes from, by its name: the configuration or a command, or kRemovedNode. May be null.
using NodeSource = std::function<std::string(const std::string& node)>;

// Of the power of a node, from what has the levers. May be null.
struct NodePowerFacts {
  std::string why;  // "stays on: it holds jobs"
  double watts = 0;
  double joules = 0;      // since the manager was started
  bool measured = false;  // what it draws now; otherwise by the table of the settings
  std::string boot;       // how long it is expected to boot, and by what; empty: no node sleeps
};
using PowerFacts = std::function<NodePowerFacts(NodeId node)>;

// Without nodes that are removed and hold nothing any more.
[[nodiscard]] std::string node_list_answer(const CoreState& state, const AnswerClock& clock = {},
                                           const NodeSource& source = {}, const PowerFacts& power = {});
// To a command about a node. `jobs`: those that have VMs on it.
[[nodiscard]] std::string node_change_answer(const std::string& node, const std::string& done, bool dry_run,
                                             const std::vector<JobId>& jobs);
// Error: not_found, with the known names.
[[nodiscard]] Result<std::string> node_show_answer(const CoreState& state, const std::string& node,
                                                   const Sight& sight = {}, const AnswerClock& clock = {},
                                                   const NodeSource& source = {},
                                                   const PowerFacts& power = {},
                                                   const std::vector<DrainRow>& drained = {});
[[nodiscard]] Error no_such_node(const CoreState& state, const std::string& node);

// Also the answer to `policy.set`, `policy.reset` and `period.set`: then policy and origin are those that
// are to be. `configured`: what the configuration says.
[[nodiscard]] std::string policy_answer(Mode mode, const Policy& policy, const SettingOrigin& origin,
                                        const std::string& configured, const AnswerClock& clock);
// Also the answer to `mode.set` and `mode.reset`.
[[nodiscard]] std::string mode_answer(Mode mode, const SettingOrigin& origin, const std::string& configured,
                                      const AnswerClock& clock);

// Facts about the manager process that are not in the core's state.
struct DaemonFacts {
  std::string version;
  std::string cluster;
  std::uint64_t epoch = 0;
  Duration up;  // since this process started
  std::int64_t resident_bytes = 0;
  std::uint64_t replies_dropped = 0;  // to clients that had left or did not read
  std::uint64_t last_event = 0;       // sequence of the newest event
};
[[nodiscard]] std::string status_answer(const CoreState& state, const Policy& policy,
                                        const DaemonFacts& facts, const AnswerClock& clock);

// How far the files are copied that a user has handed over.
struct CopyUnderWay {
  Memory done, of;
};

// Versions, limits, the identity of the client as the manager sees it, and the reference node for
// percentages of CPU.
[[nodiscard]] std::string hello_answer(const CoreState& state, const Settings& settings,
                                       const DaemonFacts& facts, const Peer& peer,
                                       const std::vector<std::string>& accounts = {},
                                       const std::optional<CopyUnderWay>& copying = {});

// If the answer has `more`, the limit cut it: continue after the last sequence number.
[[nodiscard]] std::string events_answer(const ClusterView& view, const std::vector<LoggedEvent>& events,
                                        std::uint64_t after, std::size_t limit, const AnswerClock& clock,
                                        const Sight& sight = {});

// The answer to `cancel`, `hold` and `release`, sent when the change is durable.
[[nodiscard]] std::string done_answer(JobId job, const std::string& what);
// The JSON part of the answer to `logs`: the offset of the next read, and whether the task may write more.
[[nodiscard]] std::string logs_answer(std::uint64_t offset, std::size_t read, bool ended);

}  // namespace aliquot
