#include "manager/api/error_names.hpp"

namespace aliquot {

const std::vector<ErrorRow>& error_rows() {
  static const std::vector<ErrorRow> rows{
      {ErrorKind::invalid_argument, "invalid_argument", 2, "the request itself is wrong"},
      {ErrorKind::not_found, "not_found", 3, "there is no such job, task or node"},
      {ErrorKind::conflict, "conflict", 5, "it contradicts what stands, or an earlier request"},
      {ErrorKind::refused, "refused", 4, "understood and allowed, but it cannot be done here"},
      {ErrorKind::forbidden, "forbidden", 7, "this user may not ask that"},
      {ErrorKind::unavailable, "unavailable", 6, "the manager cannot be reached or cannot work"},
      {ErrorKind::timeout, "timeout", 8, "no answer in time"},
      {ErrorKind::too_large, "too_large", 4, "beyond a limit of the protocol or of the settings"},
      {ErrorKind::unsupported, "unsupported", 4, "this manager does not know that method"},
      {ErrorKind::internal, "internal", 70, "a fault of the manager: see its log"},
  };
  return rows;
}

namespace {
const ErrorRow& row(ErrorKind kind) {
  for (const ErrorRow& r : error_rows())
    if (r.kind == kind) return r;
  return error_rows().back();
}
}  // namespace

std::string_view wire_name(ErrorKind kind) { return row(kind).wire; }
int exit_code(ErrorKind kind) { return row(kind).exit_code; }

std::optional<ErrorKind> error_kind(std::string_view wire) {
  for (const ErrorRow& r : error_rows())
    if (r.wire == wire) return r.kind;
  return std::nullopt;
}

}  // namespace aliquot
