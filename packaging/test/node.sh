# npm and npx. Sourced by run.

npm_installs() (
  mkdir "$work/node" && cd "$work/node" &&
    npm install --silent --no-audit --no-fund --no-save "$dist/tpu-admission-npm-$version.tgz" &&
    [[ $(npx --no-install tpu-admission version) == "tpu-admission $version"* ]]
)

npx_denies() (
  cd "$work" && denies npx --yes --package "$dist/tpu-admission-npm-$version.tgz" tpu-admission check manifests
)

reads_standard_input() (
  cd "$work/node" && denies npx --no-install tpu-admission check - <"$work/manifests/wrong-job.yaml"
)

# A signal to the script reaches the program: the server ends, as if asked itself, with code 0.
passes_signals_on() (
  cd "$work/node" || return
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost \
    -keyout tls.key -out tls.crt
  node_modules/.bin/tpu-admission serve --bind-address 127.0.0.1 --secure-port 0 --metrics-port 0 \
    --tls-cert-file tls.crt --tls-private-key-file tls.key --shutdown-delay 0s >serve.log 2>&1 &
  pid=$!
  for ((i = 0; i < 100; i++)); do
    ! grep -q '"msg":"listening"' serve.log || break
    sleep 0.1
  done
  cat serve.log
  kill -TERM "$pid" && wait "$pid"
)

test_node() {
  has npx || { left_out "npm: there is no npx"; return; }
  holds "npm installs the package" npm_installs
  holds "npx runs it from its file" npx_denies
  holds "npx passes standard input and the exit code on" reads_standard_input
  holds "npm's script passes signals on" passes_signals_on
}
