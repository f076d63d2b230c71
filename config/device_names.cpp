#include "config/device_names.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "config/device_words.hpp"

namespace aliquot {
namespace {

constexpr const char* kExpects = "MODEL=VENDOR:PRODUCT (A100=10de:20f1) or MODEL=mdev:TYPE";

bool is_sort(std::string_view text) {
  if (text.starts_with("mdev:")) {
    // The same syntax as in `devices`.
    const auto as_word = device_word().parse("x@" + std::string(text));
    return as_word && !as_word->mdev.empty();
  }
  constexpr std::string_view shape = "xxxx:xxxx";
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool digit = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
    if (shape[i] == 'x' ? !digit : text[i] != shape[i]) return false;
  }
  return true;
}

Result<DeviceName> parse_name(const std::string& text) {
  const std::size_t equals = text.find('=');
  const DeviceName name{text.substr(0, equals), equals == std::string::npos ? "" : text.substr(equals + 1)};
  const auto model = device_word().parse(name.model);
  const bool plain = model && *model == DeviceWord{name.model} && name.model != kFromLibvirt;
  if (plain && is_sort(name.sort)) return name;
  return fail(ErrorKind::invalid_argument,
              "'" + text.substr(0, 80) + "': " +
                  (plain ? "no vendor and product in lower-case hexadecimal digits, nor a type"
                         : "the model is no name of letters, digits, '.', '_' and '-'") +
                  "; write " + kExpects);
}

}  // namespace

Form<DeviceName> device_name() {
  const std::string sort = "([0-9a-f]{4}:[0-9a-f]{4}|mdev:.+)";
  return {kExpects, R"("type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}=)" + sort + "$\"",
          parse_name, [](const DeviceName& name) { return name.model + '=' + name.sort; }};
}

std::string fault_of(const std::vector<DeviceName>& names) {
  std::set<std::string> sorts;
  for (const DeviceName& name : names)
    if (!sorts.insert(name.sort).second) return name.sort + " has two names; a sort of device has one";
  return {};
}

}  // namespace aliquot
