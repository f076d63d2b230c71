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
      {"image", "add", "copy a disk image into the image store, for jobs to boot", declare_image_add},
      {"image", "list", "the images that jobs can boot", declare_image_list},
      {"image", "show", "one image, and the jobs that use it", declare_image_show},
      {"image", "remove", "take an image out of the store", declare_image_remove},
      {"node", "list", "the nodes and what stands on them", declare_node_list},
      {"node", "show", "one node and its jobs", declare_node_show},
      {"node", "probe", "ask a node whether it can do its work", declare_node_probe},
      {"node", "add", "a new node, beside those of the configuration", declare_node_add},
      {"node", "remove", "take a node out: it gets nothing new, and goes when it is empty",
       declare_node_remove},
      {"node", "rename", "call a node otherwise; its jobs run on", declare_node_rename},
      {"node", "accept-host", "take the machine that answers under a node's name for the node",
       declare_node_accept_host},
      {"node", "confirm-down",
       "say that a node is off: its jobs go back to a checkpoint, start anew, fail or end",
       declare_node_confirm_down},
      {"node", "drain", "take a node out of use: its jobs are moved, saved, rerun or waited for",
       declare_node_drain},
      {"node", "resume", "put a drained node back into use", declare_node_resume},
      {"node", "orphans", "VMs of this cluster that no job knows; destroy them", declare_node_orphans},
      {"policy", "show", "the policy in force and those that are known", declare_policy_show},
      {"policy", "set", "change the policy, now and until it is reset", declare_policy_set},
      {"policy", "reset", "the policy of the configuration again, with its period", declare_policy_reset},
      {"period", "show", "the period at which the policy decides", declare_period_show},
      {"period", "set", "change the period, now and until the policy is reset", declare_period_set},
      {"period", "reset", "the policy of the configuration again, with its period", declare_policy_reset},
      {"mode", "show", "whether decisions are made and carried out", declare_mode_show},
      {"mode", "set", "off, advise or auto, until it is reset", declare_mode_set},
      {"mode", "reset", "the mode of the configuration again", declare_mode_reset},
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
