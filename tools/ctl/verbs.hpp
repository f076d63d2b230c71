// The verbs of the command line, in one table: what drives parsing, help and completion. A verb declares
// its options on a CLI11 app and gives back what to run once they are parsed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/id.hpp"
#include "tools/ctl/session.hpp"

namespace CLI {
class App;
}

namespace aliquot::ctl {

using Run = std::function<Result<int>(Session&)>;  // the exit code

struct Verb {
  std::string group;  // "node" of `node list`; empty: the verb stands alone
  std::string name;
  std::string summary;
  Run (*declare)(CLI::App& app);
};

[[nodiscard]] const std::vector<Verb>& verbs();

// One function per verb, by group of verbs in a file.
Run declare_submit(CLI::App& app);
Run declare_list(CLI::App& app);
Run declare_show(CLI::App& app);
Run declare_usage(CLI::App& app);
Run declare_why(CLI::App& app);
Run declare_cancel(CLI::App& app);
Run declare_hold(CLI::App& app);
Run declare_release(CLI::App& app);
Run declare_requeue(CLI::App& app);
Run declare_set(CLI::App& app);
Run declare_evolve(CLI::App& app);
Run declare_events(CLI::App& app);
Run declare_watch(CLI::App& app);
Run declare_logs(CLI::App& app);
Run declare_attach(CLI::App& app);
Run declare_fetch(CLI::App& app);
Run declare_top(CLI::App& app);
Run declare_accounts(CLI::App& app);
Run declare_knowledge_list(CLI::App& app);
Run declare_knowledge_export(CLI::App& app);
Run declare_knowledge_import(CLI::App& app);
Run declare_knowledge_forget(CLI::App& app);
Run declare_predictions_list(CLI::App& app);
Run declare_predictions_export(CLI::App& app);
Run declare_predictions_import(CLI::App& app);
Run declare_predictions_forget(CLI::App& app);
Run declare_image_add(CLI::App& app);
Run declare_image_list(CLI::App& app);
Run declare_image_show(CLI::App& app);
Run declare_image_remove(CLI::App& app);
Run declare_node_list(CLI::App& app);
Run declare_node_show(CLI::App& app);
Run declare_node_probe(CLI::App& app);
Run declare_node_add(CLI::App& app);
Run declare_node_remove(CLI::App& app);
Run declare_node_rename(CLI::App& app);
Run declare_node_accept_host(CLI::App& app);
Run declare_node_confirm_down(CLI::App& app);
Run declare_node_drain(CLI::App& app);
Run declare_node_maintain(CLI::App& app);
Run declare_node_resume(CLI::App& app);
Run declare_node_orphans(CLI::App& app);
Run declare_maintenance_add(CLI::App& app);
Run declare_maintenance_list(CLI::App& app);
Run declare_maintenance_remove(CLI::App& app);
Run declare_motd_set(CLI::App& app);
Run declare_motd_show(CLI::App& app);
Run declare_motd_clear(CLI::App& app);
Run declare_ha_status(CLI::App& app);
Run declare_ha_step_down(CLI::App& app);
Run declare_key_new(CLI::App& app);
Run declare_token_new(CLI::App& app);
Run declare_key_list(CLI::App& app);
Run declare_key_revoke(CLI::App& app);
Run declare_key_server(CLI::App& app);
Run declare_audit_verify(CLI::App& app);
Run declare_audit_show(CLI::App& app);
Run declare_policy_show(CLI::App& app);
Run declare_policy_set(CLI::App& app);
Run declare_policy_reset(CLI::App& app);
Run declare_account_list(CLI::App& app);
Run declare_account_show(CLI::App& app);
Run declare_account_set(CLI::App& app);
Run declare_account_reset(CLI::App& app);
Run declare_period_show(CLI::App& app);
Run declare_period_set(CLI::App& app);
Run declare_mode_show(CLI::App& app);
Run declare_mode_set(CLI::App& app);
Run declare_mode_reset(CLI::App& app);
Run declare_plan(CLI::App& app);
Run declare_status(CLI::App& app);
Run declare_config_check(CLI::App& app);
Run declare_sim(CLI::App& app);
Run declare_db(CLI::App& app);
Run declare_version(CLI::App& app);
Run declare_completion(CLI::App& app);

// Becomes that program, found beside this one or in PATH, the way git runs its subcommands; returns only if
// there is none.
[[nodiscard]] Result<int> run_beside(std::string program, std::vector<std::string> arguments);

}  // namespace aliquot::ctl
