// One field of the settings as data: its key, its place in the struct, its form, and its help.
//
// Loading, dumping, the example, the JSON Schema and the comparison of two settings are all driven by
// tables of these (config/field_table.hpp), so a new setting is one member and one row.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "config/form.hpp"

namespace aliquot {

enum class Reload : std::uint8_t { live, restart };  // when a change in the file takes effect

template <class Target>
struct Field {
  std::string key;      // dotted path below the target: "hypervisor.cap_period"
  std::string help;     // one or more sentences: what, unit, when to change
  std::string example;  // what the example shows, as YAML; empty: the default
  std::string expects;
  std::string schema;
  Reload reload = Reload::restart;
  bool required = false;
  bool list = false;
  std::function<void(Target&)> clear;  // lists: before the first word
  std::function<Result<void>(Target&, const std::string& word)> read;
  std::function<std::vector<std::string>(const Target&)> words;  // no word: not set, or an empty list
};

// `at` gives the member: [](auto& s) -> auto& { return s.http.port; }. A member that is std::optional is
// not set unless the file says so.
template <class Target, class Value, class Access>
Field<Target> field(std::string key, Access at, Form<Value> form, std::string help) {
  Field<Target> row;
  row.key = std::move(key);
  row.help = std::move(help);
  row.expects = form.expects;
  row.schema = form.schema;
  row.read = [at, parse = form.parse](Target& target, const std::string& word) -> Result<void> {
    auto value = parse(word);
    if (!value) return tl::unexpected(value.error());
    at(target) = std::move(*value);
    return {};
  };
  row.words = [at, print = form.print](const Target& target) -> std::vector<std::string> {
    const auto& value = at(target);
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::optional<Value>>) {
      return value ? std::vector<std::string>{print(*value)} : std::vector<std::string>{};
    } else {
      return {print(value)};
    }
  };
  return row;
}

// A member that is a vector: what the file says replaces the default as a whole.
template <class Target, class Value, class Access>
Field<Target> list_field(std::string key, Access at, Form<Value> form, std::string help) {
  Field<Target> row;
  row.key = std::move(key);
  row.help = std::move(help);
  row.expects = form.expects;
  row.schema = R"("type": "array", "items": {)" + form.schema + "}";
  row.list = true;
  row.clear = [at](Target& target) { at(target).clear(); };
  row.read = [at, parse = form.parse](Target& target, const std::string& word) -> Result<void> {
    auto value = parse(word);
    if (!value) return tl::unexpected(value.error());
    at(target).push_back(std::move(*value));
    return {};
  };
  row.words = [at, print = form.print](const Target& target) {
    std::vector<std::string> words;
    for (const auto& value : at(target)) words.push_back(print(value));
    return words;
  };
  return row;
}

}  // namespace aliquot
