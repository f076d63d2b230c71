# shellcheck shell=bash
# What the project's scripts say: one voice for all of them. Sourced, never run.
#
# Progress and remarks go to standard error, results to standard output. Colour only on a terminal, and
# never where NO_COLOR is set.

if [[ -t 2 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
  on_terminal=1 bold=$'\e[1m' red=$'\e[31m' yellow=$'\e[33m' plain=$'\e[0m' clear_line=$'\r\e[K'
else
  on_terminal=0 bold='' red='' yellow='' plain='' clear_line=''
fi
export on_terminal

# A stage begins: "tools/check: building (release)".
step() { printf '%s%s%s%s: %s%s\n' "$clear_line" "$bold" "${0##*/}" "$plain" "$bold$*" "$plain" >&2; }
note() { printf '%s  %s\n' "$clear_line" "$*" >&2; }
warn() { printf '%s%swarning:%s %s\n' "$clear_line" "$yellow" "$plain" "$*" >&2; }
# Says what, which, and what to do; then ends the script.
die() {
  printf '%s%serror:%s %s\n' "$clear_line" "$red" "$plain" "$*" >&2
  exit 1
}

# Seconds since a value of $SECONDS, as "3 min 7 s" or "12 s".
took() {
  local span=$((SECONDS - $1))
  if ((span >= 60)); then echo "$((span / 60)) min $((span % 60)) s"; else echo "$span s"; fi
}
