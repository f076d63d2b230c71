// The implementation of the codec. The fields of each type are listed once, in a template `fields(a,
// value)`; the same list writes and reads, so the two directions cannot differ. Internal to codec_*.cpp and
// the store's state codec, because it includes all of nlohmann's json.
//
//   a(key, member)        always written; must be present when read
//   a.maybe(key, member)  omitted if it has the default value (0, false, empty, none), and read as that if
//   missing
//
// A 64-bit integer is a JSON integer, a 128-bit integer a decimal string, an enum its name, a map an array
// of [key, value] pairs, a string that is not UTF-8 {"hex": "..."}. Reading is strict: a wrong type, a
// number out of range, an unknown key or name throws Broken, which decode() turns into an Error.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "monitor/codec.hpp"
#include "monitor/codec_words.hpp"
#include "monitor/record/shared.hpp"
#include "policies/model/flat_map.hpp"
#include "policies/model/id_table.hpp"
#include "policies/model/units.hpp"

namespace aliquot::codec {

using Json = nlohmann::json;

// A decoding error and its path: "events[2].job".
class Broken : public std::runtime_error {
 public:
  Broken(const std::string& what, const std::string& where) : runtime_error(what), where_(where) {}
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  std::string where_;
};
[[noreturn]] void broken(const std::string& what);
[[noreturn]] void broken_at(const std::string& step, const Broken& inner);

void write_string(Json& out, const std::string& text);
void read_string(const Json& in, std::string& text);
void write_wide(Json& out, Int128 value);
void read_wide(const Json& in, Int128& value);
// Check that `in` is an integer; negative integers are signed, others unsigned.
std::int64_t signed_integer(const Json& in);
std::uint64_t unsigned_integer(const Json& in);

template <class T>
struct Kind : std::false_type {
  static constexpr bool vector = false, map = false, optional = false, shared = false;
};
template <class T>
struct Kind<std::vector<T>> : Kind<void> {
  static constexpr bool vector = true;
};
template <class K, class V>
struct Kind<std::map<K, V>> : Kind<void> {
  static constexpr bool map = true;
};
template <class K, class V>
struct Kind<FlatMap<K, V>> : Kind<void> {
  static constexpr bool map = true;
};
template <class K, class V>
struct Kind<IdTable<K, V>> : Kind<void> {
  static constexpr bool map = true;
};
template <class T>
struct Kind<Shared<T>> : Kind<void> {
  static constexpr bool shared = true;
  using Value = T;
};
template <class T>
struct Kind<std::optional<T>> : Kind<void> {
  static constexpr bool optional = true;
};

// Quantity, Id, Instant, VirtualTime: one number.
template <class T>
concept Number = requires(const T& v) {
  v.raw;
};

template <class T>
void write(Json& out, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    out = word(value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    static_assert(!std::is_floating_point_v<T>);
    out = value;
  } else if constexpr (std::is_same_v<T, Int128>) {
    write_wide(out, value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    write_string(out, value);
  } else if constexpr (Number<T>) {
    write(out, value.raw);
  } else if constexpr (Kind<T>::optional) {
    if (value) write(out, *value);
  } else if constexpr (Kind<T>::vector) {
    out = Json::array();
    for (const auto& item : value) write(out.emplace_back(), item);
  } else if constexpr (Kind<T>::map) {
    out = Json::array();
    for (const auto& [key, item] : value) {
      Json& pair = out.emplace_back(Json::array({nullptr, nullptr}));
      write(pair[0], key);
      write(pair[1], item);
    }
  } else if constexpr (Kind<T>::shared) {
    write(out, *value);
  } else {
    to_json(out, value);
  }
}

template <class T>
void read(const Json& in, T& value);

template <class T>
void read_integer(const Json& in, T& value) {
  bool fits = false;
  if constexpr (std::is_signed_v<T>) {
    const std::int64_t wide = signed_integer(in);
    fits = std::in_range<T>(wide);
    value = static_cast<T>(wide);
  } else {
    const std::uint64_t wide = unsigned_integer(in);
    fits = std::in_range<T>(wide);
    value = static_cast<T>(wide);
  }
  if (!fits) broken("the number " + in.dump() + " is out of range");
}

template <class T>
void read_item(const Json& array, std::size_t index, T& item) {
  try {
    read(array[index], item);
  } catch (const Broken& inner) {
    broken_at('[' + std::to_string(index) + ']', inner);
  }
}

template <class E>
void read_word(const Json& in, E& value) {
  std::string text;
  read_string(in, text);
  const auto found = from_word<E>(text);
  if (!found) broken("'" + text + "' is not a known word here");
  value = *found;
}

template <class T>
void read(const Json& in, T& value) {
  if constexpr (std::is_enum_v<T>) {
    read_word(in, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!in.is_boolean()) broken("true or false is wanted");
    value = in.get<bool>();
  } else if constexpr (std::is_arithmetic_v<T>) {
    read_integer(in, value);
  } else if constexpr (std::is_same_v<T, Int128>) {
    read_wide(in, value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    read_string(in, value);
  } else if constexpr (Number<T>) {
    read(in, value.raw);
  } else if constexpr (Kind<T>::optional) {
    value.reset();
    if (!in.is_null()) read(in, value.emplace());
  } else if constexpr (Kind<T>::vector) {
    if (!in.is_array()) broken("an array is wanted");
    value.clear();
    value.resize(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) read_item(in, i, value[i]);
  } else if constexpr (Kind<T>::map) {
    if (!in.is_array()) broken("an array of [key, value] is wanted");
    value.clear();
    for (const Json& pair : in) {
      if (!pair.is_array() || pair.size() != 2) broken("a pair [key, value] is wanted");
      typename T::key_type key{};
      read_item(pair, 0, key);
      const auto [place, fresh] = value.emplace(key, typename T::mapped_type{});
      if (!fresh) broken("the key " + pair[0].dump() + " stands there twice");
      read_item(pair, 1, place->second);
    }
  } else if constexpr (Kind<T>::shared) {
    typename Kind<T>::Value read_value;
    read(in, read_value);
    value = std::move(read_value);
  } else {
    from_json(in, value);
  }
}

template <class T>
bool is_nothing(const T& value) {
  if constexpr (Number<T>) {
    return value.raw == T{}.raw;
  } else if constexpr (Kind<T>::optional) {
    return !value;
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else {
    return value == T{};
  }
}

class Writer {
 public:
  template <class T>
  using Of = const T;

  explicit Writer(Json& out) : out_(out) { out_ = Json::object(); }

  template <class T>
  void operator()(const char* key, const T& value) {
    write(out_[key], value);
  }
  template <class T>
  void maybe(const char* key, const T& value) {
    if (!is_nothing(value)) write(out_[key], value);
  }

 private:
  Json& out_;
};

class Reader {
 public:
  template <class T>
  using Of = T;

  explicit Reader(const Json& in) : in_(in) {
    if (!in.is_object()) broken("an object is wanted");
  }

  template <class T>
  void operator()(const char* key, T& value) {
    if (!take(key, value)) broken(std::string("'") + key + "' is missing");
  }
  template <class T>
  void maybe(const char* key, T& value) {
    if (!take(key, value)) value = T{};
  }
  // A fault for any key that was not read.
  void finish() const;

 private:
  template <class T>
  bool take(const char* key, T& value) {
    const auto found = in_.find(key);
    if (found == in_.end()) return false;
    seen_.emplace_back(key);
    try {
      read(*found, value);
    } catch (const Broken& inner) {
      broken_at(key, inner);
    }
    return true;
  }

  const Json& in_;
  std::vector<std::string_view> seen_;
};

// The parameter type of `fields`: const when writing.
template <class A, class T>
using Of = typename A::template Of<T>;

template <class T>
void write_fields(Json& out, const T& value) {
  Writer writer(out);
  fields(writer, value);
}
template <class T>
void read_fields(const Json& in, T& value) {
  Reader reader(in);
  fields(reader, value);
  reader.finish();
}

// ---- Variants of the model as tagged objects: {"event": "submitted", "job": 7, ...}.

// The names of the alternatives, in their order.
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

// ---- The functions of codec.hpp.

// Parses JSON; the Error gives the byte of the syntax error.
Result<Json> parse(std::string_view text);
Error refusal(const Broken& why);

}  // namespace aliquot::codec

namespace aliquot {

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

// Instantiates encode() and decode() for a type: once, in the file that defines its fields.
#define ALIQUOT_CODEC(Type)                             \
  template std::string encode<Type>(const Type&);       \
  template Result<Type> decode<Type>(std::string_view); \
  template Result<Type> decode_json<Type>(const nlohmann::json&)

}  // namespace aliquot
