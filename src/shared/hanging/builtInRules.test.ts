import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BUILT_IN_RULES } from './builtInRules.ts';
import type { HangingRule } from './hangingRule.ts';
import { parseHanging } from './parseHanging.ts';
import { writeHangingRule } from './writeHangingRule.ts';

const page = readFileSync(new URL('../../../docs/hanging.md', import.meta.url), 'utf8');
/** Without the spaces that align a table. */
const lines = page.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' '));

function describeRule({ name, when, unless, layout, rows, cells }: HangingRule): string {
  const conditions = [...when.map((one) => `\`${one}\``), ...unless.map((one) => `no \`${one}\``)];
  const shown = cells.map(({ role, view, layers, optional }) => {
    const parts = [view === 'images' || role.endsWith(view) ? '' : view, optional ? 'optional' : ''];
    const over = layers.length > 0 ? ' with layers' : '';
    const more = parts.filter((part) => part !== '').join(', ');
    return `${role}${over}${more === '' ? '' : ` (${more})`}`;
  });
  const repeated = rows === undefined ? '' : `, a row for each ${rows.by}`;
  return `| ${name} | ${conditions.join(', ')} | ${layout.rows}x${layout.columns}${repeated} | ${shown.join('; ')} |`;
}

test.each(BUILT_IN_RULES.map((rule) => [rule.name, rule] as const))(
  'docs/hanging.md describes the rule %s',
  (_, rule) => {
    expect(lines).toContain(describeRule(rule));
  },
);

test('rules of negato could be those of a user', () => {
  const written = JSON.stringify({ rules: BUILT_IN_RULES.map(writeHangingRule) });
  expect(parseHanging(written)).toEqual({ ok: true, rules: BUILT_IN_RULES });
});

test('the example of docs/hanging.md can be read', () => {
  const [, example = ''] = /```json\n(.*?)```/s.exec(page) ?? [];
  expect(parseHanging(example)).toMatchObject({ ok: true, rules: [{ name: 'Chest CT' }] });
});
