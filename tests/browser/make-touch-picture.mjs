// make-touch-picture.mjs PALPATE OUT.webp FILE#TOOL...: the moving picture of the page of `palpate vademecum serve`. For each
// vademecum, touched by `fingertip` or the name of a body, the tool is dragged down on it and lifted again.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { chromium } from 'playwright-core';

const [program, out, ...wanted] = process.argv.slice(2);
const [width, height] = [640, 400];  // of the picture
const window = { width: 1120, height: 700 };  // wide enough for the page's own layout
const folder = mkdtempSync(join(tmpdir(), 'palpate-picture-'));
const files = [...new Set(wanted.map((word) => word.split('#')[0]))];
const server = spawn(program, ['vademecum', 'serve', ...files, '-o', folder, '--port', '0']);
const address = await new Promise((resolve) => {
    server.stdout.once('data', (data) => resolve(String(data).split('\n')[0]));
});
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
const page = await browser.newPage({ viewport: window, colorScheme: 'light' });
const coder = await browser.newPage();

// One frame as WebP, by the browser.
async function webp(png) {
    const text = await coder.evaluate(async ([base64, size]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = size;
        const pen = canvas.getContext('2d');
        pen.imageSmoothingQuality = 'high';
        pen.drawImage(image, 0, 0, ...size);
        return canvas.toDataURL('image/webp', 0.72);
    }, [png.toString('base64'), [width, height]]);
    return Buffer.from(text.split(',')[1], 'base64');
}

async function film(names, index, tool) {
    await page.goto('about:blank');
    await page.goto(`${address}#body=${encodeURIComponent(names[index])}&tool=${encodeURIComponent(tool)}`);
    await page.waitForFunction(() => window.palpatePage.state, null, { timeout: 90000 });
    await page.addStyleTag({ content: '#hint { display: none }' });
    await page.waitForTimeout(1000);
    const [x, y] = await page.evaluate(() => window.palpatePage.toolOnScreen());
    const frames = [];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let i = 0; i <= 22; ++i) {
        const down = Math.sin(Math.PI * i / 22);
        await page.mouse.move(x + 20 * Math.sin(2 * Math.PI * i / 22), y + 80 * down);
        await page.waitForTimeout(250);
        frames.push(await webp(await page.screenshot({ timeout: 120000 })));
    }
    await page.mouse.up();
    return frames;
}

function chunk(name, ...parts) {
    const data = Buffer.concat(parts);
    const head = Buffer.alloc(8);
    head.write(name, 'latin1');
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length & 1)]);
}

function numbers(...pairs) {
    return Buffer.concat(pairs.map(([value, bytes]) => {
        const out = Buffer.alloc(bytes);
        out.writeUIntLE(value, 0, bytes);
        return out;
    }));
}

// The frames' own chunks in the frames of a moving WebP.
function joined(frames, milliseconds) {
    const moving = frames.map((frame) => chunk('ANMF', numbers([0, 3], [0, 3], [width - 1, 3], [height - 1, 3], [milliseconds, 3], [2, 1]), frame.subarray(12)));
    const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), chunk('VP8X', numbers([2, 4], [width - 1, 3], [height - 1, 3])),
        chunk('ANIM', numbers([0xffffffff, 4], [0, 2])), ...moving]);
    return Buffer.concat([Buffer.from('RIFF', 'latin1'), numbers([body.length, 4]), body]);
}

try {
    const { vademecums } = await (await fetch(`${address}vademecums.json`)).json();
    const names = vademecums.map(({ name }) => name);
    const frames = [];
    for (const word of wanted)
        frames.push(...await film(names, files.indexOf(word.split('#')[0]), word.split('#')[1]));
    const picture = joined(frames, 90);
    writeFileSync(out, picture);
    console.log(`${out}: ${frames.length} frames, ${Math.round(picture.length / 1024)} kB`);
} finally {
    await browser.close();
    server.kill('SIGINT');
    rmSync(folder, { recursive: true, force: true });
}
