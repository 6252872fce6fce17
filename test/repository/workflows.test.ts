import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.github/workflows');
const WORKFLOWS = readdirSync(folder).map((name) => join(folder, name));

/** Lines of a workflow, without comments on lines of their own. */
function linesOf(path: string): readonly string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*#/.test(line));
}

function count(lines: readonly string[], pattern: RegExp): number {
  return lines.filter((line) => pattern.test(line)).length;
}

describe.each(WORKFLOWS.map((path) => [basename(path), linesOf(path)] as const))('%s', (_, lines) => {
  test('names each action by its commit, which a moved tag does not change, with the version beside it', () => {
    const actions = lines.filter((line) => /^\s*(?:- )?uses:/.test(line));
    expect(actions).not.toEqual([]);
    expect(actions.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  test('may only read unless a job says otherwise, and a job may write nothing but its identity', () => {
    const all = lines.join('\n');
    expect(all).toContain('\npermissions:\n  contents: read\n');
    expect(all.match(/\S+: write/g) ?? []).toEqual(
      all.includes('publish') ? ['id-token: write', 'id-token: write'] : [],
    );
  });

  test('ends jobs that hang, and runs once at a time', () => {
    expect(count(lines, /^ {4}timeout-minutes: \d+$/)).toBe(count(lines, /^ {4}runs-on: /));
    expect(count(lines, /^concurrency:$/)).toBe(1);
  });

  test('runs scripts and projects of tests that exist', () => {
    const { scripts }: { scripts: object } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const used = lines.flatMap((line) => [...line.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name));
    expect(used.filter((name) => !Object.keys(scripts).includes(name!))).toEqual([]);
    const config = readFileSync(join(root, 'vitest.config.ts'), 'utf8');
    const projects = lines.flatMap((line) => [...line.matchAll(/--project (\w+)/g)].map(([, name]) => name));
    expect(projects.filter((name) => !config.includes(`name: '${name}'`))).toEqual([]);
  });
});
