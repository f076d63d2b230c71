// The answers about the knowledge base of moldable jobs as JSON bodies. Pure. docs/protocol.md lists the
// keys.
#pragma once

#include <cstddef>
#include <string>

#include "policies/moldable/knowledge.hpp"

namespace aliquot {

// By application and problem size. `most`: so many entries are kept.
[[nodiscard]] std::string knowledge_list_answer(const moldable::KnowledgeBase& base, std::size_t most);
[[nodiscard]] std::string knowledge_export_answer(const moldable::KnowledgeBase& base);
// Of the entries that were read, those that were new or better were taken.
[[nodiscard]] std::string knowledge_imported_answer(std::size_t taken, std::size_t not_better);
[[nodiscard]] std::string knowledge_forgotten_answer(std::size_t forgotten);

}  // namespace aliquot
