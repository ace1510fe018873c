// The page: a text, what the engine says of it, and what a click does. The engine is the language server, so
// everything here speaks its protocol.
'use strict';

const $ = (id) => document.getElementById(id);
const kUri = 'file:///page.yaml';
const kMaxBytes = 4 << 20;  // of a text
const kMostShown = 100;     // findings
const kWords = { 1: ['error', 'error'], 2: ['warning', 'warning'], 3: ['info', 'note'], 4: ['info', 'hint'] };

// ---- the engine

class Engine {
  static async start(binary) {
    const engine = new Engine();
    engine.binary = binary;
    await engine.restart();
    return engine;
  }
  async restart() {
    this.module = await TpuAdmissionEngine({ wasmBinary: this.binary, print: () => {}, printErr: () => {} });
    this.version = 0;
    this.next = 0;
    this.ask('initialize', { capabilities: {} });
    this.tell('textDocument/didOpen', { textDocument: { uri: kUri, languageId: 'yaml', version: 0, text: '' } });
  }
  call(name, ...values) {
    const texts = [];
    const given = values.map((value) => {
      if (typeof value === 'number') return value;
      const size = this.module.lengthBytesUTF8(value) + 1;
      const at = this.module._malloc(size);
      this.module.stringToUTF8(value, at, size);
      texts.push(at);
      return at;
    });
    const answer = this.module.UTF8ToString(this.module[`_tpu_${name}`](...given));
    texts.forEach((at) => this.module._free(at));
    return answer;
  }
  send(message) {
    const today = new Date().toISOString().slice(0, 10);
    return JSON.parse(this.call('handle', JSON.stringify({ jsonrpc: '2.0', ...message }), today));
  }
  ask(method, params) {
    this.next += 1;
    const answer = this.send({ id: this.next, method, params }).find((each) => each.id === this.next);
    if (answer === undefined) throw new Error(`no answer to ${method}`);
    return answer.result;
  }
  tell(method, params) { return this.send({ method, params }); }
  // The diagnostics of a text; null: there was no answer, so nothing is known. Half a pair of surrogates is no
  // character: another of the same length stands for it.
  judge(whole) {
    const text = whole.replace(/\p{Surrogate}/gu, '\uFFFD');
    this.version += 1;
    const sent = this.tell('textDocument/didChange',
      { textDocument: { uri: kUri, version: this.version }, contentChanges: [{ text }] });
    return sent.filter((each) => each.method === 'textDocument/publishDiagnostics').pop()?.params.diagnostics ?? null;
  }
  repairs(lines) {
    const range = { start: { line: 0, character: 0 }, end: { line: lines, character: 1e6 } };
    return this.ask('textDocument/codeAction', { textDocument: { uri: kUri }, range, context: { diagnostics: [] } });
  }
}

// ---- small parts

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const text = () => $('text').value;
const lineStarts = (whole) => {
  const starts = [0];
  for (let at = whole.indexOf('\n'); at >= 0; at = whole.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
};
const offset = (starts, place) => starts[Math.min(place.line, starts.length - 1)] + place.character;

async function inflate(base64, most) {
  const bytes = Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > most) throw new Error('the text is too long');
    parts.push(next.value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function deflate(whole) {
  const stream = new Blob([whole]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

// ---- Markdown of the rules' own pages: headings, lists, fences, bold, code.

function inline(line) {
  return line.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map((part) => {
    if (part.startsWith('`')) return element('code', {}, part.slice(1, -1));
    if (part.startsWith('**')) return element('strong', {}, part.slice(2, -2));
    const link = /^\[([^\]]+)\]\((https:[^)]+)\)$/.exec(part);
    if (link) return element('a', { href: link[2], rel: 'noreferrer' }, link[1]);
    return part.replace(/^\[([^\]]+)\]\([^)]+\)$/, '$1');
  });
}

function markdown(source) {
  const made = [];
  const blocks = source.split(/^(```[\s\S]*?^```)$/m);
  for (const block of blocks) {
    if (block.startsWith('```')) {
      made.push(element('pre', { tabIndex: 0 }, element('code', {}, block.replace(/^```.*\n/, '').replace(/```$/, ''))));
      continue;
    }
    for (const paragraph of block.split(/\n{2,}/)) {
      const heading = /^(#+) (.*)$/.exec(paragraph.trim());
      if (heading) made.push(element(heading[1].length > 1 ? 'h3' : 'h2', {}, ...inline(heading[2])));
      else if (/^- /.test(paragraph.trim())) {
        const items = paragraph.trim().split(/\n(?=- )/).map((item) => element('li', {}, ...inline(item.slice(2))));
        made.push(element('ul', {}, ...items));
      } else if (paragraph.trim()) made.push(element('p', {}, ...inline(paragraph.trim())));
    }
  }
  return made;
}

// ---- what is shown

class Page {
  constructor(engine) {
    this.engine = engine;
    this.judged = null;  // the text that is told of; null: of none
    this.before = null;  // what undo brings back
  }

  // Judges the text and shows what is said of it.
  async refresh() {
    clearTimeout(this.timer);
    const whole = text();
    if (whole.length > kMaxBytes) {
      this.withdraw();
      return this.say('Not checked: the text is longer than 4 MiB; take `tpu-admission check`.');
    }
    const begun = performance.now();
    let found = [];
    let repairs = [];
    try {
      found = this.engine.judge(whole);
      if (found === null) {
        this.withdraw();
        return this.say('Not checked: the checker gave no answer to this text. It is a bug: please report it.');
      }
      // Of a long text the first are enough to begin with.
      const lines = found.slice(0, kMostShown).map((each) => each.range.end.line);
      repairs = lines.length === 0 ? [] : this.engine.repairs(Math.max(...lines));
    } catch (error) {
      this.withdraw();
      await this.engine.restart();
      return this.say(`Not checked: the checker stopped at this text (${error.message}). It is a bug: please report it.`);
    }
    document.body.dataset.milliseconds = (performance.now() - begun).toFixed(1);
    this.judged = whole;
    this.starts = lineStarts(whole);
    this.showMarks(whole, found);
    this.showFindings(found);
    this.showRepairs(repairs);
    this.showStatus(whole, found);
  }

  // Nothing is known of the text: what was told was of another.
  withdraw() {
    this.judged = null;
    $('marks').replaceChildren();
    $('gutter').replaceChildren();
    this.showFindings([]);
    this.showRepairs([]);
  }

  say(words, good = false) {
    $('status').textContent = words;
    $('status').className = good ? 'good' : '';
  }

  showStatus(whole, found) {
    const number = (severity) => found.filter((each) => each.severity === severity).length;
    const count = (many, noun) => `${many} ${noun}${many === 1 ? '' : 's'}`;
    if (whole.trim() === '') this.say('Nothing to check yet.');
    else if (found.length > 0) {
      this.say(`${count(number(1), 'error')}, ${count(number(2), 'warning')}` +
        (number(3) + number(4) > 0 ? `, ${count(number(3) + number(4), 'note')}` : '') + '.');
    } else if (this.engine.call('mentions', whole) !== '') this.say('Nothing is wrong with the TPU workloads of this text.', true);
    else this.say('No TPU workload in this text: nothing to say.');
  }

  showMarks(whole, found) {
    const pieces = [];
    let at = 0;
    const order = [...found].sort((a, b) => offset(this.starts, a.range.start) - offset(this.starts, b.range.start));
    for (const each of order) {
      const begin = offset(this.starts, each.range.start);
      const end = offset(this.starts, each.range.end);
      if (begin < at || end <= begin) continue;
      pieces.push(whole.slice(at, begin), element('mark', { className: kWords[each.severity][0] }, whole.slice(begin, end)));
      at = end;
    }
    $('marks').replaceChildren(...pieces, whole.slice(at), '\n');
    const worst = new Map();
    for (const each of found) {
      const line = each.range.start.line;
      worst.set(line, Math.min(worst.get(line) ?? 9, each.severity));
    }
    $('gutter').replaceChildren(...this.starts.map((_, line) =>
      element('div', { className: worst.has(line) ? kWords[worst.get(line)][0] : '' }, String(line + 1))));
    this.scroll();
  }

  scroll() {
    $('marks').scrollTop = $('gutter').scrollTop = $('text').scrollTop;
    $('marks').scrollLeft = $('text').scrollLeft;
  }

  showFindings(found) {
    const shown = found.slice(0, kMostShown).map((each) => {
      const [style, word] = kWords[each.severity];
      const go = element('button', { type: 'button', onclick: () => this.goTo(each.range) }, `Line ${each.range.start.line + 1}`);
      const item = element('li', {}, go, ' ', element('span', { className: `word ${style}` }, word));
      if (each.code) {
        item.append(` ${each.code} ${each.data.rule_name} `, ' ',
          element('button', { type: 'button', onclick: () => this.explain(each.code) }, `Explain ${each.code}`));
      }
      item.append(element('p', { className: 'what' }, each.message));
      return item;
    });
    if (found.length > kMostShown) shown.push(element('li', {}, `and ${found.length - kMostShown} more, further down`));
    $('findings').replaceChildren(...shown);
  }

  showRepairs(repairs) {
    $('repairs-box').hidden = repairs.length === 0;
    $('repairs').replaceChildren(...repairs.map((each) => element('li', {},
      element('button', { type: 'button', onclick: () => this.apply(each) }, 'Apply'),
      ` line ${each.diagnostics[0].range.start.line + 1}: ${each.title}`)));
    for (const item of $('repairs').children) {
      item.firstChild.setAttribute('aria-label', `Apply: ${item.textContent.slice('Apply '.length)}`);
    }
  }

  goTo(range) {
    if (text() !== this.judged) return this.refresh();
    const box = $('text');
    box.focus();
    box.setSelectionRange(offset(this.starts, range.start), offset(this.starts, range.end));
    const height = box.scrollHeight / this.starts.length;
    box.scrollTop = Math.max(0, (range.start.line - 8) * height);
    this.scroll();
  }

  // A repair is of the text that was judged: into another nothing is written.
  apply(action) {
    const whole = text();
    if (whole !== this.judged) return this.refresh();
    let after = '';
    let at = 0;
    // From front to back, in their own order where several begin at one place: what is inserted there comes
    // before what is replaced.
    const edits = [...action.edit.changes[kUri]].sort((a, b) => offset(this.starts, a.range.start) - offset(this.starts, b.range.start));
    for (const edit of edits) {
      after += whole.slice(at, offset(this.starts, edit.range.start)) + edit.newText;
      at = offset(this.starts, edit.range.end);
    }
    this.put(after + whole.slice(at), 'Undo the repair');
    $('text').focus();
  }

  // Another text in the place of this one, which undo brings back.
  put(whole, undo = 'Undo the change') {
    const before = text();
    $('text').value = whole;
    this.keep(before === '' || before === text() ? null : before, undo);
    this.refresh();
  }

  // `before`: what undo is to bring back; null: nothing.
  keep(before, undo = 'Undo the repair') {
    this.before = before;
    $('undo').textContent = undo;
    $('undo').disabled = before === null;
  }

  undo() {
    if (this.before !== null) {
      $('text').value = this.before;
      this.keep(null);
      this.refresh();
    }
    $('text').focus();
  }

  explain(rule) {
    const made = markdown(this.engine.call('explain', rule));
    made[0].id = 'explain-title';
    $('explain-text').replaceChildren(...made);
    $('explain').showModal();
    $('explain-text').scrollTop = 0;
  }

  wish() {
    const number = (id) => Math.max(0, Math.min(1000000, Number.parseInt($(id).value, 10) || 0));
    return [$('accelerator').value, '', number('chips'), number('slices')];
  }

  plan() {
    const wish = this.wish();
    const answer = JSON.parse(this.engine.call('plan', ...wish, 0, ''));
    $('ways-box').hidden = answer.error !== undefined;
    $('plan-status').textContent = answer.error ?? `${answer.ways.length} way${answer.ways.length === 1 ? '' : 's'}, best first.`;
    $('ways').replaceChildren(...(answer.ways ?? []).map((way, index) => {
      const write = ['job', 'jobset'].map((kind) => element('button', {
        type: 'button', onclick: () => this.write(wish, index + 1, kind),
        'aria-label': `Write a ${kind === 'job' ? 'Job' : 'JobSet'} for ${way.topology} on ${way.machine}` },
        kind === 'job' ? 'Job' : 'JobSet'));
      const zones = way.zones.length > 4 ? `${way.zones.slice(0, 4).join(', ')} and ${way.zones.length - 4} more` : way.zones.join(', ');
      return element('tr', {}, element('th', { scope: 'row' }, way.topology),
        ...[way.machine, way.hosts, way.chips_per_host, zones || 'not known'].map((cell) => element('td', {}, String(cell))),
        element('td', {}, write[0], ' ', write[1]));
    }));
  }

  write(wish, way, kind) {
    const answer = JSON.parse(this.engine.call('plan', ...wish, way, kind));
    if (answer.error !== undefined) {
      $('plan-status').textContent = answer.error;
      return;
    }
    this.put(answer.text);
    $('text').focus();
    $('text').setSelectionRange(0, 0);
    $('text').scrollTop = 0;
  }

  showAccelerators() {
    const { engine } = this;
    engine.judge('cloud.google.com/gke-tpu-accelerator: ');
    const items = engine.ask('textDocument/completion',
      { textDocument: { uri: kUri }, position: { line: 0, character: 38 } });
    $('accelerator').replaceChildren(...items.map((item) => element('option', { value: item.label }, item.detail)));
    const usual = items.find((item) => item.label === 'tpu-v6e-slice');
    if (usual) $('accelerator').value = usual.label;
  }

  // A browser compiles what is called for the first time: so that this is not the person's own text.
  warmUp() {
    this.engine.judge(kExamples['wrong-job']);
    this.engine.repairs(99);
  }

  example(name) {
    if (name === 'plan') {
      $('chips').value = 64;
      $('slices').value = 1;
      this.plan();
      $('plan-box').scrollIntoView();
      $('ways').querySelector('button')?.focus();
      return;
    }
    this.put(kExamples[name]);
    $('text').focus();
  }

  async copyLink() {
    const fragment = `#y=${await deflate(text())}`;
    if (fragment.length > 30000) return this.say('The text is too long for a link.');
    history.replaceState(null, '', fragment);
    try {
      await navigator.clipboard.writeText(location.href);
      this.say('The link is copied; it stands in the address bar, too.');
    } catch {
      this.say('The link stands in the address bar.');
    }
  }

  // Takes the text of the link, if it has one.
  async readLink() {
    const coded = /^#y=([A-Za-z0-9_-]+)$/.exec(location.hash);
    if (coded === null) return;
    try {
      const bytes = await inflate(coded[1].replace(/-/g, '+').replace(/_/g, '/'), kMaxBytes);
      this.put(new TextDecoder().decode(bytes));
    } catch {
      this.say('The link is broken: its text cannot be read.');
    }
  }

  async readFile(file) {
    if (file.size > kMaxBytes) return this.say('The file is larger than 4 MiB; take `tpu-admission check`.');
    try {
      this.put(await file.text());
    } catch {
      this.say('The file cannot be read.');  // as a folder cannot
    }
    $('text').focus();
  }

  listen() {
    $('text').addEventListener('input', () => {
      this.keep(null);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.refresh(), text().length > 100000 ? 200 : 0);
    });
    $('text').addEventListener('scroll', () => this.scroll());
    $('undo').addEventListener('click', () => this.undo());
    $('link').addEventListener('click', () => this.copyLink());
    $('plan').addEventListener('submit', (event) => { event.preventDefault(); this.plan(); });
    $('file').addEventListener('change', (event) => { if (event.target.files[0]) this.readFile(event.target.files[0]); });
    $('examples').addEventListener('click', (event) => { if (event.target.dataset.example) this.example(event.target.dataset.example); });
    addEventListener('hashchange', () => this.readLink());
    for (const kind of ['dragover', 'dragleave', 'drop']) {
      $('editor').addEventListener(kind, (event) => {
        // What else is dragged, such as a word of the text, is the text box's own.
        const isFile = event.dataTransfer.types.includes('Files');
        $('editor').classList.toggle('over', isFile && kind === 'dragover');
        if (!isFile) return;
        event.preventDefault();
        if (kind === 'drop' && event.dataTransfer.files[0]) this.readFile(event.dataTransfer.files[0]);
      });
    }
  }
}

(async () => {
  try {
    const page = new Page(await Engine.start(await inflate(kEngine, 64 << 20)));
    page.showAccelerators();
    page.warmUp();
    page.listen();
    if (!location.hash.startsWith('#y=')) await page.refresh();
    await page.readLink();
    document.body.dataset.ready = performance.now().toFixed(0);
  } catch (error) {
    $('status').textContent = `The checker could not start: ${error.message}. It needs WebAssembly and a browser of 2023 or later.`;
  }
})();
