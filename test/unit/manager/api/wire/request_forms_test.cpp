// docs/api/requests.json says what the decoder takes: requests that are made from the schemas are read, and
// of those that a change has spoiled the schema and the decoder say the same.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "manager/api/wire/protocol.hpp"
#include "manager/api/wire/request_codec.hpp"
#include "monitor/codec_event.hpp"
#include "monitor/codec_words.hpp"
#include "test/support/json_form.hpp"

namespace aliquot {
namespace {

using nlohmann::json;
using test::JsonForms;

class Requests {
 public:
  explicit Requests(std::uint32_t seed) : random_(seed) {}

  [[nodiscard]] const JsonForms& forms() const { return forms_; }

  // A value of this form.
  json valid(const json& schema) {
    for (int attempt = 0; attempt < 10'000; ++attempt)
      if (json value = make(schema); forms_.fits(schema, value)) return value;
    throw std::runtime_error("no valid value of " + schema.dump());
  }
  // One change somewhere in it. Texts with a grammar of their own are not replaced by other texts.
  void spoil(json& body, const std::set<std::string>& with_grammar) {
    std::vector<Place> places{{&body, false, false}};
    collect(body, false, with_grammar, places);
    const Place place = places[below(places.size())];
    json& value = *place.value;
    const auto kind = below(4);
    if (kind == 0 && value.is_object() && !value.empty()) {
      value.erase(std::next(value.begin(), static_cast<std::ptrdiff_t>(below(value.size()))).key());
    } else if (kind == 1 && value.is_object()) {
      value["zz"] = 1;
    } else if (kind == 2 || value.is_object() || value.is_boolean() || place.has_grammar) {
      value = of_other_type(place.has_grammar);
    } else if (value.is_string()) {
      // The lengths of a list's texts are bounded together, which a schema cannot say.
      value = std::string(
          place.in_list ? pick({0, 64, 257})
                        : pick({0, 63, 64, 65, 255, 256, 257, 512, 513, 2048, 2049, 4096, 4097, 8193}),
          'y');
    } else if (value.is_array()) {
      resize(value);
    } else {
      value = pick_number();
    }
  }

 private:
  struct Place {
    json* value;
    bool has_grammar;
    bool in_list;
  };

  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  std::size_t pick(std::initializer_list<std::size_t> values) {
    return values.begin()[below(values.size())];
  }

  json make(const json& schema) {
    if (schema.contains("$ref")) return make(forms_.resolved(schema));
    if (schema.contains("const")) return schema["const"];
    for (const char* key : {"enum", "examples"})
      if (schema.contains(key)) return schema[key][below(schema[key].size())];
    for (const char* key : {"oneOf", "anyOf"})
      if (schema.contains(key)) return make(schema[key][below(schema[key].size())]);
    const std::string type = schema.value("type", "object");
    if (type == "integer") return number_of(schema);
    if (type == "boolean") return below(2) == 0;
    if (type == "string") return text_of(schema);
    if (type == "array") return list_of(schema);
    return object_of(schema);
  }
  json number_of(const json& schema) {
    const auto low = schema.at("minimum").get<std::int64_t>(),
               high = schema.at("maximum").get<std::int64_t>();
    if (const auto which = below(4); which < 2) return which == 0 ? low : high;
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  json text_of(const json& schema) {
    const std::size_t least = schema.value("minLength", std::size_t{0});
    const std::size_t most = std::min(schema.value("maxLength", std::size_t{12}), least + 12);
    std::string text(least + below(most - least + 1), ' ');
    for (char& c : text) c = static_cast<char>('a' + below(26));
    return text;
  }
  json list_of(const json& schema) {
    const std::size_t least = schema.value("minItems", std::size_t{0});
    json list = json::array();
    for (std::size_t count = least + below(3); count > 0; --count) list.push_back(valid(schema["items"]));
    return list;
  }
  json object_of(const json& schema) {
    json object = json::object();
    const json required = schema.value("required", json::array());
    const json properties = schema.value("properties", json::object());
    for (const auto& [key, inner] : properties.items())
      if (std::find(required.begin(), required.end(), key) != required.end() || below(3) == 0)
        object[key] = make(inner);
    if (const json others = schema.value("additionalProperties", json(false)); others.is_object())
      object["one.bin"] = make(others);
    return object;
  }

  void collect(json& value, bool has_grammar, const std::set<std::string>& with_grammar,
               std::vector<Place>& places) {
    if (value.is_object())
      for (auto& [key, inner] : value.items()) {
        const bool its = has_grammar || with_grammar.contains(key);
        places.push_back({&inner, its, false});
        collect(inner, its, with_grammar, places);
      }
    if (value.is_array())
      for (json& inner : value) {
        places.push_back({&inner, has_grammar, true});
        collect(inner, has_grammar, with_grammar, places);
      }
  }
  json of_other_type(bool no_text) {
    const json values{nullptr,        true,         7, 1.5, json::object({{"a", 1}}), json::array({1}), "x",
                      json::object(), json::array()};
    return values[below(no_text ? 6 : values.size())];
  }
  void resize(json& list) {
    const std::size_t size = pick({0, 1, 64, 65, 256, 257, 1000, 1001, 1024, 1025, 4096, 4097});
    const json one = list.empty() ? json("a") : list[0];
    while (list.size() > size) list.erase(list.size() - 1);
    while (list.size() < size && (list.size() < 1001 || one.is_string())) list.push_back(one);
  }
  json pick_number() {
    const json numbers{-1,
                       0,
                       1,
                       255,
                       256,
                       1'001,
                       10'000,
                       10'001,
                       1'000'001,
                       std::int64_t{1} << 53,
                       (std::int64_t{1} << 53) + 1,
                       INT64_MIN,
                       UINT64_MAX};
    return numbers[below(numbers.size())];
  }

  JsonForms forms_{"requests.json"};
  std::mt19937 random_;
};

// The names of the fields of this form whose text has a grammar.
void find_grammars(const JsonForms& forms, const json& schema, std::set<std::string>& found) {
  const json& whole = forms.resolved(schema);
  const json properties = whole.value("properties", json::object());
  for (const auto& [key, inner] : properties.items()) {
    if (forms.resolved(inner).contains("format")) found.insert(key);
    find_grammars(forms, inner, found);
  }
  if (whole.contains("items")) find_grammars(forms, whole["items"], found);
}

bool names_archive(const json& order) {
  const auto text = [](const json& in, const char* key) {
    return in.contains(key) && in[key].is_string() && !in[key].get_ref<const std::string&>().empty();
  };
  return order.is_object() && order.contains("program") && order["program"].is_object() &&
         text(order["program"], "archive_sha256") && !text(order, "archive_file");
}

// A request whose body names an archive has one.
Result<Request> decode(const std::string& method, const json& body) {
  bool has_archive = names_archive(body);
  if (method == "submit_many" && body.contains("jobs") && body["jobs"].is_array())
    has_archive = std::any_of(body["jobs"].begin(), body["jobs"].end(), names_archive);
  return wire::decode_payload(method, body.dump(), has_archive ? "070701" : "");
}

TEST(RequestForms, EveryMethodHasItsSchemasAndNoOtherHas) {
  const std::set<std::string> methods(known_methods().begin(), known_methods().end());
  EXPECT_EQ(JsonForms("requests.json").methods(), methods);
  EXPECT_EQ(JsonForms("answers.json").methods(), methods);
}

TEST(RequestForms, ARequestThatFitsIsReadAndASpoiledOneOnlyIfItStillFits) {
  Requests requests(26);
  std::size_t accepted = 0, refused = 0;
  for (const std::string& method : known_methods()) {
    const json& schema = requests.forms().at(method);
    std::set<std::string> with_grammar;
    find_grammars(requests.forms(), schema, with_grammar);
    const bool is_order = method.starts_with("submit");
    for (int i = 0; i < (is_order ? 400 : 40); ++i) {
      const json body = requests.valid(schema);
      const auto read = decode(method, body);
      ASSERT_TRUE(read) << method << " " << body << "\n" << read.error().message;
      for (int k = 0; k < 5; ++k) {
        json spoiled = body;
        requests.spoil(spoiled, with_grammar);
        const auto again = decode(method, spoiled);
        const std::string fault = requests.forms().fault(method, spoiled);
        ++(again ? accepted : refused);
        ASSERT_EQ(again.has_value(), fault.empty())
            << method << " " << spoiled.dump().substr(0, 2000) << "\nthe schema: " << fault
            << "\nthe decoder: " << (again ? "taken" : again.error().message);
      }
    }
  }
  EXPECT_GT(accepted, 2'000U);
  EXPECT_GT(refused, 5'000U);
}

TEST(RequestForms, TextsAsLongAsTheSchemaSaysAreRead) {
  const JsonForms forms("requests.json");
  for (const char* method : {"knowledge.import", "predictions.import"}) {
    const auto most = forms.at(method)["properties"]["csv"]["maxLength"].get<std::size_t>();
    std::string csv;
    while (csv.size() < most) csv += "a line,1,2,3\n";
    csv.resize(most);
    const auto read = decode(method, {{"csv", csv}});
    EXPECT_TRUE(read) << method << ": " << read.error().message;
  }
}

TEST(RequestForms, WhatTheCodecWritesFits) {
  const JsonForms forms("requests.json");
  Requests requests(27);
  for (const std::string& method : known_methods()) {
    const auto read = decode(method, requests.valid(forms.at(method)));
    ASSERT_TRUE(read) << method;
    const std::string body = wire::encode_payload(*read).body;
    EXPECT_EQ(forms.fault(method, json::parse(body)), "") << method << " " << body;
  }
}

template <class E>
json words_of() {
  json all = json::array();
  for (const std::string_view each : words<E>()) all.push_back(std::string(each));
  return all;
}

TEST(AnswerForms, TheWordsAreThoseOfTheCodec) {
  const JsonForms forms("answers.json");
  EXPECT_EQ(forms.at("_reason")["enum"], words_of<Reason>());
  EXPECT_EQ(forms.at("_turn")["enum"], words_of<Turn>());
  EXPECT_EQ(forms.at("_node_state")["enum"], words_of<NodeState>());
  EXPECT_EQ(forms.at("_node_power")["enum"], words_of<NodePower>());
  EXPECT_EQ(forms.at("_node_service")["enum"], words_of<NodeService>());
  EXPECT_EQ(forms.at("_drain_mode")["enum"], words_of<DrainMode>());
  EXPECT_EQ(forms.at("_mode")["enum"], words_of<Mode>());
  EXPECT_EQ(forms.at("_phase")["enum"], words_of<Phase>());
  EXPECT_EQ(forms.at("_action_name")["enum"], words_of<ActionKind>());
}

// The name of each event is that of its alternative.
template <std::size_t... I>
json event_names(std::index_sequence<I...>) {
  return json::array({std::string(word(Event(std::in_place_index<I>)))...});
}

TEST(AnswerForms, TheNamesOfEventsAreThoseOfTheLog) {
  EXPECT_EQ(JsonForms("answers.json").at("_event_name")["enum"],
            event_names(std::make_index_sequence<std::variant_size_v<Event>>()));
}

// The line of a session after its mark (test/golden/api_sessions_test.py): a word, and JSON.
std::pair<std::string, json> word_and_json(const std::string& line) {
  const auto blank = line.find(' ', 3);
  return {line.substr(3, blank - 3), json::parse(line.substr(blank + 1))};
}

TEST(AnswerForms, WhatAManagerHasAnsweredInTheGoldenSessionsHasItsForm) {
  const JsonForms requests("requests.json");
  std::set<std::string> answered;
  for (const auto& file : std::filesystem::directory_iterator(ALIQUOT_SOURCE_DIR "/test/golden/api")) {
    std::ifstream session(file.path());
    std::string method;
    for (std::string line; std::getline(session, line);) {
      if (line.starts_with("-> ")) {
        const auto [name, body] = word_and_json(line);
        method = name;
        EXPECT_EQ(decode(method, body).has_value(), requests.fault(method, body).empty()) << line;
      } else if (line.starts_with("<- ok ")) {
        test::in_form(method, word_and_json(line).second.dump());
        answered.insert(method);
      }
    }
  }
  EXPECT_GE(answered.size(), 36U);
}

}  // namespace
}  // namespace aliquot
