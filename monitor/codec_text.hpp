// The definitions behind codec.hpp, for the files that instantiate them. Internal: whoever defines the
// fields of a type says ALIQUOT_CODEC(Type) once.
#pragma once

#include <nlohmann/json.hpp>

#include "monitor/codec.hpp"
#include "monitor/codec_fields.hpp"

namespace aliquot {

namespace codec {
// The text as JSON; an Error says at which byte it stops being so.
Result<Json> parse(std::string_view text);
Error refusal(const Broken& why);
}  // namespace codec

template <class T>
std::string encode(const T& value) {
  codec::Json json;
  codec::write(json, value);
  return to_line(json);
}

template <class T>
Result<T> decode_json(const nlohmann::json& json) try {
  T value{};
  codec::read(json, value);
  return value;
} catch (const codec::Broken& why) {
  return tl::unexpected<Error>(codec::refusal(why));
} catch (const nlohmann::json::exception& why) {
  return fail(ErrorKind::invalid_argument, std::string("not understood: ") + why.what());
}

template <class T>
Result<T> decode(std::string_view text) {
  return codec::parse(text).and_then([](const codec::Json& json) { return decode_json<T>(json); });
}

#define ALIQUOT_CODEC(Type)                             \
  template std::string encode<Type>(const Type&);       \
  template Result<Type> decode<Type>(std::string_view); \
  template Result<Type> decode_json<Type>(const nlohmann::json&)

}  // namespace aliquot
