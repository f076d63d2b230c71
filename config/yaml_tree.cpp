#include "config/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "config/file_text.hpp"
#include "config/quantities.hpp"

namespace aliquot {
namespace {

// Thrown through yaml-cpp's parser to stop it; caught below.
struct Stop {
  Place place;
  std::string text;
};

Place at(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

// Counts lines forward only, because the events of the parser come in order.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  std::string_view line(int number) {
    while (at_ < number && !rest_.empty()) {
      const auto end = rest_.find('\n');
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
      ++at_;
    }
    return rest_.substr(0, rest_.find('\n'));
  }

 private:
  std::string_view rest_;
  int at_ = 1;
};

// A value that goes on in the next line is a fault, most often a quote that was not closed; what is wrong.
std::string spread_over_lines(std::string_view line, int column, const std::string& value) {
  const auto rest = line.substr(std::min(line.size(), static_cast<std::size_t>(column - 1)));
  if (rest.starts_with(value)) return "";
  const char mark = rest.empty() ? ' ' : rest[0];
  if (mark == '|' || mark == '>') return "a block of text is not read here; write the value on one line";
  if (mark != '"' && mark != '\'')
    return "the value goes on in the next line; write it on one line, and check indentation and brackets";
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (mark == '"' && rest[i] == '\\') {
      ++i;
    } else if (rest[i] == mark) {
      return "";
    }
  }
  return "the quote that opens here is not closed on this line; close it";
}

// Builds the tree from the parser's events. Takes what is complete from the open node on top of the stack.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) : lines_(text) {}
  YamlNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    add({YamlNode::Kind::nothing, at(mark), {}, {}, {}});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Stop{at(mark), "aliases (*name) are not read; write the value out"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (const std::string wrong = spread_over_lines(lines_.line(mark.line + 1), mark.column + 1, value);
        !wrong.empty()) {
      throw Stop{at(mark), wrong};
    }
    add({YamlNode::Kind::scalar, at(mark), value, {}, {}});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    std::optional<YamlEntry> pending;  // a key whose value is still to come
  };

  static void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0)
      throw Stop{at(mark), "anchors (&name) are not read; write the value out at each place"};
  }
  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw Stop{at(mark), "the tag " + quote(tag) + " is not read; write the value without it"};
  }
  static void refuse_key(const Place& place) {
    throw Stop{place,
               "a key must be one word; did you forget quotes, or a colon and a blank after the key?"};
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    refuse_tag(mark, tag);
    if (open_.size() >= kMaxYamlDepth) {
      throw Stop{at(mark), "nested more than " + std::to_string(kMaxYamlDepth) +
                               " levels deep; no setting needs that: check brackets and indentation"};
    }
    if (!open_.empty() && open_.back().node.kind == YamlNode::Kind::map && !open_.back().pending) {
      refuse_key(at(mark));
    }
    open_.push_back({{kind, at(mark), {}, {}, {}}, std::nullopt});
  }
  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(node));
  }
  void add(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.pending) {
      if (node.kind != YamlNode::Kind::scalar) refuse_key(node.place);
      parent.pending = YamlEntry{std::move(node.text), node.place, {}};
    } else {
      parent.pending->value = std::move(node);
      parent.node.entries.push_back(std::move(*parent.pending));
      parent.pending.reset();
    }
  }

  Lines lines_;
  std::vector<Open> open_;
  YamlNode root_;
};

// The message of yaml-cpp, with a suggestion.
std::string explain_syntax(const YAML::ParserException& error, std::string_view text, const Place& place) {
  std::string message = "is not YAML: " + error.msg;
  if (error.msg.find("anchor") != std::string::npos)
    return "aliases (*name) are not read; write the value out";
  const auto line = Lines(text).line(place.line);
  const auto indent = line.substr(0, line.find_first_not_of(" \t"));
  if (indent.find('\t') != std::string_view::npos) {
    return message + "; indent with blanks, not with tabs";
  }
  return message + "; check indentation, quotes and brackets here and on the line before";
}

}  // namespace

tl::expected<YamlNode, Fault> parse_yaml(std::string_view text, const std::string& file) {
  if (auto clean = check_text(text, file); !clean) return tl::unexpected(clean.error());
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  std::istringstream input{std::string(text)};
  TreeBuilder builder(text);
  try {
    YAML::Parser parser(input);
    if (!parser.HandleNextDocument(builder)) return YamlNode{};
    YamlNode root = builder.take_root();
    TreeBuilder second(text);
    if (parser.HandleNextDocument(second)) {
      return tl::unexpected(Fault{file, second.take_root().place, "",
                                  "a second document begins here; keep one, and remove the line ---"});
    }
    return root;
  } catch (const Stop& stop) {
    return tl::unexpected(Fault{file, stop.place, "", stop.text});
  } catch (const YAML::ParserException& error) {
    const Place place = at(error.mark);
    return tl::unexpected(Fault{file, place, "", explain_syntax(error, text, place)});
  } catch (const std::exception& error) {
    return tl::unexpected(
        Fault{file, {}, "", std::string("is not YAML: ") + error.what() + "; check its syntax"});
  }
}

}  // namespace aliquot
