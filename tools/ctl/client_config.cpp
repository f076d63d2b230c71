#include "tools/ctl/client_config.hpp"

#include <algorithm>
#include <filesystem>

#include "config/fault.hpp"
#include "config/file_text.hpp"
#include "config/yaml_tree.hpp"
#include "policies/model/nearest.hpp"

namespace aliquot::ctl {
namespace {

constexpr std::size_t kMaxClientConfig = std::size_t{1} << 16;

struct Key {
  const char* name;
  std::optional<std::string> ClientConfig::*field;
};
constexpr Key kKeys[] = {{"server", &ClientConfig::server},
                         {"key", &ClientConfig::key},
                         {"output", &ClientConfig::output},
                         {"timeout", &ClientConfig::timeout},
                         {"color", &ClientConfig::color}};

// What is wrong with this entry; empty: nothing, and the configuration has it.
std::string read_entry(const YamlEntry& entry, ClientConfig& config) {
  const auto key = std::ranges::find(kKeys, entry.key, &Key::name);
  if (key == std::end(kKeys)) {
    std::vector<std::string> known;
    for (const Key& one : kKeys) known.emplace_back(one.name);
    const std::string hint = did_you_mean(entry.key, known);
    return "is not known" + (hint.empty() ? "; known are server, key, output, timeout, color" : hint);
  }
  if (entry.value.kind != YamlNode::Kind::scalar) return "must be a single value";
  if (config.*key->field) return "stands here twice; give it once";
  config.*key->field = entry.value.text;
  return {};
}

}  // namespace

std::string client_config_path(const char* config_home, const char* home) {
  const std::string tail = "/aliquot/config.yaml";
  if (config_home != nullptr && config_home[0] == '/') return config_home + tail;
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.config" + tail;
  return {};
}

Result<ClientConfig> read_client_config(const std::string& path) {
  ClientConfig config;
  std::error_code failure;
  if (path.empty() || !std::filesystem::exists(path, failure)) return config;
  const auto text = read_file_text(path, kMaxClientConfig);
  if (!text) return tl::unexpected<Error>(as_error({text.error()}));
  const auto tree = parse_yaml(*text, path);
  if (!tree) return tl::unexpected<Error>(as_error({tree.error()}));
  if (tree->kind == YamlNode::Kind::nothing) return config;
  if (tree->kind != YamlNode::Kind::map)
    return tl::unexpected<Error>(as_error(
        {{path, tree->place, "", "must be a map of keys and values, for example `output: wide`"}}));
  Faults faults;
  for (const YamlEntry& entry : tree->entries)
    if (const std::string what = read_entry(entry, config); !what.empty())
      faults.push_back({path, entry.place, entry.key, what});
  if (!faults.empty()) return tl::unexpected<Error>(as_error(faults));
  return config;
}

}  // namespace aliquot::ctl
