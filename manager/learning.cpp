#include "manager/learning.hpp"

#include <utility>

namespace aliquot {
namespace {

constexpr const char* kKnowledge = "knowledge";
constexpr const char* kRunTimes = "run_times";

KnowledgeKeeper::Parts knowledge_parts(const Learning::Parts& parts) {
  KnowledgeKeeper::Parts made{parts.state, parts.entries, parts.warn, {}};
  made.keep = [keep = parts.keep](std::string text) { keep(kKnowledge, std::move(text)); };
  return made;
}

RunTimeKeeper::Parts run_time_parts(const Learning::Parts& parts) {
  RunTimeKeeper::Parts made{parts.state, parts.warn, {}};
  made.keep = [keep = parts.keep](std::string text) { keep(kRunTimes, std::move(text)); };
  return made;
}

}  // namespace

Learning::Learning(const Parts& parts, std::map<std::string, std::string> kept)
    : knowledge_(knowledge_parts(parts), kept[kKnowledge]),
      run_times_(run_time_parts(parts), kept[kRunTimes]) {}

}  // namespace aliquot
