# shellcheck shell=bash
# CPU control groups of the cluster: found, made, filled and removed. Sourced by tools/localcluster.
#
# One group CLUSTER holds everything, with one child per node (n1, n2, ...) and the child `managers`.
# Version 1 has a tree per controller set ("cpu", or "cpu,cpuacct" where the host joins them), version 2 a
# single one whose inner groups may hold no processes: there the processes of a node live in its leaf
# `services`, and libvirtd makes `machine` beside it.

# Prints "v1 MOUNTPOINT CONTROLLERS" per usable tree, or "v2 MOUNTPOINT".
cgroup_trees() {
  awk '{ for (i = 7; $i != "-"; ++i) {}; type = $(i + 1); options = $(i + 3)
         if (type == "cgroup") {
           names = ""; n = split(options, o, ",")
           for (k = 1; k <= n; ++k) if (o[k] ~ /^(cpu|cpuacct|cpuset|memory)$/) names = names "," o[k]
           if (names != "" && !seen[names]++) one[++count] = "v1 " $5 " " substr(names, 2)
           if (names ~ /,cpu(,|$)/) cpu_in_v1 = 1
         }
         if (type == "cgroup2" && two == "") two = "v2 " $5 }
       END { if (cpu_in_v1) for (k = 1; k <= count; ++k) print one[k]; else if (two != "") print two }' \
    /proc/self/mountinfo
}

# Sets TREES (the lines above) or ends with what is wrong.
cgroups_find() {
  TREES=$(cgroup_trees)
  local version root _
  read -r version root _ <<<"$TREES" || true
  case "${version:-none}" in
    none) die "no cgroup cpu controller is mounted: mount a cgroup file system on /sys/fs/cgroup" ;;
    v2)
      grep -qw cpu "$root/cgroup.controllers" ||
        die "no cgroup cpu controller at $root, only: $(<"$root/cgroup.controllers")"
      ;;
  esac
}

# cgroups_make NODES XEN [CORES]: the groups, and CORES as the quota of each of the first NODES nodes. The
# emulated machines of the others have none: their processors are their dom0's too.
cgroups_make() {
  local version root controllers group i
  while read -r version root controllers; do
    mkdir -p "$root/$CLUSTER"
    if [[ $version == v2 ]]; then
      if ! delegate "$root" || ! delegate "$root/$CLUSTER"; then
        die "cannot enable the cgroup cpu controller below $root: processes stand in that group itself"
      fi
      mkdir -p "$root/$CLUSTER/switch"
    fi
    mkdir -p "$root/$CLUSTER/managers"
    if [[ $controllers == *cpuset* ]]; then
      copy_cpuset "$root" "$root/$CLUSTER"
      copy_cpuset "$root" "$root/$CLUSTER/managers"
    fi
    for ((i = 1; i <= $1 + $2; ++i)); do
      group=$root/$CLUSTER/n$i
      mkdir -p "$group"
      [[ $version != v2 ]] || mkdir -p "$group/services"
      [[ $controllers != *cpuset* ]] || copy_cpuset "$root" "$group"
      [[ -n ${3:-} && $i -le $1 ]] || continue
      [[ $version != v2 ]] || echo "$(($3 * 100000)) 100000" >"$group/cpu.max"
      [[ ,$controllers, != *,cpu,* ]] || echo $(($3 * 100000)) >"$group/cpu.cfs_quota_us"
    done
  done <<<"$TREES"
}

# A version 1 cpuset group takes no process before it names its processors.
copy_cpuset() {
  cat "$1/cpuset.cpus" >"$2/cpuset.cpus"
  cat "$1/cpuset.mems" >"$2/cpuset.mems"
}

# Hands the controllers a version 2 group has to its children; false if not even the cpu controller goes.
delegate() {
  local controller
  for controller in cpuset memory; do
    if grep -qw $controller "$1/cgroup.controllers"; then echo +$controller >"$1/cgroup.subtree_control"; fi
  done 2>/dev/null
  echo +cpu 2>/dev/null >"$1/cgroup.subtree_control"
}

# cgroups_enter GROUP [LEAF]: moves this very process; LEAF names the version 2 leaf to use instead.
cgroups_enter() {
  local version root _
  while read -r version root _; do
    if [[ $version == v2 && -n ${2:-} ]]; then
      echo $BASHPID >"$root/$CLUSTER/${1:+$1/}$2/cgroup.procs"
    else
      echo $BASHPID >"$root/$CLUSTER/${1:-}/cgroup.procs"
    fi
  done <<<"$TREES"
}

# cgroups_renew NODE, which was killed: its libvirtd handed the controllers of version 2 on, and a group
# that does takes no process.
cgroups_renew() {
  local version root group controller
  while read -r version root _; do
    [[ $version == v2 ]] || continue
    group=$root/$CLUSTER/$1
    find "$group" -mindepth 1 -depth -type d ! -name services -exec rmdir {} + 2>/dev/null || true
    for controller in $(<"$group/cgroup.subtree_control"); do
      echo "-$controller" >"$group/cgroup.subtree_control"
    done
  done <<<"$TREES"
}

# cgroups_pids ['' | NODE]: every process of the cluster, or of one node.
cgroups_pids() {
  local version root _
  while read -r version root _; do
    find "$root/$CLUSTER${1:+/$1}" -name cgroup.procs -exec cat {} + 2>/dev/null || true
  done <<<"$TREES" | sort -nu
}

# Kills what the groups hold and removes them: also what a killed earlier run left behind.
cgroups_destroy() {
  local version root _ pids attempt left
  for ((attempt = 0; attempt < 200; ++attempt)); do
    pids=$(cgroups_pids "")
    # shellcheck disable=SC2086 # one word each
    [[ -z $pids ]] || kill -KILL $pids 2>/dev/null || true
    left=
    while read -r version root _; do
      [[ -d $root/$CLUSTER ]] || continue
      find "$root/$CLUSTER" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [[ ! -d $root/$CLUSTER ]] || left=$root/$CLUSTER
    done <<<"$TREES"
    [[ -n $left ]] || return 0
    sleep 0.05
  done
  die "cannot remove $left: processes $(cgroups_pids "" | tr '\n' ' ')do not end"
}
