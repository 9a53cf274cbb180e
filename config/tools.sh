# For ./parley and ./verify (POSIX sh, sourced, $root set): what they need of the machine, and Maven.

say() { echo "parley: $*" >&2; }

die() {
  say "$*"
  exit 1
}

can_install() { [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get >/dev/null; }

# install PACKAGE...: quietly, and without starting a service that comes with one: tests start their own sshd
install() {
  say "installing $*"
  policy=/usr/sbin/policy-rc.d
  [ -e "$policy" ] && policy=
  if [ -n "$policy" ]; then
    trap 'rm -f "$policy"; exit 130' INT TERM
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy"
  fi
  try_install "$@"
  code=$?
  if [ -n "$policy" ]; then
    rm -f "$policy"
    trap - INT TERM
  fi
  return "$code"
}

# A mirror may stumble, so up to three tries.
try_install() {
  for pause in 5 20 0; do
    if { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; } \
      </dev/null >"$log" 2>&1; then
      return 0
    fi
    sleep "$pause"
  done
  tail -n 5 "$log" >&2
  return 1
}

# The major version of the compiler that Maven will use: 0 without one.
javac_major() {
  if [ -n "${JAVA_HOME:-}" ]; then javac=$JAVA_HOME/bin/javac; else javac=javac; fi
  found=$("$javac" -version 2>&1) || found=0
  found=${found#javac }
  found=${found%%[!0-9]*}
  echo "${found:-0}"
}

maven_is_new() {
  found=$(mvn --version 2>/dev/null | sed -n 's/.*Apache Maven \([0-9.]*\).*/\1/p')
  case $found in '' | [0-2].* | 3.[0-7] | 3.[0-7].*) return 1 ;; esac
}

need_jdk() {
  [ "$(javac_major)" -ge 17 ] && return
  [ -z "${JAVA_HOME:-}" ] || die "JAVA_HOME=$JAVA_HOME is no JDK 17 or newer: set it to one, or unset it."
  if can_install && install openjdk-17-jdk-headless && [ "$(javac_major)" -ge 17 ]; then return; fi
  die "a JDK 17 or newer is needed (Debian: apt-get install openjdk-17-jdk-headless); set JAVA_HOME if it is not on PATH."
}

need_maven() {
  maven_is_new && return
  if can_install && install maven && maven_is_new; then return; fi
  die "Maven 3.8 or newer is needed to build (Debian: apt-get install maven)."
}

# retry_downloads COMMAND...: again, twice at most, while $log says that a download failed
retry_downloads() {
  for pause in 5 20 0; do
    "$@" && return 0
    code=$?
    [ "$pause" != 0 ] && grep -Eq 'Could not transfer|Connection (reset|refused|timed out)|Read timed out' "$log" ||
      return "$code"
    say "a download failed; trying again in $pause s"
    sleep "$pause"
  done
}

quick_build() {
  (cd "$root" && mvn -q -B -Dquick -pl launcher -am package) </dev/null >"$log" 2>&1
}

# What ./parley runs from, and no more: no tests, no checks. Two commands at once build once.
build_distribution() {
  mkdir -p "$root/launcher/target" || exit 1
  log=$root/launcher/target/build.log
  need_jdk
  need_maven
  (
    command -v flock >/dev/null && flock 9
    is_current && exit
    say "building (first use, or the sources are newer than the build) ..."
    retry_downloads quick_build && exit
    sed -n '/-> \[Help/q; /^\[ERROR\] *[^ ]/p' "$log" | head -n 20 >&2
    die "the build failed; all of its output is in $log"
  ) 9>"$root/launcher/target/.lock" || exit 1
}
