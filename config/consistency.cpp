#include "config/consistency.hpp"

#include "config/nfs_shares.hpp"
#include "policies/model/nearest.hpp"

namespace aliquot {
namespace {

Place place_of(const Reading& reading, const std::string& key) {
  const auto found = reading.places.find(key);
  return found == reading.places.end() ? Place{} : found->second;
}

bool refused(const Reading& reading, const std::string& key) {
  return std::ranges::find(reading.faults, key, &Fault::key) != reading.faults.end();
}

// Two nodes must not share the value of `key`: the second one is blamed.
void check_unique(const Settings& settings, const char* key,
                  const std::string& (*value)(const NodeSettings&), const char* remedy, Reading& reading) {
  std::map<std::string, std::size_t> first;
  for (std::size_t i = 0; i < settings.nodes.size(); ++i) {
    const std::string path = "nodes[" + std::to_string(i) + "]." + key;
    const std::string& text = value(settings.nodes[i]);
    if (text.empty() || refused(reading, path)) continue;
    const auto [other, is_new] = first.emplace(text, i);
    if (is_new) continue;
    const std::string earlier = "nodes[" + std::to_string(other->second) + "]." + key;
    const Place before = place_of(reading, earlier);
    const bool here = before.source == place_of(reading, path).source;
    reading.fault(place_of(reading, path), path,
                  quote(text) + " is what " +
                      (here ? "" : reading.files[static_cast<std::size_t>(before.source)] + " in ") +
                      "line " + std::to_string(before.line) + " says already (" + earlier + "); " + remedy);
  }
}

void check_memory(const Settings& settings, Reading& reading) {
  for (std::size_t i = 0; i < settings.nodes.size(); ++i) {
    const NodeSettings& node = settings.nodes[i];
    const std::string path = "nodes[" + std::to_string(i) + "]";
    if (!node.memory || node.reserve < *node.memory) continue;
    if (refused(reading, path + ".memory") || refused(reading, path + ".reserve")) continue;
    reading.fault(place_of(reading, path + ".memory"), path + ".memory",
                  "nothing is left of " + print_memory(*node.memory) + " after the host's reserve of " +
                      print_memory(node.reserve) + "; write a larger memory or a smaller reserve");
  }
}

void check_agents(const Settings& settings, Reading& reading) {
  for (std::size_t i = 0; i < settings.nodes.size(); ++i) {
    const NodeSettings& node = settings.nodes[i];
    const bool has_agent = !agent_address(node).empty();
    const std::string path = "nodes[" + std::to_string(i) + "]";
    if (node.hypervisor == HypervisorKind::xen && !has_agent && !refused(reading, path + ".uri"))
      reading.fault(place_of(reading, path + ".uri"), path + ".uri",
                    "a Xen node is reached through its agent: write agent://HOST:PORT, and agent_key");
    if (node.local_saves && !has_agent && !refused(reading, path + ".local_saves"))
      reading.fault(place_of(reading, path + ".local_saves"), path + ".local_saves",
                    "only an agent can save to a disk of its node: write agent://HOST:PORT as uri, and "
                    "agent_key; or remove it");
    if (node.local_saves && node.hypervisor == HypervisorKind::xen && has_agent &&
        !refused(reading, path + ".local_saves"))
      reading.fault(place_of(reading, path + ".local_saves"), path + ".local_saves",
                    "the agent of a Xen node saves to the spool alone; remove it");
    if (node.hypervisor == HypervisorKind::xen && !node.migrate_uri.empty() &&
        !refused(reading, path + ".migrate_uri"))
      reading.fault(place_of(reading, path + ".migrate_uri"), path + ".migrate_uri",
                    "it is for nodes of libvirt: the VMs of Xen nodes move by way of the spool; remove it");
    if (has_agent == !node.agent_key.empty()) continue;
    if (refused(reading, path + ".agent_key") || refused(reading, path + ".uri")) continue;
    const std::string key = path + (has_agent ? ".uri" : ".agent_key");
    reading.fault(place_of(reading, key), key,
                  has_agent
                      ? "an agent is known by its key: add agent_key, as `aliquot-node keys` has printed it"
                      : "it is for nodes with an agent; remove it, or write the agent's address as uri");
  }
}

// VMs do not move between a node with an agent and one without.
void check_agents_of_all(const Settings& settings, Reading& reading) {
  const auto is_libvirt = [](const NodeSettings& node) {
    return node.hypervisor == HypervisorKind::libvirt;
  };
  const auto first = std::ranges::find_if(settings.nodes, is_libvirt);
  for (auto node = first; node != settings.nodes.end(); ++node) {
    const std::string path = "nodes[" + std::to_string(node - settings.nodes.begin()) + "].uri";
    const bool has_agent = !agent_address(*node).empty();
    if (!is_libvirt(*node) || has_agent == !agent_address(*first).empty() || refused(reading, path))
      continue;
    reading.fault(place_of(reading, path), path,
                  std::string("this node is reached ") + (has_agent ? "through" : "without") +
                      " an agent, and " + first->name + (has_agent ? " without" : " through") +
                      " one: VMs do not move between them; reach all nodes of libvirt in the same way");
  }
}

void check_cores(const Settings& settings, Reading& reading) {
  for (std::size_t i = 0; i < settings.nodes.size(); ++i) {
    const NodeSettings& node = settings.nodes[i];
    const std::string path = "nodes[" + std::to_string(i) + "]";
    if (node.cores == 0 || node.reserve_cores < cores(node.cores)) continue;
    if (refused(reading, path + ".cores") || refused(reading, path + ".reserve_cores")) continue;
    reading.fault(place_of(reading, path + ".reserve_cores"), path + ".reserve_cores",
                  "nothing is left of the " + std::to_string(node.cores) +
                      " to share out after the host's reserve of " + print_cores(node.reserve_cores) +
                      "; write more cores or a smaller reserve");
  }
}

void check_devices(const Settings& settings, Reading& reading) {
  for (std::size_t i = 0; i < settings.nodes.size(); ++i) {
    const std::string key = "nodes[" + std::to_string(i) + "].devices";
    const std::string fault = fault_of(settings.nodes[i].devices);
    if (!fault.empty() && !refused(reading, key)) reading.fault(place_of(reading, key), key, fault);
  }
}

void check_device_names(const Settings& settings, Reading& reading) {
  const std::string fault = fault_of(settings.device_models);
  if (!fault.empty() && !refused(reading, "device_models"))
    reading.fault(place_of(reading, "device_models"), "device_models", fault);
}

void check_accounts(const Settings& settings, Reading& reading) {
  const std::string fault = fault_of(settings.api.accounts);
  if (!fault.empty() && !refused(reading, "api.accounts"))
    reading.fault(place_of(reading, "api.accounts"), "api.accounts", fault);
}

void check_account_tree(const Settings& settings, Reading& reading) {
  const std::string fault = fault_of(settings.accounts);
  if (!fault.empty() && !refused(reading, "accounts"))
    reading.fault(place_of(reading, "accounts"), "accounts", fault);
}

void check_shares(const Settings& settings, Reading& reading) {
  const std::string fault = fault_of(settings.shares);
  if (!fault.empty() && !refused(reading, "shares"))
    reading.fault(place_of(reading, "shares"), "shares", fault);
}

// A node that cannot be woken must not go to sleep.
void check_power(const Settings& settings, Reading& reading) {
  const NodePowerSettings& power = settings.power;
  const bool sleeps = power.policy.rule != power::PowerRule::always_on;
  const auto refuse = [&](const char* key, const std::string& why) {
    if (!refused(reading, key)) reading.fault(place_of(reading, key), key, why);
  };
  if (sleeps && power.on_command.empty() && !refused(reading, "power.on_command"))
    refuse("power.rule", "no node that sleeps could be woken: write power.on_command, or rule: always-on");
  if (sleeps && power.off_command.empty() && power.policy.switch_off < seconds(15))
    refuse("power.off_time",
           "libvirt takes at least 10s to suspend a node: write 15s or more, or power.off_command");
  if (power.boot_limit < power.policy.boot)
    refuse("power.boot_limit", "a node may take " + print_duration(power.policy.boot) +
                                   " (power.boot_time) to boot; make boot_limit the longer one");
}

void check_boots(const Settings& settings, Reading& reading) {
  for (std::size_t i = 0; i < settings.nodes.size(); ++i) {
    const std::string key = "nodes[" + std::to_string(i) + "].boot_time";
    const Duration boot = settings.nodes[i].boot_time.value_or(Duration{});
    if (boot <= settings.power.boot_limit || refused(reading, key)) continue;
    reading.fault(place_of(reading, key), key,
                  "the node would be down before it has booted (power.boot_limit is " +
                      print_duration(settings.power.boot_limit) + "); make boot_limit the longer one");
  }
}

// `path` of the settings that say what a node draws, with the dot behind it.
void check_draw(const power::NodeDraw& draw, const std::string& path, Reading& reading) {
  const bool said = reading.places.contains(path + "full_watts");
  const std::string key = path + (said ? "full_watts" : "idle_watts");
  if (draw.full >= draw.idle || refused(reading, key)) return;
  reading.fault(place_of(reading, key), key,
                "a node would draw less at full utilisation (" + std::to_string(draw.full.raw / 1000) +
                    " W) than when it is idle (" + std::to_string(draw.idle.raw / 1000) +
                    " W); make full_watts the larger one");
}

void check_watts(const Settings& settings, Reading& reading) {
  check_draw(settings.power.policy.draw, "power.", reading);
  for (std::size_t i = 0; i < settings.nodes.size(); ++i) {
    const NodeSettings& node = settings.nodes[i];
    if (node.idle_watts || node.full_watts)
      check_draw(draw_of(node, settings.power.policy.draw), "nodes[" + std::to_string(i) + "].", reading);
  }
}

void check_ha(const Settings& settings, Reading& reading) {
  const HaSettings& ha = settings.ha;
  const auto blame = [&](const std::string& key, const std::string& what) {
    if (!refused(reading, key)) reading.fault(place_of(reading, key), key, what);
  };
  if (ha.cert.empty() != ha.key.empty())
    blame(ha.cert.empty() ? "ha.key" : "ha.cert",
          "a certificate and its key belong together; write both ha.cert and ha.key");
  if (ha.endpoints.empty()) return;
  if (ha.name.empty())
    blame("ha.endpoints", "the managers need names; write ha.name, of each manager another");
  if (ha.lease_ttl.raw % seconds(1).raw != 0) blame("ha.lease_ttl", "etcd counts whole seconds; write 3s");
  for (const std::string& url : ha.endpoints) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
      blame("ha.endpoints", quote(url) + " is no member of etcd; write https://etcd1.example.org:2379");
  }
}

// A name that was refused may be the very one that is meant.
void check_reference(const Settings& settings, Reading& reading) {
  const std::string& name = settings.reference_node;
  if (name.empty() || refused(reading, "reference_node") || refused(reading, "nodes")) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < settings.nodes.size(); ++i) {
    if (refused(reading, "nodes[" + std::to_string(i) + "].name")) return;
    names.push_back(settings.nodes[i].name);
  }
  if (std::ranges::find(names, name) != names.end()) return;
  const auto near = nearest(name, names);
  reading.fault(place_of(reading, "reference_node"), "reference_node",
                "there is no node " + quote(name) + (near ? " (did you mean " + *near + "?)" : "") +
                    "; write the name of one below nodes, or leave it out for the first");
}

}  // namespace

void check_consistency(const Settings& settings, const SpecCheck& check, Reading& reading) {
  if (settings.api.socket == settings.api.events) {
    const char* key = reading.places.contains("api.events") ? "api.events" : "api.socket";
    reading.fault(place_of(reading, key), key,
                  "requests and events cannot share the socket " + quote(settings.api.socket) +
                      "; write two different paths");
  }
  if (settings.hypervisor.long_deadline < settings.hypervisor.fast_deadline) {
    const bool is_long = reading.places.contains("hypervisor.long_deadline");
    const char* key = is_long ? "hypervisor.long_deadline" : "hypervisor.fast_deadline";
    reading.fault(place_of(reading, key), key,
                  "long actions would have less time (" +
                      print_duration(settings.hypervisor.long_deadline) + ") than fast ones (" +
                      print_duration(settings.hypervisor.fast_deadline) +
                      "); make long_deadline the longer one");
  }
  if (check && !refused(reading, "policy.spec")) {
    if (const auto known = check(settings.policy.spec); !known) {
      reading.fault(place_of(reading, "policy.spec"), "policy.spec", known.error().message);
    }
  }
  check_unique(
      settings, "name", [](const NodeSettings& n) -> const std::string& { return n.name; },
      "give each node a name of its own", reading);
  check_unique(
      settings, "uri", [](const NodeSettings& n) -> const std::string& { return n.uri; },
      "two nodes on one libvirt would be given out twice: name each machine once", reading);
  check_agents(settings, reading);
  check_agents_of_all(settings, reading);
  check_memory(settings, reading);
  check_cores(settings, reading);
  check_devices(settings, reading);
  check_device_names(settings, reading);
  check_account_tree(settings, reading);
  check_accounts(settings, reading);
  check_shares(settings, reading);
  check_power(settings, reading);
  check_watts(settings, reading);
  check_boots(settings, reading);
  check_reference(settings, reading);
  check_ha(settings, reading);
}

}  // namespace aliquot
