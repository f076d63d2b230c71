#include "config/field_table.hpp"

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
  rows.push_back(row("cluster", ALIQUOT_AT(cluster), simple_name(), "What this cluster is called."));
  rows.push_back(row("state_dir", ALIQUOT_AT(state_dir), absolute_path(),
                     "The store of the manager: a local disk, owned by it alone."));
  rows.push_back(row("spool_dir", ALIQUOT_AT(spool_dir), absolute_path(),
                     "Guests, consoles and saved memory: storage that all nodes share, at the same path."));
  rows.push_back(row("reference_node", ALIQUOT_AT(reference_node), or_empty(simple_name()),
                     "What `aliquot submit --cpu 50%` is half of: the name of a node; empty: the first."));
  rows.push_back(list_field<Settings, DeviceName>(
      "device_models", ALIQUOT_AT(device_models), device_name(),
      "What jobs call the GPUs that libvirt finds on nodes with `devices: [from-libvirt]`: "
      "A100=10de:20f1 (vendor and product), A100-1g=mdev:nvidia-474. `aliquot node probe` tells both."));
}

void add_policy(Rows& rows) {
  rows.push_back(row("policy.spec", ALIQUOT_AT(policy.spec), free_text("the name of a policy"),
                     "Who decides: a name of docs/policies.md, with its options; the number of a -PER- is "
                     "its period in seconds.",
                     Reload::live));
  rows.push_back(
      row("policy.mode", ALIQUOT_AT(policy.mode), one_of({"off", "advise", "auto"}),
          "off: nothing is decided. advise: decisions are shown only. auto: they are carried out.",
          Reload::live));
}

void add_api(Rows& rows) {
  rows.push_back(row("api.socket", ALIQUOT_AT(api.socket), socket_path(), "Where requests are taken."));
  rows.push_back(row("api.events", ALIQUOT_AT(api.events), socket_path(), "Where events are published."));
  rows.push_back(row("api.socket_mode", ALIQUOT_AT(api.socket_mode), file_mode(),
                     "Who may reach the sockets at all, as permissions of a file (octal)."));
  rows.push_back(row("api.socket_group", ALIQUOT_AT(api.socket_group), or_empty(user_name()),
                     "The group that the sockets belong to; empty: the manager's own."));
  rows.push_back(users("api.operators", &ApiSettings::operators,
                       "Users who may operate: policy, period, mode, and everybody's jobs."));
  rows.push_back(users("api.submitters", &ApiSettings::submitters,
                       "Users who may submit; an empty list: whoever can reach the socket."));
  rows.push_back(row("api.max_request", ALIQUOT_AT(api.max_request),
                     memory_between({64 << 10}, mebibytes(1024)),
                     "A larger request (a submitted program travels in it) is refused unread."));
}

void add_http(Rows& rows) {
  rows.push_back(row(
      "http.host", ALIQUOT_AT(http.host), host_name(),
      "Address for /metrics, /healthz and /readyz. There is no password: whoever reaches it reads it."));
  rows.push_back(row("http.port", ALIQUOT_AT(http.port), narrowed<std::uint16_t>(count_between(0, 65535)),
                     "Its port; 0: one that is free, named in the log."));
  rows.push_back(row("http.status_page", ALIQUOT_AT(http.status_page), one_of({"on", "off"}),
                     "The page at / shows jobs, nodes and reasons. off: whoever reaches the port sees "
                     "metrics and health only."));
}

void add_hypervisor(Rows& rows) {
  rows.push_back(row("hypervisor.acceleration", ALIQUOT_AT(hypervisor.acceleration),
                     one_of({"kvm", "emulation", "auto"}),
                     "kvm: a node without working KVM is not used. auto: such a node emulates. emulation: "
                     "slow, for trials."));
  rows.push_back(
      row("hypervisor.cap_period", ALIQUOT_AT(hypervisor.cap_period), duration_between({1'000}, seconds(1)),
          "The period of the CPU bandwidth controller: shorter is smoother, longer is cheaper."));
  rows.push_back(row("hypervisor.fast_deadline", ALIQUOT_AT(hypervisor.fast_deadline),
                     duration_between({100'000}, seconds(600)),
                     "A node that has not answered by then (caps, states, statistics) is suspect."));
  rows.push_back(
      row("hypervisor.long_deadline", ALIQUOT_AT(hypervisor.long_deadline),
          duration_between(seconds(1), seconds(86'400)),
          "The same for create, save, restore, migrate, destroy: memory / bandwidth, and room."));
  rows.push_back(row("hypervisor.long_lane", ALIQUOT_AT(hypervisor.long_lane),
                     narrowed<std::uint32_t>(count_between(1, 64)),
                     "How many VMs a node creates, saves, restores and sends elsewhere at once."));
  rows.push_back(row("hypervisor.vm_overhead", ALIQUOT_AT(hypervisor.vm_overhead),
                     memory_between({0}, mebibytes(1 << 20)),
                     "Memory charged for each VM beyond what its guest sees (QEMU itself)."));
  rows.push_back(row("hypervisor.guest_dir", ALIQUOT_AT(hypervisor.guest_dir), absolute_path(),
                     "Where the project's own guests stand: kernel, initrd and the hash-chain guest."));
}

void add_limits_and_log(Rows& rows) {
  rows.push_back(row("limits.max_jobs", ALIQUOT_AT(limits.max_jobs),
                     narrowed<std::uint32_t>(count_between(1, 10'000'000)),
                     "Jobs that have not ended; a submission above it is refused.", Reload::live));
  rows.push_back(row("limits.max_tasks", ALIQUOT_AT(limits.max_tasks),
                     narrowed<std::uint32_t>(count_between(1, 1'000'000)), "Tasks of one job.",
                     Reload::live));
  rows.push_back(row("limits.max_output", ALIQUOT_AT(limits.max_output),
                     memory_between({4096}, mebibytes(1 << 20)),
                     "Output kept of one task; a line at its end says if there was more.", Reload::live));
  rows.push_back(row("log.level", ALIQUOT_AT(log.level), one_of({"debug", "info", "warning", "error"}),
                     "The least that the log (standard error) shows.", Reload::live));
  rows.push_back(row("log.format", ALIQUOT_AT(log.format), one_of({"text", "json"}),
                     "Its lines: words with key=value, or one JSON object each."));
  rows.push_back(row("log.journal", ALIQUOT_AT(log.journal), or_empty(absolute_path()),
                     "Every step as a line of JSON in this file, for replay; empty: none."));
}

template <class Value, class Access>
Field<NodeSettings> node_row(std::string key, Access at, Form<Value> form, std::string help,
                             std::string example) {
  auto made = field<NodeSettings, Value>(std::move(key), at, std::move(form), std::move(help));
  made.example = std::move(example);
  return made;
}

std::vector<Field<NodeSettings>> make_node_fields() {
  std::vector<Field<NodeSettings>> rows;
  rows.push_back(
      node_row("name", ALIQUOT_AT(name), simple_name(), "Its name, here and in every message.", "n1"));
  rows.back().required = true;
  rows.push_back(node_row("uri", ALIQUOT_AT(uri), libvirt_uri(), "How the manager reaches its libvirt.",
                          "qemu+ssh://root@n1.example.org/system"));
  rows.back().required = true;
  rows.push_back(node_row("migrate_uri", ALIQUOT_AT(migrate_uri), or_empty(libvirt_uri()),
                          "How the other nodes reach it; empty: nothing migrates to it live.",
                          "qemu+tls://n1.example.org/system"));
  rows.push_back(node_row("cores", ALIQUOT_AT(cores), narrowed<std::uint32_t>(count_between(0, 65'536)),
                          "Cores to share out; 0: as many as the node says it has.", "8"));
  rows.push_back(node_row("speed", ALIQUOT_AT(speed_ppm), ratio_between(1'000, 1'000 * kMillion),
                          "Speed of one core against the reference core.", "1.5"));
  rows.push_back(node_row("memory", ALIQUOT_AT(memory),
                          memory_between(mebibytes(64), mebibytes(std::int64_t{1} << 30)),
                          "Memory of the whole node; left out: what the node says it has.", "32GiB"));
  rows.push_back(node_row("reserve", ALIQUOT_AT(reserve),
                          memory_between({0}, mebibytes(std::int64_t{1} << 30)),
                          "Memory kept for the host itself.", "1GiB"));
  rows.push_back(node_row(
      "reserve_cores", ALIQUOT_AT(reserve_cores), cores_between({0}, cores(65'536)),
      "Cores kept for the host itself: its daemons, and what QEMU does beside its vCPUs.", "0.25"));
  rows.push_back(list_field<NodeSettings, DeviceWord>(
      "devices", ALIQUOT_AT(devices), device_word(),
      "Its GPUs and the like, as jobs ask for them: MODEL@PCI-ADDRESS, MODEL@mdev:UUID, "
      "MODEL*COUNT@mdev:TYPE (of those that have been made), from-libvirt for all that device_models has a "
      "name for, or MODEL*COUNT: stand-ins that no guest sees."));
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
    add_limits_and_log(made);
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
       "Who decides who runs where, and at what yield. What an operator sets later outlives a restart."},
      {"api", "The job API: ZeroMQ over local sockets. The kernel says who is asking."},
      {"http", "For Prometheus and for health checks."},
      {"hypervisor", "How virtual machines are run."},
      {"limits", "Bounds on what users ask for."},
      {"log", "What is written down besides the store."},
      {"nodes", "The machines that run the jobs; at least one."},
  };
  return rows;
}

}  // namespace aliquot
