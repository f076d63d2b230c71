#include "manager/api/answers/network_admission.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "config/quantities.hpp"
#include "manager/api/answers/size_check.hpp"
#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {
namespace {

tl::unexpected<Error> wrong(std::string text) { return fail(ErrorKind::invalid_argument, std::move(text)); }
tl::unexpected<Error> refused(std::string text) { return fail(ErrorKind::refused, std::move(text)); }

constexpr Int128 kTooMuch = Int128{1} << 60;  // bytes: no node has them

// The nodes on which bandwidth is counted.
std::vector<Node> counting_bandwidth(const std::vector<Node>& nodes) {
  std::vector<Node> counting;
  std::ranges::copy_if(nodes, std::back_inserter(counting), [](const Node& node) {
    return node.hypervisor == HypervisorKind::libvirt && node.service != NodeService::removed &&
           node.bandwidth.raw > 0;
  });
  return counting;
}

// Refuses what no node has, and what is charged more memory than any node has.
Result<void> check_bandwidth(const Submission& s, const std::vector<Node>& nodes) {
  const Bandwidth asked = s.network ? s.network->bandwidth : Bandwidth{};
  const std::vector<Node> counting = counting_bandwidth(nodes);
  if (asked.raw == 0 || counting.empty()) return {};
  if (s.demand.devices.any())
    return wrong("tasks with devices may share a VM, and its bandwidth; leave --net out, or the devices");
  const std::string task = "a task asks for a bandwidth of " + print_bandwidth(asked);
  const auto [least, most] = std::ranges::minmax_element(counting, {}, &Node::bandwidth);
  const bool all_count = std::ranges::none_of(nodes, [](const Node& node) {
    return node.hypervisor == HypervisorKind::libvirt && node.service != NodeService::removed &&
           node.bandwidth.raw == 0;
  });
  if (all_count && asked > most->bandwidth)
    return refused(task + "; the node with the most, " + most->name + ", has " +
                   print_bandwidth(most->bandwidth) + ": lower --net");
  const Memory charge = bandwidth_charge(asked, nodes);
  const auto largest = std::ranges::max_element(nodes, {}, &Node::memory);
  if (charge <= largest->memory) return {};
  return refused(task + ", and is charged " + print_memory(charge) +
                 " of memory for it, because the node " + least->name + " has " +
                 print_bandwidth(least->bandwidth) + "; the largest node, " + largest->name + ", gives " +
                 print_memory(largest->memory) + ": lower --net");
}

// VMs on different nodes reach each other only where each node knows the addresses of the others.
Result<void> check_addresses(const Submission& s, const std::vector<Node>& nodes) {
  if (!s.network || s.network->is_site()) return {};
  std::vector<std::string> unknown;
  std::size_t hosts = 0;
  for (const Node& node : nodes) {
    if (node.hypervisor != HypervisorKind::libvirt || node.service == NodeService::removed) continue;
    ++hosts;
    if (node.address.empty()) unknown.push_back(node.name);
  }
  if (hosts < 2 || unknown.empty()) return {};
  return refused("the job asks for a network, and the configuration gives no `address` for the node " +
                 unknown.front() +
                 (unknown.size() > 1 ? " and " + std::to_string(unknown.size() - 1) + " more" : "") +
                 "; an operator adds it, or give --network none");
}

Result<JobNetwork> site_network(const NetworkSettings& site, bool can_use) {
  if (site.site.empty())
    return refused(
        "this site has no network for jobs (network.site in the configuration); give --network job or "
        "none, or ask an operator");
  if (!can_use) return wrong("a hash chain cannot use a network; leave --network out");
  JobNetwork given;
  given.site_bridge = site.site;
  return given;
}

Result<std::optional<JobNetwork>> network_without_limit(const Submit& asked, const NetworkSettings& site) {
  const Submission& s = asked.submission;
  const bool can_use = !std::holds_alternative<HashChain>(s.program);
  if (asked.network == "none") return std::nullopt;
  if (asked.network == "site") return site_network(site, can_use);
  if (asked.network.empty() && (site.jobs != "parallel" || at_its_largest(s).demand.tasks < 2 || !can_use))
    return std::nullopt;
  if (site.jobs == "off")
    return refused(
        "jobs have no networks here (network.jobs is off in the configuration); leave --network "
        "out, or ask an operator");
  if (!can_use) return wrong("a hash chain cannot use a network; leave --network out");
  const std::uint64_t tasks = numbers_of_profile(s);
  if (tasks > hosts_of(site.addresses))
    return fail(ErrorKind::too_large, "the job has " + std::to_string(tasks) + " tasks, and " +
                                          print_ipv4(site.addresses) + " has addresses for " +
                                          std::to_string(hosts_of(site.addresses)) +
                                          " (network.addresses); give --network none, or fewer tasks");
  return JobNetwork{site.addresses, site.mtu};
}

}  // namespace

Memory bandwidth_charge(Bandwidth asked, const std::vector<Node>& nodes) {
  Memory charge;
  for (const Node& node : counting_bandwidth(nodes)) {
    // Rounded up, so that tasks that fit by memory fit by bandwidth.
    const Int128 product = static_cast<Int128>(node.memory.raw) * asked.raw;
    const Int128 part = (product + node.bandwidth.raw - 1) / node.bandwidth.raw;
    charge = std::max(charge, Memory{static_cast<std::int64_t>(std::min(part, kTooMuch))});
  }
  return charge;
}

Result<std::optional<JobNetwork>> network_to_give(const Submit& asked, const NetworkSettings& site) {
  auto given = network_without_limit(asked, site);
  if (!given) return given;
  if (*given)
    (*given)->bandwidth = asked.bandwidth;
  else if (asked.bandwidth.raw > 0)
    return wrong("--net goes with a network, and the job has none; give --network job or site");
  return given;
}

Result<void> check_network(const Submission& job, const std::vector<Node>& nodes) {
  if (auto addresses = check_addresses(job, nodes); !addresses) return addresses;
  return check_bandwidth(job, nodes);
}

}  // namespace aliquot
