#include "config/field_table.hpp"

#include "config/account_words.hpp"
#include "config/nfs_shares.hpp"

namespace aliquot {
namespace {

using Rows = std::vector<Field<Settings>>;

#define ALIQUOT_AT(member) \
  [](auto& target) -> auto& { return target.member; }

template <class Value, class Access>
Field<Settings> row(std::string key, Access at, Form<Value> form, std::string help,
                    Reload reload = Reload::restart) {
  auto made = field<Settings, Value>(std::move(key), at, std::move(form), std::move(help));
  made.reload = reload;
  return made;
}

Field<Settings> users(std::string key, std::vector<std::string> ApiSettings::*member, std::string help) {
  auto made = list_field<Settings, std::string>(
      std::move(key), [member](auto& s) -> auto& { return s.api.*member; }, user_name(), std::move(help));
  made.reload = Reload::live;
  return made;
}

void add_places(Rows& rows) {
  rows.push_back(row("cluster", ALIQUOT_AT(cluster), simple_name(), "Name of the cluster.", Reload::live));
  rows.push_back(row("state_dir", ALIQUOT_AT(state_dir), absolute_path(),
                     "Directory of the manager's store: on a local disk, used by this manager only."));
  rows.push_back(row("spool_dir", ALIQUOT_AT(spool_dir), absolute_path(),
                     "Directory of guest files, consoles and memory images: on storage that all nodes "
                     "mount at this path."));
  rows.push_back(row("reference_node", ALIQUOT_AT(reference_node), or_empty(simple_name()),
                     "The node whose CPU is 100 % of `aliquot submit --cpu 50%`; empty: the first node.",
                     Reload::live));
  rows.push_back(list_field<Settings, DeviceName>(
      "device_models", ALIQUOT_AT(device_models), device_name(),
      "Model names of the GPUs that libvirt finds on nodes with `devices: [from-libvirt]`: "
      "A100=10de:20f1 (vendor and product), A100-1g=mdev:nvidia-474. `aliquot node probe` shows both."));
  rows.back().reload = Reload::live;
  rows.push_back(list_field<Settings, NfsShare>(
      "shares", ALIQUOT_AT(shares), nfs_share(),
      "Directories of the site on NFS servers (version 4.1) that jobs may have in their guests (--share): "
      "NAME=SERVER:/DIRECTORY:/PATH, with :ro if it is mounted read-only. The guest reads and writes with "
      "the "
      "ids of the job's user. Each node needs the hook and aliquot-share (docs/shares.md)."));
  rows.back().reload = Reload::live;
  rows.push_back(list_field<Settings, AccountTerms>(
      "accounts", ALIQUOT_AT(accounts), account_terms(),
      "The tree of accounts, with their shares and limits: `lab parent=physics shares=2 jobs=40 "
      "user.cpu=16`. Limits are jobs, tasks, cpu, memory, devices and core_hours, of the account with all "
      "below it; with user. before them, of each user. min_yield and max_yield are what each job has at "
      "least (a reservation) and at most (a limit) of the CPU that it declares. api.accounts says which "
      "users may charge an account. "
      "`aliquot account set` overrides an entry until `aliquot account reset` (docs/accounts.md)."));
  rows.back().reload = Reload::live;
}

void add_fair_share(Rows& rows) {
  rows.push_back(row(
      "fair_share.half_life", ALIQUOT_AT(fair_share.half_life), duration_between({}, seconds(365 * 86'400)),
      "In which time half of what a user has used is forgotten, and half of how many jobs it has had. Jobs "
      "of users that have used much more than they are entitled to, or have had many more than others, "
      "weigh less (docs/fairness.md); 0s: all jobs weigh the same."));
}

void add_moves(Rows& rows) {
  rows.push_back(row("moves.at_a_time", ALIQUOT_AT(moves.at_a_time),
                     narrowed<std::uint32_t>(count_between(0, 1'000'000)),
                     "VMs of the whole cluster that are moved at the same time, at most, beside "
                     "hypervisor.long_lane of each node. 0: as many as the nodes can.",
                     Reload::live));
  rows.push_back(
      row("moves.cool_down", ALIQUOT_AT(moves.cool_down), duration_between({}, kLongestCoolDown),
          "How long a job stays where it is after a move: it is neither moved nor paused for the "
          "sake of others, unless a node of it is drained or does not answer. Twice as long "
          "after each move in a row, up to 64 times. 0s: as long as the policy wants.",
          Reload::live));
}

void add_policy(Rows& rows) {
  rows.push_back(
      row("policy.spec", ALIQUOT_AT(policy.spec), free_text("the name of a policy"),
          "The policy: a name from docs/policies.md, with its options; the number after -PER- is "
          "its period in seconds. `aliquot policy set` overrides it until `aliquot policy reset`.",
          Reload::live));
  rows.push_back(
      row("policy.mode", ALIQUOT_AT(policy.mode), one_of({"off", "advise", "auto"}),
          "off: no decisions. advise: decisions are shown only. auto: decisions are carried out. "
          "`aliquot mode set` overrides it until `aliquot mode reset`.",
          Reload::live));
}

void add_api(Rows& rows) {
  rows.push_back(row("api.socket", ALIQUOT_AT(api.socket), socket_path(), "Socket for requests."));
  rows.push_back(
      row("api.events", ALIQUOT_AT(api.events), socket_path(), "Socket on which events are published."));
  rows.push_back(row("api.socket_mode", ALIQUOT_AT(api.socket_mode), file_mode(),
                     "File permissions of the sockets (octal): which users can connect."));
  rows.push_back(row("api.socket_group", ALIQUOT_AT(api.socket_group), or_empty(user_name()),
                     "Group of the sockets; empty: the group of the manager."));
  rows.push_back(users("api.operators", &ApiSettings::operators,
                       "Operators: users that may change policy, period and mode, and act on all jobs."));
  rows.push_back(users("api.submitters", &ApiSettings::submitters,
                       "Users that may submit; an empty list: all users that can connect."));
  rows.push_back(list_field<Settings, AccountGrant>(
      "api.accounts", ALIQUOT_AT(api.accounts), account_grant(),
      "The accounts that users may charge (--account): lab=alice,@physics for a user and a group, common=* "
      "for all. Without --account a job is charged to the first account that lists its user. Empty list: "
      "jobs of users have no account. Operators may charge any account, or none."));
  rows.back().reload = Reload::live;
  rows.push_back(
      row("api.privacy", ALIQUOT_AT(api.privacy), one_of({"open", "queue", "private"}),
          "What users see of the jobs of other users. open: everything but their output. queue: owner, "
          "state, size, place, yield and times. private: nothing but sums. Operators see everything. The "
          "console shows what a user without jobs sees.",
          Reload::live));
  rows.push_back(row("api.max_request", ALIQUOT_AT(api.max_request),
                     memory_between({64 << 10}, mebibytes(1024)),
                     "Largest request, including a submitted program; a larger one is refused unread."));
  rows.push_back(row("api.remote", ALIQUOT_AT(api.remote), or_empty(tcp_endpoint()),
                     "Where clients of other machines connect, each with a key (`aliquot key new`, "
                     "docs/remote.md); all is encrypted. Empty: local clients only."));
  rows.push_back(row("api.remote_events", ALIQUOT_AT(api.remote_events), or_empty(tcp_endpoint()),
                     "Where events are published to clients of other machines, with the same keys; empty: "
                     "they ask for events."));
  rows.push_back(row("api.remote_rate", ALIQUOT_AT(api.remote_rate),
                     narrowed<std::uint32_t>(count_between(1, 100'000)),
                     "Requests per second of a key, and twice as many at once; more are refused for the "
                     "moment."));
}

void add_http(Rows& rows) {
  rows.push_back(row("http.host", ALIQUOT_AT(http.host), host_name(),
                     "Address for /metrics, /healthz and /readyz. There is no password: any client that "
                     "connects can read."));
  rows.push_back(row("http.port", ALIQUOT_AT(http.port), narrowed<std::uint16_t>(count_between(0, 65535)),
                     "Port; 0: a free one, shown in the log."));
  rows.push_back(row("http.status_page", ALIQUOT_AT(http.status_page), one_of({"on", "off"}),
                     "on: a console at / shows jobs, nodes and reasons, and acts with a token. off: only "
                     "metrics and health are served."));
}

void add_hypervisor(Rows& rows) {
  rows.push_back(row(
      "hypervisor.acceleration", ALIQUOT_AT(hypervisor.acceleration), one_of({"kvm", "emulation", "auto"}),
      "kvm: nodes without working KVM are not used. auto: such nodes emulate. emulation: all "
      "nodes emulate; slow, for trials."));
  rows.push_back(
      row("hypervisor.cap_period", ALIQUOT_AT(hypervisor.cap_period), duration_between({1'000}, seconds(1)),
          "Period of the kernel's CPU bandwidth control: shorter is smoother, longer costs less."));
  rows.push_back(
      row("hypervisor.fast_deadline", ALIQUOT_AT(hypervisor.fast_deadline),
          duration_between({100'000}, seconds(600)),
          "Deadline of short calls (caps, states, statistics); a node that misses it is suspect."));
  rows.push_back(
      row("hypervisor.long_deadline", ALIQUOT_AT(hypervisor.long_deadline),
          duration_between(seconds(1), seconds(86'400)),
          "Deadline of create, save, restore, migrate and destroy: at least memory / bandwidth."));
  rows.push_back(
      row("hypervisor.long_lane", ALIQUOT_AT(hypervisor.long_lane),
          narrowed<std::uint32_t>(count_between(1, 64)),
          "Number of VMs that a node creates, saves, restores and migrates away at the same time."));
  rows.push_back(row(
      "hypervisor.vm_overhead", ALIQUOT_AT(hypervisor.vm_overhead), memory_between({0}, mebibytes(1 << 20)),
      "Memory charged for each VM in addition to its guest's memory, for QEMU itself. Jobs keep "
      "what they were submitted with.",
      Reload::live));
  rows.push_back(row("hypervisor.guest_dir", ALIQUOT_AT(hypervisor.guest_dir), absolute_path(),
                     "Directory of the project's guests: kernel, initrd and the hash-chain guest."));
  rows.push_back(
      row("hypervisor.agent_keys", ALIQUOT_AT(hypervisor.agent_keys), absolute_path(),
          "File with the manager's keys, by which the agents of nodes know it: `aliquot-node keys "
          "FILE` makes it. Read at the start, if there is one."));
  rows.push_back(
      row("hypervisor.qemu_group", ALIQUOT_AT(hypervisor.qemu_group), or_empty(user_name()),
          "Group as which QEMU runs on the nodes: it gets access to the files of jobs. auto: libvirt-qemu "
          "or qemu, if the manager's machine has such a group. Empty: QEMU runs as the manager's "
          "user, and no other user has access."));
  rows.push_back(row(
      "hypervisor.numa", ALIQUOT_AT(hypervisor.numa), one_of({"off", "memory", "cells"}),
      "memory: a VM that fits into one NUMA cell of its node has its memory there. cells: its vCPUs run "
      "there alone, too. off: the kernel of the node decides."));
  rows.push_back(row("hypervisor.migration_bandwidth", ALIQUOT_AT(hypervisor.migration_bandwidth),
                     bandwidth_between({0}, {1'000'000 * kMillion}),
                     "Bandwidth of each live migration, at most; libvirt counts in whole MiB a second, of "
                     "which it gets one more. 0bit: it is not limited."));
}

void add_network(Rows& rows) {
  rows.push_back(
      row("network.jobs", ALIQUOT_AT(network.jobs), one_of({"off", "on-request", "parallel"}),
          "off: no job has a network. on-request: jobs that are submitted with --network job. parallel: "
          "jobs of "
          "several tasks too, unless they say --network none. Each node needs the hook, and its `address`.",
          Reload::live));
  rows.push_back(row("network.addresses", ALIQUOT_AT(network.addresses), ipv4_network(),
                     "IPv4 addresses of the VMs. The networks of jobs are separate, so every job uses the "
                     "same ones; they must not be addresses that the VMs are to reach elsewhere.",
                     Reload::live));
  rows.push_back(row("network.mtu", ALIQUOT_AT(network.mtu),
                     narrowed<std::uint32_t>(count_between(576, 9'000)),
                     "Largest packet of the VMs: 50 bytes less than the network between the nodes carries.",
                     Reload::live));
  rows.push_back(
      row("network.site", ALIQUOT_AT(network.site), or_empty(bridge_name()),
          "Bridge of the site, on every node of libvirt, to which VMs of jobs with --network site "
          "are attached; empty: there is none, and such jobs are refused.",
          Reload::live));
}

void add_limits_and_fencing(Rows& rows) {
  rows.push_back(row(
      "limits.max_jobs", ALIQUOT_AT(limits.max_jobs), narrowed<std::uint32_t>(count_between(1, 10'000'000)),
      "Largest number of jobs that have not ended; further submissions are refused.", Reload::live));
  rows.push_back(row("limits.max_tasks", ALIQUOT_AT(limits.max_tasks),
                     narrowed<std::uint32_t>(count_between(1, 1'000'000)),
                     "Largest number of tasks of a job.", Reload::live));
  rows.push_back(row(
      "limits.max_output", ALIQUOT_AT(limits.max_output), memory_between({4096}, mebibytes(1 << 20)),
      "Largest output of a task that is kept; a line at its end says if there was more. VMs keep what they "
      "were created with.",
      Reload::live));
  rows.push_back(row(
      "limits.max_stage_in", ALIQUOT_AT(limits.max_stage_in), memory_between({4096}, mebibytes(1 << 20)),
      "Largest size of the input files of a job (--stage-in) together with its program. Above "
      "api.max_request they are taken from a file below files.roots.",
      Reload::live));
  rows.push_back(row("limits.max_stage_in_per_user", ALIQUOT_AT(limits.max_stage_in_per_user),
                     memory_between({4096}, mebibytes(std::int64_t{1} << 30)),
                     "Largest size of the archives of all jobs of a user that have not ended, each content "
                     "counted once: input files that are larger than api.max_request are refused above it.",
                     Reload::live));
  rows.push_back(row(
      "limits.max_stage_out", ALIQUOT_AT(limits.max_stage_out), memory_between({4096}, mebibytes(2048)),
      "Largest size of the result files of a task (--stage-out); a job may ask for less.", Reload::live));
  rows.push_back(
      row("limits.checkpoint", ALIQUOT_AT(limits.checkpoint), duration_between({0}, seconds(366 * 86'400)),
          "Checkpoints of jobs that are submitted without --checkpoint: so often that a job which "
          "loses its node loses at most this much served time. 0s: none.",
          Reload::live));
  rows.push_back(row("limits.requeue", ALIQUOT_AT(limits.requeue),
                     narrowed<std::uint32_t>(count_between(0, 1000)),
                     "How often a job starts anew after its node was confirmed down, unless it says so "
                     "itself (--requeue).",
                     Reload::live));
  rows.push_back(row("fencing.down_after", ALIQUOT_AT(fencing.down_after),
                     duration_between(seconds(1), seconds(86'400)),
                     "A node that has not answered for so long is down: AliquotNodeDown fires, and "
                     "fencing.command is called.",
                     Reload::live));
  rows.push_back(list_field<Settings, std::string>(
      "fencing.command", ALIQUOT_AT(fencing.command), free_text("a word of a command"),
      "Command that switches a node off, or proves that it is off (docs/fencing.md): its words; the name "
      "of the node follows as the last one. Exit status 0 confirms that the node is down: then its jobs "
      "are run anew, or fail. Empty: an operator confirms it (aliquot node confirm-down)."));
  rows.back().reload = Reload::live;
  rows.push_back(row("fencing.timeout", ALIQUOT_AT(fencing.timeout),
                     duration_between(seconds(1), seconds(3'600)),
                     "Longest time for fencing.command; then it is killed, and tried again a minute later.",
                     Reload::live));
}

// One of these names, each of which stands for a value.
template <class Names, class Named>
auto named_one_of(const Names& names, Named named) -> Form<std::decay_t<decltype(*named(""))>> {
  using Value = std::decay_t<decltype(*named(""))>;
  const Form<std::string> words = one_of({names.begin(), names.end()});
  return {words.expects, words.schema,
          [parse = words.parse, named](const std::string& text) {
            return parse(text).map([named](const std::string& word) { return *named(word); });
          },
          [](const Value& value) { return std::string(name_of(value)); }};
}

// Whole watts.
Form<power::Watts> watts_of_node() {
  const Form<std::int64_t> count = count_between(0, 100'000);
  return {count.expects, count.schema,
          [parse = count.parse](const std::string& text) { return parse(text).map(power::watts); },
          [](const power::Watts& draw) { return std::to_string(draw.raw / power::watts(1).raw); }};
}

void add_power_policy(Rows& rows) {
  const Form<Duration> span = duration_between({0}, seconds(86'400));
  rows.push_back(
      row("power.rule", ALIQUOT_AT(power.policy.rule), named_one_of(power::kRuleNames, power::rule_named),
          "always-on: no node sleeps. cape-rm: as many nodes are on as the load fills, now or on "
          "average at this hour of the day. aliquot: a reserve for the arrivals that are to be "
          "expected stays on.",
          Reload::live));
  rows.push_back(row("power.boot_time", ALIQUOT_AT(power.policy.boot), span,
                     "How long a node takes from power.on_command until jobs can start on it. If it is not "
                     "back by then, the command is called again.",
                     Reload::live));
  rows.push_back(row("power.off_time", ALIQUOT_AT(power.policy.switch_off), span,
                     "How long libvirt takes to suspend a node, where there is no power.off_command: at "
                     "least 15s.",
                     Reload::live));
  rows.push_back(row("power.minimum_on", ALIQUOT_AT(power.policy.minimum_on), span,
                     "A node that was woken stays on for at least so long.", Reload::live));
  rows.push_back(row("power.reserve", ALIQUOT_AT(power.policy.reserve),
                     narrowed<std::uint32_t>(count_between(0, 1'000'000)),
                     "Idle nodes that stay on at the least; for the rule aliquot.", Reload::live));
  rows.push_back(
      row("power.caution", ALIQUOT_AT(power.policy.caution), count_between(0, 1'000),
          "How cautious the reserve is: so many hundredths of a standard deviation above the mean "
          "of the arrivals while a node boots.",
          Reload::live));
}

void add_power_of_nodes(Rows& rows) {
  rows.push_back(row("power.idle_watts", ALIQUOT_AT(power.policy.draw.idle), watts_of_node(),
                     "What a node draws that is on and idle, in watts.", Reload::live));
  rows.push_back(row("power.full_watts", ALIQUOT_AT(power.policy.draw.full), watts_of_node(),
                     "What a node draws at full utilisation, and while it boots, in watts.", Reload::live));
  rows.push_back(row("power.asleep_watts", ALIQUOT_AT(power.policy.draw.asleep), watts_of_node(),
                     "What a node draws that is suspended or switched off, in watts.", Reload::live));
  rows.push_back(list_field<Settings, std::string>(
      "power.off_command", ALIQUOT_AT(power.off_command), free_text("a word of a command"),
      "Command that suspends a node or switches it off (docs/power.md): its words; the name of the node "
      "follows as the last one. Exit status 0: it is off. It may be called again for a node that is off. "
      "Empty: libvirt suspends the node to memory; nodes with an agent need the command."));
  rows.back().reload = Reload::live;
  rows.push_back(list_field<Settings, std::string>(
      "power.on_command", ALIQUOT_AT(power.on_command), free_text("a word of a command"),
      "Command that wakes a node or switches it on: its words; the name of the node follows as the last "
      "one. "
      "Exit status 0: it boots. It may be called again for a node that boots or is on."));
  rows.back().reload = Reload::live;
  rows.push_back(row("power.command_timeout", ALIQUOT_AT(power.command_timeout),
                     duration_between(seconds(1), seconds(3'600)),
                     "Longest time for each call of the commands; then it is killed.", Reload::live));
  rows.push_back(row(
      "power.boot_limit", ALIQUOT_AT(power.boot_limit), duration_between(seconds(1), seconds(86'400)),
      "A node that has not booted within this time is down: a few times power.boot_time.", Reload::live));
}

void add_meters_of_nodes(Rows& rows) {
  rows.push_back(list_field<Settings, std::string>(
      "power.meter_command", ALIQUOT_AT(power.meter_command), free_text("a word of a command"),
      "Command that reads what a node draws (docs/power.md): its words; the name of the node follows as "
      "the "
      "last one. Its last line: watts N, or microjoules with a counter and its range for each zone of "
      "RAPL. "
      "Empty: what nodes draw is not measured, the watts of the settings count."));
  rows.back().reload = Reload::live;
  rows.push_back(row("power.meter_interval", ALIQUOT_AT(power.meter_interval),
                     duration_between(seconds(1), seconds(3'600)),
                     "How often power.meter_command is called for each node.", Reload::live));
}

void add_molding(Rows& rows) {
  rows.push_back(
      row("molding.rule", ALIQUOT_AT(molding.rule), one_of({"least-stretch", "knowledge", "paper"}),
          "For a job with an application and no speed-up. knowledge: the number that did best in "
          "earlier runs. paper: from that number on, fewer tasks until the load of its nodes is "
          "balanced. least-stretch: what earlier runs have taught is not used.",
          Reload::live));
  rows.push_back(
      row("molding.entries", ALIQUOT_AT(molding.entries), narrowed<std::uint32_t>(count_between(1, 10'000)),
          "Entries of the knowledge base, one for each application and problem size. Beyond it, the "
          "one that was used least recently goes.",
          Reload::restart));
}

void add_needs(Rows& rows) {
  rows.push_back(
      row("needs.mode", ALIQUOT_AT(needs.mode), named_one_of(needs::kModeNames, needs::mode_named),
          "Of jobs that are submitted without --needs. declared: what the user says. learned: what "
          "their tasks are seen to use, at most what is declared; the rest goes to other jobs "
          "until they want it. learned-up: more than declared, too, where a probe shows that they "
          "use it; only this makes jobs faster that declare too little.",
          Reload::live));
  rows.push_back(row(
      "needs.most_probed", ALIQUOT_AT(needs.most_probed), narrowed<std::uint32_t>(count_between(0, 100)),
      "At most so many hundredths of the running jobs are probed at a time, and at least one: "
      "given more CPU than they are counted with, to see whether they use it. For learned-up.",
      Reload::live));
  rows.push_back(row(
      "needs.memory", ALIQUOT_AT(needs.memory), one_of({"declared", "learned"}),
      "Of jobs that are submitted without --needs declared. declared: they are counted with what the user "
      "says. learned: memory that a job does not use is lent to others until it wants it. For nodes of "
      "libvirt, whose hosts have swap space for what they may owe.",
      Reload::live));
  rows.push_back(row(
      "needs.memory_kept", ALIQUOT_AT(needs.memory_kept_ppm), ratio_between(500'000, kMillion),
      "The part of its declared memory that a job is always counted with. A node may owe its memory times "
      "(1 / memory_kept - 1), and its host must have so much swap space: a third of the memory with 0.75.",
      Reload::live));
}

void add_files_and_images(Rows& rows) {
  rows.push_back(list_field<Settings, std::string>(
      "files.roots", ALIQUOT_AT(files.roots), absolute_path(),
      "Directories whose files users may boot with --kernel and --initrd, or add as images, if the user "
      "can read the file; the manager must see them at these paths. Symbolic links may not lead out of "
      "them, and other file systems mounted below them are not entered."));
  rows.back().reload = Reload::live;
  rows.push_back(row("files.max_size", ALIQUOT_AT(files.max_size),
                     memory_between({4096}, mebibytes(std::int64_t{16} << 20)),
                     "Largest kernel or initrd: the spool gets a copy.", Reload::live));
  rows.push_back(row(
      "images.max_size", ALIQUOT_AT(images.max_size),
      memory_between({4096}, mebibytes(std::int64_t{16} << 20)),
      "Largest disk image that `aliquot image add` takes: the spool gets a copy, which is read "
      "whenever a VM starts with it or is moved (hypervisor.long_deadline must be long enough for that).",
      Reload::live));
  rows.push_back(row("images.max_per_user", ALIQUOT_AT(images.max_per_user),
                     memory_between({4096}, mebibytes(std::int64_t{1} << 30)),
                     "Largest size of the images that one user has added, each content counted once.",
                     Reload::live));
  rows.push_back(row("images.max_total", ALIQUOT_AT(images.max_total),
                     memory_between({4096}, mebibytes(std::int64_t{1} << 30)),
                     "Largest size of all images of the image store together, each content counted once.",
                     Reload::live));
}

void add_ha(Rows& rows) {
  rows.push_back(list_field<Settings, std::string>(
      "ha.endpoints", ALIQUOT_AT(ha.endpoints), free_text("the URL of a member of etcd"),
      "Members of an etcd (3.4 or newer), each as https://etcd1.example.org:2379. Empty: there is one "
      "manager, and no etcd."));
  rows.push_back(row("ha.ca", ALIQUOT_AT(ha.ca), or_empty(absolute_path()),
                     "File of the certificates by which etcd is known (PEM); empty: those of the system."));
  rows.push_back(row("ha.cert", ALIQUOT_AT(ha.cert), or_empty(absolute_path()),
                     "File of the certificate by which etcd knows this manager (PEM); empty: none."));
  rows.push_back(
      row("ha.key", ALIQUOT_AT(ha.key), or_empty(absolute_path()), "File of the key of ha.cert (PEM)."));
  rows.push_back(row("ha.prefix", ALIQUOT_AT(ha.prefix), absolute_path(),
                     "With what the keys of the cluster begin in etcd: of each cluster another."));
  rows.push_back(row("ha.name", ALIQUOT_AT(ha.name), or_empty(simple_name()),
                     "Name of this manager among those of the cluster."));
  rows.push_back(row("ha.address", ALIQUOT_AT(ha.address),
                     or_empty(free_text("the address of this manager")),
                     "Where clients reach this manager, as ALIQUOT_SERVER names it: a standby tells them. "
                     "Empty: api.remote, or the socket."));
  rows.push_back(row("ha.lease_ttl", ALIQUOT_AT(ha.lease_ttl), duration_between(seconds(2), seconds(60)),
                     "A leader that has not renewed its lease for so long is succeeded by a standby: whole "
                     "seconds. Shorter is sooner, longer bears slower disks of etcd."));
  rows.push_back(
      row("ha.defragment", ALIQUOT_AT(ha.defragment), on_off(),
          "The leader defragments the members of etcd, one at a time, when more than half of a "
          "database is free. A member answers nothing meanwhile: off if others use this etcd and "
          "its operators do it."));
}

void add_spool_and_log(Rows& rows) {
  rows.push_back(row("spool.keep", ALIQUOT_AT(spool.keep),
                     duration_between(seconds(60), seconds(std::int64_t{3650} * 86'400)),
                     "Time for which the output of an ended job is kept.", Reload::live));
  rows.push_back(row(
      "spool.keep_size", ALIQUOT_AT(spool.keep_size), memory_between({0}, mebibytes(std::int64_t{1} << 30)),
      "Largest output of all ended jobs together; beyond it the oldest is removed.", Reload::live));
  rows.push_back(
      row("spool.reserve", ALIQUOT_AT(spool.reserve), memory_between({0}, mebibytes(std::int64_t{1} << 30)),
          "Free space of the spool's file system that neither the memory image of a paused job nor a "
          "submitted file may use: consoles need it. A job runs on where its image does not fit."));
  rows.push_back(row("log.level", ALIQUOT_AT(log.level), one_of({"debug", "info", "warning", "error"}),
                     "Lowest level that the log (standard error) shows.", Reload::live));
  rows.push_back(row("log.format", ALIQUOT_AT(log.format), one_of({"text", "json"}),
                     "Form of the log lines: text with key=value, or one JSON object each.", Reload::live));
  rows.push_back(row("log.journal", ALIQUOT_AT(log.journal), or_empty(absolute_path()),
                     "File to which every step is appended as a line of JSON, for replay; empty: none."));
}

template <class Value, class Access>
Field<NodeSettings> node_row(std::string key, Access at, Form<Value> form, std::string help,
                             std::string example) {
  auto made = field<NodeSettings, Value>(std::move(key), at, std::move(form), std::move(help));
  made.example = std::move(example);
  made.reload = Reload::live;
  return made;
}

void add_power_of_node(std::vector<Field<NodeSettings>>& rows) {
  rows.push_back(
      node_row("idle_watts", ALIQUOT_AT(idle_watts), watts_of_node(),
               "What the node draws when it is on and idle, in watts; left out: power.idle_watts.", "140"));
  rows.push_back(node_row("full_watts", ALIQUOT_AT(full_watts), watts_of_node(),
                          "What the node draws at full utilisation, and while it boots; left out: "
                          "power.full_watts.",
                          "480"));
  rows.push_back(node_row("asleep_watts", ALIQUOT_AT(asleep_watts), watts_of_node(),
                          "What the node draws when it is suspended or switched off; left out: "
                          "power.asleep_watts.",
                          "12"));
  rows.push_back(node_row("boot_time", ALIQUOT_AT(boot_time), duration_between({0}, seconds(86'400)),
                          "How long the node takes to boot; left out: power.boot_time. What is seen of its "
                          "boots counts, between half of this and twice this.",
                          "150s"));
}

std::vector<Field<NodeSettings>> make_node_fields() {
  std::vector<Field<NodeSettings>> rows;
  rows.push_back(
      node_row("name", ALIQUOT_AT(name), simple_name(), "Name of the node, here and in messages.", "n1"));
  rows.back().required = true;
  rows.push_back(
      node_row("uri", ALIQUOT_AT(uri), node_uri(),
               "URI by which the manager connects to the node: of its libvirt, or agent://HOST:PORT "
               "of its agent (aliquot-node), which runs Xen guests or speaks to the libvirt there.",
               "qemu+ssh://root@n1.example.org/system"));
  rows.back().required = true;
  rows.push_back(
      node_row("agent_key", ALIQUOT_AT(agent_key), or_empty(public_key()),
               "The agent's public key, as `aliquot-node keys` prints it; only for agent:// nodes.", ""));
  rows.push_back(
      node_row("migrate_uri", ALIQUOT_AT(migrate_uri), or_empty(libvirt_uri()),
               "libvirt URI by which other nodes connect to it; empty: no live migration to this node.",
               "qemu+tls://n1.example.org/system"));
  rows.push_back(
      node_row("address", ALIQUOT_AT(address), or_empty(ipv4_address()),
               "IPv4 address at which the other nodes reach it, for the networks of jobs; empty: "
               "no job with a network is accepted while there are several nodes.",
               "192.168.1.11"));
  rows.push_back(node_row("bandwidth", ALIQUOT_AT(bandwidth),
                          bandwidth_between({0}, {1'000'000 * kMillion}),
                          "Bandwidth of its network, for tasks that ask for some (--net); 0bit: it is not "
                          "counted.",
                          "10Gbit"));
  rows.push_back(node_row("hypervisor", ALIQUOT_AT(hypervisor), hypervisor_kind(),
                          "What runs the VMs of the node. A VM moves between, and is restored on, nodes of "
                          "its own kind only.",
                          "libvirt"));
  rows.push_back(
      node_row("local_saves", ALIQUOT_AT(local_saves), on_off(),
               "on: the memory of paused VMs goes to a disk of the node, in the directory that its "
               "agent is given (--saves), and they can go on only there. off: to the spool.",
               "off"));
  rows.push_back(node_row("cores", ALIQUOT_AT(cores), narrowed<std::uint32_t>(count_between(0, 65'536)),
                          "Number of cores; 0: as libvirt reports.", "8"));
  rows.push_back(node_row("speed", ALIQUOT_AT(speed_ppm), ratio_between(1'000, 1'000 * kMillion),
                          "Speed of a core relative to the reference core.", "1.5"));
  rows.push_back(node_row(
      "memory", ALIQUOT_AT(memory), memory_between(mebibytes(64), mebibytes(std::int64_t{1} << 30)),
      "Memory of the node, including the reserve; left out: as libvirt reports.", "32GiB"));
  rows.push_back(node_row("reserve", ALIQUOT_AT(reserve),
                          memory_between({0}, mebibytes(std::int64_t{1} << 30)),
                          "Memory reserved for the host.", "1GiB"));
  rows.push_back(node_row("reserve_cores", ALIQUOT_AT(reserve_cores), cores_between({0}, cores(65'536)),
                          "Cores reserved for the host: its daemons, and QEMU's own threads.", "0.25"));
  add_power_of_node(rows);
  rows.push_back(
      list_field<NodeSettings, DeviceWord>("devices", ALIQUOT_AT(devices), device_word(),
                                           "GPUs and other devices: MODEL@PCI-ADDRESS, MODEL@mdev:UUID, "
                                           "MODEL*COUNT@mdev:TYPE (existing mediated "
                                           "devices), from-libvirt (all devices with a name in "
                                           "device_models), or MODEL*COUNT (stand-ins that "
                                           "no guest sees)."));
  rows.back().reload = Reload::live;
  return rows;
}

#undef ALIQUOT_AT

}  // namespace

const std::vector<Field<Settings>>& settings_fields() {
  static const Rows rows = [] {
    Rows made;
    add_places(made);
    add_policy(made);
    add_api(made);
    add_http(made);
    add_hypervisor(made);
    add_network(made);
    add_limits_and_fencing(made);
    add_moves(made);
    add_power_policy(made);
    add_power_of_nodes(made);
    add_meters_of_nodes(made);
    add_molding(made);
    add_needs(made);
    add_fair_share(made);
    add_files_and_images(made);
    add_ha(made);
    add_spool_and_log(made);
    return made;
  }();
  return rows;
}

const std::vector<Field<NodeSettings>>& node_fields() {
  static const auto rows = make_node_fields();
  return rows;
}

const std::vector<Section>& sections() {
  static const std::vector<Section> rows{
      {"", "The cluster as a whole."},
      {"policy",
       "The policy decides where jobs run and at which yield. What an operator sets by command stays in "
       "force, also after restarts and reloads, until it is reset."},
      {"api", "The job API: ZeroMQ over local sockets. The kernel identifies the users."},
      {"http", "The HTTP port for Prometheus, health checks and the console."},
      {"hypervisor", "How virtual machines are run."},
      {"network",
       "The networks of jobs: one between the VMs of each job, or the site's (docs/network.md)."},
      {"limits", "Limits for users."},
      {"fencing",
       "Nodes that do not answer: when they are down, and how it is made sure that they are off."},
      {"moves", "Live migrations: how many at a time, and how often a job is moved (docs/operations.md)."},
      {"power",
       "Nodes that sleep while the others carry the load (docs/power.md). In policy.mode off and advise no "
       "node goes to sleep."},
      {"molding",
       "How many tasks a job gets that offers a range and names its application (docs/moldable.md)."},
      {"needs", "Whether the CPU needs of jobs are learned by watching their VMs (docs/needs.md)."},
      {"fair_share",
       "Whether jobs are weighed by what their users have used of the shares of their `accounts`."},
      {"files", "Files that users name: kernels, initrds and disk images. The manager copies them."},
      {"images", "The image store: disk images that jobs boot by name. It stands in the spool."},
      {"spool", "What the spool keeps of ended jobs, and its free space."},
      {"ha", "Several managers on an etcd: one leads, the others stand by (docs/high-availability.md)."},
      {"log", "Logs besides the store."},
      {"nodes",
       "The machines that run the jobs; at least one. `aliquot node add`, `remove` and `rename` change "
       "them "
       "until the configuration says the same."},
  };
  return rows;
}

}  // namespace aliquot
