#include "policies/tpds2012/spec.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "policies/spec.hpp"

namespace aliquot {

namespace {

using Submit = Tpds2012Spec::Submit;
using Tick = Tpds2012Spec::Tick;
using Opt = Tpds2012Spec::Opt;
using Pin = Tpds2012Spec::Pin;

constexpr std::array<std::pair<std::string_view, Submit>, 4> kSubmits = {{{"Greedy", Submit::greedy},
                                                                          {"GreedyP", Submit::greedy_pause},
                                                                          {"GreedyPM", Submit::greedy_move},
                                                                          {"MCB8", Submit::pack}}};
constexpr std::array<std::pair<std::string_view, Opt>, 3> kOpts = {
    {{"MIN", Opt::min}, {"AVG", Opt::avg}, {"MAX", Opt::max}}};

template <class Table>
std::string_view word_of(const Table& table, decltype(table[0].second) value) {
  return std::find_if(table.begin(), table.end(), [=](const auto& row) { return row.second == value; })
      ->first;
}

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Tpds2012Spec> parse() {
    std::size_t slash = text_.find('/');
    if (auto head = read_head(text_.substr(0, slash)); !head) return tl::unexpected(head.error());
    while (slash != std::string_view::npos) {
      const std::size_t next = text_.find('/', slash + 1);
      const std::string_view part =
          text_.substr(slash + 1, next == std::string_view::npos ? next : next - slash - 1);
      if (auto read = read_part(part); !read) return tl::unexpected(read.error());
      slash = next;
    }
    if (spec_.submit == Submit::wait && spec_.tick == Tick::none) {
      return refuse("a policy that places nothing at a submission needs a period: write " +
                    quoted(std::string(text_) + "/per=600"));
    }
    if (spec_.pin != Pin::none && !spec_.packs()) {
      return refuse(
          "MINVT and MINFT pin jobs when all are packed anew, which this policy never does: "
          "leave them out, or add /per=600");
    }
    return spec_;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> refuse(std::string why) const {
    return fail(ErrorKind::invalid_argument, "policy " + quoted(text_) + ": " + std::move(why));
  }

  Result<void> read_head(std::string_view head) {
    if (head.ends_with('*')) {
      spec_.star = true;
      head.remove_suffix(1);
    }
    if (head.empty()) return {};
    for (const auto& [word, submit] : kSubmits) {
      if (head == word) {
        spec_.submit = submit;
        return {};
      }
    }
    for (const auto& [word, submit] : kSubmits) {
      if (equal_but_for_case(head, word)) {
        return refuse(quoted(head) + " is not known (names are case-sensitive); did you mean " +
                      quoted(word) + "?");
      }
    }
    return refuse("it must begin with Greedy, GreedyP, GreedyPM, MCB8 or nothing, not with " +
                  quoted(head));
  }

  Result<void> read_part(std::string_view part) {
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) value = part.substr(equals + 1);
    if (key == "per" || key == "stretch-per") return read_period(key, value);
    if (key == "MINVT" || key == "MINFT") return read_pin(key, value);
    if (key == "OPT") return read_opt(value);
    return refuse("unknown part " + quoted("/" + std::string(part)) +
                  "; known are /per=T, /stretch-per=T, /OPT=MIN, /OPT=AVG, /OPT=MAX, /MINVT=s, /MINFT=s");
  }

  Result<void> read_period(std::string_view key, std::optional<std::string_view> value) {
    if (spec_.tick != Tick::none) return refuse("it has two periods; give one");
    spec_.tick = key == "per" ? Tick::yield : Tick::stretch;
    spec_.period = kDefaultPeriod;
    return value ? read_seconds(key, *value, spec_.period) : Result<void>{};
  }

  Result<void> read_pin(std::string_view key, std::optional<std::string_view> value) {
    if (spec_.pin != Pin::none) return refuse("it has two of MINVT and MINFT; give one");
    spec_.pin = key == "MINVT" ? Pin::virtual_time : Pin::flow_time;
    return read_seconds(key, value.value_or(""), spec_.pin_below);
  }

  Result<void> read_opt(std::optional<std::string_view> value) {
    if (spec_.opt != Opt::usual) return refuse("OPT is given twice; give it once");
    for (const auto& [word, opt] : kOpts) {
      if (value == word) {
        spec_.opt = opt;
        return {};
      }
    }
    return refuse("OPT is MIN, AVG or MAX, not " + quoted(value.value_or("")));
  }

  Result<void> read_seconds(std::string_view key, std::string_view digits, Duration& into) const {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    if (!whole || count < 1 || count > kLongestPeriod.raw / kMillion) {
      return refuse("/" + std::string(key) + "=" + std::string(digits) +
                    " must be a whole number of seconds from 1 to " +
                    std::to_string(kLongestPeriod.raw / kMillion) + ", for example /" + std::string(key) +
                    "=600");
    }
    into = seconds(count);
    return {};
  }

  std::string_view text_;
  Tpds2012Spec spec_;
};

std::string seconds_text(Duration d) { return std::to_string(d.raw / kMillion); }

}  // namespace

bool looks_tpds2012(std::string_view text) {
  if (text.find_first_of("/*") != std::string_view::npos) return true;
  return std::any_of(kSubmits.begin(), kSubmits.end(), [&](const auto& row) {
    // "greedy" is as near to GREEDY: only the exact word counts there.
    return row.second == Submit::greedy ? text == row.first : equal_but_for_case(text, row.first);
  });
}

Result<Tpds2012Spec> parse_tpds2012(std::string_view text) { return Parser(text).parse(); }

std::string to_string(const Tpds2012Spec& spec) {
  std::string text;
  if (spec.submit != Submit::wait) text += word_of(kSubmits, spec.submit);
  if (spec.star) text += '*';
  if (spec.tick == Tick::yield) text += "/per=" + seconds_text(spec.period);
  if (spec.tick == Tick::stretch) text += "/stretch-per=" + seconds_text(spec.period);
  if (spec.opt != Opt::usual) text += "/OPT=" + std::string(word_of(kOpts, spec.opt));
  if (spec.pin == Pin::virtual_time) text += "/MINVT=" + seconds_text(spec.pin_below);
  if (spec.pin == Pin::flow_time) text += "/MINFT=" + seconds_text(spec.pin_below);
  return text;
}

}  // namespace aliquot
