// What is common to the pages: their packages, and bundling.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const lock = join(here, 'package-lock.json');
const installed = join(here, 'node_modules', '.installed-lock');

export function fail(text) {
    console.error(`viewer: ${text}`);
    process.exit(1);
}

if (!existsSync(installed) || !readFileSync(lock).equals(readFileSync(installed))) {
    const npm = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'],
                          { cwd: here, stdio: ['ignore', 'ignore', 'inherit'] });
    if (npm.status !== 0)
        fail('npm ci failed: the packages of viewer/package-lock.json are needed');
    copyFileSync(lock, installed);
}

const esbuild = await import('esbuild');

export async function bundle(entry) {
    const result = await esbuild.build({
        entryPoints: [join(here, 'src', entry)],
        bundle: true,
        minify: true,
        write: false,
        format: 'iife',
        target: ['chrome100', 'firefox100', 'safari15'],
        legalComments: 'inline',
        charset: 'utf8',
        logLevel: 'warning',
    });
    return result.outputFiles[0].text.trim();
}

// NAME.html with NAME.css and NAME.js inside.
export async function page(name) {
    const script = (await bundle(`${name}.js`)).replaceAll('</script', '<\\/script');
    const style = (await bundle(`${name}.css`)).replaceAll('</style', '<\\/style');
    return readFileSync(join(here, 'src', `${name}.html`), 'utf8')
        .replace('<!--style-->', () => `<style>${style}</style>`)
        .replace('<!--script-->', () => `<script>${script}</script>`);
}
