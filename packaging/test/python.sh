# pip and uvx. Sourced by run; sets `tools`, a folder with uv, pre-commit and twine, and `index`, the address
# of a package index that has our wheels.

prepare_python() {
  tools=$cache/python-$(printf '%s ' "${python_tools[@]}" | sha256sum | cut -c1-12)/bin
  if [[ ! -x $tools/twine ]]; then
    python3 -m venv "${tools%/bin}"
    "$tools/pip" --quiet --disable-pip-version-check install "${python_tools[@]}"
  fi
  # A folder for each project, as PEP 503 wants it.
  mkdir -p "$work/index/tpu-admission"
  cp "$dist"/*.whl "$work/index/tpu-admission/"
  (cd "$work/index" && exec python3 -u -m http.server --bind 127.0.0.1 0) >"$work/index.log" 2>&1 &
  server=$!
  local i port=''
  for ((i = 0; i < 100 && ${#port} == 0; i++)); do
    port=$(sed -n 's/^Serving HTTP on .* port \([0-9]*\).*/\1/p' "$work/index.log")
    sleep 0.1
  done
  index=http://127.0.0.1:$port/
}

pip_installs() {
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" --disable-pip-version-check install --no-cache-dir --index-url "$index" tpu-admission
}

module_runs() { [[ $("$work/venv/bin/python" -m tpu_admission version) == "tpu-admission $version"* ]]; }

says_where_it_is_from() {
  local files
  files=$("$work/venv/bin/pip" show --files tpu-admission)
  [[ $files == *"License: Apache-2.0"* && $files == *THIRD-PARTY.txt* && $files == *bin/tpu-admission* ]]
}

uninstalls() {
  "$work/venv/bin/pip" --quiet uninstall --yes tpu-admission && [[ ! -e $work/venv/bin/tpu-admission ]]
}

is_the_same_again() {
  local before
  before=$(sha256sum "$dist"/*.whl)
  packaging/python/build && [[ $(sha256sum "$dist"/*.whl) == "$before" ]]
}

# A Debian with python3 and pip and nothing else, made once.
make_bare_debian() {
  bare=$cache/debian-python
  [[ ! -x $bare/usr/bin/pip3 ]] || return 0
  ((EUID == 0)) && has mmdebstrap || return 1
  rm -rf "$bare"
  mmdebstrap --quiet --variant=minbase --include=python3,python3-pip \
    "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$bare" 2>"$work/bare.log" >&2 ||
    { rm -rf "$bare"; return 1; }
}

# What a newcomer types; the time from the first key to the first finding.
newcomer() {
  local start=$SECONDS
  rm -rf "$bare/home/manifests"
  cp -r "$work/manifests" "$bare/home/"
  chroot "$bare" sh -c "cd /home && pip3 install --disable-pip-version-check --root-user-action=ignore \
    --break-system-packages --no-cache-dir --index-url $index tpu-admission" || return
  denies chroot "$bare" sh -c 'cd /home && tpu-admission check manifests' || return
  denies chroot "$bare" sh -c 'cd /home && python3 -m tpu_admission check manifests' || return
  chroot "$bare" pip3 uninstall --quiet --yes --break-system-packages --root-user-action=ignore tpu-admission
  ((SECONDS - start < 60))
}

test_python() {
  holds "the wheel is one that PyPI takes" "$tools/twine" check --strict "$dist"/*.whl
  holds "the wheel is the same again" is_the_same_again
  holds "pip installs the wheel" pip_installs
  holds "pip's program denies" denies "$work/venv/bin/tpu-admission" check "$work/manifests"
  holds "python -m tpu_admission runs it" module_runs
  holds "pip shows licences and program" says_where_it_is_from
  holds "pip uninstalls it" uninstalls
  holds "uvx runs it" denies env UV_CACHE_DIR="$work/uv" "$tools/uvx" --default-index "$index" \
    tpu-admission check "$work/manifests"
  if make_bare_debian; then
    holds "python3 and pip on a bare Debian: a finding in under a minute" newcomer
  else
    left_out "a bare Debian: it needs root and mmdebstrap"
  fi
}
