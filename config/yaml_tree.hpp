// Parses YAML into a plain tree in which every key and value has its place in the file. The only user of
// yaml-cpp.
//
// Deliberately a subset of YAML: one document, no anchors or aliases (so no expansion attacks), no tags,
// plain keys, bounded depth. Scalars are not interpreted: `off`, `0660` and `1.5` are texts, quoted or not.
// Duplicate keys are kept and the reader reports them (yaml-cpp accepts them silently).
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "config/fault.hpp"

namespace aliquot {

struct YamlEntry;

struct YamlNode {
  enum class Kind { nothing, scalar, list, map };
  Kind kind = Kind::nothing;
  Place place;
  std::string text;                // of a scalar
  std::vector<YamlNode> items;     // of a list
  std::vector<YamlEntry> entries;  // of a map, in the order of the file
};

struct YamlEntry {
  std::string key;
  Place place;  // of the key
  YamlNode value;
};

inline constexpr int kMaxYamlDepth = 8;

// The document, or the first fault, after which parsing stops. An empty text is `nothing`.
[[nodiscard]] tl::expected<YamlNode, Fault> parse_yaml(std::string_view text, const std::string& file);

}  // namespace aliquot
