# Finds Java and the jars of Debian's packages; sourced by the scripts beside it.

skip() {
  echo "skipped: $1" >&2
  exit "${2:-0}"
}

# The first argument that is a file, with links followed.
first_file() {
  local file
  for file in "$@"; do
    [ -f "$file" ] && readlink -f "$file" && return
  done
  return 1
}

# jar NAME PACKAGE [PATH…]: the path of a jar. As root, a missing package is installed.
jar() {
  local name=$1 package=$2
  shift 2
  first_file "$@" "/usr/share/java/$name.jar" && return
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    echo "installing $package" >&2
    { apt-get update --quiet && apt-get install --yes --quiet --no-install-recommends "$package"; } >&2
    first_file "/usr/share/java/$name.jar" && return
  fi
  return 1
}

for tool in java javac; do
  command -v "$tool" >/dev/null || skip "$tool is missing; install a JDK of version 17 or later" "${WITHOUT_JAVA:-0}"
done
