# shellcheck shell=bash
# Leaves nothing behind: what a script starts ends with it, whether it succeeds, fails or is interrupted.
# Sourced after messages.sh, never run.
#
#   cleanup_begin           once, at the start: sets the traps
#   on_exit COMMAND ARGS    run at the end, last in first out
#   run COMMAND ARGS        like COMMAND ARGS, in a session of its own that is ended on Ctrl-C
#   mark_children           from now on every process started is marked (in its environment)
#   end_marked              ends what is marked and still there; prints what that was

exit_commands=()
running_session=''

on_exit() { exit_commands+=("$(printf '%q ' "$@")"); }

# A process group first gets the chance to clean up after itself, and half a minute for it.
end_session() { # process id of the session's leader
  local tries
  kill -TERM -- "-$1" 2>/dev/null || return 0
  for ((tries = 0; tries < 300; ++tries)); do
    kill -0 -- "-$1" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL -- "-$1" 2>/dev/null || true
}

run_exit_commands() {
  local status=$? i
  trap '' INT TERM HUP
  if [[ -n $running_session ]]; then end_session "$running_session"; fi
  for ((i = ${#exit_commands[@]} - 1; i >= 0; --i)); do eval "${exit_commands[i]}" || true; done
  exit "$status"
}

cleanup_begin() {
  trap run_exit_commands EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

run() {
  local status=0
  setsid "$@" &
  running_session=$!
  wait "$running_session" || status=$?
  running_session=''
  return "$status"
}

mark_children() { export ALIQUOT_RUN_MARK="$$-$RANDOM$RANDOM"; }

marked() { # prints the ids of marked processes that are still there (the search itself is gone by then)
  local found pid
  found=$(grep -lzsx "ALIQUOT_RUN_MARK=$ALIQUOT_RUN_MARK" /proc/[0-9]*/environ) || true
  for pid in $(tr -dc '0-9\n' <<<"$found"); do
    if [[ $pid != "$$" && -e /proc/$pid ]]; then echo "$pid"; fi
  done
}

end_marked() {
  local pid tries
  for ((tries = 0; tries < 20; ++tries)); do
    [[ -z $(marked) ]] && return 0
    sleep 0.1
  done
  for pid in $(marked); do
    tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | sed "s/^/$pid /; s/$/\n/"
    kill -TERM "$pid" 2>/dev/null || true
  done
  sleep 1
  for pid in $(marked); do kill -KILL "$pid" 2>/dev/null || true; done
}
