#include "config/section_reader.hpp"

#include "policies/model/nearest.hpp"

namespace aliquot {

std::string shape_words(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::nothing:
      return "the key has no value";
    case YamlNode::Kind::list:
      return "a list stands here";
    case YamlNode::Kind::map:
      return "keys stand here instead of a value";
    case YamlNode::Kind::scalar:
      break;
  }
  return quote(node.text) + " is a single value";
}

std::string unknown_key_words(const std::string& key, const std::set<std::string>& here,
                              const std::vector<std::string>& elsewhere) {
  if (key == "<<") return "merging (<<) is not read; write the keys out";
  std::string text = "there is no such key";
  const std::vector<std::string> siblings(here.begin(), here.end());
  if (const auto near = nearest(key, siblings)) {
    text += " (did you mean " + *near + "?)";
  } else {
    for (const std::string& full : elsewhere) {
      const auto dot = full.rfind('.');
      if (dot != std::string::npos && full.substr(dot + 1) == key) {
        text += " here (" + key + " belongs below " + full.substr(0, dot) + ")";
      }
    }
  }
  text += "; known here:";
  for (const std::string& sibling : here) text += (text.back() == ':' ? " " : ", ") + sibling;
  return text;
}

}  // namespace aliquot
