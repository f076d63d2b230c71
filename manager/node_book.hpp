// What the manager knows of its nodes beside the configuration, kept in the store: what operators have
// changed by command, and of each node its last settings and its host.
//
// The nodes in force are those of the configuration, changed by the commands. A command holds, over
// restarts and reloads, until the configuration says the same. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "monitor/record/event.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// `by`: the uid of the operator.
struct NodeAdded {
  NodeSettings node;
  std::uint32_t by = 0;
};
struct NodeRemoved {
  std::string name;
  std::uint32_t by = 0;
};
struct NodeCalled {  // the configured node `from` is called `to`
  std::string from;
  std::string to;
  std::uint32_t by = 0;
};

struct KnownNode {
  NodeSettings settings;
  std::string host;  // UUID; empty: it has not answered yet
};

struct NodeBook {
  std::vector<NodeAdded> added;
  std::vector<NodeRemoved> removed;
  std::vector<NodeCalled> called;
  std::map<std::string, KnownNode> known;  // by name
};

[[nodiscard]] std::string encode_book(const NodeBook& book);
[[nodiscard]] Result<NodeBook> decode_book(const std::string& text);  // an empty text is an empty book

// The nodes in force, in the order of the configuration, then in that of the commands. Commands that the
// configuration has made true, or that are about nodes that it names otherwise by now, are dropped.
[[nodiscard]] std::vector<NodeSettings> nodes_in_force(const std::vector<NodeSettings>& configured,
                                                       NodeBook& book);

// Where the node comes from: "configuration", "added by uid 0", "n1 of the configuration, renamed by uid
// 0".
[[nodiscard]] std::string source_of(const NodeBook& book, const std::string& name);

// Nodes that are in force under a name that is not known, with the URI of a known one that is not in force:
// they are the same.
[[nodiscard]] std::vector<NodeRenamed> renamed_nodes(const std::vector<NodeSettings>& in_force,
                                                     const std::map<std::string, KnownNode>& known);

}  // namespace aliquot
