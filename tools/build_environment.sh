# Sourced by ./run and ./test: what building needs, and how to build quietly.

build_packages=(g++ cmake ninja-build pkg-config ccache libeigen3-dev libtbb-dev libqhull-dev libnlopt-dev libmetis-dev
                libfmt-dev nlohmann-json3-dev libhdf5-dev libcli11-dev libboost-dev zlib1g-dev)

if [[ ! -e CMakeLists.txt ]]; then
  echo "must be sourced in the root of the repository" >&2
  exit 1
fi

# What the viewer's page is built with. A Node.js that is not Debian's (nvm, a container's own) is as good.
install_node() {
  if command -v node >/dev/null && command -v npm >/dev/null; then return; fi
  tools/install_packages.sh nodejs npm
}

# Runs a command; shows what it printed only when it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 || status=$?
  [[ $status -eq 0 ]] || cat "$log" >&2
  rm -f "$log"
  return $status
}

# Reads Ninja's "[done/all] …" lines: a terminal shows the last one, a log every tenth part.
show_progress() {
  local line tenth last=0
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    if [[ -t 2 ]]; then
      printf '\r\033[KBuilding: %d of %d parts, %d s' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "$SECONDS" >&2
    elif [[ $tenth -gt $last ]]; then
      printf 'Building: %d of %d parts, %d s\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "$SECONDS" >&2
      last=$tenth
    fi
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

# Runs a build with its progress; shows all that it printed only when it fails.
with_progress() {
  local log status=0
  log=$(mktemp)
  (set -o pipefail; "$@" 2>&1 | tee "$log" | show_progress) || status=$?
  [[ $status -eq 0 ]] || cat "$log" >&2
  rm -f "$log"
  return $status
}

# build PRESET TARGET [ARGUMENT…]: the arguments go to the configuration.
build() {
  local preset=$1 target=$2
  shift 2
  if command -v ccache >/dev/null; then
    # Paths below the root count as relative, so that another clone of the repository finds the same objects.
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
  fi
  quietly cmake --preset "$preset" "$@"
  with_progress cmake --build --preset "$preset" --target "$target"
}
