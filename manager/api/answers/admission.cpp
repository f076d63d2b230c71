#include "manager/api/answers/admission.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "config/quantities.hpp"
#include "manager/api/answers/data_check.hpp"
#include "manager/api/answers/network_admission.hpp"
#include "manager/api/answers/share_admission.hpp"
#include "manager/api/answers/size_check.hpp"
#include "manager/api/wire/message_text.hpp"
#include "manager/hypervisor/archive_memory.hpp"
#include "monitor/record/image.hpp"
#include "policies/feasibility.hpp"
#include "policies/model/device_models.hpp"
#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {

namespace {

constexpr std::size_t kMaxName = 64;
constexpr Memory kLeastMemory = mebibytes(1);
// Measured: with less, the guest ends before its first line and says nothing (docs/guest-contract.md).
constexpr Memory kLeastForLinux = mebibytes(80);
constexpr Memory kLeastForChain = mebibytes(16);

tl::unexpected<Error> wrong(std::string text) { return fail(ErrorKind::invalid_argument, std::move(text)); }
tl::unexpected<Error> refused(std::string text) { return fail(ErrorKind::refused, std::move(text)); }

// Names appear in tables, topics and file names.
Result<void> check_name(const char* what, const std::string& name) {
  if (name.size() > kMaxName)
    return wrong(std::string("the ") + what + " has " + std::to_string(name.size()) +
                 " characters; at most 64 are taken");
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '+' || c == ':' || c == '@' || c == '/';
  };
  if (std::all_of(name.begin(), name.end(), plain)) return {};
  return wrong(std::string("the ") + what + " " + wire::in_quotes(name) +
               " may hold letters, digits and - _ . + : @ / only");
}

Result<void> check_path(const char* what, const std::string& path) {
  if (path.empty() || path[0] != '/')
    return wrong(std::string("the ") + what + " " + wire::in_quotes(path) +
                 " must be an absolute path, below one of the directories in files.roots");
  if (path.find("/../") != std::string::npos || path.ends_with("/.."))
    return wrong(std::string("the ") + what + " " + wire::in_quotes(path) + " may not go up with ..");
  const bool plain = std::all_of(path.begin(), path.end(), [](char c) { return c >= 0x20 && c != 0x7f; });
  if (!plain)
    return wrong(std::string("the ") + what + " " + wire::in_quotes(path) + " has a control character");
  return {};
}

Result<void> check(const ModelWork& work, const Submit&, const AdmissionRules& rules) {
  if (!rules.model_programs)
    return refused("a model program runs in the simulator only; give a command, an image or a kernel");
  if (work.alone.raw <= 0) return wrong("the model's time alone must be positive");
  return {};
}

Result<void> check_argv(const std::vector<std::string>& argv) {
  if (argv.empty() || argv.front().empty())
    return wrong("there is no command; write it after --, for example `-- ./program 1 2`");
  std::size_t bytes = 0;
  for (const std::string& argument : argv) bytes += argument.size() + 1;
  if (bytes > 128 << 10)
    return fail(ErrorKind::too_large, "the command has " + std::to_string(bytes) +
                                          " bytes; at most 131072 are taken: put long input into a file");
  return {};
}

Result<void> check_archive_size(const Submit& asked, const AdmissionRules& rules) {
  const Memory size{static_cast<std::int64_t>(asked.archive_bytes)};
  const bool has_inputs = !asked.submission.data.stage_in.empty() || asked.submission.data.stdin_file;
  Memory at_most = asked.archive_file.empty() ? rules.max_archive : rules.limits.max_stage_in;
  if (has_inputs) at_most = std::min(at_most, rules.limits.max_stage_in);
  if (size <= at_most) return {};
  return fail(ErrorKind::too_large, "the program with its libraries and input files has " +
                                        print_memory(size) + "; at most " + print_memory(at_most) +
                                        " are taken (limits.max_stage_in, and api.max_request for what is "
                                        "no file): strip it, or put it into an image of your own");
}

// The small guest unpacks the archive into its memory.
Result<void> check_memory_for_archive(const Submit& asked) {
  const Memory size{static_cast<std::int64_t>(asked.archive_bytes)};
  const std::string what = "the program with its libraries and input files has " + print_memory(size);
  if (size > kLargestArchive)
    return fail(ErrorKind::too_large, what + ", more than the " + print_memory(kLargestArchive) +
                                          " that a guest can hold in its memory; run it in a disk image "
                                          "(--image), which has them on a disk");
  const bool has_shares = !asked.submission.shares.empty();
  const Memory needed = memory_for_archive(has_shares ? size + kShareModules : size);
  if ((size.raw == 0 && !has_shares) || needed <= asked.submission.guest_memory) return {};
  return wrong(what + (has_shares ? ", and what mounts shares " + print_memory(kShareModules) : "") +
               ", too much for a guest with a memory of " + print_memory(asked.submission.guest_memory) +
               ", which unpacks them there; give --mem " + print_memory(needed) +
               " or more, or run it in a disk image (--image)");
}

Result<void> check(const LinuxCommand& command, const Submit& asked, const AdmissionRules& rules) {
  if (auto good = check_argv(command.argv); !good) return good;
  if (auto good = check_archive_size(asked, rules); !good) return good;
  return check_memory_for_archive(asked);
}

Result<void> check(const HashChain& chain, const Submit&, const AdmissionRules&) {
  if (chain.blocks == 0 || chain.unit == 0)
    return wrong("a hash chain has at least 1 block of at least 1 step; give --hash-chain BLOCKS:UNIT");
  return {};
}

Result<void> check(const KernelBoot& boot, const Submit&, const AdmissionRules&) {
  if (auto kernel = check_path("kernel", boot.kernel); !kernel) return kernel;
  if (!boot.initrd.empty())
    if (auto initrd = check_path("initrd", boot.initrd); !initrd) return initrd;
  const bool plain =
      std::all_of(boot.cmdline.begin(), boot.cmdline.end(), [](char c) { return c >= 0x20 && c != 0x7f; });
  if (!plain) return wrong("the kernel's command line has a control character; leave it out");
  return {};
}

Result<void> check(const ImageBoot& boot, const Submit& asked, const AdmissionRules& rules) {
  if (auto good = check_archive_size(asked, rules); !good) return good;
  if (is_image_name(boot.image)) return boot.argv.empty() ? Result<void>{} : check_argv(boot.argv);
  if (boot.image.find('/') == std::string::npos)
    return wrong("the image " + wire::in_quotes(boot.image) +
                 " is no image name; see `aliquot image list` for those of the image store");
  return wrong("the image " + wire::in_quotes(boot.image) +
               " is a path, and a job boots only images of the image store; add the file first: `aliquot "
               "image add FILE --name NAME`, then `aliquot submit --image NAME`");
}

// Errors that do not depend on the cluster.
Result<void> check_limits(const Submission& s) {
  if (s.time_limit && s.time_limit->raw <= 0) return wrong("the time limit must be positive");
  if (s.wall_limit && s.wall_limit->raw <= 0) return wrong("the wall-clock limit must be positive");
  if (!s.warn) return {};
  if (!s.time_limit && !s.wall_limit)
    return wrong("there is no limit to warn of; give --time-limit or --wall-limit, or leave --warn out");
  const auto is_no_longer = [&s](const std::optional<Duration>& limit) {
    return limit && *limit <= *s.warn;
  };
  if (s.warn->raw <= 0 || is_no_longer(s.time_limit) || is_no_longer(s.wall_limit))
    return wrong("tasks are to be told " + print_duration(*s.warn) +
                 " before a limit; that must be less than the limit is long");
  return {};
}

Result<void> check_demand(const Submission& s, const AdmissionRules& rules) {
  const Demand& demand = s.demand;
  if (demand.tasks == 0) return wrong("the job has 0 tasks; give --tasks 1 or more");
  if (demand.tasks > rules.limits.max_tasks)
    return fail(ErrorKind::too_large, "the job has " + std::to_string(demand.tasks) + " tasks; at most " +
                                          std::to_string(rules.limits.max_tasks) +
                                          " are taken (limits.max_tasks)");
  if (auto profile = check_profile(s, rules.limits); !profile) return profile;
  if (demand.need.raw <= 0) return wrong("a task needs no CPU; give --cpus above 0");
  if (most_cpu(s) < demand.need)
    return wrong("a task may use at most " + say_cores(most_cpu(s)) + ", less than its need of " +
                 print_cores(demand.need) + "; raise --max-cpus, or leave it out");
  if (demand.min_yield.raw < 0 || demand.min_yield > kFullYield)
    return wrong("the guaranteed yield is " + print_ratio(demand.min_yield.raw) +
                 "; it must be from 0 to 1");
  if (const Memory least = least_memory(s.program); s.guest_memory < least)
    return refused("the guest of this program needs a memory of " + print_memory(least) +
                   " to start, not " + print_memory(s.guest_memory) + "; give --mem " +
                   print_memory(least) + " or more");
  if (auto limits = check_limits(s); !limits) return limits;
  if (s.checkpoint && s.checkpoint->raw < 0)
    return wrong("the interval of checkpoints must not be negative");
  if (s.checkpoint && s.checkpoint->raw > 0 && !demand.movable)
    return refused(
        "the job cannot be saved, because it holds devices or is not movable: no checkpoint can be "
        "made of it; leave --checkpoint out");
  if (demand.estimate && demand.estimate->raw <= 0) return wrong("the estimate must be positive");
  if (const auto why = contradiction(demand)) return wrong("the job " + *why);
  return {};
}

Result<void> check_constraints(const Demand& demand, const std::vector<Node>& nodes,
                               const std::vector<std::string>& models) {
  if (!is_constrained(demand)) return {};
  if (const auto why = impossible(nodes, models, demand)) return refused("the job " + *why);
  return {};
}

// The number of these tasks that the node can hold when it is empty.
std::uint64_t node_holds(const Node& node, const Demand& demand) {
  if (demand.memory.raw <= 0 || node.memory < demand.memory) return 0;
  // A task must fit one node: a need above the capacity of the node fits none.
  if (demand.need > node.capacity) return 0;
  auto holds = static_cast<std::uint64_t>(node.memory.raw / demand.memory.raw);
  const Cpu least = demand.need * demand.min_yield;
  if (least.raw > 0) holds = std::min(holds, static_cast<std::uint64_t>(node.capacity.raw / least.raw));
  return holds;
}

// Refuses a job that these empty nodes, all of one hypervisor kind, could not hold.
Result<void> check_fit_of_kind(const Submission& s, const std::vector<Node>& nodes) {
  const Demand& demand = s.demand;
  if (nodes.empty())
    return refused("the cluster has no nodes yet; an operator adds them to the configuration");
  const auto cpu = std::max_element(nodes.begin(), nodes.end(),
                                    [](const Node& a, const Node& b) { return a.capacity < b.capacity; });
  if (demand.need > cpu->capacity)
    return refused("a task needs " + say_cores(demand.need) + "; the largest node, " + cpu->name +
                   ", has " + print_cores(cpu->capacity) + ": split it into more tasks");
  if (most_cpu(s) > cpu->capacity)
    return refused("a task could grow to " + say_cores(most_cpu(s)) + "; the largest node, " + cpu->name +
                   ", has " + print_cores(cpu->capacity) + ": lower --max-cpus");
  const auto memory = std::max_element(nodes.begin(), nodes.end(),
                                       [](const Node& a, const Node& b) { return a.memory < b.memory; });
  if (demand.memory > memory->memory)
    return refused("a task takes " + print_memory(demand.memory) +
                   " of memory, its VM included; the largest "
                   "node, " +
                   memory->name + ", gives " + print_memory(memory->memory));
  const std::uint64_t holds = empty_cluster_holds(nodes, demand);
  if (holds >= demand.tasks) return {};
  Demand unguaranteed = demand;
  unguaranteed.min_yield = {};
  const bool by_yield = empty_cluster_holds(nodes, unguaranteed) >= demand.tasks;
  return refused("the empty cluster holds " + std::to_string(holds) + " such tasks, not " +
                 std::to_string(demand.tasks) +
                 (by_yield ? ": the guaranteed yield of " + print_ratio(demand.min_yield.raw) +
                                 " takes too much CPU; lower --min-yield, or ask for fewer tasks"
                           : ": their memory and cores do not fit; ask for fewer tasks or less memory"));
}

// What of the job no node of Xen can do (docs/xen.md); empty: nothing.
std::string needs_libvirt(const Submission& s) {
  if (s.demand.devices.any()) return "devices";
  if (!s.data.stage_out.empty()) return "result files (--stage-out)";
  if (!s.shares.empty()) return "a share";
  if (!s.network) return "";
  return s.network->is_site() ? "the network of the site" : "a network of the job";
}

// What not every node of Xen can do, and the manager does not know which: it is done there for jobs that
// ask for Xen.
struct LibvirtFirst {
  std::string what;
  std::string on_xen_if;
};
std::optional<LibvirtFirst> prefers_libvirt(const Submission& s) {
  if (std::holds_alternative<HashChain>(s.program))
    return LibvirtFirst{"a hash chain runs", "its nodes make PVH guests"};
  if (std::holds_alternative<ImageBoot>(s.program))
    return LibvirtFirst{"a disk image boots", "the image is made for Xen, too"};
  return std::nullopt;
}

// The kind that the job asks for or is bound to.
std::optional<HypervisorKind> bound_kind(const Submission& s) {
  if (!s.demand.hypervisor && (prefers_libvirt(s) || !needs_libvirt(s).empty()))
    return HypervisorKind::libvirt;
  return s.demand.hypervisor;
}

Result<void> check_kind(const Submission& s, const std::vector<Node>& nodes) {
  const std::string what = needs_libvirt(s);
  const auto kind = bound_kind(s);
  if (!kind) return {};
  if (*kind != HypervisorKind::libvirt && !what.empty())
    return wrong(what + " can be had on nodes of libvirt only; leave --hypervisor out");
  if (nodes.empty() || std::ranges::count(nodes, *kind, &Node::hypervisor) > 0) return {};
  const std::string only = "nodes of " + std::string(name(*kind)) + " only, and the cluster has none";
  if (!what.empty()) return refused(what + " can be had on " + only);
  if (s.demand.hypervisor) return refused("the job asks for " + only);
  const LibvirtFirst first = prefers_libvirt(s).value_or(LibvirtFirst{});
  return refused(first.what +
                 " on nodes of libvirt unless the job asks for others, and the cluster has none; give "
                 "--hypervisor xen if " +
                 first.on_xen_if);
}

}  // namespace

// A kernel or an image of the user's own is not known; it may be small.
Memory least_memory(const Program& program) {
  if (std::holds_alternative<LinuxCommand>(program)) return kLeastForLinux;
  return std::holds_alternative<HashChain>(program) ? kLeastForChain : kLeastMemory;
}

Result<void> check_fit(const Submission& s, const std::vector<Node>& nodes) {
  if (have_one_kind(nodes)) return check_fit_of_kind(s, nodes);
  Result<void> first;
  for (const HypervisorKind kind : kHypervisorKinds) {
    if (s.demand.hypervisor.value_or(kind) != kind) continue;
    std::vector<Node> own;
    std::ranges::copy_if(nodes, std::back_inserter(own),
                         [kind](const Node& node) { return node.hypervisor == kind; });
    if (own.empty()) continue;
    auto fits = check_fit_of_kind(s, own);
    if (fits) return fits;
    if (first)
      first = fail(fits.error().kind, fits.error().message + " (on nodes of " + std::string(name(kind)) +
                                          " alone: a job runs on nodes of one hypervisor kind)");
  }
  return first;
}

Result<void> check_fit_later(Submission later, const ClusterView& view, const Job& job) {
  later.demand.hypervisor = bound_kind(view, job);
  return check_fit(later, view.nodes);
}

Submission charged(Submission asked, const AdmissionRules& rules, std::uint32_t uid,
                   const std::vector<Node>& nodes) {
  asked.demand.memory = asked.guest_memory + rules.vm_overhead;
  if (asked.network)
    asked.demand.memory = std::max(asked.demand.memory, bandwidth_charge(asked.network->bandwidth, nodes));
  asked.demand.hypervisor = bound_kind(asked);
  if (!asked.checkpoint && asked.shares.empty() && rules.limits.checkpoint.raw > 0)
    asked.checkpoint = rules.limits.checkpoint;
  if (!asked.data.stage_out.empty() && asked.data.stage_out_max.raw == 0)
    asked.data.stage_out_max = rules.limits.max_stage_out;
  asked.uid = uid;
  return asked;
}

std::uint64_t empty_cluster_holds(const std::vector<Node>& nodes, const Demand& demand) {
  std::uint64_t sum = 0;
  for (const Node& node : nodes) sum += node_holds(node, demand);
  return sum;
}

Result<DeviceModels> device_models(const std::string& names, const std::vector<Node>& nodes,
                                   const std::vector<std::string>& known) {
  const auto read = read_models(names, known);
  if (!read) return wrong("gpu_model " + wire::in_quotes(names) + ": " + read.error().message);
  if (read->unknown.empty()) return read->models;
  return wrong("the cluster has no device " + wire::in_quotes(read->unknown) + "; it has " +
               device_inventory(nodes, known));
}

Result<void> admit(const Submit& asked, const std::vector<Node>& nodes, std::size_t jobs,
                   const AdmissionRules& rules, const std::vector<std::string>& models) {
  const Submission& s = asked.submission;
  if (auto demand = check_demand(s, rules); !demand) return demand;
  if (auto name = check_name("name", s.name); !name) return name;
  if (auto account = check_name("account", s.account); !account) return account;
  auto program = std::visit([&](const auto& p) { return check(p, asked, rules); }, s.program);
  if (!program) return program;
  if (auto data = check_data(asked, rules); !data) return data;
  if (auto shares = check_shares(s); !shares) return shares;
  if (auto kind = check_kind(s, nodes); !kind) return kind;
  if (auto network = check_network(s, nodes); !network) return network;
  const Submission full = charged(s, rules, s.uid, nodes);
  if (auto fit = check_fit(at_its_largest(full), nodes); !fit) return fit;
  if (auto fit = check_constraints(full.demand, nodes, models); !fit) return fit;
  if (jobs >= rules.limits.max_jobs)
    return refused("there are " + std::to_string(jobs) +
                   " jobs already (limits.max_jobs); wait for some to "
                   "end, or cancel some");
  return {};
}

}  // namespace aliquot
