#include "manager/api/wire/error_names.hpp"

#include "monitor/codec_words.hpp"

namespace aliquot {

const std::vector<ErrorRow>& error_rows() {
  static const std::vector<ErrorRow> rows{
      {ErrorKind::invalid_argument, 2, "the request itself is wrong"},
      {ErrorKind::not_found, 3, "there is no such job, task or node"},
      {ErrorKind::conflict, 5, "it contradicts what stands, or an earlier request"},
      {ErrorKind::refused, 4, "understood and allowed, but it cannot be done here"},
      {ErrorKind::forbidden, 7, "this user may not ask that"},
      {ErrorKind::unavailable, 6, "the manager cannot be reached or cannot work"},
      {ErrorKind::timeout, 8, "no answer in time"},
      {ErrorKind::too_large, 4, "beyond a limit of the protocol or of the settings"},
      {ErrorKind::no_space, 4, "the spool has too little free space"},
      {ErrorKind::unsupported, 4, "this manager does not know that method"},
      {ErrorKind::internal, 70, "a fault of the manager: see its log"},
      {ErrorKind::not_leader, 6, "this manager is a standby, and has done nothing: ask the leader"},
  };
  return rows;
}

std::string_view wire_name(ErrorKind kind) { return word(kind); }

int exit_code(ErrorKind kind) {
  for (const ErrorRow& row : error_rows())
    if (row.kind == kind) return row.exit_code;
  return error_rows().back().exit_code;
}

std::optional<ErrorKind> error_kind(std::string_view wire) { return from_word<ErrorKind>(wire); }

}  // namespace aliquot
