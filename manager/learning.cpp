#include "manager/learning.hpp"

namespace aliquot {
namespace {

constexpr const char* kKnowledge = "knowledge";
constexpr const char* kRunTimes = "run_times";

std::function<void(std::string)> under(const char* name, const Learning::Parts& parts) {
  return [name, keep = parts.keep](std::string text) { keep(name, std::move(text)); };
}

}  // namespace

Learning::Learning(const Parts& parts, std::map<std::string, std::string> kept)
    : knowledge_({parts.state, parts.entries, parts.warn, under(kKnowledge, parts)}, kept[kKnowledge]),
      run_times_({parts.state, parts.warn, under(kRunTimes, parts)}, kept[kRunTimes]) {}

}  // namespace aliquot
