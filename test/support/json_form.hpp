// For tests: whether a value has the form that a JSON Schema says, by as much of the 2020-12 standard as
// docs/api uses. A keyword that is not known here is a fault of the schema.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>

namespace aliquot::test {

class JsonForms {
 public:
  using json = nlohmann::json;

  // `file`: docs/api/requests.json or docs/api/answers.json.
  explicit JsonForms(const std::string& file) {
    std::ifstream in(ALIQUOT_SOURCE_DIR "/docs/api/" + file);
    defs_ = json::parse(in).at("$defs");
  }

  [[nodiscard]] const json& at(const std::string& name) const { return defs_.at(name); }
  [[nodiscard]] const json& resolved(const json& schema) const {
    return schema.contains("$ref") ? resolved(defs_.at(target(schema))) : schema;
  }
  // The parts of other schemas begin with _.
  [[nodiscard]] std::set<std::string> methods() const {
    std::set<std::string> names;
    for (const auto& [name, schema] : defs_.items())
      if (!name.starts_with("_")) names.insert(name);
    return names;
  }
  // Where it first departs from the form of `method`, and how; empty: nowhere.
  [[nodiscard]] std::string fault(const std::string& method, const json& value) const {
    if (!defs_.contains(method)) return "there is no schema of " + method;
    return of(defs_.at(method), value, "$");
  }
  [[nodiscard]] bool fits(const json& schema, const json& value) const {
    return of(schema, value, "$").empty();
  }

 private:
  using Rule = std::string (JsonForms::*)(const json& schema, const json& wanted, const json& value,
                                          const std::string& where) const;

  static std::string target(const json& schema) {
    return schema.at("$ref").get<std::string>().substr(std::string("#/$defs/").size());
  }
  static bool is_type(const std::string& name, const json& value) {
    if (name == "integer") return value.is_number_integer();
    if (name == "number") return value.is_number();
    return name == value.type_name();
  }
  static std::string unless(bool good, const std::string& where, const std::string& what) {
    return good ? "" : where + ": " + what;
  }

  [[nodiscard]] std::string of(const json& schema, const json& value, const std::string& where) const {
    if (schema.is_boolean()) return unless(schema.get<bool>(), where, "is not taken here");
    for (const auto& [word, wanted] : schema.items()) {
      const auto rule = rules().find(word);
      if (rule == rules().end()) throw std::runtime_error("the schema has an unknown keyword: " + word);
      if (rule->second == nullptr) continue;
      if (auto fault = (this->*rule->second)(schema, wanted, value, where); !fault.empty()) return fault;
    }
    return "";
  }

  std::string ref(const json& schema, const json&, const json& value, const std::string& where) const {
    return of(defs_.at(target(schema)), value, where);
  }
  std::string type(const json&, const json& wanted, const json& value, const std::string& where) const {
    const json names = wanted.is_array() ? wanted : json::array({wanted});
    return unless(std::any_of(names.begin(), names.end(), [&](const json& n) { return is_type(n, value); }),
                  where, value.dump().substr(0, 80) + " is not of type " + wanted.dump());
  }
  std::string constant(const json&, const json& wanted, const json& value, const std::string& where) const {
    return unless(value == wanted, where, value.dump() + " is not " + wanted.dump());
  }
  std::string one_word(const json&, const json& wanted, const json& value, const std::string& where) const {
    return unless(std::find(wanted.begin(), wanted.end(), value) != wanted.end(), where,
                  value.dump().substr(0, 80) + " is none of " + wanted.dump());
  }
  std::string bound(const json& schema, const json&, const json& value, const std::string& where) const {
    using Exact = long double;  // has every integer of 64 bits
    const auto beyond = [&](const char* key, Exact is, bool low) {
      if (!schema.contains(key)) return false;
      const auto limit = static_cast<Exact>(schema[key].get<std::int64_t>());
      return low ? is < limit : is > limit;
    };
    bool wrong = false;
    if (value.is_number()) {
      const Exact number = value.is_number_unsigned()  ? static_cast<Exact>(value.get<std::uint64_t>())
                           : value.is_number_integer() ? static_cast<Exact>(value.get<std::int64_t>())
                                                       : static_cast<Exact>(value.get<double>());
      wrong = beyond("minimum", number, true) || beyond("maximum", number, false);
    } else if (value.is_string()) {
      const auto size = static_cast<Exact>(value.get_ref<const std::string&>().size());
      wrong = beyond("minLength", size, true) || beyond("maxLength", size, false);
    } else if (value.is_array()) {
      const auto size = static_cast<Exact>(value.size());
      wrong = beyond("minItems", size, true) || beyond("maxItems", size, false);
    } else if (value.is_object()) {
      wrong = beyond("maxProperties", static_cast<Exact>(value.size()), false);
    }
    return unless(!wrong, where, "is beyond a bound");
  }
  std::string pattern(const json&, const json& wanted, const json& value, const std::string& where) const {
    if (!value.is_string()) return "";
    return unless(std::regex_search(value.get<std::string>(), std::regex(wanted.get<std::string>())), where,
                  value.dump().substr(0, 80) + " is not as " + wanted.dump());
  }
  std::string required(const json&, const json& wanted, const json& value, const std::string& where) const {
    for (const json& key : wanted)
      if (value.is_object() && !value.contains(key)) return where + ": there is no " + key.dump();
    return "";
  }
  std::string properties(const json&, const json& wanted, const json& value,
                         const std::string& where) const {
    if (!value.is_object()) return "";
    for (const auto& [key, schema] : wanted.items())
      if (value.contains(key))
        if (auto fault = of(schema, value[key], where + "." + key); !fault.empty()) return fault;
    return "";
  }
  std::string others(const json& schema, const json& wanted, const json& value,
                     const std::string& where) const {
    if (!value.is_object()) return "";
    for (const auto& [key, inner] : value.items())
      if (!schema.contains("properties") || !schema["properties"].contains(key))
        if (auto fault = of(wanted, inner, where + "." + key); !fault.empty()) return fault;
    return "";
  }
  std::string items(const json&, const json& wanted, const json& value, const std::string& where) const {
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
      if (auto fault = of(wanted, value[i], where + "[" + std::to_string(i) + "]"); !fault.empty())
        return fault;
    return "";
  }
  std::string all_of(const json&, const json& wanted, const json& value, const std::string& where) const {
    for (const json& each : wanted)
      if (auto fault = of(each, value, where); !fault.empty()) return fault;
    return "";
  }
  std::string alternatives(const json& schema, const json& wanted, const json& value,
                           const std::string& where) const {
    std::size_t fit = 0;
    std::string faults;
    for (const json& each : wanted) {
      const std::string fault = of(each, value, where);
      if (fault.empty()) ++fit;
      if (!fault.empty()) faults += (faults.empty() ? "" : "; or ") + fault;
    }
    return fit == 1 || (fit > 1 && schema.contains("anyOf")) ? ""
                                                             : faults + where + ": no alternative fits";
  }
  std::string condition(const json& schema, const json& wanted, const json& value,
                        const std::string& where) const {
    const char* branch = of(wanted, value, where).empty() ? "then" : "else";
    return schema.contains(branch) ? of(schema[branch], value, where) : "";
  }

  static const std::map<std::string, Rule>& rules() {
    using F = JsonForms;
    static const std::map<std::string, Rule> all{{"$ref", &F::ref},
                                                 {"type", &F::type},
                                                 {"const", &F::constant},
                                                 {"enum", &F::one_word},
                                                 {"minimum", &F::bound},
                                                 {"maximum", &F::bound},
                                                 {"minLength", &F::bound},
                                                 {"maxLength", &F::bound},
                                                 {"minItems", &F::bound},
                                                 {"maxItems", &F::bound},
                                                 {"maxProperties", &F::bound},
                                                 {"pattern", &F::pattern},
                                                 {"required", &F::required},
                                                 {"properties", &F::properties},
                                                 {"additionalProperties", &F::others},
                                                 {"items", &F::items},
                                                 {"allOf", &F::all_of},
                                                 {"anyOf", &F::alternatives},
                                                 {"oneOf", &F::alternatives},
                                                 {"if", &F::condition},
                                                 {"then", nullptr},
                                                 {"else", nullptr},
                                                 {"format", nullptr},
                                                 {"examples", nullptr},
                                                 {"description", nullptr}};
    return all;
  }

  json defs_;
};

// The body of an answer of `method`, parsed. The test fails unless it has the form of
// docs/api/answers.json.
inline nlohmann::json in_form(const std::string& method, const std::string& body) {
  static const JsonForms forms("answers.json");
  nlohmann::json value = nlohmann::json::parse(body);
  const std::string fault = forms.fault(method, value);
  EXPECT_EQ(fault, "") << "docs/api/answers.json, " << method << ": " << body;
  return value;
}

}  // namespace aliquot::test
