import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test.each([
  ['SERVER', 'Wing of the server'],
  ['WEB', 'Wing of the page'],
])('ARCHITECTURE.md has the wings of %s and their rooms in the order that lint enforces', (name, heading) => {
  expect(roomsInTable(heading)).toEqual(roomsInLint(name));
});

type Rooms = readonly (readonly [wing: string, rooms: readonly string[]])[];

function roomsInLint(name: string): Rooms {
  const config = readFileSync(join(root, 'oxlint.config.mjs'), 'utf8');
  const [, table = ''] = new RegExp(`const ${name} = \\{\\n([^}]*)\\}`).exec(config) ?? [];
  return [...table.matchAll(/(\w+): \[([^\]]*)\]/g)].map(([, wing = '', rooms = '']) => [
    wing,
    [...rooms.matchAll(/'(\w+)'/g)].map(([, room = '']) => room),
  ]);
}

function roomsInTable(heading: string): Rooms {
  const lines = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith(`| ${heading}`));
  const rows = lines.slice(first + 2);
  return rows.slice(0, rows.indexOf('')).map((row) => {
    const [, wing = '', , rooms = ''] = row.split('|');
    return [/\w+/.exec(wing)?.[0] ?? '', [...rooms.matchAll(/`(\w+)`/g)].map(([, room = '']) => room)];
  });
}
