// The page's engine on files: node judge.mjs FOLDER reads names of files from stdin, and prints a line of JSON for
// each: name, diagnostics, code actions. For tests; the page itself needs no node.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(import.meta.url);
const folder = resolve(process.argv[2]);
const module = await require(`${folder}/engine.js`)({ wasmBinary: readFileSync(`${folder}/engine.wasm`) });

const today = new Date().toISOString().slice(0, 10);
const held = (text) => {
  const size = module.lengthBytesUTF8(text) + 1;
  const at = module._malloc(size);
  module.stringToUTF8(text, at, size);
  return at;
};
const handle = (message) => {
  const texts = [held(JSON.stringify({ jsonrpc: '2.0', ...message })), held(today)];
  const answer = JSON.parse(module.UTF8ToString(module._tpu_handle(...texts)));
  texts.forEach((at) => module._free(at));
  return answer;
};

const capabilities = { textDocument: { codeAction: { disabledSupport: true } } };
handle({ id: 1, method: 'initialize', params: { capabilities } });
const uri = 'file:///page.yaml';
for (const file of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const text = readFileSync(file, 'utf8');
  const [published] = handle({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId: 'yaml', version: 1, text } } });
  const range = { start: { line: 0, character: 0 }, end: { line: text.split('\n').length, character: 0 } };
  const [answer] = handle({ id: 2, method: 'textDocument/codeAction',
    params: { textDocument: { uri }, range, context: { diagnostics: [] } } });
  console.log(JSON.stringify([file, published.params.diagnostics, answer.result]));
  handle({ method: 'textDocument/didClose', params: { textDocument: { uri } } });
}
