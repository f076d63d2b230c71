#include "tools/ctl/output.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

// Words that YAML readers take for something else than text.
bool is_plain(const std::string& text) {
  if (text.empty() || text.size() > 200) return false;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!letter(text[0])) return false;
  for (const char c : text)
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '-' && c != '_' && c != '.' && c != '/') return false;
  for (const char* other :
       {"y",  "n",   "yes",  "no",    "on",   "off", "true", "false", "null", "Y",    "N",     "Yes", "No",
        "On", "Off", "True", "False", "Null", "YES", "NO",   "ON",    "OFF",  "TRUE", "FALSE", "NULL"})
    if (text == other) return false;
  return true;
}

std::string scalar(const json& value) {
  if (value.is_string() && is_plain(value.get_ref<const std::string&>())) return value.get<std::string>();
  return value.dump(-1, ' ', false, json::error_handler_t::replace);  // JSON's scalars are YAML's
}

void put(std::string& out, const json& value, std::size_t indent);

// After "key:" or "-": a scalar on the same line, a structure below.
void put_after(std::string& out, const json& value, std::size_t indent) {
  if (!value.is_structured()) {
    out += " " + scalar(value) + "\n";
  } else if (value.empty()) {
    out += value.is_array() ? " []\n" : " {}\n";
  } else {
    out += "\n";
    put(out, value, indent);
  }
}

void put(std::string& out, const json& value, std::size_t indent) {
  const std::string margin(indent, ' ');
  if (value.is_array()) {
    for (const json& entry : value) {
      out += margin + "-";
      put_after(out, entry, indent + 2);
    }
    return;
  }
  for (const auto& field : value.items()) {
    out += margin + scalar(json(field.key())) + ":";
    put_after(out, field.value(), indent + 2);
  }
}

}  // namespace

const std::vector<std::string>& form_words() {
  static const std::vector<std::string> words{"table", "wide", "json", "yaml", "name", "csv"};
  return words;
}

std::string to_yaml(const json& value) {
  if (!value.is_structured() || value.empty()) return value.dump() + "\n";
  std::string out;
  put(out, value, 0);
  return out;
}

Result<std::string> in_form(Form form, const json& answer, const Looks& looks) {
  switch (form) {
    case Form::table:
    case Form::wide:
      return looks.text(form == Form::wide);
    case Form::json:
      return answer.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    case Form::yaml:
      return to_yaml(answer);
    case Form::csv:
      if (looks.csv) return looks.csv();
      return fail(ErrorKind::invalid_argument,
                  "this answer has no CSV, only `usage --start` has: use -o json");
    case Form::name:
      break;
  }
  if (!looks.names)
    return fail(ErrorKind::invalid_argument, "this answer has no names; use -o table, json or yaml");
  std::string out;
  for (const std::string& name : looks.names()) out += name + "\n";
  return out;
}

}  // namespace aliquot::ctl
