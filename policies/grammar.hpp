// The grammar of policy names, one for all policies.
//
//   EASY   DYNMCB8-PER-600+match   GreedyPM*/per=600/OPT=MIN   ALIQUOT:repack=on,floor=0   HYBRID(P,Q)
//
// A name is a word and the options of that policy. Options follow behind `+` or `/`, or as a list behind
// `:`; which of these a policy uses is part of its grammar, and so is a period in seconds at the end of
// the word. A policy declares its options in a table (PolicyGrammar) that says how the value of each is
// read into the policy's spec and printed from it. Reading, printing and all error messages are here.
//
// Options stand in any order, each at most once. The canonical name lists them in the order of the table
// and leaves out those at their default, so equal specs have equal names, and a canonical name is read back
// to an equal spec.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

inline constexpr std::size_t kLongestPolicyName = 200;
inline constexpr Duration kDefaultPeriod = seconds(600);
inline constexpr Duration kLongestPeriod = seconds(366 * 86'400);

// A name taken apart, not yet checked. The views refer to the text.
struct PolicyName {
  std::string_view text;  // all of it
  std::string_view word;  // up to the first mark, with the period: "DYNMCB8-PER-600"
  char mark = '\0';       // how options begin: + / : or ( ; '\0': there are none. `*` counts as '/'
  std::string_view rest;  // behind the word
  std::vector<std::string_view> options{};  // with their mark, but for a list: "+match", "/per=60", "*"
};
[[nodiscard]] PolicyName take_apart(std::string_view text);

// How an option is written. Options with the same `group` exclude one another.
struct OptionForm {
  std::string key;        // as in PolicyName::options: "+match", "/window", "repack", "*"
  std::string values{};   // for lists of options: "=s", "=MIN|AVG|MAX"; empty: a flag
  std::string must_be{};  // of a value, for messages: "a whole number from 1 to 10000"
  std::string example{};  // a value
  std::string group{};    // empty: excludes no other
};
inline constexpr const char* kPeriodSuffix = "-";  // the key of the period at the end of the word

// "+match", "/OPT=MIN|AVG|MAX", "-T": as lists of options have it.
[[nodiscard]] std::string form_text(const OptionForm& form);

// An error about the policy that is named: `policy "NAME": WHY`.
[[nodiscard]] tl::unexpected<Error> refuse(std::string_view name, const std::string& why);
// Without the blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
// For the parts of messages.
[[nodiscard]] std::string quoted(std::string_view text);
[[nodiscard]] std::string listed(const std::vector<std::string>& words, const char* conjunction);
// Digits and nothing else, within the bounds; none otherwise.
[[nodiscard]] std::optional<std::int64_t> whole_number(std::string_view digits, std::int64_t least,
                                                       std::int64_t most);

template <class Spec>
struct PolicyOption : OptionForm {
  // Reads the text behind `=` (none: no `=`) into the spec; false: it is no such value.
  std::function<bool(Spec&, std::optional<std::string_view>)> read;
  // The value as the canonical name has it, "" for a flag that is set; none: the option is not given.
  std::function<std::optional<std::string>(const Spec&)> print;
};

// A value as it was given to an option of a grammar.
struct GivenOption {
  std::size_t option;  // index in the table
  std::optional<std::string_view> value;
};
// Finds the options of a name in the table, and the period of its word; refuses unknown options, options
// given twice and options that exclude one another.
[[nodiscard]] Result<std::vector<GivenOption>> match_options(const PolicyName& name, std::string_view word,
                                                             const std::vector<OptionForm>& table);
[[nodiscard]] tl::unexpected<Error> bad_value(const PolicyName& name, std::string_view word,
                                              const OptionForm& option, const GivenOption& given);

// The names of one policy: a word and a table of options.
template <class Spec>
struct PolicyGrammar {
  std::string word;
  Spec defaults{};                            // what the word alone means
  char mark = '+';                            // of the options
  std::vector<PolicyOption<Spec>> options{};  // in the order of the canonical name
  // What does not go together in a spec that was read from `text`; empty: nothing.
  std::string (*conflict)(const Spec& spec, std::string_view text) = nullptr;
  // Where the spec has its period; null: such a policy has none.
  Duration* (*period)(Spec& spec) = nullptr;

  [[nodiscard]] std::vector<OptionForm> forms() const { return {options.begin(), options.end()}; }

  [[nodiscard]] Result<Spec> read(const PolicyName& name) const {
    const auto given = match_options(name, word, forms());
    if (!given) return tl::unexpected(given.error());
    Spec spec = defaults;
    for (const GivenOption& one : *given) {
      const PolicyOption<Spec>& option = options[one.option];
      if (!option.read(spec, one.value)) return bad_value(name, word, option, one);
    }
    if (const std::string why = conflict ? conflict(spec, name.text) : ""; !why.empty())
      return refuse(name.text, why);
    return spec;
  }
  [[nodiscard]] Result<Spec> read(std::string_view text) const { return read(take_apart(text)); }

  [[nodiscard]] std::string print(const Spec& spec) const {
    std::string text = word;
    bool first = true;
    for (const PolicyOption<Spec>& option : options) {
      const std::optional<std::string> value = option.print(spec);
      const bool is_period = option.key == kPeriodSuffix;  // always printed
      if (!value || (!is_period && value == option.print(defaults))) continue;
      if (mark == ':') text += std::exchange(first, false) ? ":" : ",";
      text += option.key;
      if (!value->empty() && !is_period) text += '=';
      text += *value;
    }
    return text;
  }
};

// A policy without options.
struct NoOptions {};

// --- The kinds of options -------------------------------------------------------------------------------

// On where it is given: "+match".
template <class Spec>
PolicyOption<Spec> flag(std::string key, bool Spec::*field) {
  return {
      {std::move(key), "", "written without a value"},
      [field](Spec& spec, std::optional<std::string_view> value) {
        spec.*field = true;
        return !value;
      },
      [field](const Spec& spec) { return spec.*field ? std::optional<std::string>("") : std::nullopt; }};
}

// One of a few words: "/OPT=MIN".
template <class Spec, class Value>
PolicyOption<Spec> choice(std::string key, Value Spec::*field,
                          std::vector<std::pair<std::string, Value>> choices) {
  std::string values;
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) {
    values += (values.empty() ? "=" : "|") + word;
    words.push_back(word);
  }
  return {{std::move(key), values, listed(words, "or"), words.front()},
          [field, choices](Spec& spec, std::optional<std::string_view> given) {
            for (const auto& [word, value] : choices) {
              if (given == word) spec.*field = value;
              if (given == word) return true;
            }
            return false;
          },
          [field, choices](const Spec& spec) -> std::optional<std::string> {
            for (const auto& [word, value] : choices)
              if (spec.*field == value) return word;
            return std::nullopt;
          }};
}

// A whole number within bounds: "/window=7". `what` stands for it in lists of options.
template <class Spec, class Number>
PolicyOption<Spec> number(std::string key, const std::string& what, Number Spec::*field, std::int64_t least,
                          std::int64_t most, std::int64_t example) {
  return {{std::move(key), "=" + what,
           "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
           std::to_string(example)},
          [=](Spec& spec, std::optional<std::string_view> value) {
            const auto read = whole_number(value.value_or(""), least, most);
            if (read) spec.*field = static_cast<Number>(*read);
            return read.has_value();
          },
          [field](const Spec& spec) { return std::optional(std::to_string(spec.*field)); }};
}

// Whole seconds within bounds: "/interval=30".
[[nodiscard]] std::optional<Duration> whole_seconds(std::optional<std::string_view> value,
                                                    std::int64_t least, std::int64_t most);
[[nodiscard]] std::string seconds_text(Duration duration);
[[nodiscard]] std::string seconds_rule(std::int64_t least, std::int64_t most);
template <class Spec>
PolicyOption<Spec> whole_seconds(std::string key, const std::string& what, Duration Spec::*field,
                                 std::int64_t least, std::int64_t most, std::int64_t example) {
  return {{std::move(key), "=" + what, seconds_rule(least, most), std::to_string(example)},
          [=](Spec& spec, std::optional<std::string_view> value) {
            const auto read = whole_seconds(value, least, most);
            if (read) spec.*field = *read;
            return read.has_value();
          },
          [field](const Spec& spec) { return std::optional(seconds_text(spec.*field)); }};
}

}  // namespace aliquot
