// VS Code's own client library: node vscode_client.mjs BINARY EXAMPLE
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const protocol = require('vscode-languageserver-protocol/node');
const rpc = protocol;  // it hands vscode-jsonrpc on

const [binary, example] = process.argv.slice(2);
const uri = 'file:///train.yaml';
const text = readFileSync(example, 'utf8');
let failed = 0;
const check = (what, good, found) => {
  console.log(`${good ? 'PASS' : 'FAIL'} vscode: ${what}${good ? '' : `: ${JSON.stringify(found)}`}`);
  if (!good) failed += 1;
};

const server = spawn(binary, ['lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => server.on('exit', resolve));
const connection = rpc.createMessageConnection(
  new rpc.StreamMessageReader(server.stdout), new rpc.StreamMessageWriter(server.stdin));
connection.onError((error) => check('the stream is sound', false, String(error)));
const waiting = [];
let last = null;
connection.onNotification(protocol.PublishDiagnosticsNotification.type, (params) => {
  last = params;
  waiting.splice(0).forEach((wake) => wake());
});
// Diagnostics of the version, within 10 s.
const diagnostics = async (version) => {
  const limit = Date.now() + 10000;
  while (last?.version !== version && Date.now() < limit) {
    await Promise.race([new Promise((wake) => waiting.push(wake)), new Promise((wake) => setTimeout(wake, 500))]);
  }
  return last?.diagnostics ?? [];
};
const codes = (list) => list.map((each) => each.code);
const at = (line, character) => ({ line, character });
const endOfLine = (key) => {
  const lines = text.split('\n');
  const line = lines.findIndex((each) => each.includes(key));
  return at(line, lines[line].length);
};
connection.listen();

const start = await connection.sendRequest(protocol.InitializeRequest.type, {
  processId: process.pid, rootUri: null, capabilities: {
    general: { positionEncodings: ['utf-16'] },
    workspace: { workspaceEdit: { documentChanges: true } },
    textDocument: { hover: { contentFormat: ['markdown'] } } } });
check('initialize tells capabilities', start.capabilities.textDocumentSync.change === 2, start);
check('positions are of UTF-16', start.capabilities.positionEncoding === 'utf-16', start);
await connection.sendNotification(protocol.InitializedNotification.type, {});

await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type,
  { textDocument: { uri, languageId: 'yaml', version: 1, text } });
const first = await diagnostics(1);
check('a wrong Job has its faults', codes(first).includes('TPU401') && codes(first).includes('TPU301'), first);
const hosts = first.find((each) => each.code === 'TPU401');
check('at the value', hosts && text.split('\n')[hosts.range.start.line].slice(hosts.range.start.character,
  hosts.range.end.character) === '2', hosts);

const actions = await connection.sendRequest(protocol.CodeActionRequest.type,
  { textDocument: { uri }, range: hosts.range, context: { diagnostics: [hosts] } });
check('quick fixes are offered', actions.length >= 1 && actions[0].isPreferred, actions);
const [change] = actions[0].edit.documentChanges;
check('for this version', change.textDocument.version === 1, change);
// An editor makes the edits and tells of them one by one, last first.
const edits = [...change.edits].sort((a, b) => b.range.start.line - a.range.start.line ||
  b.range.start.character - a.range.start.character);
await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type,
  { textDocument: { uri, version: 2 }, contentChanges: edits.map((edit) => ({ range: edit.range, text: edit.newText })) });
const second = await diagnostics(2);
check('which mend the Job', second.every((each) => each.severity !== 1), second);

const hover = await connection.sendRequest(protocol.HoverRequest.type,
  { textDocument: { uri }, position: endOfLine('gke-tpu-accelerator') });
check('hover tells what the catalog knows', hover?.contents.kind === 'markdown', hover);
const items = await connection.sendRequest(protocol.CompletionRequest.type,
  { textDocument: { uri }, position: endOfLine('gke-tpu-topology') });
check('completion tells topologies', items.map((each) => each.label).includes('4x4'), items);
const wrong = await connection.sendRequest('no/such').catch((error) => error);
check('an unknown method is answered', wrong.code === rpc.ErrorCodes.MethodNotFound, wrong);

// Typing: 200 changes without waiting.
for (let i = 0; i < 200; i += 1) {
  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type,
    { textDocument: { uri, version: 3 + i }, contentChanges: [{ range: { start: at(0, 0), end: at(0, 0) }, text: 'ä' }] });
}
const typed = await diagnostics(202);
check('typing is kept up with', typed.every((each) => each.severity !== 1) && last.version === 202, last);

await connection.sendRequest(protocol.ShutdownRequest.type);
await connection.sendNotification(protocol.ExitNotification.type);
check('shutdown and exit end it with 0', await ended === 0, await ended);
process.exit(failed === 0 ? 0 : 1);
