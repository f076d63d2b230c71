#include "policies/needs/need_words.hpp"

#include <cstdio>

namespace aliquot::needs {
namespace {

// With two decimals at most: "0.3", "1".
std::string in_cores(Cpu cpu) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", static_cast<double>(cpu.raw) / kMillion);
  std::string all = text;
  while (all.back() == '0') all.pop_back();
  if (all.back() == '.') all.pop_back();
  return all;
}
std::string of_cores(Cpu cpu) { return in_cores(cpu) + (in_cores(cpu) == "1" ? " core" : " cores"); }

}  // namespace

std::string explain(const NeedChange& change, const NeedTerms& terms) {
  const std::string used = "a task of it uses " + of_cores(change.used);
  const std::string declared = " of the " + in_cores(terms.declared) + " that it declares";
  switch (change.kind) {
    case ChangeKind::uses_less:
      return used + declared;
    case ChangeKind::wants_more:
      return "its tasks use all that they are given, and want more";
    case ChangeKind::probed:
      return "its tasks use all that they are given: a probe shows whether they would use up to " +
             of_cores(change.need);
    case ChangeKind::probe_kept:
      return "the probe has shown that it uses more: " + used + declared;
    case ChangeKind::probe_undone:
      return "the probe is undone, as its tasks used no more, or there was no CPU to give them: " + used;
  }
  return used;
}

}  // namespace aliquot::needs
