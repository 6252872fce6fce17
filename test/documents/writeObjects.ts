// Writes docs/objects.md: node scripts/runBundled.mjs test/documents/writeObjects.ts
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeObjectsPage } from '../../src/server/say/documents/documentKinds.ts';

writeFileSync(fileURLToPath(new URL('../../docs/objects.md', import.meta.url)), writeObjectsPage());
