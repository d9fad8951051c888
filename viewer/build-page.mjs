// build-page.mjs FOLDER: puts the page of the haptic loop into a folder, but for loop.js, which
// emscripten makes.
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url)), folder = process.argv[2];
const esbuild = await import('esbuild');

mkdirSync(folder, { recursive: true });
await esbuild.build({
    entryPoints: [join(here, 'haptic', 'page.js')],
    outfile: join(folder, 'page.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome100', 'firefox100', 'safari15'],
    legalComments: 'inline',
    charset: 'utf8',
    logLevel: 'warning',
});
for (const name of ['index.html', 'page.css', 'worker.js'])
    copyFileSync(join(here, 'haptic', name), join(folder, name));
