# Starts the launcher: sourced with $home, this distribution's folder, and the command line in $@.
# Every command waits for this file, and a fork costs as much as all its lines: hence only builtins.

# What is closed of standard input, output and error is /dev/null: else the first files that the JVM opens
# take these numbers, and ranks would read and write them.
{ true 3<&0; } 2>/dev/null || exec </dev/null
{ true 3>&1; } 2>/dev/null || exec >/dev/null
true 3>&2 || exec 2>/dev/null

if [ ! -d "${PWD:-}" ]; then
  echo "parley: the current folder, ${PWD:-}, is gone: change to another." >&2
  exit 1
fi

# JAVA_HOME, else the first Java on PATH. /usr/bin/java is a link; what it leads to is asked of readlink
# only where it is none of the usual JDKs.
if [ -n "${JAVA_HOME:-}" ]; then
  java=$JAVA_HOME/bin/java
else
  java=
  IFS=:
  for dir in $PATH; do
    [ -x "$dir/java" ] && java=$dir/java && break
  done
  unset IFS
  if [ -L "$java" ]; then
    link=$java
    java=
    for known in /usr/lib/jvm/*/bin/java; do
      [ "$known" -ef "$link" ] && java=$known && break
    done
    [ -n "$java" ] || java=$(readlink -f -- "$link")
  fi
fi
if [ ! -x "$java" ]; then
  echo "parley: no Java${java:+ at $java}: install a JDK 17 or newer (Debian: apt-get install openjdk-17-jdk-headless), or set JAVA_HOME to one." >&2
  exit 1
fi

# A JDK's release file tells its version without starting it.
java_home=${java%/bin/java}
version=unknown
if [ -r "$java_home/release" ]; then
  while IFS='=' read -r key value; do
    if [ "$key" = JAVA_VERSION ]; then
      version=${value#\"}
      version=${version%\"}
      break
    fi
  done <"$java_home/release"
fi
case $version in
  1.* | 9* | 1[0-6] | 1[0-6].*)
    echo "parley: $java is Java $version, but Parley needs 17 or newer: set JAVA_HOME to one." >&2
    exit 1
    ;;
esac

# Class data sharing: an archive of the classes that the launcher loads shortens its start. An archive
# fits one JDK and the very jars it was made with, at the place where they lay, so it lies in a folder
# named after both, under cds/, which a build removes. The launcher is told the folder: the ranks'
# archive lies there too, as parley-ranks.jsa. Where the folder cannot be written or a JVM refuses the
# archive, the start is slower and nothing is said (-Xlog:disable).
cds=$home/cds$home$java_home/$version
archive=$cds/parley-launcher.jsa

# Of lib/ only the launcher's own jar: its manifest names the others, which are opened when needed, and
# what else would be options; an option --add-opens would cost the JVM its archived boot layer.
for jar in "$home"/lib/parley-launcher-*.jar; do :; done

# A JVM with two collectors does not start, and users set theirs for all JVMs of a shell.
case "${JAVA_TOOL_OPTIONS:-} ${JDK_JAVA_OPTIONS:-} ${_JAVA_OPTIONS:-}" in
  *-XX:+Use*GC*) collector= ;;
  *) collector=-XX:+UseSerialGC ;;
esac

# launch JVM-OPTION ARGUMENT...: in place of this shell. Where a user may enter the folder but not list it,
# a JVM that writes performance data ends up in another one (-XX:-UsePerfData).
launch() {
  option=$1
  shift
  exec "$java" $collector -XX:-UsePerfData -XX:TieredStopAtLevel=1 -Xshare:auto -Xlog:disable "$option" \
    -Dparley.home="$home" -Dparley.cds="$cds" -jar "$jar" "$@"
}

if [ ! -e "$archive" ] && [ "${1:-}" != agent ] && [ -w "$home" ] && mkdir -p "$cds" 2>/dev/null; then
  # Once for each JDK, a few seconds, but not while a job on several hosts waits for this one: a job that does once what every job does at its start. Its rank
  # makes the ranks' archive. Not by -XX:ArchiveClassesAtExit here: on JDK 17 that leaves out picocli,
  # whose bytecode is of Java 5.
  {
    (launch -XX:DumpLoadedClassList="$archive.list$$" run --timeout 60 org.parley.wireup.Rehearsal)
    "$java" $collector -Xshare:dump -XX:SharedClassListFile="$archive.list$$" \
      -XX:SharedArchiveFile="$archive.$$" -cp "$jar"
    # Where that failed: an empty file, so that it is not tried at each start.
    mv -f "$archive.$$" "$archive" || : >"$archive"
    rm -f "$archive.list$$"
  } </dev/null >/dev/null 2>&1
fi
if [ -s "$archive" ]; then
  launch -XX:SharedArchiveFile="$archive" "$@"
else
  launch -Xshare:auto "$@"
fi
