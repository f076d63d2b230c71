#include "policies/placement/grammar.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "policies/model/nearest.hpp"
#include "policies/spec.hpp"

namespace aliquot {

namespace {

using Kind = CollectiveSpec::Kind;
using Priority = CollectiveSpec::Priority;
using Solver = CollectiveSpec::Solver;

constexpr std::array<std::pair<std::string_view, Solver>, 3> kSolvers = {
    {{"fast", Solver::fast}, {"cbc", Solver::selection}, {"exact", Solver::exact}}};

constexpr std::array<std::pair<std::string_view, Kind>, 4> kKinds = {{{"IPSCHED", Kind::ipsched},
                                                                      {"AUCSCHED", Kind::aucsched},
                                                                      {"BACKFILL", Kind::backfill},
                                                                      {"BESTFIT", Kind::bestfit}}};

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<CollectiveSpec> parse() {
    std::size_t slash = text_.find('/');
    const std::string_view head = text_.substr(0, slash);
    const Kind* kind = nullptr;
    for (const auto& [word, value] : kKinds) {
      if (head == word) kind = &value;
    }
    if (!kind) {
      return refuse(
          quoted(head) +
          " is not known (names are case-sensitive); known are IPSCHED, AUCSCHED, BACKFILL, BESTFIT");
    }
    spec_ = usual_spec(*kind);
    while (slash != std::string_view::npos) {
      const std::size_t next = text_.find('/', slash + 1);
      const std::string_view part =
          text_.substr(slash + 1, next == std::string_view::npos ? next : next - slash - 1);
      if (auto read = read_part(part); !read) return tl::unexpected(read.error());
      slash = next;
    }
    if (given("size") && spec_.priority != Priority::multifactor)
      return refuse("/size weighs sizes against waiting: add /priority=multifactor, or leave it out");
    return spec_;
  }

 private:
  [[nodiscard]] tl::unexpected<Error> refuse(const std::string& why) const {
    return fail(ErrorKind::invalid_argument, "policy " + quoted(text_) + ": " + why);
  }

  [[nodiscard]] bool given(std::string_view key) const {
    for (const std::string_view before : keys_) {
      if (before == key) return true;
    }
    return false;
  }

  Result<void> read_part(std::string_view part) {
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : part.substr(equals + 1);
    if (spec_.kind == Kind::bestfit)
      return refuse("BESTFIT has no options; leave " + quoted(part) + " out");
    if (given(key)) return refuse(quoted(key) + " is given twice; give it once");
    keys_.push_back(key);
    const bool backfill = spec_.kind == Kind::backfill;
    if (backfill && (key == "objective" || key == "effort" || key == "paper" || key == "solver"))
      return refuse("BACKFILL solves no problem that " + quoted("/" + std::string(part)) +
                    " could speak of; leave it out");
    if (key == "objective") return read_choice(key, value, "p", "pr", spec_.by_cores);
    if (key == "priority") {
      bool multifactor = false;
      auto read = read_choice(key, value, "basic", "multifactor", multifactor);
      if (multifactor) spec_.priority = Priority::multifactor;
      return read;
    }
    if (key == "solver") return read_solver(value);
    if (key == "paper" && equals == std::string_view::npos) {
      spec_.paper = true;
      return {};
    }
    if (key == "interval") {
      std::uint64_t count = 0;
      auto read =
          read_number(key, value, 1, static_cast<std::uint64_t>(kLongestPeriod.raw / kMillion), count);
      spec_.interval = seconds(static_cast<std::int64_t>(count));
      return read;
    }
    if (key == "window") return read_number(key, value, 1, 10'000, spec_.window);
    if (key == "size") return read_number(key, value, 0, 1'000'000'000, spec_.size_weight);
    if (key == "effort") return read_number(key, value, 1'000, 100'000'000'000, spec_.effort);
    if (key == "MAXBIDS" && spec_.kind == Kind::aucsched)
      return read_number(key, value, 1, 1'000, spec_.max_bids);
    return refuse(
        "unknown part " + quoted("/" + std::string(part)) +
        "; known are /interval=s, /window=jobs, /objective=p|pr, /priority=basic|multifactor, /size=w, "
        "/effort=work, /solver=fast|cbc|exact, /paper and, of AUCSCHED, /MAXBIDS=n; of BACKFILL /interval, "
        "/window, /priority and "
        "/size");
  }

  Result<void> read_solver(std::string_view value) {
    for (const auto& [word, solver] : kSolvers) {
      if (value != word) continue;
      spec_.solver = solver;
      return {};
    }
    return refuse("/solver is fast, cbc or exact, not " + quoted(value));
  }

  Result<void> read_choice(std::string_view key, std::string_view value, std::string_view usual,
                           std::string_view other, bool& is_other) const {
    if (value != usual && value != other) {
      return refuse("/" + std::string(key) + " is " + std::string(usual) + " or " + std::string(other) +
                    ", not " + quoted(value));
    }
    is_other = value == other;
    return {};
  }

  template <class Number>
  Result<void> read_number(std::string_view key, std::string_view digits, std::uint64_t least,
                           std::uint64_t most, Number& into) const {
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    const bool whole = error == std::errc() && end == digits.data() + digits.size();
    if (!whole || count < least || count > most) {
      return refuse("/" + std::string(key) + "=" + std::string(digits) + " must be a whole number from " +
                    std::to_string(least) + " to " + std::to_string(most));
    }
    into = static_cast<Number>(count);
    return {};
  }

  std::string_view text_;
  CollectiveSpec spec_;
  std::vector<std::string_view> keys_;
};

}  // namespace

std::string_view word(CollectiveSpec::Solver solver) {
  for (const auto& [name, value] : kSolvers) {
    if (value == solver) return name;
  }
  return {};
}

bool looks_collective(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('/'));
  for (const auto& [word, kind] : kKinds) {
    if (head.size() <= 2 * word.size() && slips_between(head, word) <= 2) return true;
  }
  return false;
}

CollectiveSpec usual_spec(CollectiveSpec::Kind kind) {
  CollectiveSpec spec;
  spec.kind = kind;
  if (kind != Kind::backfill) return spec;
  spec.interval = seconds(30);
  spec.window = 50;
  return spec;
}

Result<CollectiveSpec> parse_collective(std::string_view text) { return Parser(text).parse(); }

std::string to_string(const CollectiveSpec& spec) {
  const CollectiveSpec usual = usual_spec(spec.kind);
  std::string text;
  for (const auto& [word, kind] : kKinds) {
    if (kind == spec.kind) text = word;
  }
  const auto add = [&](std::string_view key, std::uint64_t value, std::uint64_t as_usual) {
    if (value != as_usual) text += '/' + std::string(key) + '=' + std::to_string(value);
  };
  const auto whole_seconds = [](Duration d) { return static_cast<std::uint64_t>(d.raw / kMillion); };
  add("interval", whole_seconds(spec.interval), whole_seconds(usual.interval));
  add("window", spec.window, usual.window);
  if (spec.by_cores) text += "/objective=pr";
  if (spec.priority == Priority::multifactor) {
    text += "/priority=multifactor";
    add("size", spec.size_weight, usual.size_weight);
  }
  add("effort", spec.effort, usual.effort);
  for (const auto& [word, solver] : kSolvers) {
    if (solver == spec.solver && solver != usual.solver) text += "/solver=" + std::string(word);
  }
  add("MAXBIDS", spec.max_bids, usual.max_bids);
  if (spec.paper) text += "/paper";
  return text;
}

}  // namespace aliquot
