#include "config/dump.hpp"

#include <algorithm>

#include "config/field_table.hpp"

namespace aliquot {
namespace {

// A scalar as YAML: plain if that reads back as the same text, otherwise in double quotes.
std::string yaml_word(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+%:@$()*=-";
  const bool is_plain = !word.empty() && word.find_first_not_of(plain) == std::string::npos &&
                        plain.substr(0, 63).find(word[0]) != std::string_view::npos &&
                        !word.ends_with(':') && word != "null" && word != "Null" && word != "NULL";
  if (is_plain) return word;
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

template <class Target>
std::string yaml_value(const Field<Target>& field, const Target& target) {
  const auto words = field.words(target);
  if (!field.list) return words.empty() ? "" : yaml_word(words[0]);
  std::string list = "[";
  for (const std::string& word : words) list += (list.size() > 1 ? ", " : "") + yaml_word(word);
  return list + "]";
}

// "hypervisor" of "hypervisor.cap_period"; "" of "cluster".
std::string section_of(const std::string& key) {
  const auto dot = key.find('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

std::string leaf_of(const std::string& key) { return key.substr(key.find('.') + 1); }

std::string with_comment(std::string line, const std::string& comment) {
  line.resize(std::max<std::size_t>(line.size() + 2, 56), ' ');
  return line + "# " + comment + "\n";
}

// Writes every section except the nodes; `line` renders one field, indented by `indent`.
template <class Head, class Line>
std::string render_sections(const Head& head, const Line& line) {
  std::string out;
  for (const Section& section : sections()) {
    if (section.key == "nodes") continue;
    out += head(section);
    for (const auto& field : settings_fields()) {
      if (section_of(field.key) == section.key) out += line(field, section.key.empty() ? "" : "  ");
    }
  }
  return out;
}

// What the schema, the example and editors show beside a key.
template <class Target>
std::string schema_property(const Field<Target>& field, const std::string& indent) {
  std::string text = field.help;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return indent + "\"" + leaf_of(field.key) + "\": {\"description\": \"" + text + "\", " + field.schema +
         "}";
}

template <class Target>
std::string schema_object(const std::vector<Field<Target>>& fields, const std::string& section,
                          const std::string& indent) {
  std::string out, required;
  for (const auto& field : fields) {
    if (section_of(field.key) != section) continue;
    out += (out.empty() ? "" : ",\n") + schema_property(field, indent);
    if (field.required) required += (required.empty() ? "\"" : ", \"") + field.key + "\"";
  }
  if (!required.empty()) required = ", \"required\": [" + required + "]";
  return "{\"type\": \"object\", \"additionalProperties\": false" + required + ", \"properties\": {\n" +
         out + "\n" + indent.substr(2) + "}}";
}

}  // namespace

std::string dump_settings(const LoadedSettings& loaded) {
  const auto origin = [&](const std::string& key) {
    const auto found = loaded.origins.find(key);
    return found == loaded.origins.end() ? std::string("default") : found->second;
  };
  const auto head = [](const Section& section) { return section.key.empty() ? "" : section.key + ":\n"; };
  std::string out = render_sections(head, [&](const Field<Settings>& field, const std::string& indent) {
    return with_comment(indent + leaf_of(field.key) + ": " + yaml_value(field, loaded.settings),
                        origin(field.key));
  });
  out += "nodes:\n";
  for (std::size_t i = 0; i < loaded.settings.nodes.size(); ++i) {
    std::string lead = "  - ";
    for (const auto& field : node_fields()) {
      const std::string value = yaml_value(field, loaded.settings.nodes[i]);
      if (value.empty()) {
        out += "    # " + field.key + ": not set\n";
        continue;
      }
      out += with_comment(lead + field.key + ": " + value,
                          origin("nodes[" + std::to_string(i) + "]." + field.key));
      lead = "    ";
    }
  }
  return out;
}

std::string example_settings() {
  std::string out =
      "# The configuration of aliquotd: every key, with its default (for nodes: with an example).\n"
      "# Remove what you do not change. Check with: aliquotd --check-config --config FILE\n"
      "# Files in conf.d next to it override it, in the order of their names; environment variables "
      "override both: ALIQUOT__HTTP__PORT sets http.port.\n"
      "# Durations: us, ms, s, m, h, d. Sizes: B, KiB, MiB, GiB, TiB. A number without a unit "
      "is refused where a unit matters.\n"
      "# [restart]: a change needs a restart of the manager; other changes take effect at SIGHUP.\n";
  const auto mark = [](Reload reload) { return reload == Reload::restart ? " [restart]\n" : "\n"; };
  const auto head = [](const Section& section) {
    return "\n# " + section.help + "\n" + (section.key.empty() ? "" : section.key + ":\n");
  };
  out += render_sections(head, [&](const Field<Settings>& field, const std::string& indent) {
    return indent + "# " + field.help + mark(field.reload) + indent + leaf_of(field.key) + ": " +
           yaml_value(field, Settings{}) + "\n";
  });
  out += "\n# " + sections().back().help + "\nnodes:\n";
  std::string lead = "  - ";
  for (const auto& field : node_fields()) {
    const std::string value =
        field.example.empty() ? yaml_value(field, NodeSettings{}) : yaml_word(field.example);
    out += "    # " + field.help + "\n" + lead + field.key + ": " + value + "\n";
    lead = "    ";
  }
  return out;
}

std::string settings_schema() {
  std::string out =
      "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
      "  \"title\": \"Configuration of aliquotd\",\n  \"type\": \"object\",\n"
      "  \"additionalProperties\": false,\n  \"required\": [\"nodes\"],\n  \"properties\": {\n";
  for (const auto& field : settings_fields()) {
    if (section_of(field.key).empty()) out += schema_property(field, "    ") + ",\n";
  }
  for (const Section& section : sections()) {
    if (section.key.empty() || section.key == "nodes") continue;
    out +=
        "    \"" + section.key + "\": " + schema_object(settings_fields(), section.key, "      ") + ",\n";
  }
  return out + "    \"nodes\": {\"type\": \"array\", \"minItems\": 1, \"items\": " +
         schema_object(node_fields(), "", "      ") + "}\n  }\n}\n";
}

}  // namespace aliquot
