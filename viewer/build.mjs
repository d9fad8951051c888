// build.mjs OUT.c: bundles the report's page and writes it as a C source: the page before and
// after the place of the data.
import { writeFileSync } from 'node:fs';

import { fail, page } from './bundle.mjs';

const parts = (await page('report')).split('<!--data-->');
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
