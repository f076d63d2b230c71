#include "config/layers.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "config/field_table.hpp"
#include "config/file_text.hpp"
#include "config/load.hpp"

namespace aliquot {
namespace {

namespace fs = std::filesystem;
using Kind = YamlNode::Kind;

constexpr std::string_view kPrefix = "ALIQUOT__";

void stamp(YamlNode& node, int source) {
  node.place.source = source;
  for (YamlNode& item : node.items) stamp(item, source);
  for (YamlEntry& entry : node.entries) {
    entry.place.source = source;
    stamp(entry.value, source);
  }
}

// The files of conf.d; an empty list where there is no such directory.
tl::expected<std::vector<std::string>, Fault> drop_ins(const std::string& path) {
  const fs::path directory = fs::path(path).parent_path() / "conf.d";
  std::vector<std::string> files;
  std::error_code failure;
  fs::directory_iterator at(directory, failure);
  if (failure == std::errc::no_such_file_or_directory || failure == std::errc::not_a_directory)
    return files;
  for (; !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const std::string name = at->path().filename();
    if (name.ends_with(".yaml") && name[0] != '.') files.push_back(at->path());
  }
  if (failure)
    return tl::unexpected(Fault{
        directory, {}, "", "cannot be read: " + failure.message() + "; make it readable, or remove it"});
  if (files.size() > kMaxLayers)
    return tl::unexpected(Fault{directory,
                                {},
                                "",
                                "holds " + std::to_string(files.size()) + " files; at most " +
                                    std::to_string(kMaxLayers) + " are read: join some"});
  std::ranges::sort(files);
  return files;
}

void lay(YamlNode& below, YamlNode above, bool at_root);

void lay_entry(YamlNode& below, YamlEntry entry, bool first_of_its_layer, bool at_root) {
  const auto old = std::ranges::find(below.entries, entry.key, &YamlEntry::key);
  if (old == below.entries.end() || !first_of_its_layer) {
    below.entries.push_back(std::move(entry));
  } else if (old->value.kind == Kind::map && entry.value.kind == Kind::map) {
    old->place = entry.place;
    lay(old->value, std::move(entry.value), false);
  } else if (at_root && entry.key == "nodes" && old->value.kind == Kind::list &&
             entry.value.kind == Kind::list) {
    std::ranges::move(entry.value.items, std::back_inserter(old->value.items));
  } else {
    *old = std::move(entry);
  }
}

void lay(YamlNode& below, YamlNode above, bool at_root) {
  std::set<std::string> seen;
  for (YamlEntry& entry : above.entries) {
    const bool first = seen.insert(entry.key).second;
    lay_entry(below, std::move(entry), first, at_root);
  }
}

YamlNode list_of(std::string_view words, Place place) {
  YamlNode list{Kind::list, place, {}, {}, {}};
  while (!words.empty()) {
    const auto comma = words.find(',');
    list.items.push_back({Kind::scalar, place, std::string(words.substr(0, comma)), {}, {}});
    words.remove_prefix(comma == std::string_view::npos ? words.size() : comma + 1);
  }
  return list;
}

// "ALIQUOT__HTTP__PORT" -> "http.port".
std::string key_of(std::string_view name) {
  std::string key(name.substr(kPrefix.size()));
  for (std::size_t at = 0; (at = key.find("__", at)) != std::string::npos; ++at) key.replace(at, 2, ".");
  std::ranges::transform(key, key.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  });
  return key;
}

}  // namespace

Environment settings_environment(const char* const* environment) {
  Environment found;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view variable(*environment);
    const auto equals = variable.find('=');
    if (variable.starts_with(kPrefix) && equals != std::string_view::npos)
      found.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  std::ranges::sort(found);
  return found;
}

void add_environment(const Environment& environment, Layers& layers, Faults& faults) {
  for (const auto& [name, value] : environment) {
    if (auto clean = check_text(value, "environment " + name); !clean) {
      faults.push_back(clean.error());
      continue;
    }
    const Place place{0, 0, static_cast<int>(layers.names.size())};
    std::string key = key_of(name);
    const auto field = std::ranges::find(settings_fields(), key, &Field<Settings>::key);
    const bool list = field != settings_fields().end() && field->list;
    YamlNode node = list ? list_of(value, place) : YamlNode{Kind::scalar, place, value, {}, {}};
    for (std::size_t dot = 0; dot != std::string::npos;) {
      dot = key.rfind('.');
      YamlNode above{Kind::map, place, {}, {}, {}};
      above.entries.push_back(
          {dot == std::string::npos ? key : key.substr(dot + 1), place, std::move(node)});
      node = std::move(above);
      if (dot != std::string::npos) key.erase(dot);
    }
    layers.names.push_back("environment " + name);
    layers.trees.push_back(std::move(node));
  }
}

tl::expected<Layers, Faults> read_layers(const std::string& path, const Environment& environment) {
  Layers layers;
  Faults faults;
  std::vector<std::string> files{path};
  if (auto found = drop_ins(path); found)
    std::ranges::move(*found, std::back_inserter(files));
  else
    faults.push_back(found.error());
  for (const std::string& file : files) {
    const auto text = read_file_text(file, kMaxConfigBytes);
    auto tree = text ? parse_yaml(*text, file) : tl::unexpected(text.error());
    if (!tree) {
      faults.push_back(tree.error());
      continue;
    }
    stamp(*tree, static_cast<int>(layers.names.size()));
    layers.names.push_back(file);
    layers.trees.push_back(std::move(*tree));
  }
  add_environment(environment, layers, faults);
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return layers;
}

YamlNode merged(std::vector<YamlNode> trees) {
  YamlNode all;
  for (YamlNode& tree : trees) {
    if (tree.kind == Kind::nothing) continue;
    if (all.kind == Kind::nothing)
      all = std::move(tree);
    else if (all.kind == Kind::map && tree.kind == Kind::map)
      lay(all, std::move(tree), true);
    else if (all.kind == Kind::map)
      all = std::move(tree);  // it is what is wrong, and will be named
  }
  return all;
}

}  // namespace aliquot
