// A report in a browser: no errors, no requests, a picture that turns, plots, light and dark.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { chromium } from 'playwright-core';

const scene = `
name: "report </script> & <b>co</b>"
bodies:
  - name: beam
    shape: {box: [4, 1, 1], cells: [8, 2, 2]}
    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
rigid:
  - {name: tool, shape: {sphere: 0.5}, motion: {translate: [0, 0, 1]}}
conditions:
  - {body: beam, where: {plane: x-min}, fix: xyz}
  - {body: beam, where: {plane: x-max}, force: [0, 0, -4], ramp: smooth}
solver: {method: explicit, time: 0.2}
probes:
  - {name: tip, body: beam, where: {plane: x-max}, record: displacement}
output: {every: 0.01}
`;
// A ball pressed into a block by a plate.
const touching = `
name: touching
bodies:
  - name: block
    shape: {box: [1, 1, 0.5], cells: [4, 4, 2]}
    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
  - name: ball
    shape: {sphere: 0.3, cells: [6]}
    place: {translate: [0, 0, 0.55]}
    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
rigid:
  - {name: plate, shape: {box: [1, 1, 0.1]}, place: {translate: [0, 0, 0.91]}, motion: {translate: [0, 0, -0.1]}}
conditions:
  - {body: block, where: {plane: z-min}, fix: xyz}
contact:
  - {between: all}
solver: {method: explicit, time: 0.3, damping: 5}
probes:
  - {name: push, between: [ball, block], record: force}
  - {name: load, rigid: plate, record: torque}
output: {every: 0.02}
`;
const browserPath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome']
    .find((path) => path && existsSync(path));
assert.ok(browserPath, 'Chromium is needed: set CHROMIUM to its path');

function report(name, text) {
    rmSync(name, { recursive: true, force: true });
    writeFileSync(`${name}.yaml`, text);
    execFileSync(process.env.PALPATE, ['run', `${name}.yaml`, '-o', name], { stdio: 'inherit' });
    return pathToFileURL(resolve(name, 'report.html')).href;
}

const address = report('run', scene);
const relaxed = report('relaxed', scene.replace('{method: explicit, time: 0.2}', '{method: relaxation}')
    .replace('output: {every: 0.01}', '').replace(/^rigid:\n.*\n/m, ''));

const contact = report('touching', touching);

const hidden = report('hidden', `
name: hidden
bodies:
  - name: ball
    shape: {sphere: 0.5, cells: [6]}
    material: &tissue {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
  - name: cover
    shape: {sphere: 1, cells: [6]}
    material: *tissue
    velocity: [0, 0, 0.1]
solver: {method: explicit, time: 0.05}
`);

// A run that is interrupted once its first frames are there.
async function interruptedReport(name) {
    rmSync(name, { recursive: true, force: true });
    writeFileSync(`${name}.yaml`, scene.replace('time: 0.2', 'time: 1e6').replace('every: 0.01', 'every: 1'));
    const run = spawn(process.env.PALPATE, ['run', `${name}.yaml`, '-o', name], { stdio: 'inherit' });
    const ended = once(run, 'exit');
    while (!existsSync(`${name}/frames/000003.vtu`) && run.exitCode === null)
        await pause(20);
    run.kill('SIGINT');
    assert.equal((await ended)[0], 130, 'the run was interrupted');
    return pathToFileURL(resolve(name, 'report.html')).href;
}

const interrupted = await interruptedReport('interrupted');

async function withPage(browser, options, use, address) {
    const context = await browser.newContext({ offline: true, ...options });
    context.setDefaultTimeout(0);
    const page = await context.newPage();
    const trouble = [];
    page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type()) && !/GPU stall|GL Driver/.test(message.text()))
            trouble.push(message.text());
    });
    page.on('pageerror', (error) => trouble.push(String(error)));
    page.on('request', (request) => {
        if (request.url() !== address && !request.url().startsWith('data:'))
            trouble.push(`asked for ${request.url()}`);
    });
    await page.goto(address);
    await page.locator('.u-wrap').first().waitFor();
    await use(page);
    assert.deepEqual(trouble, []);
    await context.close();
}

// How many pixels of two pictures of the canvas differ, counted by the browser itself.
async function difference(page, one, other) {
    return page.evaluate(async (pictures) => {
        const [a, b] = await Promise.all(pictures.map(async (base64) => {
            const image = new Image();
            image.src = `data:image/png;base64,${base64}`;
            await image.decode();
            const canvas = new OffscreenCanvas(image.width, image.height);
            const context = canvas.getContext('2d');
            context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, image.width, image.height).data;
        }));
        let count = 0;
        for (let i = 0; i < a.length; i += 4)
            count += Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 30;
        return count;
    }, [one.toString('base64'), other.toString('base64')]);
}

async function checkPicture(page) {
    const canvas = page.locator('.stage canvas');
    const shot = () => canvas.screenshot();
    await canvas.scrollIntoViewIfNeeded();
    const shown = await shot();
    for (const name of ['beam', 'tool'])
        await page.getByLabel(name, { exact: true }).uncheck();
    const empty = await shot();
    assert.ok(await difference(page, shown, empty) > 10000, 'the bodies are drawn');
    for (const name of ['beam', 'tool'])
        await page.getByLabel(name, { exact: true }).check();
    assert.equal(await difference(page, shown, await shot()), 0, 'bodies come back');

    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 150, box.y + box.height / 2 + 20, { steps: 8 });
    await page.mouse.up();
    const turned = await shot();
    assert.ok(await difference(page, shown, turned) > 3000, 'dragging turns the picture');
    await page.keyboard.press('ArrowLeft');
    assert.ok(await difference(page, turned, await shot()) > 1000, 'arrow keys turn it');
    await page.keyboard.press('Home');
    await page.getByRole('heading', { level: 1 }).click();
    assert.ok(await difference(page, shown, await shot()) < 500, 'Home resets the view');

    await page.getByRole('button', { name: 'First frame' }).click();
    assert.ok(await difference(page, shown, await shot()) > 500, 'the first frame is another');
    await page.getByRole('button', { name: 'Last frame' }).click();
    await page.getByLabel('Colour').selectOption('displacement');
    assert.ok(await difference(page, shown, await shot()) > 3000, 'displacement has other colours');
    assert.equal(await page.locator('.legend strong').textContent(), 'displacement');
}

async function checkPage(page) {
    assert.equal(await page.locator('h1').textContent(), 'report </script> & <b>co</b>');
    assert.match(await page.locator('#verdict').textContent(), /Finished/);
    assert.equal(await page.locator('#contact').count(), 0, 'nothing about contact where there is none');
    const titles = await page.locator('.plot h2').allTextContents();
    assert.deepEqual(titles, ['Energy', 'Energy balance error', 'Momentum',
        'Angular momentum about the origin', 'tip: displacement']);
    assert.equal(await page.locator('.plot canvas').count(), titles.length);
    const shares = await page.locator('#stages .track').evaluateAll((tracks) => tracks.map((track) =>
        track.firstChild.getBoundingClientRect().width / track.getBoundingClientRect().width));
    assert.ok(shares.length >= 3, 'stage times are shown');
    assert.ok(Math.abs(shares.reduce((sum, share) => sum + share) - 1) < 0.01, 'bars are shares of the whole');
    assert.equal(await page.getByRole('cell', { name: 'tool (rigid)' }).count(), 1);
    assert.equal(await page.locator('#scene pre').isVisible(), false, 'the scene is folded');
    await page.locator('#scene summary').click();
    assert.match(await page.locator('#scene pre').innerText(), /name:.*<b>co<\/b>[^]*neo-hookean/);
    assert.equal(await page.locator('td').getByText('t4', { exact: true }).count(), 1);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wider <= 0, 'the page is not wider than the window');
    const cut = await page.locator('.scroll').evaluateAll((all) => all.filter((a) => a.scrollWidth > a.clientWidth).length);
    assert.equal(cut, 0, 'no table is cut off');
}

// Without the mouse on it, a plot's legend has names alone.
async function checkLegend(page) {
    const plot = page.locator('.plot').first();
    const legend = () => plot.locator('.u-legend').innerText();
    assert.doesNotMatch(await legend(), /time|\d/);
    await plot.locator('.u-over').hover();
    assert.match(await legend(), /time[^]*\d[^]*kinetic[^]*\d/);
    await page.getByRole('heading', { level: 1 }).hover();
    assert.doesNotMatch(await legend(), /time|\d/);
}

async function checkInterrupted(page) {
    assert.match(await page.locator('#verdict').textContent(), /Interrupted at time/);
    assert.equal(await page.locator('#verdict').getAttribute('class'), 'halted');
}

async function checkContact(page) {
    assert.deepEqual(await page.locator('.plot h2').allTextContents(), ['Energy', 'Energy balance error', 'Momentum',
        'Angular momentum about the origin', 'Contacts that carry force', 'Deepest penetration',
        'push: force', 'load: torque']);
    assert.match(await page.locator('.plot .u-legend').first().innerText(), /contact work/);
    const cells = (table) => table.locator('tbody tr').evaluateAll((rows) => rows.map((row) =>
        [...row.cells].map((cell) => cell.textContent)));
    const values = Object.fromEntries(await cells(page.locator('#contact table').first()));
    assert.match(values['Share of the steps’ time'], /^[\d.]+ %$/);
    assert.match(values['Contacts that carry force'], /^[1-9]\d* at most \([1-9]\d* at the end\)$/);
    const pairs = await cells(page.locator('#contact table').last());
    assert.deepEqual(pairs.map((row) => row[0]).sort(), ['ball – plate', 'block – ball']);
    for (const row of pairs)
        assert.ok(Number(row[1]) >= 0 && Number(row[2]) > 0 && Number(row[3]) > 0 && Number(row[5]) > 0, `a pair says ${row}`);
    assert.match(await page.locator('#contact .note').textContent(), /^1 other pair/);
    assert.equal(values['Triangles crossing at the end'], '0');
    assert.match(values['Distance at which surfaces rest'], /[1-9]/);
    assert.equal(await page.getByRole('cell', { name: 'plate (rigid)' }).count(), 1);
    const flat = page.locator('.plot', { hasText: 'Deepest penetration' });
    assert.equal(await flat.locator('.note').textContent(), '0 at all times');
    assert.equal(await flat.locator('canvas').count(), 0);
    const canvas = page.locator('.stage canvas');
    const stress = await canvas.screenshot();
    await page.getByLabel('Colour').selectOption('contact pressure');
    assert.ok(await difference(page, stress, await canvas.screenshot()) > 500, 'contact has colours of its own');
    assert.match(await page.locator('.legend .bar span').last().textContent(), /[1-9]/);
}

// A shell that hides a ball is drawn faintly; without it, the ball looks almost the same.
async function checkHidden(page) {
    const canvas = page.locator('.stage canvas');
    const both = await canvas.screenshot();
    await page.getByLabel('ball', { exact: true }).uncheck();
    assert.ok(await difference(page, both, await canvas.screenshot()) > 5000, 'the ball inside is seen');
}

async function checkRelaxed(page) {
    assert.deepEqual(await page.locator('.plot h2').allTextContents(), ['Energy', 'tip: displacement']);
    const figures = await page.locator('.figures dt').allTextContents();
    assert.ok(figures.includes('Pseudo-time') && figures.includes('Residual'), 'figures of a relaxation');
    assert.ok(!figures.includes('Simulated time') && !figures.includes('Energy balance'), 'none of a motion');
}

const flags = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
let browser = await chromium.launch({ executablePath: browserPath, timeout: 0, args: flags });
try {
    await withPage(browser, { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }, async (page) => {
        await checkPage(page);
        await checkLegend(page);
        await checkPicture(page);
        const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const light = await back();
        await page.getByRole('button', { name: /light and dark/ }).click();
        assert.notEqual(await back(), light, 'the button makes the page dark');
    }, address);
    await withPage(browser, { viewport: { width: 1280, height: 900 } }, checkRelaxed, relaxed);
    await withPage(browser, { viewport: { width: 1280, height: 900 } }, checkContact, contact);
    await withPage(browser, { viewport: { width: 1280, height: 900 } }, checkHidden, hidden);
    await withPage(browser, { viewport: { width: 1280, height: 900 } }, checkInterrupted, interrupted);
    await withPage(browser, { viewport: { width: 390, height: 844 }, colorScheme: 'dark', isMobile: true, hasTouch: true }, checkPage, address);
} finally {
    await browser.close();
}

browser = await chromium.launch({ executablePath: browserPath, timeout: 0, args: ['--no-sandbox', '--disable-gpu', '--disable-3d-apis'] });
try {
    const page = await browser.newPage();
    await page.goto(address);
    await page.locator('.u-wrap').first().waitFor();
    assert.match(await page.locator('#picture').textContent(), /no WebGL/);
    assert.equal(await page.locator('#picture img').evaluate((image) => image.naturalWidth), 960);
} finally {
    await browser.close();
}
