# shellcheck shell=bash disable=SC2154
# Progress of a long command that counts its own steps, as ninja ("[12/345] ...") and ctest
# ("  3/45 Test #7: ...") do. Sourced after messages.sh, never run.
#
# A terminal gets one line that is drawn over; a file or a pipe gets a plain line every tenth of the way.
# Lines that count nothing (warnings, errors) pass through unchanged.

progress_bar() { # done total label
  local width=28 hashes='############################'
  hashes=${hashes:0:$(($1 * width / $2))}
  printf '%s  [%-*s] %d/%d %.60s' "$clear_line" "$width" "$hashes" "$1" "$2" "$3" >&2
}

# Reads a command's output from standard input; $1 names the stage. With "counted" as $2 nothing passes
# through but failed steps: the rest is told later.
show_progress() {
  local line count total tenth=-1
  local counted='^ *\[?([0-9]+)/([0-9]+)\]? +(.*)$' chatter='^( +Start +[0-9]+:|$)'
  while IFS= read -r line; do
    if [[ $line =~ $counted ]]; then
      count=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
      if ((on_terminal)); then
        progress_bar "$count" "$total" "${BASH_REMATCH[3]}"
      elif ((total > 0 && count * 10 / total != tenth)); then
        tenth=$((count * 10 / total))
        printf '  %s %d/%d\n' "$1" "$count" "$total" >&2
      fi
      [[ $line == *'***'* ]] && printf '%s  %s\n' "$clear_line" "${BASH_REMATCH[3]}" >&2
    elif [[ ${2:-} != counted && ! $line =~ $chatter ]]; then
      printf '%s%s\n' "$clear_line" "$line" >&2
    fi
  done
  if ((on_terminal)); then printf '%s' "$clear_line" >&2; fi
}
