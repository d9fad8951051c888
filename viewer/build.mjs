// build.mjs OUT.c: bundles the report's page and writes it as a C source: the page before and
// after the place of the data.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const lock = join(here, 'package-lock.json');
const installed = join(here, 'node_modules', '.installed-lock');

function fail(text) {
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

async function bundle(entry) {
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

const script = (await bundle('report.js')).replaceAll('</script', '<\\/script');
const style = (await bundle('report.css')).replaceAll('</style', '<\\/style');
const page = readFileSync(join(here, 'src', 'report.html'), 'utf8')
    .replace('<!--style-->', () => `<style>${style}</style>`)
    .replace('<!--script-->', () => `<script>${script}</script>`);
const parts = page.split('<!--data-->');
if (parts.length !== 2)
    fail('report.html needs the mark <!--data--> once');

function array(name, text) {
    const bytes = Buffer.from(text, 'utf8');
    const lines = [];
    for (let i = 0; i < bytes.length; i += 32)
        lines.push(`${[...bytes.subarray(i, i + 32)].join(',')},`);
    return `static const unsigned char ${name}_text[] = {\n${lines.join('\n')}\n};\n` +
        `const PalReportPart pal_report_${name} = {${name}_text, sizeof ${name}_text};\n`;
}

writeFileSync(process.argv[2], '// Made by viewer/build.mjs.\n#include "output/report_page.h"\n\n' +
    array('head', parts[0]) + array('tail', parts[1]));
