// The page in which bodies are touched: served by the program and by a plain server without headers,
// its forces against the program's, dragged by mouse and by touch.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createReadStream, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { chromium } from 'playwright-core';

const scene = `
name: beam
bodies:
  - name: beam
    shape: {box: [4, 1, 1], cells: [8, 2, 2]}
    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
conditions:
  - {body: beam, where: {plane: x-min}, fix: xyz}
solver: {method: implicit-static}
vademecum: {body: beam, where: {plane: z-max}, patch: 0.6, directions: [0, 0, -1], largest: 10, tolerance: 0.05, modes: 16}
`;
const program = process.env.PALPATE;
if (!existsSync(join(process.env.PAL_BUILD, 'share/palpate/touch/loop.js'))) {
    console.log('skipped: built without emscripten');
    process.exit(0);
}
const browserPath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome']
    .find((path) => path && existsSync(path));
assert.ok(browserPath, 'Chromium is needed: set CHROMIUM to its path');

writeFileSync('beam.yaml', scene);
execFileSync(program, ['vademecum', 'build', 'beam.yaml', '-o', 'beam.h5', '-q'], { stdio: 'inherit' });

// A second beam, turned across the first, comes down on it and slides along.
const poses = [], half = Math.SQRT1_2;
for (let i = 0; i < 400; ++i)
    poses.push([0.8 + 0.002 * Math.max(0, i - 200), 0.05, 1.02 - 0.001 * Math.min(i, 200), half, 0, 0, half]);
writeFileSync('poses.csv', `x,y,z,qw,qx,qy,qz\n${poses.map((pose) => pose.join(',')).join('\n')}\n`);
const native = JSON.parse(execFileSync(program, ['vademecum', 'bench', 'beam.h5', '--against', 'beam.h5',
                                                 '--path', 'poses.csv', '--json'], { encoding: 'utf8' }));

rmSync('touch', { recursive: true, force: true });
const server = spawn(program, ['vademecum', 'serve', 'beam.h5', '-o', 'touch']);
const address = await new Promise((resolve, reject) => {
    server.stdout.once('data', (data) => resolve(String(data).split('\n')[0].trim()));
    server.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
});
assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/$/);

// Any web server, without COOP and COEP.
const plain = createServer((request, response) => {
    const name = request.url === '/' ? 'index.html' : request.url.slice(1);
    const types = { html: 'text/html', js: 'text/javascript', css: 'text/css', json: 'application/json' };
    if (!existsSync(join('touch', name))) {
        response.writeHead(404).end();
        return;
    }
    response.writeHead(200, { 'Content-Type': types[name.split('.').pop()] ?? 'application/octet-stream' });
    createReadStream(join('touch', name)).pipe(response);
});
await new Promise((resolve) => { plain.listen(0, '127.0.0.1', resolve); });

const browser = await chromium.launch({ executablePath: browserPath,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });

async function openPage(url, options) {
    const context = await browser.newContext({ viewport: { width: 900, height: 600 }, ...options });
    const page = await context.newPage(), wrong = [], others = [];
    page.on('pageerror', (error) => wrong.push(String(error)));
    page.on('console', (message) => { if (message.type() === 'error') wrong.push(message.text()); });
    page.on('request', (request) => { if (!/^(http:\/\/127\.0\.0\.1|blob:|data:)/.test(request.url())) others.push(request.url()); });
    await page.goto(url);
    await page.waitForFunction(() => window.palpate.view.opened > 0 || window.palpate.view.error, null, { timeout: 60000 });
    assert.equal(await page.evaluate(() => window.palpate.view.error), undefined);
    return { context, page, wrong, others };
}

function compare(answers) {
    const largest = Math.max(...native.forces.map((force) => Math.hypot(...force)));
    assert.ok(largest > 0.5, `nothing was touched: ${largest}`);
    let worst = 0;
    answers.forEach((answer, i) => {
        for (let k = 0; k < 3; ++k)
            worst = Math.max(worst, Math.abs(answer[k] - native.forces[i][k]) / largest);
    });
    console.log(`forces differ from the program's by ${worst.toExponential(2)} of the largest at most`);
    assert.ok(worst < 1e-4, `forces differ by ${worst}`);
}

for (const [name, url, isolated] of [['palpate', address, true], ['plain', `http://127.0.0.1:${plain.address().port}/`, false]]) {
    const { context, page, wrong, others } = await openPage(url, {});
    assert.equal(await page.evaluate(() => window.palpate.view.isolated), isolated);
    const { answers } = await page.evaluate((list) => window.palpate.run(list), poses);
    compare(answers);
    await page.evaluate(() => window.palpate.start());
    await page.evaluate(() => window.palpate.setPose([0.8, 0.05, 0.85, Math.SQRT1_2, 0, 0, Math.SQRT1_2]));
    await page.waitForFunction(() => window.palpate.view.contacts > 0, null, { timeout: 60000 });
    await page.waitForTimeout(3000);
    const seen = await page.evaluate(() => ({ rate: window.palpate.view.rate, fps: window.palpate.view.fps,
        cost: window.palpate.view.frameCost, step: window.palpate.view.cost,
        force: document.getElementById('force').textContent, clock: document.getElementById('clock').textContent }));
    console.log(`${name}: loop ${seen.rate.toFixed(0)} Hz, a step ${(1000 * seen.step).toFixed(0)} us, ` +
        `${seen.fps.toFixed(1)} frames a second of ${seen.cost.toFixed(1)} ms; ${seen.force}; ${seen.clock}`);
    assert.match(seen.force, /^force [0-9]/);
    await page.screenshot({ path: `${name}.png` });
    assert.deepEqual(wrong, []);
    assert.deepEqual(others, [], 'the page asks nobody else');
    await context.close();
}

// Dragged down on the body by the mouse, and by a finger.
async function dragDown(page, press) {
    await page.waitForFunction(() => window.palpate.view.fps > 0, null, { timeout: 60000 });
    const [x, y] = await page.evaluate(() => window.palpate.screen());
    const before = await page.evaluate(() => window.palpate.view.pose[2]);
    await press(x, y);
    await page.waitForFunction(() => window.palpate.view.contacts > 0, null, { timeout: 60000 });
    const after = await page.evaluate(() => [window.palpate.view.pose[2], ...window.palpate.view.force]);
    assert.ok(after[0] < before, 'the tool went down');
    assert.ok(after[3] > 0, 'the body pushes back');
}
{
    const { context, page, wrong } = await openPage(address, {});
    await dragDown(page, async (x, y) => {
        await page.mouse.move(x, y);
        await page.mouse.down();
        for (let i = 1; i <= 20; ++i)
            await page.mouse.move(x, y + i);
    });
    assert.deepEqual(wrong, []);
    await context.close();
}
{
    const { context, page, wrong } = await openPage(address, { hasTouch: true });
    const session = await context.newCDPSession(page);
    await dragDown(page, async (x, y) => {
        await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
        for (let i = 1; i <= 20; ++i)
            await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x, y: y + i }] });
    });
    assert.deepEqual(wrong, []);
    await context.close();
}
assert.ok(readFileSync('touch/index.html', 'utf8').includes('page.js'));
await browser.close();
plain.close();
server.kill('SIGINT');
