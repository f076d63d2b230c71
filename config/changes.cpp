#include "config/changes.hpp"

#include <algorithm>

#include "config/field_table.hpp"

namespace aliquot {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

template <class Target>
void compare(const std::vector<Field<Target>>& fields, const std::string& path, const Target& before,
             const Target& after, std::vector<SettingChange>& changes) {
  for (const auto& field : fields) {
    const auto was = field.words(before);
    const auto is = field.words(after);
    if (was != is) changes.push_back({path + field.key, joined(was), joined(is), field.reload});
  }
}

const NodeSettings* find(const std::vector<NodeSettings>& nodes, const std::string& name) {
  const auto found = std::ranges::find(nodes, name, &NodeSettings::name);
  return found == nodes.end() ? nullptr : &*found;
}

}  // namespace

Settings reloaded(Settings in_force, const Settings& read) {
  for (const auto& field : settings_fields())
    if (field.reload == Reload::live) field.copy(in_force, read);
  return in_force;
}

std::vector<SettingChange> diff_settings(const Settings& before, const Settings& after) {
  std::vector<SettingChange> changes;
  compare(settings_fields(), "", before, after, changes);
  for (const NodeSettings& node : before.nodes) {
    const std::string path = "nodes[" + node.name + "]";
    const NodeSettings* now = find(after.nodes, node.name);
    if (now == nullptr) {
      changes.push_back({path, node.uri, "", Reload::live});
    } else {
      compare(node_fields(), path + ".", node, *now, changes);
    }
  }
  for (const NodeSettings& node : after.nodes) {
    if (find(before.nodes, node.name) != nullptr) continue;
    changes.push_back({"nodes[" + node.name + "]", "", node.uri, Reload::live});
  }
  return changes;
}

}  // namespace aliquot
