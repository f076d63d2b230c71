#include "policies/dfrs/dynmcb8_spec.hpp"

namespace aliquot {

namespace {

using Variant = DynMcb8Spec::Variant;

constexpr std::array<const char*, 4> kWords = {"DYNMCB8", "DYNMCB8-PER", "DYNMCB8-ASAP-PER",
                                               "DYNMCB8-STRETCH-PER"};

PolicyOption<DynMcb8Spec> period_suffix() {
  const std::int64_t most = kLongestPeriod.raw / kMillion;
  return {{kPeriodSuffix, "", seconds_rule(1, most), seconds_text(kDefaultPeriod)},
          [most](DynMcb8Spec& spec, std::optional<std::string_view> value) {
            spec.period = whole_seconds(value, 1, most);
            return spec.period.has_value();
          },
          [](const DynMcb8Spec& spec) { return std::optional(seconds_text(*spec.period)); }};
}

PolicyGrammar<DynMcb8Spec> grammar(Variant variant) {
  PolicyGrammar<DynMcb8Spec> grammar{kWords[static_cast<std::size_t>(variant)], {variant}};
  if (variant != Variant::at_every_event) {
    grammar.defaults.period = kDefaultPeriod;
    grammar.options.push_back(period_suffix());
    grammar.period = [](DynMcb8Spec& spec) { return &*spec.period; };
  }
  // The exact packing proves yields, and STRETCH packs for another level.
  if (variant != Variant::stretch_periodic) grammar.options.push_back(flag("+exact", &DynMcb8Spec::exact));
  grammar.options.push_back(flag("+match", &DynMcb8Spec::match));
  return grammar;
}

}  // namespace

const PolicyGrammar<DynMcb8Spec>& grammar_of(Variant variant) {
  static const std::array grammars = {grammar(Variant::at_every_event), grammar(Variant::periodic),
                                      grammar(Variant::asap_periodic), grammar(Variant::stretch_periodic)};
  return grammars[static_cast<std::size_t>(variant)];
}

std::string to_string(const DynMcb8Spec& spec) { return grammar_of(spec.variant).print(spec); }

}  // namespace aliquot
