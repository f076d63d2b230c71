#include "monitor/log_json.hpp"

#include <nlohmann/json.hpp>
#include <optional>

namespace aliquot {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& object) {
  std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.substr(1, text.size() - 2);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The quoted value off the front of `rest`, which begins behind the opening quote; none: it does not end.
std::optional<std::string> take_quoted(std::string_view& rest, char quote) {
  std::string value;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == quote) {
      rest.remove_prefix(i + 1);
      return value;
    }
    if (rest[i] != '\\' || quote != '"' || i + 1 == rest.size()) {
      value += rest[i];
    } else if (rest[i + 1] == 'x' && i + 3 < rest.size() && hex_digit(rest[i + 2]) >= 0 &&
               hex_digit(rest[i + 3]) >= 0) {
      value += static_cast<char>(hex_digit(rest[i + 2]) * 16 + hex_digit(rest[i + 3]));
      i += 3;
    } else {
      value += rest[++i];
    }
  }
  return std::nullopt;
}

// A number where the text is just how JSON would write it; else the text.
Json bare(std::string_view text) {
  Json number = Json::parse(text, nullptr, false);
  const bool same = number.is_number_integer() && number.dump() == text;
  const bool decimal = number.is_number_float() && text.size() <= 17 &&  // what a double holds
                       text.find('.') != text.npos && text.find_first_of("eE") == text.npos;
  return same || decimal ? number : Json(text);
}

std::string_view take_until(std::string_view& rest, char end) {
  const std::string_view taken = rest.substr(0, rest.find(end));
  rest.remove_prefix(taken.size());
  return taken;
}

bool is_word(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == text.npos;
}

// None: the text is not written as events are.
std::optional<Json> as_event(std::string_view rest) {
  const std::string_view event = take_until(rest, ' ');
  if (!is_word(event)) return std::nullopt;
  Json object{{"event", event}};
  while (!rest.empty()) {
    if (rest.front() != ' ') return std::nullopt;
    rest.remove_prefix(1);
    const std::string_view key = take_until(rest, '=');
    if (!is_word(key) || rest.empty()) return std::nullopt;
    rest.remove_prefix(1);
    const char quote = rest.empty() ? ' ' : rest.front();
    std::optional<Json> value;
    if (quote == '"' || quote == '\'') {
      rest.remove_prefix(1);
      if (auto text = take_quoted(rest, quote)) value = std::move(*text);
    } else {
      value = bare(take_until(rest, ' '));
    }
    if (!value) return std::nullopt;
    const bool taken = key == "event" || key == "time" || key == "level";
    object[(taken ? "its_" : "") + std::string(key)] = std::move(*value);
  }
  return object;
}

}  // namespace

std::string json_members(std::string_view text) {
  if (const auto event = as_event(text)) return dump(*event);
  return dump(Json{{"message", text}});
}

}  // namespace aliquot
