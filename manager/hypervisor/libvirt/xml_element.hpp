// Reads XML that libvirt has written: a thin layer over libxml2.
#pragma once

#include <libxml/parser.h>
#include <libxml/tree.h>

#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot {

struct XmlDocumentRelease {
  void operator()(xmlDoc* document) const { xmlFreeDoc(document); }
};
using XmlDocument = std::unique_ptr<xmlDoc, XmlDocumentRelease>;

// Null: it is no XML. Fetches nothing, and says nothing of errors.
[[nodiscard]] inline XmlDocument parse_xml(const std::string& text) {
  constexpr int kOptions = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA;
  return XmlDocument(
      xmlReadMemory(text.data(), static_cast<int>(text.size()), "text.xml", nullptr, kOptions));
}

[[nodiscard]] inline std::string_view text_of(const xmlChar* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

// An XML element, or none. The members of none return empty values.
class XmlElement {
 public:
  explicit XmlElement(const xmlNode* node) : node_(node) {}
  static XmlElement root_of(const XmlDocument& document) {
    return XmlElement(document ? xmlDocGetRootElement(document.get()) : nullptr);
  }

  [[nodiscard]] bool is(std::string_view name) const {
    return node_ != nullptr && text_of(node_->name) == name;
  }
  [[nodiscard]] XmlElement child(std::string_view name) const {
    for (const XmlElement& each : children())
      if (each.is(name)) return each;
    return XmlElement(nullptr);
  }
  [[nodiscard]] std::vector<XmlElement> children() const {
    std::vector<XmlElement> all;
    for (const xmlNode* at = node_ == nullptr ? nullptr : node_->children; at != nullptr; at = at->next)
      if (at->type == XML_ELEMENT_NODE) all.emplace_back(at);
    return all;
  }
  [[nodiscard]] std::string attribute(const char* name) const {
    if (node_ == nullptr) return {};
    xmlChar* value = xmlGetNoNsProp(node_, reinterpret_cast<const xmlChar*>(name));
    std::string out(text_of(value));
    xmlFree(value);
    return out;
  }
  [[nodiscard]] std::string text() const {
    if (node_ == nullptr) return {};
    xmlChar* value = xmlNodeGetContent(node_);
    std::string out(text_of(value));
    xmlFree(value);
    return out;
  }
  // Decimal, or hexadecimal behind 0x.
  [[nodiscard]] std::optional<std::uint32_t> number() const { return number_in(text()); }
  static std::optional<std::uint32_t> number_in(std::string_view text) {
    const bool hex = text.starts_with("0x");
    if (hex) text.remove_prefix(2);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

 private:
  const xmlNode* node_;
};

}  // namespace aliquot
