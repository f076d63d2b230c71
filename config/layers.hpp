// What the settings are read from, one layer above the other: the file itself, the files of conf.d beside
// it in the order of their names, then the environment. In each place the highest layer's value counts; a
// list replaces the list below it, only `nodes` are joined.
//
// A variable ALIQUOT__SECTION__KEY sets section.key (ALIQUOT__HTTP__PORT: http.port): a single value as it
// is, a list of words with commas between. Nodes cannot be set so. Nothing here reads the environment
// itself.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/yaml_tree.hpp"

namespace aliquot {

// Those ALIQUOT__ variables that are to count, name and value.
using Environment = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kMaxLayers = 1'000;

struct Layers {
  std::vector<std::string> names;  // by Place::source: what messages call it
  std::vector<YamlNode> trees;     // the same order; `nothing` where a layer says nothing
};

// The variables of `environ` that begin with ALIQUOT__, in the order of their names.
[[nodiscard]] Environment settings_environment(const char* const* environment);

// Reads and parses all layers; one fault for each that cannot be read or is not YAML.
[[nodiscard]] tl::expected<Layers, Faults> read_layers(const std::string& path,
                                                       const Environment& environment);

// Appends a layer for each variable, and a fault for each whose value is no text.
void add_environment(const Environment& environment, Layers& layers, Faults& faults);

// One tree of all, each value with its place. Keys that one layer has twice are kept, for the reader to
// report.
[[nodiscard]] YamlNode merged(std::vector<YamlNode> trees);

}  // namespace aliquot
