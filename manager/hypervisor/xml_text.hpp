// Text on its way into XML and back: attribute values and character data, no documents.
#pragma once

#include <string>
#include <string_view>

namespace aliquot {

// May this text stand in XML 1.0 at all? No control characters but tab, line feed and carriage return;
// valid UTF-8.
[[nodiscard]] bool xml_can_hold(std::string_view text);

// With & < > " ' and white space other than the blank as references, so that it survives in attributes too.
[[nodiscard]] std::string xml_escaped(std::string_view text);

// The five named references and those of characters below 128 by number; anything else stays as it is.
[[nodiscard]] std::string xml_unescaped(std::string_view text);

}  // namespace aliquot
