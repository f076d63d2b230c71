// Variants of the model as tagged objects: {"event": "submitted", "job": 7, ...}. Internal to codec*.cpp.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <variant>

#include "monitor/codec_fields.hpp"

namespace aliquot::codec {

// The words of the alternatives, in their order.
template <class Variant>
using Tags = std::array<std::string_view, std::variant_size_v<Variant>>;

template <class Variant>
void write_variant(Json& out, const Variant& value, const char* key, const Tags<Variant>& tags) {
  Writer writer(out);
  writer(key, std::string(tags[value.index()]));
  std::visit([&](const auto& alternative) { fields(writer, alternative); }, value);
}

template <std::size_t index = 0, class Variant>
void read_alternative(Reader& reader, Variant& value, const std::string& tag, const Tags<Variant>& tags) {
  if constexpr (index < std::variant_size_v<Variant>) {
    if (tag != tags[index]) return read_alternative<index + 1>(reader, value, tag, tags);
    fields(reader, value.template emplace<index>());
  } else {
    broken("'" + tag + "' is not a known word here");
  }
}

template <class Variant>
void read_variant(const Json& in, Variant& value, const char* key, const Tags<Variant>& tags) {
  Reader reader(in);
  std::string tag;
  reader(key, tag);
  read_alternative(reader, value, tag, tags);
  reader.finish();
}

}  // namespace aliquot::codec
