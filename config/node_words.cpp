#include "config/node_words.hpp"

#include <algorithm>

#include "config/consistency.hpp"
#include "config/field_table.hpp"

namespace aliquot {
namespace {

Result<void> read(NodeSettings& node, const std::string& key, const std::vector<std::string>& words) {
  const auto field = std::ranges::find(node_fields(), key, &Field<NodeSettings>::key);
  if (field == node_fields().end()) {
    std::string known;
    for (const auto& each : node_fields()) known += (known.empty() ? "" : ", ") + each.key;
    return fail(ErrorKind::invalid_argument, "a node has no setting " + key + "; there are " + known);
  }
  if (!field->list && words.size() != 1)
    return fail(ErrorKind::invalid_argument, key + " takes one value: " + field->expects);
  if (field->list) field->clear(node);
  for (const std::string& word : words)
    if (auto done = field->read(node, word); !done)
      return fail(done.error().kind, key + ": " + done.error().message);
  return {};
}

}  // namespace

NodeWords words_of(const NodeSettings& node) {
  NodeWords words;
  for (const auto& field : node_fields()) {
    auto is = field.words(node);
    if (is != field.words(NodeSettings{})) words.emplace_back(field.key, std::move(is));
  }
  return words;
}

Result<NodeSettings> node_of(const NodeWords& words) {
  Settings alone;
  NodeSettings& node = alone.nodes.emplace_back();
  for (const auto& [key, values] : words)
    if (auto done = read(node, key, values); !done) return tl::unexpected<Error>(done.error());
  for (const auto& field : node_fields())
    if (field.required && field.words(node).front().empty())
      return fail(ErrorKind::invalid_argument,
                  "the node's " + field.key + " is missing; write " + field.expects);
  Reading reading{{"the node"}, {}, {}};
  check_consistency(alone, {}, reading);
  if (!reading.faults.empty()) return fail(ErrorKind::invalid_argument, reading.faults.front().text);
  return node;
}

}  // namespace aliquot
