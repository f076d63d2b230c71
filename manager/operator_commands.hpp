// What operators set and ask about: policy, period and mode, the nodes, accounts, and maintenance. Makes
// the answer, and the events of the next step that make it true. Belongs to the loop.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "config/settings.hpp"
#include "manager/api/answers/answer_values.hpp"
#include "manager/api/wire/request.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/learning.hpp"
#include "manager/node_roster.hpp"
#include "manager/step_input.hpp"

namespace aliquot {

// Plans maintenance, or is of the message of the day (maintenance_requests.hpp).
template <class R>
concept MaintenanceRequest = std::is_same_v<R, MaintenanceAdd> || std::is_same_v<R, MaintenanceList> ||
    std::is_same_v<R, MaintenanceRemove> || std::is_same_v<R, MotdSet> || std::is_same_v<R, MotdShow> ||
    std::is_same_v<R, MotdClear>;

class OperatorCommands {
 public:
  // All outlive this.
  struct Parts {
    const Scheduler& scheduler;
    const Settings& settings;
    std::function<AnswerClock()> clock;
    NodeRoster& roster;
    Learning& learning;
    const StepInput& input;
  };
  explicit OperatorCommands(Parts parts) : parts_(std::move(parts)) {}

  struct Answer {
    std::string body;
    bool changes = false;         // it becomes true with the next step
    std::vector<Event> events{};  // of that step, beside those that the roster has made
  };
  using Answered = Result<Answer>;
  [[nodiscard]] Answered on(const Peer& peer, const PolicyShow& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const PolicySet& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const PolicyReset& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const PeriodSet& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const ModeShow& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const ModeSet& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const ModeReset& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const NodeAdd& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const NodeRemove& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const NodeRename& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const NodeAcceptHost& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const AccountSet& request) const;
  [[nodiscard]] Answered on(const Peer& peer, const AccountReset& request) const;
  template <MaintenanceRequest R>
  [[nodiscard]] Answered on(const Peer& peer, const R& request) const {
    return planned(peer, request);
  }
  template <LearningRequest R>
  [[nodiscard]] Answered on(const Peer& /*peer*/, const R& request) const {
    if (LearningChange<R> && parts_.input.blocked)
      return fail(ErrorKind::unavailable,
                  "the manager cannot store anything now, so what is known stays as it is: " +
                      parts_.input.blocked->message);
    return parts_.learning.on(request).map([](std::string body) {
      return Answer{std::move(body), LearningChange<R>};
    });
  }

 private:
  [[nodiscard]] Answered planned(const Peer& peer, const Request& request) const;
  [[nodiscard]] const CoreState& state() const { return parts_.scheduler.cluster().state(); }
  [[nodiscard]] std::string policy_body(const Policy& policy, const SettingOrigin& origin) const;
  // As they are in force, or will be with the next step.
  [[nodiscard]] std::vector<AccountTerms> accounts() const;
  [[nodiscard]] Answered changed(const std::string& account,
                                 Result<std::vector<AccountTerms>> accounts) const;
  [[nodiscard]] std::string mode_body(Mode mode, const SettingOrigin& origin) const;
  // `by`: the operator that commands it; none: back to what the configuration says.
  [[nodiscard]] Answered set_policy(const std::string& spec, std::optional<std::uint32_t> by) const;
  [[nodiscard]] Answered set_mode(Mode mode, std::optional<std::uint32_t> by) const;
  [[nodiscard]] Answered changed(const std::string& node, const std::string& done, bool dry_run,
                                 const Result<void>& result) const;

  Parts parts_;
};

// A request that is answered here.
template <class R>
concept OperatorCommand = requires(const OperatorCommands& commands, const Peer& peer, const R& request) {
  commands.on(peer, request);
};

}  // namespace aliquot
