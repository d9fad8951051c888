// The page in which bodies are touched: served by the program and by a plain server without headers,
// its forces against the program's, dragged by mouse, finger and keys.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { chromium } from 'playwright-core';

const scene = `
name: beam
bodies:
  - name: beam
    shape: {box: [4, 1, 1], cells: [8, 2, 2]}
    material: {law: st-venant-kirchhoff, young: 1000, poisson: 0.3, density: 1}
conditions:
  - {body: beam, where: {plane: x-min}, fix: xyz}
solver: {method: implicit-static}
vademecum: {body: beam, where: {plane: z-max}, patch: 0.6, directions: [0, 0, -1], largest: 10, tolerance: 0.05, modes: 16}
`;
const program = process.env.PALPATE;
if (!existsSync(join(process.env.PAL_BUILD, 'share/palpate/touch/index.html'))) {
    console.log('skipped: built without emscripten');
    process.exit(0);
}
const browserPath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome']
    .find((path) => path && existsSync(path));
assert.ok(browserPath, 'Chromium is needed: set CHROMIUM to its path');

writeFileSync('beam.yaml', scene);
execFileSync(program, ['vademecum', 'build', 'beam.yaml', '-o', 'beam.h5', '-q'], { stdio: 'inherit' });

// A second beam, turned across the first, comes down on it and slides along; and so does a ball.
const half = Math.SQRT1_2;
const paths = { beam: [], fingertip: [] };
for (let i = 0; i < 400; ++i) {
    const [x, down] = [0.8 + 0.002 * Math.max(0, i - 200), 0.001 * Math.min(i, 200)];
    paths.beam.push([x, 0.05, 1.02 - down, half, 0, 0, half]);
    paths.fingertip.push([x, 0.05, 1.12 - down, 1, 0, 0, 0]);
}

// The program's forces. A step that came late on a busy machine is coarse: then once more.
function nativeForces(tool) {
    writeFileSync('poses.csv', `x,y,z,qw,qx,qy,qz\n${paths[tool].map((pose) => pose.join(',')).join('\n')}\n`);
    const words = ['vademecum', 'bench', 'beam.h5', '--path', 'poses.csv', '--json', ...(tool === 'beam' ? ['--against', 'beam.h5'] : [])];
    for (let attempt = 0; attempt < 40; ++attempt) {
        const told = JSON.parse(execFileSync(program, words, { encoding: 'utf8' }));
        if (told.quality.full === told.steps)
            return told.forces;
    }
    throw new Error('the program never had the time for all steps');
}
const native = { beam: nativeForces('beam'), fingertip: nativeForces('fingertip') };

rmSync('folder', { recursive: true, force: true });
const server = spawn(program, ['vademecum', 'serve', 'beam.h5', 'beam.h5', '-o', 'folder', '--port', '0']);
const ended = once(server, 'exit');
process.on('exit', () => server.kill('SIGKILL'));  // nothing stays behind a test that fails
const address = await new Promise((resolve, reject) => {
    server.stdout.once('data', (data) => resolve(String(data).split('\n')[0]));
    server.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
});
assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/$/);

// What else might be asked of the server.
async function statusOf(path, options = {}) {
    const request = get(address + path, options);
    const [response] = await once(request, 'response');
    response.resume();
    return response.statusCode;
}
assert.equal(await statusOf(''), 200);
assert.equal(await statusOf('vademecums.json'), 200);
assert.equal(await statusOf('../beam.yaml'), 404);
assert.equal(await statusOf('nothing'), 404);
assert.equal(await statusOf('', { method: 'POST' }), 405);
assert.equal(await statusOf('', { headers: { host: 'elsewhere.example' } }), 403, 'no foreign name');
assert.equal(await statusOf('', { headers: { long: 'x'.repeat(9000) } }), 400);

// Any web server, without COOP and COEP.
const plain = createServer((request, response) => {
    const name = request.url === '/' ? 'index.html' : request.url.slice(1);
    const types = { html: 'text/html', js: 'text/javascript', json: 'application/json' };
    if (!existsSync(join('folder', name)))
        response.writeHead(404).end();
    else {
        response.writeHead(200, { 'Content-Type': types[name.split('.').pop()] ?? 'application/octet-stream' });
        createReadStream(join('folder', name)).pipe(response);
    }
});
await new Promise((resolve) => { plain.listen(0, '127.0.0.1', resolve); });

const browser = await chromium.launch({ executablePath: browserPath,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });

// Opens the page, uses it, and sees that nothing went wrong and nobody else was asked.
async function visit(url, options, use) {
    const context = await browser.newContext({ viewport: { width: 700, height: 500 }, ...options });
    const page = await context.newPage();
    const trouble = [];
    page.on('pageerror', (error) => trouble.push(String(error)));
    page.on('console', (message) => { if (message.type() === 'error') trouble.push(message.text()); });
    page.on('request', (request) => {
        if (!request.url().startsWith('http://127.0.0.1') && !/^(blob|data):/.test(request.url()))
            trouble.push(`asked for ${request.url()}`);
    });
    await page.goto(url);
    await page.waitForFunction(() => window.palpatePage.state || document.querySelector('#hint.bad'), null, { timeout: 90000 });
    assert.equal(await page.locator('#hint.bad').count(), 0, await page.locator('#hint').textContent());
    await use(page, context);
    assert.deepEqual(trouble, []);
    await context.close();
}

async function checkForces(page, tool) {
    const forces = await page.evaluate((poses) => window.palpatePage.replay(poses), paths[tool]);
    const largest = Math.max(...native[tool].map((force) => Math.hypot(...force)));
    assert.ok(largest > 0.5, `nothing was touched: ${largest}`);
    let worst = 0;
    native[tool].forEach((force, i) => {
        const difference = Math.hypot(...force.map((f, k) => f - forces[3 * i + k]));
        worst = Math.max(worst, difference / Math.max(Math.hypot(...force), 1e-3 * largest));
    });
    console.log(`${tool}: forces differ from the program's by ${worst.toExponential(1)} at most`);
    // The same operations in the same order: but for the digits that are printed, the same numbers. Where these differ a
    // choice may tip, and then forces do by far more than the 1e-4 that anyone would notice.
    assert.ok(worst < 3e-8, `${tool}: forces differ by ${worst}`);
}

// The best of some seconds: what a busy machine leaves.
async function bestRate(page, enough) {
    let best = 0;
    for (let i = 0; i < 40 && best < enough; ++i) {
        await page.waitForTimeout(500);
        best = Math.max(best, await page.evaluate(() => window.palpatePage.state.rate?.hertz ?? 0));
    }
    return best;
}

const place = (page) => page.evaluate(() => window.palpatePage.toolOnScreen());
const state = (page) => page.evaluate(() => window.palpatePage.state);
const touches = (page) => page.waitForFunction(() => window.palpatePage.state?.contacts > 0, null, { timeout: 90000 });

async function checkTouched(page, before) {
    await touches(page);
    const after = await state(page);
    assert.ok(after.pose[2] < before.pose[2], 'the tool went down');
    assert.ok(after.force[2] > 0, 'the body pushes back');
    assert.ok(Math.max(...after.moved) > 0, 'it gives way');
}

await visit(`${address}#body=beam&tool=beam`, {}, async (page) => {
    assert.equal(await page.evaluate(() => window.palpatePage.isolated), true);
    assert.deepEqual(await page.locator('#tool option').allTextContents(), ['a fingertip', 'another beam', 'beam 2']);
    await checkForces(page, 'beam');
    await page.waitForFunction(() => window.palpatePage.state);
    const before = await state(page);
    const [x, y] = await place(page);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y + 40, { steps: 10 });
    await checkTouched(page, before);
    // Each point of contact is drawn where it is: at its place, by a matrix that leaves the fourth number alone.
    const drawn = await page.evaluate(() => {
        const { points } = window.palpatePage.stage;
        return Array.from(points.instanceMatrix.array.slice(0, 16 * points.count));
    });
    assert.ok(drawn.length >= 16, 'no contact is drawn');
    for (let c = 0; c < drawn.length; c += 16) {
        assert.equal(drawn[c + 15], 1);
        assert.ok(Math.hypot(drawn[c + 12] - 0.8, drawn[c + 13], drawn[c + 14] - 0.5) < 2, 'a contact is drawn away from the beam');
    }
    const rate = await bestRate(page, 500);
    const texts = await page.locator('dd').allTextContents();
    // 500 Hz are asked for on a machine that has nothing else to do: told, not asserted. On any machine the loop runs by
    // itself, and not once a picture.
    console.log(`two beams: ${texts.join('; ')}${rate > 500 ? '' : `; at most ${rate} Hz, on a busy machine?`}`);
    assert.ok(rate > 2 * Number.parseInt(texts[4]), `the loop has ${rate} Hz, pictures ${texts[4]}`);
    assert.match(texts[2], /^\d+ Hz$/);
    assert.match(texts[3], /^\d+ µs(, \d+ % in full)?$/);
    assert.match(texts[4], /^\d+ Hz, [\d.]+ ms$/);
    assert.equal(await page.locator('#label').isVisible(), true, 'the force stands beside its arrow');
    assert.equal(await page.locator('#clock').isVisible(), false);
    await page.mouse.up();
    await page.getByRole('button', { name: 'Lift' }).click();
    await page.waitForFunction(() => window.palpatePage.state.contacts === 0, null, { timeout: 90000 });
});

await visit(`http://127.0.0.1:${plain.address().port}/#body=beam&tool=fingertip`, { hasTouch: true }, async (page, context) => {
    assert.equal(await page.evaluate(() => window.palpatePage.isolated), false);
    assert.match(await page.locator('#clock').innerText(), /Slower clock/);
    await checkForces(page, 'fingertip');
    await page.waitForFunction(() => window.palpatePage.state);
    const before = await state(page);
    const [x, y] = await place(page);
    const session = await context.newCDPSession(page);
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    for (let i = 1; i <= 10; ++i)
        await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x, y: y + 4 * i }] });
    await checkTouched(page, before);
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByRole('button', { name: 'Lift' }).click();
    await page.waitForFunction(() => window.palpatePage.state.contacts === 0, null, { timeout: 90000 });
    await page.locator('#stage > canvas').focus();
    for (let i = 0; i < 60; ++i)
        await page.keyboard.press('ArrowDown');
    await touches(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'nothing stands out');
    // On a phone's screen as well: long words stay in the panel, and both bodies are seen where no panel is.
    await page.setViewportSize({ width: 360, height: 740 });
    await page.waitForFunction(() => window.palpatePage.stage.seen[0] === 360);
    const [words, bodies] = await page.evaluate(() => {
        const { stage } = window.palpatePage;
        const panel = document.querySelector('aside');
        document.getElementById('cost').textContent = '29110 µs, 99 % in full';
        let clear = true;
        stage.eachPoint((point) => {
            const { x, y } = point.clone().project(stage.camera);
            const down = (1 - y) / 2 * 740;
            clear &&= Math.abs(x) < 1 && down > document.querySelector('#hint').getBoundingClientRect().bottom &&
                down < panel.getBoundingClientRect().top;
        });
        return [panel.scrollWidth <= panel.clientWidth, clear];
    });
    assert.ok(words, 'the panel is wide enough');
    assert.ok(bodies, 'no panel hides a body');
    // No panel covers another, upright and on its side, however many lines the menus take.
    for (const [width, height] of [[320, 640], [390, 844], [740, 360], [667, 375], [600, 480], [1280, 800]]) {
        await page.setViewportSize({ width, height });
        await page.waitForFunction(([w, h]) => window.palpatePage.stage.seen[0] === w && window.palpatePage.stage.seen[1] === h, [width, height]);
        const boxes = await page.evaluate(() => ['header', '#hint', 'aside'].map((name) => document.querySelector(name).getBoundingClientRect().toJSON()));
        boxes.forEach((a, i) => {
            assert.ok(a.left >= 0 && a.top >= 0 && a.right <= width && a.bottom <= height, `${width} x ${height}: panel ${i} stands out`);
            for (const b of boxes.slice(i + 1))
                assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top, `${width} x ${height}: panel ${i} is covered`);
        });
        assert.ok(await page.evaluate(() => {
            document.getElementById('cost').textContent = '29110 µs, 99 % in full';
            const panel = document.querySelector('aside');
            return panel.scrollWidth <= panel.clientWidth && panel.scrollHeight <= panel.clientHeight;
        }), `${width} x ${height}: the numbers do not fit`);
        const room = await page.evaluate(() => window.palpatePage.stage.room);
        assert.ok(room.right - room.left > 100 && room.bottom - room.top > 100, `${width} x ${height}: no room for bodies`);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await page.waitForFunction(() => window.palpatePage.stage.seen[0] === 360 && window.palpatePage.stage.seen[1] === 740);
    // Who has turned the picture sees it as before when the height changes, as where the address bar goes.
    const view = () => page.evaluate(() => {
        const { camera, controls } = window.palpatePage.stage;
        return [camera.position, controls.target].flatMap(({ x, y, z }) => [x, y, z]);
    });
    const first = await view();
    await page.mouse.move(20, 400);
    await page.mouse.down();
    await page.mouse.move(90, 430, { steps: 4 });
    await page.mouse.up();
    const turned = await view();
    assert.ok(Math.hypot(...turned.map((value, i) => value - first[i])) > 0.1, 'the picture is turned');
    await page.setViewportSize({ width: 360, height: 690 });
    await page.waitForFunction(() => window.palpatePage.stage.seen[1] === document.querySelector('#stage').clientHeight &&
        window.innerHeight === 690);
    assert.deepEqual(await view(), turned, 'and stays so');
});

// Opened from the disk the page cannot read what is beside it, and says so.
const alone = await browser.newPage();
const errors = [];
alone.on('pageerror', (error) => errors.push(String(error)));
await alone.goto(pathToFileURL(resolve('folder/index.html')).href);
assert.match(await alone.locator('#hint.bad').innerText(), /Any web server will do: run "python3 -m http.server"/);
assert.deepEqual(errors, []);

await browser.close();
plain.close();
server.kill('SIGINT');
assert.equal((await ended)[0], 0, 'the server ends when it is told to');
