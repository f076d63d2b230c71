#include "policies/model/device_models.hpp"

#include <algorithm>

namespace aliquot {
namespace {

constexpr char kOr = '|';

}  // namespace

Result<NamedModels> read_models(std::string_view text, const std::vector<std::string>& known) {
  NamedModels read;
  if (text.empty()) return read;
  const auto names = static_cast<std::size_t>(std::ranges::count(text, kOr)) + 1;
  if (names > DeviceModels::kMost)
    return fail(ErrorKind::invalid_argument, "names " + std::to_string(names) + " models; at most " +
                                                 std::to_string(DeviceModels::kMost) + " may be named");
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(kOr, begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty())
      return fail(ErrorKind::invalid_argument, "a name is missing beside '|'; write A, or A|B");
    const auto at = std::ranges::find(known, name);
    if (at != known.end())
      read.models.add({static_cast<std::uint16_t>(at - known.begin())});
    else if (read.unknown.empty())
      read.unknown = name;
  }
  return read;
}

std::vector<std::string> names_of(const DeviceModels& models, const std::vector<std::string>& known) {
  std::vector<std::string> names;
  for (const DeviceModel model : models)
    if (model.raw < known.size()) names.push_back(known[model.raw]);
  return names;
}

std::string text_of(const DeviceModels& models, const std::vector<std::string>& known) {
  std::string text;
  for (const std::string& name : names_of(models, known)) {
    if (!text.empty()) text += kOr;
    text += name;
  }
  return text;
}

}  // namespace aliquot
