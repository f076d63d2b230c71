#include "policies/tpds2012/spec.hpp"

#include <array>

namespace aliquot {

namespace {

using Submit = Tpds2012Spec::Submit;
using Tick = Tpds2012Spec::Tick;
using Opt = Tpds2012Spec::Opt;
using Pin = Tpds2012Spec::Pin;

constexpr std::array<const char*, 5> kWords = {"Greedy", "GreedyP", "GreedyPM", "MCB8", ""};
constexpr std::int64_t kMostSeconds = kLongestPeriod.raw / kMillion;

// An option that sets one of the spec's choices to `value` and gives its seconds. Without `=`, the seconds
// are those of `without_value`, if there are any.
template <class Choice>
PolicyOption<Tpds2012Spec> choice_with_seconds(const char* key, const char* values, const char* group,
                                               Choice Tpds2012Spec::*choice, Choice value,
                                               Duration Tpds2012Spec::*field,
                                               std::optional<Duration> without_value) {
  return {{key, values, seconds_rule(1, kMostSeconds), seconds_text(kDefaultPeriod), group},
          [=](Tpds2012Spec& spec, std::optional<std::string_view> text) {
            const auto read = text ? whole_seconds(text, 1, kMostSeconds) : without_value;
            if (read) spec.*field = *read;
            spec.*choice = value;
            return read.has_value();
          },
          [=](const Tpds2012Spec& spec) {
            return spec.*choice == value ? std::optional(seconds_text(spec.*field)) : std::nullopt;
          }};
}

std::string conflict(const Tpds2012Spec& spec, std::string_view text) {
  if (spec.submit == Submit::wait && spec.tick == Tick::none)
    return "a policy that places nothing at a submission needs a period: write " +
           quoted(std::string(text) + "/per=600");
  if (spec.pin != Pin::none && !spec.packs())
    return "MINVT and MINFT pin jobs when all are packed anew, which this policy never does: leave them "
           "out, or add /per=600";
  return {};
}

PolicyGrammar<Tpds2012Spec> grammar(Submit submit) {
  using Spec = Tpds2012Spec;
  return {kWords[static_cast<std::size_t>(submit)],
          {submit},
          '/',
          {flag("*", &Spec::star),
           choice_with_seconds("/per", "[=T]", "period", &Spec::tick, Tick::yield, &Spec::period,
                               kDefaultPeriod),
           choice_with_seconds("/stretch-per", "[=T]", "period", &Spec::tick, Tick::stretch, &Spec::period,
                               kDefaultPeriod),
           choice<Spec, Opt>("/OPT", &Spec::opt, {{"MIN", Opt::min}, {"AVG", Opt::avg}, {"MAX", Opt::max}}),
           choice_with_seconds("/MINVT", "=s", "pin", &Spec::pin, Pin::virtual_time, &Spec::pin_below, {}),
           choice_with_seconds("/MINFT", "=s", "pin", &Spec::pin, Pin::flow_time, &Spec::pin_below, {})},
          conflict,
          [](Spec& spec) { return spec.tick == Tick::none ? nullptr : &spec.period; }};
}

}  // namespace

const PolicyGrammar<Tpds2012Spec>& grammar_of(Submit submit) {
  static const std::array grammars = {grammar(Submit::greedy), grammar(Submit::greedy_pause),
                                      grammar(Submit::greedy_move), grammar(Submit::pack),
                                      grammar(Submit::wait)};
  return grammars[static_cast<std::size_t>(submit)];
}

std::string to_string(const Tpds2012Spec& spec) { return grammar_of(spec.submit).print(spec); }

}  // namespace aliquot
