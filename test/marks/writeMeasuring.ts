// Writes the tables of docs/measuring.md: node scripts/runBundled.mjs test/marks/writeMeasuring.ts && npm run format
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { measuringTables, placeOfTable } from './measuringTables.ts';

const path = fileURLToPath(new URL('../../docs/measuring.md', import.meta.url));
let page = readFileSync(path, 'utf8');
for (const [name, [headings = [], ...rows]] of Object.entries(measuringTables())) {
  const lines = [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  page = page.replace(placeOfTable(name), () => `\n${lines.join('\n')}\n\n`);
}
writeFileSync(path, page);
