#!/usr/bin/env node
// Runs the program for this processor, as if it had been called itself.
"use strict";
const { spawn } = require("child_process");
const os = require("os");
const path = require("path");

const folder = { x64: "amd64", arm64: "arm64" }[process.arch];
if (process.platform !== "linux" || folder === undefined) {
  console.error(`tpu-admission: there is no program for ${process.platform} on ${process.arch}, only for ` +
    "linux on x64 and arm64");
  process.exit(2);
}
const program = path.join(__dirname, folder, "tpu-admission");
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
process.on("SIGINT", () => {});  // a terminal gives it to both; the program decides
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`tpu-admission: ${program} does not run: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));
