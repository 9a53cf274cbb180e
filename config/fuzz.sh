#!/usr/bin/env bash
# config/fuzz.sh [DURATION [NAME]]: lets each fuzzer whose CLASS#METHOD contains NAME look for new inputs, 3m each unless said otherwise.
# What makes one fail is left in the folder of its inputs, src/test/resources/.../CLASSInputs/METHOD, and replayed by mvn test from then on.
set -u
cd -P -- "$(dirname -- "$(readlink -f -- "$0")")/.." || exit 1
duration=${1:-3m} wanted=${2:-} failed=0
while read -r file method; do
  module=${file%%/src/test/*} class=$(basename "$file" .java)
  [[ $class#$method == *"$wanted"* ]] || continue
  # Not only the class: several modules have one of that name.
  package=$(sed -n 's/^package \(.*\);$/\1/p' "$file")
  mkdir -p "$module/src/test/resources/${package//.//}/${class}Inputs/$method"
  echo "$module $package.$class#$method for $duration"
  mvn -o -q verify -Pfuzz -Dquick -Dmaven.test.skip=false -pl "$module" -am -Dtest="$package.$class#$method" \
    -Dfuzz.duration="$duration" -Dsurefire.failIfNoSpecifiedTests=false || failed=1
done < <(grep -rA1 --include='*FuzzTest.java' '@FuzzTest' -- */src/test transports/*/src/test |
  sed -n 's/^\(.*\.java\)-.* void \([A-Za-z0-9]*\)(.*/\1 \2/p')
exit $failed
