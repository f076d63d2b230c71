#include "tools/sim/cluster_file.hpp"

#include <set>

#include "config/file_text.hpp"
#include "config/section_reader.hpp"
#include "tools/sim/workload/limits.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr const char* kExample = "write for example nodes: [{name: n, count: 16, cores: 8, memory: 32GiB}]";

#define ALIQUOT_AT(member) \
  [](auto& target) -> auto& { return target.member; }

const std::vector<Field<NodeKind>>& kind_fields() {
  static const auto rows = [] {
    std::vector<Field<NodeKind>> made;
    const auto add = [&](auto row, bool required) {
      row.required = required;
      made.push_back(std::move(row));
    };
    const auto count = [](std::uint64_t most) {
      return narrowed<std::uint32_t>(count_between(1, static_cast<std::int64_t>(most)));
    };
    using Kind = NodeKind;
    add(field<Kind, std::string>("name", ALIQUOT_AT(name), simple_name(), "What its nodes are called."),
        true);
    add(field<Kind, std::uint32_t>("count", ALIQUOT_AT(count), count(kMostNodes), "How many."), false);
    add(field<Kind, std::uint32_t>("cores", ALIQUOT_AT(cores), count(kMostCores), "Of each."), true);
    add(field<Kind, std::int64_t>("speed", ALIQUOT_AT(speed_ppm), ratio_between(1'000, 1'000 * kMillion),
                                  "Of a core, against the reference core."),
        false);
    add(field<Kind, Memory>("memory", ALIQUOT_AT(memory),
                            memory_between(Memory{1}, mebibytes(std::int64_t{1} << 30)), "Of each."),
        true);
    add(field<Kind, HypervisorKind>("hypervisor", ALIQUOT_AT(hypervisor), hypervisor_kind(),
                                    "What runs their VMs: jobs do not move between kinds."),
        false);
    add(field<Kind, bool>("local_saves", ALIQUOT_AT(local_saves), on_off(),
                          "Whether a VM that was saved on such a node can be restored only there."),
        false);
    made.push_back(list_field<Kind, DeviceWord>("devices", ALIQUOT_AT(devices), device_word(),
                                                "GPUs and the like, of each."));
    return made;
  }();
  return rows;
}

struct ClusterText {
  std::string reference;
};

const std::vector<Field<ClusterText>>& cluster_fields() {
  static const std::vector<Field<ClusterText>> rows{field<ClusterText, std::string>(
      "reference", ALIQUOT_AT(reference), simple_name(), "The kind whose fractions a workload speaks of.")};
  return rows;
}

#undef ALIQUOT_AT

// Device words are taken as written: the simulator has no hardware to ask.
std::string simulate_devices(std::vector<DeviceWord>& words) {
  for (DeviceWord& word : words) {
    if (word.model == kFromLibvirt)
      return "there is no libvirt in a simulation; write the devices that `aliquot node probe` shows";
    word.mdev.clear();
  }
  return fault_of(words);
}

NodeKind read_kind(const YamlNode& value, const std::string& path, Reading& reading) {
  NodeKind kind;
  if (value.kind != YamlNode::Kind::map) {
    reading.fault(value.place, path, shape_words(value) + "; write keys: name, count, cores, memory");
    return kind;
  }
  read_fields(value, kind_fields(), "", path + ".", kind, reading, {});
  for (const auto& field : kind_fields()) {
    const bool written =
        std::ranges::find(value.entries, field.key, &YamlEntry::key) != value.entries.end();
    if (!field.required || written) continue;
    reading.fault(value.place, path + "." + field.key, "the key is missing; write " + field.expects);
  }
  if (const std::string fault = simulate_devices(kind.devices); !fault.empty())
    reading.fault(value.place, path + ".devices", fault);
  return kind;
}

void read_kinds(const YamlEntry& entry, ClusterShape& shape, Reading& reading) {
  if (entry.value.kind != YamlNode::Kind::list || entry.value.items.empty()) {
    const bool empty = entry.value.kind == YamlNode::Kind::list;
    reading.fault(entry.place, "nodes",
                  (empty ? "the list is empty" : shape_words(entry.value)) + "; " + kExample);
    return;
  }
  std::uint64_t nodes = 0;
  for (const YamlNode& item : entry.value.items) {
    const std::string path = "nodes[" + std::to_string(shape.kinds.size()) + "]";
    shape.kinds.push_back(read_kind(item, path, reading));
    nodes += shape.kinds.back().count;
  }
  if (nodes > kMostNodes) {
    reading.fault(entry.place, "nodes",
                  std::to_string(nodes) + " nodes in all; at most " + std::to_string(kMostNodes) +
                      " can be simulated");
  } else {
    shape.nodes = static_cast<std::uint32_t>(nodes);
  }
}

void check_names(const ClusterShape& shape, Reading& reading) {
  std::set<std::string> names;
  for (const Node& node : shape.make_nodes()) {
    if (names.insert(node.name).second) continue;
    reading.fault({1, 1}, "nodes", "two nodes would be called " + node.name + "; name the kinds apart");
    return;
  }
}

void find_reference(const std::string& name, ClusterShape& shape, Reading& reading) {
  const auto kind =
      name.empty() ? shape.kinds.begin() : std::ranges::find(shape.kinds, name, &NodeKind::name);
  if (kind == shape.kinds.end()) {
    reading.fault(reading.places["reference"], "reference",
                  "no kind of nodes is called " + name + "; write the name of one of them");
    return;
  }
  shape.reference = static_cast<std::size_t>(kind - shape.kinds.begin());
  shape.cores_per_node = kind->cores;
  shape.node_memory = kind->memory;
}

}  // namespace

Result<ClusterShape> parse_cluster(std::string_view text, const std::string& file) {
  const auto root = parse_yaml(text, file);
  if (!root) return tl::unexpected(as_error({root.error()}));
  Reading reading{{file}, {}, {}};
  ClusterShape shape;
  ClusterText top;
  if (root->kind != YamlNode::Kind::map) {
    reading.fault({1, 1}, "", std::string("the file does not name the nodes; ") + kExample);
    return tl::unexpected(as_error(reading.faults));
  }
  bool has_nodes = false;
  const OtherKey nodes{"nodes", [&](const YamlEntry& entry) {
                         has_nodes = true;
                         read_kinds(entry, shape, reading);
                       }};
  read_fields(*root, cluster_fields(), "", "", top, reading, nodes);
  if (!has_nodes) reading.fault({1, 1}, "nodes", std::string("the key is missing; ") + kExample);
  if (reading.faults.empty()) find_reference(top.reference, shape, reading);
  if (reading.faults.empty()) check_names(shape, reading);
  if (reading.faults.empty()) return shape;
  std::ranges::stable_sort(reading.faults, {}, &Fault::place);
  return tl::unexpected(as_error(reading.faults));
}

Result<ClusterShape> read_cluster(const std::string& path) {
  const auto text = read_file_text(path, kMostBytes);
  if (!text) return tl::unexpected(as_error({text.error()}));
  return parse_cluster(*text, path);
}

}  // namespace aliquot
