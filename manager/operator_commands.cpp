#include "manager/operator_commands.hpp"

#include <algorithm>
#include <utility>

#include "manager/api/answers/account_tree_answers.hpp"
#include "manager/api/answers/accounts_in_force.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/core/node_use.hpp"
#include "manager/maintenance_requests.hpp"
#include "manager/recovery.hpp"

namespace aliquot {

using Answered = OperatorCommands::Answered;

std::string OperatorCommands::policy_body(const Policy& policy, const SettingOrigin& origin) const {
  return policy_answer(state().mode, policy, origin, parts_.settings.policy.spec, parts_.clock());
}

std::string OperatorCommands::mode_body(Mode mode, const SettingOrigin& origin) const {
  return mode_answer(mode, origin, parts_.settings.policy.mode, parts_.clock());
}

Answered OperatorCommands::set_policy(const std::string& spec, std::optional<std::uint32_t> by) const {
  const auto policy = make_policy(spec);
  if (!policy) return tl::unexpected<Error>(policy.error());
  return Answer{
      policy_body(**policy, {by, parts_.clock().now}), true, {PolicyChanged{(*policy)->name(), by}}};
}

Answered OperatorCommands::set_mode(Mode mode, std::optional<std::uint32_t> by) const {
  return Answer{mode_body(mode, {by, parts_.clock().now}), true, {ModeChanged{mode, by}}};
}

Answered OperatorCommands::on(const Peer&, const PolicyShow&) const {
  return Answer{policy_body(parts_.scheduler.policy(), state().policy_origin)};
}

Answered OperatorCommands::on(const Peer& peer, const PolicySet& request) const {
  return set_policy(request.spec, peer.uid);
}

Answered OperatorCommands::on(const Peer&, const PolicyReset&) const {
  return set_policy(parts_.settings.policy.spec, std::nullopt);
}

Answered OperatorCommands::on(const Peer& peer, const PeriodSet& request) const {
  const auto spec = with_period(parts_.scheduler.policy().name(), request.period);
  if (!spec) return tl::unexpected<Error>(spec.error());
  return set_policy(*spec, peer.uid);
}

Answered OperatorCommands::on(const Peer&, const ModeShow&) const {
  return Answer{mode_body(state().mode, state().mode_origin)};
}

Answered OperatorCommands::on(const Peer& peer, const ModeSet& request) const {
  return set_mode(request.mode, peer.uid);
}

Answered OperatorCommands::on(const Peer&, const ModeReset&) const {
  return set_mode(mode_of(parts_.settings.policy.mode), std::nullopt);
}

Answered OperatorCommands::planned(const Peer& peer, const Request& request) const {
  return maintenance_change(request, {parts_.scheduler, parts_.input, parts_.clock(), peer.uid});
}

std::vector<AccountTerms> OperatorCommands::accounts() const {
  for (auto event = parts_.input.events.rbegin(); event != parts_.input.events.rend(); ++event)
    if (const auto* changed = std::get_if<AccountsChanged>(&*event)) return changed->accounts;
  return state().accounts;
}

Answered OperatorCommands::changed(const std::string& account,
                                   Result<std::vector<AccountTerms>> accounts) const {
  if (!accounts) return tl::unexpected<Error>(accounts.error());
  const auto at = std::ranges::find(*accounts, account, &AccountTerms::name);
  const auto terms = at == accounts->end() ? std::nullopt : std::optional(*at);
  return Answer{account_changed_answer(account, terms, parts_.clock()),
                true,
                {AccountsChanged{std::move(*accounts)}}};
}

Answered OperatorCommands::on(const Peer& peer, const AccountSet& request) const {
  return changed(request.account, with_account_set(accounts(), request, peer.uid));
}

Answered OperatorCommands::on(const Peer&, const AccountReset& request) const {
  return changed(request.account,
                 with_account_reset(accounts(), request.account, parts_.settings.accounts));
}

Answered OperatorCommands::changed(const std::string& node, const std::string& done, bool dry_run,
                                   const Result<void>& result) const {
  if (!result) return tl::unexpected<Error>(result.error());
  const auto& nodes = state().view.nodes;
  const auto at = std::ranges::find(nodes, node, &Node::name);
  const auto jobs = at == nodes.end() ? std::vector<JobId>{} : jobs_on(state(), at->id);
  return Answer{node_change_answer(node, done, dry_run, jobs), !dry_run};
}

Answered OperatorCommands::on(const Peer& peer, const NodeAdd& request) const {
  return changed(request.node.name, "added", request.dry_run,
                 parts_.roster.add(request.node, peer.uid, request.dry_run));
}

Answered OperatorCommands::on(const Peer& peer, const NodeRemove& request) const {
  return changed(request.node, "removed", request.dry_run,
                 parts_.roster.remove(request.node, peer.uid, request.dry_run));
}

Answered OperatorCommands::on(const Peer& peer, const NodeRename& request) const {
  return changed(request.node, "renamed to " + request.to, request.dry_run,
                 parts_.roster.rename(request.node, request.to, peer.uid, request.dry_run));
}

Answered OperatorCommands::on(const Peer&, const NodeAcceptHost& request) const {
  return changed(request.node, "accepted its host", request.dry_run,
                 parts_.roster.accept_host(request.node, request.dry_run));
}

}  // namespace aliquot
