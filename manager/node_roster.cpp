#include "manager/node_roster.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "config/form.hpp"
#include "config/node_words.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/wire/message_text.hpp"
#include "manager/core/node_use.hpp"
#include "manager/hypervisor/device_stock.hpp"
#include "manager/recovery.hpp"
#include "policies/model/nearest.hpp"

namespace aliquot {
namespace {

bool names(const std::vector<NodeSettings>& nodes, const std::string& name) {
  return std::ranges::find(nodes, name, &NodeSettings::name) != nodes.end();
}

Error conflict(std::string text) { return {ErrorKind::conflict, std::move(text)}; }

Result<void> one_at_a_time(const StepInput& input) {
  if (!input.changes_nodes()) return {};
  return fail(ErrorKind::unavailable, "another change of the nodes is being made; ask again");
}

}  // namespace

NodeRoster::NodeRoster(Parts parts, NodeBook book)
    : parts_(std::move(parts)), book_(std::move(book)), configured_(parts_.settings.nodes) {
  parts_.settings.nodes = nodes_in_force(configured_, book_);
  renamed_at_start_ = renamed_nodes(parts_.settings.nodes, book_.known);
  for (const Node& node : parts_.scheduler.cluster().view().nodes) {
    NodeSettings known;
    known.name = node.name;
    const auto before = book_.known.find(node.name);
    // Without a VM of ours it has nothing to be connected for.
    if (before != book_.known.end() && has_vms(parts_.scheduler.cluster().state(), node.id))
      known = before->second.settings;
    nodes_.push_back(std::move(known));
  }
  renumber(renamed_at_start_);
}

void NodeRoster::use(NodeHypervisor& hypervisor) {
  hypervisor_ = &hypervisor;
  keep_book();
}

Configured NodeRoster::at_start() const {
  return configured_nodes(parts_.settings, parts_.scheduler.cluster(), renamed_at_start_);
}

std::string NodeRoster::source(const std::string& name) const {
  return is_in_force(name) ? source_of(book_, name) : std::string(kRemovedNode);
}

std::vector<std::string> NodeRoster::hosts() const {
  std::vector<std::string> hosts;
  for (const NodeSettings& node : nodes_) {
    const auto known = book_.known.find(node.name);
    hosts.push_back(known == book_.known.end() ? "" : known->second.host);
  }
  return hosts;
}

std::optional<NodeId> NodeRoster::find(const std::string& name) const {
  const auto at = std::ranges::find(nodes_, name, &NodeSettings::name);
  if (at == nodes_.end()) return std::nullopt;
  return NodeId{static_cast<std::uint32_t>(at - nodes_.begin())};
}

bool NodeRoster::is_in_force(const std::string& name) const { return names(parts_.settings.nodes, name); }

Error NodeRoster::not_in_force(const std::string& name) const {
  std::vector<std::string> known;
  for (const NodeSettings& node : parts_.settings.nodes) known.push_back(node.name);
  if (known.size() > 20) known.resize(20);
  return {ErrorKind::not_found, "there is no node " + wire::in_quotes(name) + did_you_mean(name, known) +
                                    "; known are " + wire::comma_list(known)};
}

// A renamed node takes its number and what is known of it with it. One that had that name before, and holds
// nothing, gets the other's.
void NodeRoster::renumber(const std::vector<NodeRenamed>& renamed) {
  for (const NodeRenamed& each : renamed) {
    const auto from = find(each.from), to = find(each.to);
    if (from) nodes_[from->raw].name = each.to;
    if (to) nodes_[to->raw].name = each.from;
    if (const auto known = book_.known.find(each.from); known != book_.known.end()) {
      book_.known[each.to] = std::move(known->second);
      book_.known.erase(each.from);
    }
  }
  for (const NodeSettings& node : parts_.settings.nodes) {
    const auto id = find(node.name);
    if (id)
      nodes_[id->raw] = node;
    else
      nodes_.push_back(node);
    book_.known[node.name].settings = node;
  }
  speeds_.clear();
  for (const NodeSettings& node : nodes_) speeds_.push_back(node.speed_ppm);
  power::PowerSettings& power = parts_.settings.power.policy;
  power.draws.clear();
  power.boots.clear();
  for (const NodeSettings& node : nodes_) {
    power.draws.push_back(draw_of(node, power.draw));
    power.boots.push_back(node.boot_time.value_or(power.boot));
  }
}

void NodeRoster::connect(NodeId id) {
  const NodeSettings& node = nodes_.at(id.raw);
  if (is_in_force(node.name)) hypervisor_->set_node(id, node, book_.known[node.name].host);
}

void NodeRoster::connect_all() {
  const std::vector<Node>& known = parts_.scheduler.cluster().view().nodes;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const NodeSettings& node = nodes_[i];
    const bool sleeps = i < known.size() && known[i].power == NodePower::off;
    if (!is_in_force(node.name) || sleeps) continue;
    connect({i});
    const bool leaves_some = node.cores == 0 || !node.memory || asks_libvirt(node.devices);
    if (leaves_some) parts_.ask({i});
  }
}

void NodeRoster::keep_book() { parts_.store.keep_nodes(encode_book(book_)); }

void NodeRoster::apply(std::vector<NodeSettings> in_force, const std::vector<NodeRenamed>& renamed) {
  parts_.settings.nodes = std::move(in_force);
  renumber(renamed);
  parts_.input.events.emplace_back(
      configured_nodes(parts_.settings, parts_.scheduler.cluster(), renamed, true));
  connect_all();
  keep_book();
}

std::vector<NodeSettings> NodeRoster::in_force_with(const std::vector<NodeSettings>& configured) const {
  NodeBook book = book_;
  return nodes_in_force(configured, book);
}

void NodeRoster::reload(const std::vector<NodeSettings>& configured) {
  configured_ = configured;
  auto in_force = nodes_in_force(configured_, book_);
  const auto renamed = renamed_nodes(in_force, book_.known);
  if (std::ranges::equal(in_force, parts_.settings.nodes, {}, words_of, words_of)) return keep_book();
  apply(std::move(in_force), renamed);
}

Result<void> NodeRoster::add(const NodeSettings& node, std::uint32_t by, bool dry_run) {
  if (is_in_force(node.name))
    return tl::unexpected(
        conflict("there is a node " + node.name + " already: see `aliquot node show " + node.name + "`"));
  const auto same = std::ranges::find(parts_.settings.nodes, node.uri, &NodeSettings::uri);
  if (same != parts_.settings.nodes.end())
    return tl::unexpected(
        conflict("its uri is that of node " + same->name + " already: name each machine once"));
  const auto file = std::ranges::find(configured_, node.name, &NodeSettings::name);
  if (file != configured_.end() && file->uri != node.uri)
    return tl::unexpected(conflict("the configuration has a node " + node.name + " with the uri " +
                                   file->uri + ": give that one, or correct the configuration"));
  if (auto free = one_at_a_time(parts_.input); !free || dry_run) return free;
  std::erase_if(book_.removed, [&](const NodeRemoved& each) { return each.name == node.name; });
  if (file == configured_.end()) book_.added.push_back({node, by});
  apply(nodes_in_force(configured_, book_), {});
  return {};
}

Result<void> NodeRoster::remove(const std::string& name, std::uint32_t by, bool dry_run) {
  if (!is_in_force(name)) return tl::unexpected(not_in_force(name));
  if (parts_.settings.nodes.size() == 1)
    return tl::unexpected(conflict("node " + name + " is the only one: add another first"));
  if (auto free = one_at_a_time(parts_.input); !free || dry_run) return free;
  const auto added =
      std::erase_if(book_.added, [&](const NodeAdded& each) { return each.node.name == name; });
  if (added == 0) {
    std::string configured = name;
    if (const auto called = std::ranges::find(book_.called, name, &NodeCalled::to);
        called != book_.called.end()) {
      configured = called->from;
      book_.called.erase(called);
    }
    book_.removed.push_back({configured, by});
  }
  apply(nodes_in_force(configured_, book_), {});
  return {};
}

Result<void> NodeRoster::rename(const std::string& from, const std::string& to, std::uint32_t by,
                                bool dry_run) {
  if (!is_in_force(from)) return tl::unexpected(not_in_force(from));
  if (const auto name = simple_name().parse(to); !name) return tl::unexpected<Error>(name.error());
  const auto called = std::ranges::find(book_.called, from, &NodeCalled::to);
  const bool back = called != book_.called.end() && called->from == to;
  if (is_in_force(to) || (names(configured_, to) && !back))
    return tl::unexpected(conflict("there is a node " + to + " already: remove it first"));
  if (auto free = one_at_a_time(parts_.input); !free || dry_run) return free;
  const auto added =
      std::ranges::find_if(book_.added, [&](const NodeAdded& each) { return each.node.name == from; });
  if (added != book_.added.end())
    added->node.name = to;
  else if (back)
    book_.called.erase(called);
  else if (called != book_.called.end())
    called->to = to;
  else
    book_.called.push_back({from, to, by});
  apply(nodes_in_force(configured_, book_), {{from, to}});
  return {};
}

Result<void> NodeRoster::accept_host(const std::string& name, bool dry_run) {
  if (!is_in_force(name)) return tl::unexpected(not_in_force(name));
  const NodeId id = *find(name);
  if (has_vms(parts_.scheduler.cluster().state(), id))
    return tl::unexpected(conflict(
        "VMs of jobs are on the old host of node " + name +
        ", or may be: make sure that it is off and say `aliquot node confirm-down " + name + "` first"));
  if (dry_run) return {};
  book_.known[name].host.clear();
  hypervisor_->set_node(id, nodes_[id.raw], "");
  keep_book();
  return {};
}

void NodeRoster::changed(NodeChanged event) { parts_.input.add(std::move(event)); }

void NodeRoster::learned(NodeId node, const std::string& host) {
  book_.known[nodes_.at(node.raw).name].host = host;
  keep_book();
}

void NodeRoster::same_host(NodeId node, NodeId same) {
  const std::string to = nodes_.at(node.raw).name, from = nodes_.at(same.raw).name;
  if (!is_in_force(to) || is_in_force(from) || parts_.input.changes_nodes()) return;
  hypervisor_->remove_node(node);
  nodes_[node.raw].uri.clear();
  apply(parts_.settings.nodes, {{from, to}});
}

void NodeRoster::sweep() {
  const CoreState& state = parts_.scheduler.cluster().state();
  std::set<std::string_view> in_force;
  for (const NodeSettings& node : parts_.settings.nodes) in_force.insert(node.name);
  for (const Node& node : state.view.nodes) {
    if (in_force.contains(node.name) || nodes_[node.id.raw].uri.empty() || has_vms(state, node.id))
      continue;
    if (parts_.input.changes_nodes()) return;  // the core does not know yet that a node is removed
    hypervisor_->remove_node(node.id);
    changed({node.id, NodeState::suspect, "node " + node.name + " was removed, and nothing is left there"});
    nodes_[node.id.raw].uri.clear();
    book_.known.erase(node.name);
    keep_book();
  }
}

}  // namespace aliquot
