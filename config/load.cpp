#include "config/load.hpp"

#include <algorithm>

#include "config/consistency.hpp"
#include "config/field_table.hpp"
#include "config/section_reader.hpp"

namespace aliquot {
namespace {

constexpr const char* kNodesExample = "write for example nodes: [{name: n1, uri: \"qemu:///system\"}]";

NodeSettings read_node(const YamlNode& value, const std::string& path, Reading& reading) {
  NodeSettings node;
  if (value.kind != YamlNode::Kind::map) {
    reading.fault(value.place, path, shape_words(value) + "; write a node as keys: name, uri, ...");
    return node;
  }
  read_fields(value, node_fields(), "", path + ".", node, reading, {});
  for (const auto& field : node_fields()) {
    const bool written =
        std::ranges::find(value.entries, field.key, &YamlEntry::key) != value.entries.end();
    if (!field.required || written) continue;
    reading.fault(value.place, path + "." + field.key, "the key is missing; write " + field.expects);
  }
  return node;
}

void read_nodes(const YamlEntry& entry, Settings& settings, Reading& reading) {
  const YamlNode& list = entry.value;
  reading.places["nodes"] = entry.place;
  if (list.kind != YamlNode::Kind::list) {
    reading.fault(entry.place, "nodes", shape_words(list) + "; " + kNodesExample);
  } else if (list.items.empty()) {
    reading.fault(entry.place, "nodes", std::string("the list is empty; ") + kNodesExample);
  } else if (list.items.size() > kMaxNodes) {
    reading.fault(entry.place, "nodes",
                  "there are " + std::to_string(list.items.size()) + " nodes; at most " +
                      std::to_string(kMaxNodes) + " can be run, split the cluster");
  } else {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      settings.nodes.push_back(read_node(list.items[i], "nodes[" + std::to_string(i) + "]", reading));
    }
  }
}

Settings read_tree(const YamlNode& root, Reading& reading) {
  Settings settings;
  if (root.kind == YamlNode::Kind::nothing) {
    reading.fault({1, 1}, "",
                  std::string("the file says nothing; it must name the nodes; ") + kNodesExample);
    return settings;
  }
  if (root.kind != YamlNode::Kind::map) {
    reading.fault(root.place, "",
                  shape_words(root) + "; a configuration is made of keys, for example cluster: lab");
    return settings;
  }
  bool has_nodes = false;
  const OtherKey nodes{"nodes", [&](const YamlEntry& entry) {
                         has_nodes = true;
                         read_nodes(entry, settings, reading);
                       }};
  read_fields(root, settings_fields(), "", "", settings, reading, nodes);
  if (!has_nodes) reading.fault({1, 1}, "nodes", std::string("the key is missing; ") + kNodesExample);
  return settings;
}

LoadResult settings_of(Layers layers, const SpecCheck& check) {
  Reading reading{std::move(layers.names), {}, {}};
  LoadedSettings loaded;
  loaded.settings = read_tree(merged(std::move(layers.trees)), reading);
  check_consistency(loaded.settings, check, reading);
  if (!reading.faults.empty()) {
    std::ranges::stable_sort(reading.faults, {}, &Fault::place);
    return tl::unexpected(std::move(reading.faults));
  }
  for (const auto& [key, place] : reading.places) {
    loaded.origins[key] = reading.files.at(static_cast<std::size_t>(place.source));
    if (place.line > 0) loaded.origins[key] += ":" + std::to_string(place.line);
  }
  return loaded;
}

}  // namespace

LoadResult read_settings(std::string_view text, const std::string& file, const SpecCheck& check,
                         const Environment& environment) {
  auto root = parse_yaml(text, file);
  if (!root) return tl::unexpected(Faults{root.error()});
  Layers layers{{file}, {std::move(*root)}};
  Faults faults;
  add_environment(environment, layers, faults);
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return settings_of(std::move(layers), check);
}

LoadResult load_settings(const std::string& path, const SpecCheck& check, const Environment& environment) {
  auto layers = read_layers(path, environment);
  if (!layers) return tl::unexpected(std::move(layers.error()));
  return settings_of(std::move(*layers), check);
}

}  // namespace aliquot
