#include "monitor/codec.hpp"

#include "monitor/codec_text.hpp"

namespace aliquot {

namespace codec {

Result<Json> parse(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& why) {
    return fail(ErrorKind::invalid_argument, std::string("not JSON: ") + why.what());
  }
}

Error refusal(const Broken& why) {
  const std::string where = why.where().empty() ? "" : why.where() + ": ";
  return {ErrorKind::invalid_argument, where + why.what()};
}

}  // namespace codec

std::string to_line(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace aliquot
