// Writes a large object as text, by the same `fields(a, value)` as codec_fields.hpp: its tables entry by
// entry, since all of it as one tree of JSON would take many times the memory of its text. Internal to the
// codec and the store's state codec.
#pragma once

#include <string>

#include "monitor/codec_fields.hpp"

namespace aliquot::codec {

// What stands in a table, without its keys: an array.
template <class Table>
struct ValuesOf {
  const Table& table;
};
template <class Table>
ValuesOf(const Table&) -> ValuesOf<Table>;

class LineWriter {
 public:
  template <class T>
  using Of = const T;

  // Appends to `out`, which outlives it.
  explicit LineWriter(std::string& out) : out_(out) { out_ += '{'; }

  template <class T>
  void operator()(const char* key, const T& value) {
    name(key);
    append(value);
  }
  template <class Table>
  void operator()(const char* key, const ValuesOf<Table>& values) {
    name(key);
    entries(values.table, [](Json& out, const auto& entry) { write(out, entry.second); });
  }
  template <class T>
  void maybe(const char* key, const T& value) {
    if (!is_nothing(value)) (*this)(key, value);
  }
  void finish() { out_ += '}'; }

 private:
  void name(const char* key) {
    if (out_.back() != '{') out_ += ',';
    ((out_ += '"') += key) += "\":";
  }
  // append_line(), found by its type, writes another large object in this one.
  template <class T>
  void append(const T& value) {
    if constexpr (Kind<T>::map) {
      entries(value, [](Json& out, const auto& entry) {
        out = Json::array({nullptr, nullptr});
        write(out[0], entry.first);
        write(out[1], entry.second);
      });
    } else if constexpr (requires { append_line(out_, value); }) {
      append_line(out_, value);
    } else {
      Json json;
      write(json, value);
      out_ += to_line(json);
    }
  }
  template <class Table, class Write>
  void entries(const Table& table, Write write_entry) {
    out_ += '[';
    for (const auto& entry : table) {
      if (out_.back() != '[') out_ += ',';
      Json json;
      write_entry(json, entry);
      out_ += to_line(json);
    }
    out_ += ']';
  }

  std::string& out_;
};

}  // namespace aliquot::codec
