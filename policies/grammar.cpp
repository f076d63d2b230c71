#include "policies/grammar.hpp"

#include <algorithm>
#include <charconv>

#include "policies/model/nearest.hpp"

namespace aliquot {

namespace {

constexpr std::string_view kMarks = "+/*:(";

// Cuts before each of the marks, so that every piece begins with one; the first piece begins at 0.
std::vector<std::string_view> cut_before(std::string_view text, std::string_view marks) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t next = std::min(text.find_first_of(marks, 1), text.size());
    pieces.push_back(text.substr(0, next));
    text.remove_prefix(next);
  }
  return pieces;
}

std::vector<std::string_view> list_of(std::string_view text) {
  std::vector<std::string_view> items;
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = text.find(',');
    items.push_back(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return items;
}

tl::unexpected<Error> unknown_option(const PolicyName& name, std::string_view option,
                                     const std::vector<OptionForm>& table) {
  const std::string what = "unknown option " + quoted(option);
  std::vector<std::string> keys;
  std::vector<std::string> known;
  for (const OptionForm& form : table) {
    if (form.key == kPeriodSuffix) continue;
    keys.push_back(form.key);
    known.push_back(form_text(form));
  }
  if (keys.empty()) return refuse(name.text, what + "; this policy has no options: leave it out");
  const std::string_view key = option.substr(0, option.find('='));
  const auto best =
      std::ranges::min_element(keys, {}, [&](const std::string& one) { return slips_between(key, one); });
  return refuse(name.text,
                what + "; did you mean " + quoted(*best) + "? Its options are " + listed(known, "and"));
}

}  // namespace

PolicyName take_apart(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of(kMarks), text.size());
  PolicyName name{text, text.substr(0, end), '\0', text.substr(end)};
  if (name.rest.empty()) return name;
  name.mark = name.rest.front() == '*' ? '/' : name.rest.front();
  if (name.mark == '(') name.word = trimmed(name.word);
  if (name.mark == ':') name.options = list_of(name.rest.substr(1));
  if (name.mark == '+') name.options = cut_before(name.rest, "+");
  if (name.mark == '/') name.options = cut_before(name.rest, "/*");
  return name;
}

std::string form_text(const OptionForm& form) {
  return form.key == kPeriodSuffix ? "-T" : form.key + form.values;
}

tl::unexpected<Error> refuse(std::string_view name, const std::string& why) {
  return fail(ErrorKind::invalid_argument, "policy " + quoted(name) + ": " + why);
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

std::string listed(const std::vector<std::string>& words, const char* conjunction) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k > 0) text += k + 1 == words.size() ? ' ' + std::string(conjunction) + ' ' : ", ";
    text += words[k];
  }
  return text;
}

std::optional<std::int64_t> whole_number(std::string_view digits, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || value < least || value > most) return std::nullopt;
  return value;
}

std::optional<Duration> whole_seconds(std::optional<std::string_view> value, std::int64_t least,
                                      std::int64_t most) {
  const auto count = whole_number(value.value_or(""), least, most);
  return count ? std::optional(seconds(*count)) : std::nullopt;
}

std::string seconds_text(Duration duration) { return std::to_string(duration.raw / kMillion); }

std::string seconds_rule(std::int64_t least, std::int64_t most) {
  return "a whole number of seconds from " + std::to_string(least) + " to " + std::to_string(most);
}

Result<std::vector<GivenOption>> match_options(const PolicyName& name, std::string_view word,
                                               const std::vector<OptionForm>& table) {
  std::vector<GivenOption> given;
  const auto add = [&](std::string_view key, std::optional<std::string_view> value) -> Result<void> {
    const auto option = std::ranges::find(table, key, &OptionForm::key);
    for (const GivenOption& before : given) {
      const OptionForm& other = table[before.option];
      if (other.key == key)
        return refuse(name.text, "the option " + quoted(key) + " is given twice; give it once");
      if (!option->group.empty() && other.group == option->group)
        return refuse(name.text, "it has two of " + other.key + " and " + option->key + "; give one");
    }
    given.push_back({static_cast<std::size_t>(option - table.begin()), value});
    return {};
  };
  if (name.word.size() > word.size()) {  // the word ends in a period
    if (auto added = add(kPeriodSuffix, name.word.substr(word.size() + 1)); !added)
      return tl::unexpected(added.error());
  }
  for (const std::string_view option : name.options) {
    const std::size_t equals = option.find('=');
    const std::string_view key = option.substr(0, equals);
    if (key == kPeriodSuffix || std::ranges::find(table, key, &OptionForm::key) == table.end())
      return unknown_option(name, option, table);
    auto added =
        equals == std::string_view::npos ? add(key, std::nullopt) : add(key, option.substr(equals + 1));
    if (!added) return tl::unexpected(added.error());
  }
  return given;
}

tl::unexpected<Error> bad_value(const PolicyName& name, std::string_view word, const OptionForm& option,
                                const GivenOption& given) {
  const bool period = option.key == kPeriodSuffix;
  std::string what = period ? "the period " + quoted(*given.value) : option.key;
  if (!period && given.value) what += '=' + std::string(*given.value);
  std::string why = what + " must be " + option.must_be;
  if (period)
    why += ", for example " + quoted(std::string(word) + '-' + option.example);
  else if (!option.example.empty())
    why += ", for example " + option.key + '=' + option.example;
  return refuse(name.text, why);
}

}  // namespace aliquot
