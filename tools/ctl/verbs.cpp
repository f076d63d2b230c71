#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table{
      {"", "submit", "submit a job: every task runs in a virtual machine of its own", declare_submit},
      {"", "list", "the jobs, with their states and yields", declare_list},
      {"", "show", "one job in full, task by task", declare_show},
      {"", "why", "why a job waits, or runs as it does", declare_why},
      {"", "events", "what has happened, to one job or to all", declare_events},
      {"", "watch", "jobs as they change, until they end or you stop it", declare_watch},
      {"", "top", "nodes, jobs and decisions as they live, on the whole terminal", declare_top},
      {"", "cancel", "end jobs now", declare_cancel},
      {"", "hold", "hold jobs back: they are not placed until released", declare_hold},
      {"", "release", "let held jobs be placed", declare_release},
      {"", "logs", "what a task has printed", declare_logs},
      {"", "accounts", "what each account's jobs were promised, granted and have used", declare_accounts},
      {"node", "list", "the nodes and what stands on them", declare_node_list},
      {"node", "show", "one node and its jobs", declare_node_show},
      {"node", "probe", "ask a node whether it can do its work", declare_node_probe},
      {"node", "orphans", "VMs of this cluster that no job knows; destroy them", declare_node_orphans},
      {"policy", "show", "the policy in force and those that are known", declare_policy_show},
      {"policy", "set", "change the policy, now and durably", declare_policy_set},
      {"period", "show", "the period at which the policy decides", declare_period_show},
      {"period", "set", "change the period, now and durably", declare_period_set},
      {"mode", "show", "whether decisions are made and carried out", declare_mode_show},
      {"mode", "set", "off, advise or auto", declare_mode_set},
      {"", "plan", "what the policy would change now, without doing it", declare_plan},
      {"", "status", "the manager in a few lines", declare_status},
      {"config", "check", "every fault of a configuration file, with its place", declare_config_check},
      {"", "sim", "the simulator: runs aliquot-sim", declare_sim},
      {"", "db", "check, export, back up or restore a manager's store: runs aliquot-db", declare_db},
      {"", "version", "the version of this program", declare_version},
      {"", "completion", "a completion script for bash", declare_completion},
  };
  return table;
}

}  // namespace aliquot::ctl
