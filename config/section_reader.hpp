// Reads a YAML map into a struct according to its field table; unknown and duplicate keys and wrong shapes
// are faults.
//
// Reading continues after a fault, so one run reports all of them. The place of each value is recorded.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/fault.hpp"
#include "config/field.hpp"
#include "config/quantities.hpp"
#include "config/yaml_tree.hpp"

namespace aliquot {

struct Reading {
  std::vector<std::string> files;  // by Place::source
  Faults faults;
  std::map<std::string, Place> places;  // of each value read, by full key

  void fault(Place place, std::string key, std::string text) {
    faults.push_back(
        {files.at(static_cast<std::size_t>(place.source)), place, std::move(key), std::move(text)});
  }
};

// A key that is not in the field table, and the function that reads it (`nodes`).
struct OtherKey {
  std::string key;
  std::function<void(const YamlEntry&)> read;
};

// The shape of the node in words, for messages.
[[nodiscard]] std::string shape_words(const YamlNode& node);

// `unknown key ...`, with the nearest known one and all that are known here. `elsewhere`: every dotted key.
[[nodiscard]] std::string unknown_key_words(const std::string& key, const std::set<std::string>& here,
                                            const std::vector<std::string>& elsewhere);

template <class Target>
std::string default_words(const Field<Target>& field) {
  if (field.required) return "";
  const auto words = field.words(Target{});
  if (field.list || words.empty()) return ", or remove the key";
  return ", or remove the key to get the default " + (words[0].empty() ? std::string("(none)") : words[0]);
}

template <class Target>
void read_value(const Field<Target>& field, const YamlNode& value, const std::string& path, Target& target,
                Reading& reading) {
  reading.places[path] = value.place;
  const auto read_word = [&](const YamlNode& word) {
    if (word.kind != YamlNode::Kind::scalar) {
      reading.fault(word.place, path,
                    shape_words(word) + "; write " + field.expects + default_words(field));
    } else if (const auto done = field.read(target, word.text); !done) {
      reading.fault(word.place, path, done.error().message);
    }
  };
  if (!field.list) return read_word(value);
  if (value.kind != YamlNode::Kind::list) {
    reading.fault(value.place, path,
                  shape_words(value) + "; write a list: [first, second], each " + field.expects);
    return;
  }
  field.clear(target);
  for (const YamlNode& item : value.items) read_word(item);
}

// The first words of the keys that begin with `below` ("" or "http."): "host", "port".
template <class Target>
std::set<std::string> keys_below(const std::vector<Field<Target>>& fields, const std::string& below) {
  std::set<std::string> keys;
  for (const auto& field : fields) {
    if (!field.key.starts_with(below)) continue;
    const std::string rest = field.key.substr(below.size());
    keys.insert(rest.substr(0, rest.find('.')));
  }
  return keys;
}

// Reads the entries of `map` that stand below `below` in the table; `path` is how the map is called in
// messages.
template <class Target>
void read_fields(const YamlNode& map, const std::vector<Field<Target>>& fields, const std::string& below,
                 const std::string& path, Target& target, Reading& reading, const OtherKey& other) {
  auto known = keys_below(fields, below);
  if (!other.key.empty()) known.insert(other.key);
  std::map<std::string, Place> seen;
  for (const YamlEntry& entry : map.entries) {
    const std::string full = path + entry.key;
    const auto [first, is_new] = seen.emplace(entry.key, entry.place);
    if (!is_new) {
      reading.fault(
          entry.place, full,
          "this key stands in line " + std::to_string(first->second.line) + " already; remove one of them");
      continue;
    }
    const auto field = std::ranges::find(fields, below + entry.key, &Field<Target>::key);
    if (!other.key.empty() && entry.key == other.key) {
      other.read(entry);
    } else if (field != fields.end()) {
      read_value(*field, entry.value, full, target, reading);
    } else if (known.contains(entry.key)) {
      if (entry.value.kind != YamlNode::Kind::map) {
        reading.fault(entry.place, full,
                      shape_words(entry.value) +
                          "; write its keys below it, indented, or remove it to get the defaults");
      } else {
        read_fields(entry.value, fields, below + entry.key + ".", full + ".", target, reading, {});
      }
    } else {
      std::vector<std::string> elsewhere;
      for (const auto& row : fields) elsewhere.push_back(row.key);
      reading.fault(entry.place, full, unknown_key_words(entry.key, known, elsewhere));
    }
  }
}

}  // namespace aliquot
