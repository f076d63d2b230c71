# shellcheck shell=bash disable=SC2154 # $work is fresh_debian.sh's
# For tests that boot Debian 12 trees with systemd in containers: sourced after fresh_debian.sh.

declare -A leader=()    # by machine: the process that is its init
declare -A container=() # by machine: systemd-nspawn's process
launch=()               # before systemd-nspawn: where it has its network
# Control groups are of version 2, as Debian 12 has them when it boots, or of version 1.
groups=/sys/fs/cgroup
controllers=(cpu cpuacct cpuset memory devices freezer blkio) # of version 1: a tree each

# Leaves the test out where packages cannot be made or containers not booted.
check_for_containers() {
  local tool
  for tool in mmdebstrap:image lintian:package systemd-nspawn:slow; do
    command -v "${tool%:*}" >/dev/null || skip "${tool%:*} is not installed: tools/deps ${tool#*:}"
  done
  if are_unified; then
    grep -qw cpu "$groups/cgroup.controllers" || skip "no cpu controller at $groups"
  else
    [[ -d $groups/cpu && -d $groups/systemd ]] || skip "needs control groups: systemd and cpu, or version 2"
  fi
}

are_unified() { [[ $(stat -f -c %T "$groups") == cgroup2fs ]]; }

on() { # machine, command line, by its shell
  timeout 3600 nsenter -t "${leader[$1]}" -m -u -i -n -p -C -- /bin/sh -c "$2" </dev/null
}

wait_on() { # machine, seconds, what, command line
  local end=$((SECONDS + $2))
  until on "$1" "$4" >"$work/log" 2>&1; do
    if ((SECONDS >= end)); then
      on "$1" "journalctl -u aliquotd --no-pager | tail -n 15" >&2 || true
      fail "not seen within $2 s: $3 ($4)"
    fi
    sleep 0.5
  done
}

group_folders() { # machine
  local name=aliquot-$$-$1
  if are_unified; then echo "$groups/$name"; else printf "$groups/%s/$name\n" "${controllers[@]}"; fi
}

make_groups() { # machine
  local controller folder file
  if are_unified; then
    for controller in $(<"$groups/cgroup.controllers"); do
      echo "+$controller" >"$groups/cgroup.subtree_control"
    done
  fi
  for folder in $(group_folders "$1"); do
    mkdir -p "$folder"
    [[ $folder != $groups/cpuset/* ]] || for file in cpus mems; do
      cat "$groups/cpuset/cpuset.$file" >"$folder/cpuset.$file"
    done
  done
}

# Also those that its init has made: a group of version 2 that has others with controllers takes no process.
remove_groups() { # machine
  # shellcheck disable=SC2046 # a word each
  find $(group_folders "$1") -depth -type d -exec rmdir {} + 2>/dev/null || true
}

# Until it runs; libvirt caps VMs through the groups.
boot() { # machine, tree, more options of systemd-nspawn
  local name=$1 tree=$2
  shift 2
  make_groups "$name"
  (
    for folder in $(group_folders "$name"); do echo "$BASHPID" >"$folder/cgroup.procs"; done
    exec "${launch[@]}" systemd-nspawn --register=no --keep-unit --machine="$name" --directory="$tree" \
      --boot --capability=all --quiet "$@" </dev/null >"$work/console-$name.log" 2>&1
  ) &
  container[$name]=$!
  local tries
  leader[$name]=
  for ((tries = 0; tries < 600; ++tries)); do
    leader[$name]=$(pgrep -P "${container[$name]}" | head -n 1) || true
    [[ -z ${leader[$name]} ]] || ! on "$name" true 2>/dev/null || break
    sleep 0.2
  done
  [[ -n ${leader[$name]} ]] || fail "$name does not boot: $(tail -n 5 "$work/console-$name.log")"
  wait_on "$name" 180 "systemd has started" "systemctl is-system-running | grep -E 'running|degraded'"
  are_unified ||
    on "$name" "for group in ${controllers[*]}; do mount -o remount,rw,bind $groups/\$group; done"
}

# As if its power had failed.
kill_machine() { # machine
  kill -KILL "${leader[$1]}" || true
  wait "${container[$1]}" 2>/dev/null || true
  remove_groups "$1"
  unset "leader[$1]"
}

# The groups of the containers go with them.
power_off() { # machines
  local name
  for name in "$@"; do
    [[ -z ${leader[$name]:-} ]] || on "$name" "systemctl poweroff" || true
  done
  for name in "$@"; do
    [[ -z ${leader[$name]:-} ]] || wait "${container[$name]}" || true
    remove_groups "$name"
  done
}
