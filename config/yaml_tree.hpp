// YAML text as a plain tree in which every key and value knows its place; the only file that yaml-cpp sees.
//
// Less than YAML on purpose: one document, no anchors or aliases (so no bomb), no tags, keys are plain
// words, bounded depth. Nothing is interpreted: `off`, `0660` and `1.5` are the texts they are written as,
// quoted or not. Duplicate keys are kept, for the reader to report (yaml-cpp accepts them in silence).
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

// The document, or the first fault: after it the rest has no reliable meaning. An empty text is `nothing`.
[[nodiscard]] tl::expected<YamlNode, Fault> parse_yaml(std::string_view text, const std::string& file);

}  // namespace aliquot
