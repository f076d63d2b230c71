// Escapes text for XML attribute values and character data, and back. Not an XML parser.
#pragma once

#include <string>
#include <string_view>

namespace aliquot {

// Can XML 1.0 represent this text? It must be valid UTF-8 without control characters other than tab, line
// feed and carriage return.
[[nodiscard]] bool xml_can_hold(std::string_view text);

// Replaces & < > " ' and white space other than blanks by references, so the text is also valid in
// attributes.
[[nodiscard]] std::string xml_escaped(std::string_view text);

// Decodes the five named references and numeric ones below 128; leaves anything else unchanged.
[[nodiscard]] std::string xml_unescaped(std::string_view text);

}  // namespace aliquot
