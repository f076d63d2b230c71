// The layers of the settings, in increasing precedence: the file, the files of conf.d next to it in the
// order of their names, the environment. For each key the highest layer counts; a list replaces the list of
// a lower layer, except `nodes`, which are merged by name.
//
// A variable ALIQUOT__SECTION__KEY sets section.key (ALIQUOT__HTTP__PORT: http.port): a single value, or a
// list with commas between its items. Nodes cannot be set this way. The environment is passed in; this file
// does not read it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/yaml_tree.hpp"

namespace aliquot {

// The ALIQUOT__ variables in force: name and value.
using Environment = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kMaxLayers = 1'000;

struct Layers {
  std::vector<std::string> names;  // by Place::source: the name of the layer in messages
  std::vector<YamlNode> trees;     // in the same order; `nothing` for an empty layer
};

// The variables of `environ` that begin with ALIQUOT__, in the order of their names.
[[nodiscard]] Environment settings_environment(const char* const* environment);

// Reads and parses all layers; one fault for each that cannot be read or is not YAML.
[[nodiscard]] tl::expected<Layers, Faults> read_layers(const std::string& path,
                                                       const Environment& environment);

// Appends a layer for each variable, and a fault for each whose value is no text.
void add_environment(const Environment& environment, Layers& layers, Faults& faults);

// All layers as one tree, each value with its place. Duplicate keys within a layer are kept; the reader
// reports them.
[[nodiscard]] YamlNode merged(std::vector<YamlNode> trees);

}  // namespace aliquot
