#include "manager/node_book.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/node_words.hpp"

namespace aliquot {
namespace {

using nlohmann::json;

bool names(const std::vector<NodeSettings>& nodes, const std::string& name) {
  return std::ranges::find(nodes, name, &NodeSettings::name) != nodes.end();
}

json words_json(const NodeSettings& node) {
  json out = json::object();
  for (const auto& [key, words] : words_of(node)) out[key] = words;
  return out;
}

Result<NodeSettings> node_of_json(const json& object) {
  NodeWords words;
  for (const auto& [key, values] : object.items())
    words.emplace_back(key, values.get<std::vector<std::string>>());
  return node_of(words);
}

NodeBook read_book(const json& from) {
  NodeBook book;
  for (const json& each : from.at("added"))
    if (auto node = node_of_json(each.at("node"))) book.added.push_back({std::move(*node), each.at("by")});
  for (const json& each : from.at("removed")) book.removed.push_back({each.at("name"), each.at("by")});
  for (const json& each : from.at("called"))
    book.called.push_back({each.at("from"), each.at("to"), each.at("by")});
  for (const json& each : from.at("known"))
    if (auto node = node_of_json(each.at("node"))) {
      const std::string name = node->name;
      book.known[name] = {std::move(*node), each.at("host")};
    }
  return book;
}

}  // namespace

std::string encode_book(const NodeBook& book) {
  json out{{"added", json::array()},
           {"removed", json::array()},
           {"called", json::array()},
           {"known", json::array()}};
  for (const NodeAdded& each : book.added)
    out["added"].push_back({{"node", words_json(each.node)}, {"by", each.by}});
  for (const NodeRemoved& each : book.removed)
    out["removed"].push_back({{"name", each.name}, {"by", each.by}});
  for (const NodeCalled& each : book.called)
    out["called"].push_back({{"from", each.from}, {"to", each.to}, {"by", each.by}});
  for (const auto& [name, node] : book.known)
    out["known"].push_back({{"node", words_json(node.settings)}, {"host", node.host}});
  return out.dump();
}

Result<NodeBook> decode_book(const std::string& text) {
  if (text.empty()) return NodeBook{};
  try {
    return read_book(json::parse(text));
  } catch (const json::exception& why) {
    return fail(ErrorKind::refused, std::string("the store's record of nodes cannot be read: ") +
                                        why.what() + ": 'aliquot db check' lists all that is damaged");
  }
}

std::vector<NodeSettings> nodes_in_force(const std::vector<NodeSettings>& configured, NodeBook& book) {
  std::erase_if(book.removed, [&](const NodeRemoved& each) { return !names(configured, each.name); });
  std::erase_if(book.called, [&](const NodeCalled& each) {
    return !names(configured, each.from) || names(configured, each.to);
  });
  std::erase_if(book.added, [&](const NodeAdded& each) {
    return names(configured, each.node.name) ||
           std::ranges::find(configured, each.node.uri, &NodeSettings::uri) != configured.end();
  });
  std::vector<NodeSettings> nodes;
  for (const NodeSettings& each : configured) {
    if (std::ranges::find(book.removed, each.name, &NodeRemoved::name) != book.removed.end()) continue;
    nodes.push_back(each);
    const auto called = std::ranges::find(book.called, each.name, &NodeCalled::from);
    if (called != book.called.end()) nodes.back().name = called->to;
  }
  for (const NodeAdded& each : book.added) nodes.push_back(each.node);
  return nodes;
}

std::string source_of(const NodeBook& book, const std::string& name) {
  const auto added =
      std::ranges::find_if(book.added, [&](const NodeAdded& each) { return each.node.name == name; });
  if (added != book.added.end()) return "added by uid " + std::to_string(added->by);
  const auto called = std::ranges::find(book.called, name, &NodeCalled::to);
  if (called == book.called.end()) return "configuration";
  return called->from + " of the configuration, renamed by uid " + std::to_string(called->by);
}

std::vector<NodeRenamed> renamed_nodes(const std::vector<NodeSettings>& in_force,
                                       const std::map<std::string, KnownNode>& known) {
  std::vector<NodeRenamed> renamed;
  for (const NodeSettings& node : in_force) {
    if (known.contains(node.name)) continue;
    const auto before = std::ranges::find_if(known, [&](const auto& each) {
      return each.second.settings.uri == node.uri && !names(in_force, each.first);
    });
    if (before != known.end()) renamed.push_back({before->first, node.name});
  }
  return renamed;
}

}  // namespace aliquot
