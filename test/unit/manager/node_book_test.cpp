// The nodes in force: those of the configuration, changed by commands until the configuration says the
// same.
#include "manager/node_book.hpp"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

NodeSettings node(const std::string& name, const std::string& uri = "") {
  NodeSettings made;
  made.name = name;
  made.uri = uri.empty() ? "q://" + name : uri;
  return made;
}

std::string names(const std::vector<NodeSettings>& nodes) {
  std::string all;
  for (const NodeSettings& each : nodes) all += (all.empty() ? "" : " ") + each.name;
  return all;
}

const std::vector<NodeSettings> kTwo{node("a"), node("b")};

TEST(NodeBook, WithoutCommandsTheConfigurationRules) {
  NodeBook book;
  EXPECT_EQ(names(nodes_in_force(kTwo, book)), "a b");
  EXPECT_EQ(source_of(book, "a"), "configuration");
}

TEST(NodeBook, CommandsChangeWhatTheConfigurationSays) {
  NodeBook book;
  book.added = {{node("c"), 7}};
  book.removed = {{"a", 7}};
  book.called = {{"b", "bee", 8}};
  const auto nodes = nodes_in_force(kTwo, book);
  EXPECT_EQ(names(nodes), "bee c");
  EXPECT_EQ(nodes[0].uri, "q://b");
  EXPECT_EQ(source_of(book, "c"), "added by uid 7");
  EXPECT_EQ(source_of(book, "bee"), "b of the configuration, renamed by uid 8");
}

TEST(NodeBook, ACommandThatTheConfigurationHasMadeTrueIsDropped) {
  NodeBook book;
  book.added = {{node("c"), 7}, {node("other", "q://d"), 7}};
  book.removed = {{"a", 7}};
  book.called = {{"b", "bee", 7}};
  EXPECT_EQ(names(nodes_in_force({node("bee", "q://b"), node("c"), node("d")}, book)), "bee c d");
  EXPECT_TRUE(book.added.empty() && book.removed.empty() && book.called.empty());
  EXPECT_EQ(names(nodes_in_force(kTwo, book)), "a b") << "the configuration rules again";
}

TEST(NodeBook, ANodeUnderAnotherNameWithTheSameUriIsTheSame) {
  const std::map<std::string, KnownNode> known{{"a", {node("a"), "h"}}, {"b", {node("b"), "i"}}};
  const auto renamed = renamed_nodes({node("x", "q://a"), node("b")}, known);
  ASSERT_EQ(renamed.size(), 1U);
  EXPECT_EQ(renamed[0].from, "a");
  EXPECT_EQ(renamed[0].to, "x");
  EXPECT_TRUE(renamed_nodes({node("a"), node("b"), node("c")}, known).empty());
  EXPECT_TRUE(renamed_nodes({node("x", "q://new"), node("b")}, known).empty()) << "its host has to say";
}

TEST(NodeBook, IsReadAsItWasWritten) {
  NodeBook book;
  NodeSettings rich = node("a");
  rich.cores = 8;
  rich.speed_ppm = 1'500'000;
  rich.memory = mebibytes(4096);
  rich.reserve_cores = cores(1);
  rich.migrate_uri = "q+tls://a";
  book.added = {{rich, 7}};
  book.removed = {{"b", 1}};
  book.called = {{"c", "sea", 2}};
  book.known["a"] = {rich, "00000000-77aa-4000-8000-000000000001"};
  const std::string text = encode_book(book);
  const auto back = decode_book(text);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(encode_book(*back), text);
  EXPECT_EQ(back->added[0].node.speed_ppm, 1'500'000);
  EXPECT_EQ(back->known.at("a").host, book.known["a"].host);
  EXPECT_TRUE(decode_book(""));
  EXPECT_FALSE(decode_book("{"));
  EXPECT_FALSE(decode_book("{}"));
}

}  // namespace
}  // namespace aliquot
