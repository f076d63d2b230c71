// node draw.mjs PROMETHEUS OUT FROM TO STEP DASHBOARD.json...
//
// Draws each dashboard, light and dark, into OUT/NAME-light.png and OUT/NAME-dark.png, and prints one line of JSON
// for each: what was asked, what came, what went wrong. Exits with 1 if a query failed or came back empty, or a
// panel crashed. Expects `npm install` and `npm run build` to have been run in this folder.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';

const kWidth = 1440; // a laptop's
const kTypes = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' };
const [prometheus, out, from, to, step, ...dashboards] = process.argv.slice(2);
const here = path.dirname(fileURLToPath(import.meta.url));
let dashboard = '';

// The page, the dashboard, and the way to Prometheus, under one origin.
const server = http.createServer((request, response) => {
  const name = request.url.split('?')[0];
  if (name.startsWith('/api/')) {
    const onward = http.request(`${prometheus}${request.url}`, (answer) => {
      response.writeHead(answer.statusCode, { 'content-type': 'application/json' });
      answer.pipe(response);
    });
    onward.on('error', (failure) => { response.writeHead(502); response.end(String(failure)); });
    onward.end();
    return;
  }
  const file = name === '/' ? 'page.html' : name === '/dashboard.json' ? dashboard : `built${name}`;
  try {
    const body = fs.readFileSync(path.resolve(here, file));
    response.writeHead(200, { 'content-type': kTypes[path.extname(file)] ?? 'application/octet-stream' });
    response.end(body);
  } catch {
    response.writeHead(404);
    response.end();
  }
});
await new Promise((ready) => { server.listen(0, '127.0.0.1', ready); });

async function draw(browser, theme) {
  const page = await browser.newPage();
  const errors = [];
  page.on('pageerror', (failure) => errors.push(String(failure)));
  await page.setViewport({ width: kWidth, height: 900 });
  const address = `http://127.0.0.1:${server.address().port}`;
  await page.goto(`${address}/?theme=${theme}&width=${kWidth}&from=${from}&to=${to}&step=${step}`);
  await page.waitForFunction('window.verdict !== undefined', { timeout: 60_000 });
  const verdict = await page.evaluate('window.verdict');
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  const name = path.basename(dashboard, '.json');
  await page.screenshot({ path: path.join(out, `${name}-${theme}.png`), fullPage: true });
  await page.close();
  for (const query of verdict.queries) {
    if (query.error || query.series === 0)
      errors.push(`${query.panel}: ${query.error ?? 'no data'}: ${query.expression}`);
  }
  for (const crash of verdict.crashes) errors.push(`${crash.panel} crashed: ${crash.error}`);
  if (overflow > 0) errors.push(`wider than its window by ${overflow} pixels`);
  console.log(JSON.stringify({ name, theme, panels: verdict.panels, queries: verdict.queries.length, errors }));
  return errors.length;
}

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars'],
  headless: true,
});
let wrong = 0;
for (dashboard of dashboards) for (const theme of ['light', 'dark']) wrong += await draw(browser, theme);
await browser.close();
server.close();
process.exitCode = wrong === 0 ? 0 : 1;
