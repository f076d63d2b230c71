// What a command prints: one answer, in the form the user asked for. Data goes to standard output, words to
// standard error.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "policies/model/error.hpp"
#include "tools/ctl/table.hpp"

namespace aliquot::ctl {

enum class Form { table, wide, json, yaml, name, csv };

[[nodiscard]] const std::vector<std::string>& form_words();  // in the order of Form

// How an answer looks to people; json and yaml print it as it came.
struct Looks {
  std::function<std::string(bool wide)> text;
  std::function<std::vector<std::string>()> names;  // for -o name; empty: there are none
  std::function<std::string()> csv{};               // for -o csv, likewise
};

[[nodiscard]] Result<std::string> in_form(Form form, const nlohmann::json& answer, const Looks& looks);

// Block style; strings are quoted wherever another reading is possible.
[[nodiscard]] std::string to_yaml(const nlohmann::json& value);

}  // namespace aliquot::ctl
