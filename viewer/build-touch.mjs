// build-touch.mjs WASM.js FOLDER: bundles the page of `palpate vademecum serve` and its worker, which
// begins with what emcc made.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { bundle, page } from './bundle.mjs';

const [wasm, folder] = process.argv.slice(2);
writeFileSync(join(folder, 'touch-worker.js'), `${readFileSync(wasm, 'utf8').trim()}\n${await bundle('touch-worker.js')}\n`);
writeFileSync(join(folder, 'index.html'), await page('touch'));
