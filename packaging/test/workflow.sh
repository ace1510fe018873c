# The release workflow, by actionlint, and what it publishes to a registry on this machine. Sourced by run.
readonly actionlint_version=v1.7.9 registry_version=v0.20.6

starts_registry() {
  "$registry" registry serve --address 127.0.0.1:0 >"$work/registry.log" 2>&1 &
  registry_process=$!
  local i
  for ((i = 0; i < 100; i++)); do
    registry_port=$(sed -nE 's/.*serving.* port:? ?([0-9]+).*/\1/p' "$work/registry.log")
    [[ -z $registry_port ]] || return 0
    sleep 0.1
  done
  cat "$work/registry.log"
  return 1
}

# What was pushed comes back, as the very archive.
publishes_chart() {
  local helm
  helm=$(tests/chart/tools)/helm
  mkdir -p "$work/artifacts" "$work/pulled" && cp -r "$dist" "$work/artifacts/dist" &&
    PLAIN_HTTP=1 packaging/publish "$work/artifacts" "127.0.0.1:$registry_port/test" &&
    "$helm" pull --plain-http "oci://127.0.0.1:$registry_port/test/charts/tpu-admission" --version "$version" \
      --destination "$work/pulled" &&
    cmp "$work/pulled/tpu-admission-$version.tgz" "$dist/tpu-admission-$version.tgz"
}

test_workflow() {
  local actionlint registry registry_process registry_port
  if ! actionlint=$(go_tool github.com/rhysd/actionlint "$actionlint_version" cmd/actionlint); then
    left_out "actionlint and a registry: they need Go"
    return
  fi
  holds "actionlint has nothing to say of the workflows" "$actionlint" .github/workflows/*.yaml
  if registry=$(go_tool github.com/google/go-containerregistry "$registry_version" cmd/crane); then
    holds "a registry starts" starts_registry
    holds "the chart is published as an OCI artefact" publishes_chart
    kill "$registry_process"
  fi
}
