// One setting as data: its key, its member in the struct, the form of its value, and its help text.
//
// Loading, printing, the example, the JSON Schema and the comparison of two settings all use tables of
// these (config/field_table.hpp), so a new setting is one member and one row.
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
  std::function<std::vector<std::string>(const Target&)> words;  // empty: not set, or an empty list
  std::function<void(Target& to, const Target& from)> copy;
};

// `at` gives the member: [](auto& s) -> auto& { return s.http.port; }. A member of type
// std::optional has no value unless the file sets it.
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
  row.copy = [at](Target& to, const Target& from) { at(to) = at(from); };
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

// A member of type std::vector: the list in the file replaces the default.
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
  row.copy = [at](Target& to, const Target& from) { at(to) = at(from); };
  row.words = [at, print = form.print](const Target& target) {
    std::vector<std::string> words;
    for (const auto& value : at(target)) words.push_back(print(value));
    return words;
  };
  return row;
}

}  // namespace aliquot
