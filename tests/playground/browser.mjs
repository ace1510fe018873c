// The page in headless Chromium, by what a person does: node browser.mjs PAGE [PICTURES]
// With a folder for PICTURES it also takes the screenshots of the docs.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core');
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [file, pictures] = process.argv.slice(2);
const url = pathToFileURL(resolve(file)).href;
let failed = 0;
function check(what, good, found) {
  console.log(`${good ? 'PASS' : 'FAIL'} page: ${what}${good ? '' : `: ${JSON.stringify(found)?.slice(0, 600)}`}`);
  if (!good) failed += 1;
}
// What follows from an action comes a moment later: it is asked for until `good` says so of what `ask` finds.
async function comes(what, ask, good) {
  const end = Date.now() + 10000;
  let found = await ask();
  while (!good(found) && Date.now() < end) {
    await new Promise((done) => { setTimeout(done, 20); });
    found = await ask();
  }
  check(what, good(found), found);
}

const size = gzipSync(readFileSync(file), { level: 9 }).length;
check(`is ${(size / 1024).toFixed(0)} KB compressed, below 1 MB`, size < 1 << 20, size);

const folder = mkdtempSync(join(tmpdir(), 'tpu-page-'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'] });

// A new page; what it asks of the network, and what it complains of, is a fault.
async function open(address = url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.requests = [];
  page.complaints = [];
  page.on('request', (request) => page.requests.push(request.url()));
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text()); });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.session = await context.newCDPSession(page);
  await page.session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(address);
  await page.waitForFunction(() => document.body.dataset.ready !== undefined);
  return page;
}
// What a person would read.
const status = (page) => page.locator('#status').innerText();
const findings = (page) => page.locator('#findings').innerText();
const text = (page) => page.locator('#text').inputValue();
async function audit(page, what) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
  check(`axe-core finds nothing: ${what}`, found.violations.length === 0,
    found.violations.map((each) => [each.id, each.nodes.map((node) => node.html.slice(0, 120))]));
}

try {
  // Someone comes from a search and tries the examples.
  const page = await open();
  check('explains itself', (await page.locator('header').innerText()).includes('stays Pending'));
  await audit(page, 'empty');
  await page.getByRole('button', { name: 'a wrong Job' }).click();
  await comes('a wrong Job has errors', () => status(page), (found) => found.startsWith('2 errors'));
  await comes('with lines, rules and words', () => findings(page), (found) => /Line 8/.test(found) && /TPU401/.test(found) && /TPU301/.test(found));
  await comes('and marks at the values', () => page.locator('#marks mark').allInnerTexts(), (found) => found.includes('2'));
  if (pictures) await page.screenshot({ path: join(pictures, 'playground.png') });
  const judged = [];
  for (let i = 0; i < 7; i += 1) {
    await page.locator('#text').press('Control+End');
    await page.locator('#text').pressSequentially('#');
    await page.waitForTimeout(50);
    judged.push(Number(await page.evaluate(() => document.body.dataset.milliseconds)));
  }
  judged.sort((a, b) => a - b);  // the quickest: other programs make all others slower
  check(`judging takes ${judged[0]} ms, below 10`, judged[0] < 10, judged);
  await audit(page, 'with findings');

  // A click on a line leads there.
  await page.getByRole('button', { name: 'Line 8', exact: true }).click();
  await comes('a line leads to its value', () => page.evaluate(() => {
    const box = document.getElementById('text');
    return [document.activeElement === box, box.value.slice(box.selectionStart, box.selectionEnd)];
  }), ([there, chosen]) => there && chosen === '2');

  // What does the rule mean?
  await page.getByRole('button', { name: 'Explain TPU401' }).click();
  await comes('a rule is explained', () => page.locator('#explain').innerText(), (found) => found.includes('TPU401'));
  await audit(page, 'explaining');
  await page.keyboard.press('Escape');
  await comes('Escape closes it', () => page.locator('#explain').isHidden(), (hidden) => hidden);

  // A click on a repair changes the text, and back.
  const before = await text(page);
  await page.locator('#repairs button').first().click();
  await comes('a repair changes the text', () => text(page), (found) => found.includes('parallelism: 4') && found.includes('# of a headless Service'));
  await comes('and nothing is wrong any more', () => status(page), (found) => found.startsWith('Nothing is wrong'));
  const after = await text(page);
  await page.getByRole('button', { name: 'Undo the repair' }).click();
  await comes('undo takes it back', () => text(page), (found) => found === before);

  // A repair may insert where it also replaces.
  await page.locator('#text').fill(readFileSync('src/rules/TPU103_topology_missing/cases/fail-under-the-label-of-gpus.yaml', 'utf8'));
  await comes('a TPU under the label of GPUs has repairs', () => page.locator('#repairs button').count(), (found) => found > 0);
  await page.locator('#repairs button').first().click();
  await comes('one inserts where it replaces', () => text(page), (found) =>
    /cloud\.google\.com\/gke-tpu-accelerator: tpu-v4-podslice\n/.test(found) && /cloud\.google\.com\/gke-tpu-topology: /.test(found));
  await comes('and all of it is right', () => status(page), (found) => found.startsWith('Nothing is wrong'));

  // Typing: half a line is no end of the world.
  await page.locator('#text').fill('');
  await page.locator('#text').pressSequentially('kind: Pod\nhalf: [tpu');
  await comes('half-typed text is told', () => findings(page), (found) => /not checked/.test(found));
  await page.locator('#text').fill(`{{ .Values.tpu }}: [\n---\n${before}`);
  await comes('a template costs only itself', () => status(page), (found) => /2 errors.*note/.test(found));
  await page.locator('#text').fill('<img src=x onerror="document.title=1">: tpu\n---\n<script>alert(1)</script>: "tpu"\na: "tpu\n');
  await comes('text that is like HTML is judged', () => findings(page), (found) => /not checked/.test(found) && !/TPU401/.test(found));
  check('text stays text', await page.title() !== '1' && await page.locator('#findings img, #marks img').count() === 0);

  // A file, chosen and dropped.
  const manifest = join(folder, 'job.yaml');
  writeFileSync(manifest, before);
  await page.locator('#file').setInputFiles(manifest);
  await comes('a file is opened', () => text(page), (found) => found === before);
  await comes('and judged', () => findings(page), (found) => /TPU301/.test(found));
  await page.locator('#text').fill('');
  await comes('an empty text has no findings', () => findings(page), (found) => !/TPU301/.test(found));
  await page.evaluate((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], 'job.yaml'));
    document.getElementById('editor').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, before);
  await comes('a file is dropped', () => text(page), (found) => found === before);
  await comes('and judged, too', () => findings(page), (found) => /TPU301/.test(found));

  // What replaces a text is taken back by undo.
  await page.locator('#text').fill('kind: Mine\n');
  const drop = (kind, content) => page.evaluate(([type, words]) => {
    const data = new DataTransfer();
    if (type === 'file') data.items.add(new File([words], 'job.yaml'));
    else data.setData(type, words);
    document.getElementById('text').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [kind, content]);
  await drop('file', before);
  await comes('a file is dropped over a text', () => text(page), (found) => found === before);
  await page.getByRole('button', { name: 'Undo the change' }).click();
  await comes('and undo brings that back', () => text(page), (found) => found === 'kind: Mine\n');
  check('which ends it', await page.locator('#undo').isDisabled());
  await page.getByRole('button', { name: 'a wrong Job' }).click();
  await page.locator('#undo').click();
  await comes('an example is undone, too', () => text(page), (found) => found === 'kind: Mine\n');

  // A word of the text that is dragged to another place of it.
  await page.locator('#text').fill(before);
  await drop('text/html', '<b>x</b>');
  await drop('text/plain', '4x4');
  await page.waitForTimeout(200);
  check('a drop without a file replaces nothing', await text(page) === before, await text(page));
  await page.evaluate(() => { document.getElementById('text').scrollTop = 0; });
  const box = await page.locator('#text').boundingBox();
  await page.mouse.dblclick(box.x + 60, box.y + 14);
  await page.mouse.move(box.x + 60, box.y + 14);
  await page.mouse.down();
  await page.mouse.move(box.x + 80, box.y + 54, { steps: 5 });
  await page.mouse.move(box.x + 90, box.y + 94, { steps: 5 });
  await page.mouse.up();
  await comes('a word is dragged within the text', () => text(page), (found) => found !== before);
  const letters = (whole) => [...whole.replace(/\s/g, '')].sort().join('');
  check('and the rest stays', letters(await text(page)) === letters(before), await text(page));

  // Repairs are of the text that was judged.
  const fill = (whole) => page.evaluate((words) => {
    document.getElementById('text').value = words;
    document.getElementById('text').dispatchEvent(new Event('input'));
  }, whole);
  const repairs = () => page.locator('#repairs button').count();
  const long = `${before}\n---\n${`# ${'x'.repeat(98)}\n`.repeat(2000)}`;  // is judged a moment after a key
  await fill(long);
  await comes('a long text has repairs', repairs, (found) => found > 0);
  const typed = await page.evaluate(() => {
    const area = document.getElementById('text');
    area.value = `# typed just now\n${area.value}`;
    area.dispatchEvent(new Event('input'));
    document.querySelector('#repairs button').click();
    return area.value;
  });
  check('a repair of an older text is not applied', typed === `# typed just now\n${long}`, typed.slice(0, 400));
  await comes('but found anew', () => findings(page), (found) => /Line 9/.test(found));
  await page.locator('#repairs button').first().click();
  await comes('and then applied', () => text(page), (found) => found.startsWith('# typed just now\n') && found.includes('parallelism: 4'));
  await fill(before);
  await comes('repairs again', repairs, (found) => found > 0);
  await fill(`# ${'x'.repeat(1000)}\n`.repeat(4300));
  await comes('a text of more than 4 MiB is refused', () => status(page), (found) => /^Not checked.*4 MiB/.test(found));
  check('and nothing is told of the one before', await repairs() === 0 && await findings(page) === '' &&
    await page.locator('#marks mark').count() === 0);

  // An answer that is none is no praise.
  await fill(before.replace('# Wrong', '# \ud83d Wrong'));
  await comes('half a character is judged', () => findings(page), (found) => /Line 8/.test(found) && /TPU301/.test(found));
  await page.evaluate(() => { window.parsed = JSON.parse; JSON.parse = () => []; });
  await fill(`${before}\n`);
  await comes('no answer is told', () => status(page), (found) => found.startsWith('Not checked'));
  check('without praise, and without repairs', await page.locator('#status.good').count() === 0 && await repairs() === 0);
  await page.evaluate(() => { JSON.parse = window.parsed; });
  await fill(after);
  await comes('the next answer counts', () => status(page), (found) => found.startsWith('Nothing is wrong'));
  await fill('data:\n  output: {{ .Values.httpUrl }}\n');
  await comes('other files are not spoken of', () => status(page), (found) => found.startsWith('No TPU workload'));

  // Planning.
  await page.getByRole('button', { name: 'a plan for 64 chips' }).click();
  const ways = page.locator('#ways tr');
  await comes('a plan has ways', () => ways.allInnerTexts(), (found) => found.length >= 1 && found[0].includes('8x8'));
  await audit(page, 'with a plan');
  if (pictures) await page.locator('#plan-box').screenshot({ path: join(pictures, 'playground-plan.png') });
  await ways.first().getByRole('button', { name: /JobSet/ }).click();
  await comes('which is written down', () => text(page), (found) => found.includes('kind: JobSet'));
  await comes('and sound', () => status(page), (found) => found.startsWith('Nothing is wrong'));
  await page.getByLabel('Chips in all').fill('63');
  await page.getByRole('button', { name: 'Show the ways' }).click();
  await comes('what cannot be had is told', () => page.locator('#plan-status').innerText(), (found) => found.length > 20 && /63/.test(found));

  // A link carries the text.
  await page.locator('#text').fill(`${before}# \u00e4\u{1F600}\n`);
  await page.getByRole('button', { name: 'Copy a link' }).click();
  await page.waitForFunction(() => location.hash.startsWith('#y='));
  const link = page.url();
  check('nothing was asked of the network', page.requests.every((each) => each === url || each.startsWith('blob:')), page.requests);
  check('and nothing was complained of', page.complaints.length === 0, page.complaints);

  // Another person opens it: how long until the first finding?
  // By the clock, and by the processor: other programs count in the first only.
  const times = [];
  const processor = [];
  for (let i = 0; i < 5; i += 1) {
    const other = await open(link);
    times.push(Number(await other.evaluate(() => document.body.dataset.ready)));
    const { metrics } = await other.session.send('Performance.getMetrics');
    processor.push(Math.round(1000 * metrics.find((each) => each.name === 'TaskDuration').value));
    if (i === 0) await comes('a link opens with its text', () => text(other), (found) => found === `${before}# \u00e4\u{1F600}\n`);
    await other.context().close();
  }
  times.sort((a, b) => a - b);
  processor.sort((a, b) => a - b);
  check(`the first finding stands after ${times[0]} ms (${processor[0]} ms of the page's thread), below 300`,
    processor[0] > 1 && Math.min(times[0], processor[0]) < 300, [times, processor]);
  const broken = await open(`${url}#y=AAAA`);
  await comes('a broken link is told', () => status(broken), (found) => /broken/.test(found));

  // The other light, a narrow window, and Chromium's forced colours.
  const dark = await open(link, { colorScheme: 'dark' });
  await audit(dark, 'dark');
  if (pictures) await dark.screenshot({ path: join(pictures, 'playground-dark.png') });
  const narrow = await open(link, { viewport: { width: 360, height: 740 } });
  await audit(narrow, 'narrow');
  check('nothing is wider than a narrow window', await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1));

  // Everything by keyboard alone.
  const keys = await open();
  const tabTo = async (name) => {
    for (let i = 0; i < 60; i += 1) {
      await keys.keyboard.press('Tab');
      const at = await keys.evaluate(() => { const here = document.activeElement; return here.getAttribute('aria-label') ?? here.innerText ?? here.id; });
      if (at.startsWith(name)) return true;
    }
    return false;
  };
  check('keys: the example', await tabTo('a wrong Job'));
  await keys.keyboard.press('Enter');
  await comes('keys: the text is at hand', () => keys.evaluate(() => document.activeElement.id), (found) => found === 'text');
  await comes('keys: and judged', () => findings(keys), (found) => /TPU301/.test(found));
  check('keys: Tab leaves the text', await tabTo('Apply: line'));
  await keys.keyboard.press('Enter');
  await comes('keys: a repair', () => text(keys), (found) => found.includes('parallelism: 4'));
  await comes('keys: nothing is wrong any more', () => status(keys), (found) => found.startsWith('Nothing is wrong'));
  await keys.keyboard.press('Shift+Tab');
  await keys.keyboard.press('Shift+Tab');
  await keys.keyboard.press('Enter');
  await comes('keys: undo', () => text(keys), (found) => found.includes('parallelism: 2'));
  await comes('keys: which is judged', () => findings(keys), (found) => /TPU301/.test(found));
  check('keys: explain', await tabTo('Explain TPU'));
  await keys.keyboard.press('Enter');
  await comes('keys: the explanation is open', () => keys.locator('#explain').isVisible(), (open) => open);
  await keys.keyboard.press('Escape');
  await comes('keys: and gives the focus back', () => keys.evaluate(() => document.activeElement.innerText ?? ''), (found) => found.startsWith('Explain'));
  check('keys: the plan', await tabTo('Show the ways'));
  await keys.keyboard.press('Enter');
  await comes('keys: has ways', () => keys.locator('#ways tr').count(), (count) => count > 0);
  check('keys: a way', await tabTo('Write a Job for'));
  await keys.keyboard.press('Enter');
  await comes('keys: is written', () => text(keys), (found) => /kind: Job\n/.test(found) && !/parallelism: 2/.test(found));

  // A large text stays usable.
  const large = await open();
  writeFileSync(manifest, `${before}${`---\n${after}`.repeat(400)}`);
  await large.locator('#file').setInputFiles(manifest);
  await large.waitForFunction(() => document.querySelectorAll('#gutter div').length > 10000);
  await large.locator('#text').press('End');
  await large.locator('#text').pressSequentially(' ');
  await large.waitForTimeout(600);
  const spent = Number(await large.evaluate(() => document.body.dataset.milliseconds));
  check(`a key in 10,000 lines costs ${spent} ms`, spent < 1000, spent);
} catch (error) {
  check('the test ran', false, String(error.stack));
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
console.log(statSync(file).size);
process.exit(failed === 0 ? 0 : 1);
