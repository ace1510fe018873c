# Runs the image's program as a cluster would: user 65532, read-only root, no capabilities. Sourced by run,
# which says what its variables mean: root, work, emulator.

# The OCI runtime's configuration for `tpu-admission ARGUMENTS`, in the folder $work/bundle. The emulator
# is linked statically, so that it runs in there.
write_bundle() {
  local arguments mount=
  arguments=$(printf ', "%s"' ${emulator:+/emulator} /usr/bin/tpu-admission "$@")
  if [[ -n $emulator ]]; then
    mount=", {\"destination\": \"/emulator\", \"type\": \"bind\", \"source\": \"$emulator\",
      \"options\": [\"bind\", \"ro\"]}"
  fi
  mkdir -p "$work/bundle"
  cat >"$work/bundle/config.json" <<END
{
  "ociVersion": "1.0.2",
  "process": {
    "user": {"uid": 65532, "gid": 65532},
    "args": [${arguments#, }],
    "cwd": "/", "noNewPrivileges": true, "capabilities": {}
  },
  "root": {"path": "$root", "readonly": true},
  "mounts": [
    {"destination": "/proc", "type": "proc", "source": "proc"},
    {"destination": "/tls", "type": "bind", "source": "$work/tls", "options": ["rbind", "ro"]}$mount
  ],
  "linux": {"namespaces": [{"type": "pid"}, {"type": "ipc"}, {"type": "uts"}, {"type": "mount"}]}
}
END
}

# in_image ARGUMENTS...: runs the binary in the image; standard input and output are ours.
in_image() {
  write_bundle "$@"
  runc --root "$work/runc" run --bundle "$work/bundle" "tpu-admission-$$"
}
