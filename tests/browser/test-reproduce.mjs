// The page of the experiments in a browser: no errors, no requests, no missing picture, plots with lines.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { chromium } from 'playwright-core';

const browserPath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome']
    .find((path) => path && existsSync(path));
assert.ok(browserPath, 'Chromium is needed: set CHROMIUM to its path');

for (const name of ['rigid-bar', 'normals', 'liver-forceps']) {
    rmSync(`reproduce-${name}`, { recursive: true, force: true });
    execFileSync(process.env.PALPATE, ['reproduce', name, '--quick', '-o', `reproduce-${name}`], { stdio: 'inherit' });
}

const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
for (const [name, pictures, plots] of [['rigid-bar', 2, 0], ['normals', 0, 3], ['liver-forceps', 2, 1]]) {
    const address = pathToFileURL(resolve(`reproduce-${name}`, 'report.html')).href;
    const context = await browser.newContext({ offline: true });
    const page = await context.newPage();
    const trouble = [];
    page.on('console', (message) => trouble.push(message.text()));
    page.on('pageerror', (error) => trouble.push(String(error)));
    page.on('request', (request) => {
        if (request.url() !== address && !request.url().startsWith('data:'))
            trouble.push(`asked for ${request.url()}`);
    });
    await page.goto(address);
    const seen = await page.evaluate(() => ({
        pictures: [...document.images].filter((image) => image.complete && image.naturalWidth > 0).length,
        missing: [...document.images].filter((image) => !image.complete || image.naturalWidth === 0).length,
        plots: [...document.querySelectorAll('svg')].filter((plot) => plot.querySelector('path, circle')).length,
        broken: [document.body.innerText, ...[...document.querySelectorAll('svg')].map((plot) => plot.outerHTML)]
            .join(' ').match(/\bnan\b|\binf\b/i)?.[0] ?? null,
        sections: document.querySelectorAll('h2').length,
        wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    }));
    assert.deepEqual(seen, { pictures, missing: 0, plots, broken: null, sections: 1, wide: false }, name);
    assert.deepEqual(trouble, [], name);
    await context.close();
}
await browser.close();
