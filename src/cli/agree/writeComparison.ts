import type { Kappa } from '../../server/work/review/agreement.ts';
import type { Decision, ReviewedUnit } from '../../server/work/review/verdictLine.ts';
import { printable } from '../printable.ts';
import type { Comparison, Measured, ScoreAgreement } from './compareReaders.ts';

const INTERVAL = 'Intervals: Fleiss, Cohen and Everitt (1969), 95 %.';

/** What people read. */
export function writeComparison(comparison: Comparison): string {
  const { both, onlyA, onlyB, verdicts, scores, disagreements } = comparison;
  const a = printable(comparison.readers[0]);
  const b = printable(comparison.readers[1]);
  const lines = [`${count(both, 'unit')} decided by both ${a} and ${b}; ${onlyA} by ${a} only, ${onlyB} by ${b} only.`];
  if (verdicts.units > 0) {
    lines.push('', ...writeTable(verdicts, [a, b]), '', `Verdicts: ${writeEqual(verdicts)}`);
    lines.push(`Cohen's kappa: ${writeKappa(verdicts.kappa)}`);
  }
  for (const score of scores) lines.push('', ...writeScore(score));
  lines.push(
    '',
    INTERVAL,
    '',
    `The readers differ in ${count(disagreements.length, 'unit')}${disagreements.length > 0 ? ':' : '.'}`,
  );
  for (const { unit, a: one, b: other } of disagreements) {
    lines.push(`  ${nameUnit(unit)}: ${a} ${writeDecision(one)}; ${b} ${writeDecision(other)}`);
  }
  return lines.join('\n');
}

function writeScore({ id, linear, quadratic, ...measured }: ScoreAgreement): readonly string[] {
  return [
    `Score ${printable(id)}: ${writeEqual(measured)}`,
    `  Cohen's kappa: ${writeKappa(measured.kappa)}`,
    `  with linear weights: ${writeKappa(linear)}`,
    `  with quadratic weights: ${writeKappa(quadratic)}`,
  ];
}

/** Rows are those of the first reader, columns those of the second. */
function writeTable(
  { table: { categories, counts } }: Measured<string>,
  [a, b]: readonly [string, string],
): readonly string[] {
  const names = categories.map(printable);
  const head = [`${a} \\ ${b}`, ...names];
  const rows = counts.map((row, at) => [names[at]!, ...row.map(String)]);
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  return [head, ...rows].map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]! + 2))).join(''),
  );
}

function writeEqual({ equal, units }: Measured<unknown>): string {
  return `${equal} of ${units} equal (${((100 * equal) / units).toFixed(1)} %)`;
}

function writeKappa(kappa: Kappa | undefined): string {
  if (kappa === undefined) return 'none: both have always given one and the same answer';
  return `${kappa.value.toFixed(3)}, ${kappa.low.toFixed(3)} to ${kappa.high.toFixed(3)}`;
}

function writeDecision({ verdict, reasons, scores }: Decision): string {
  const parts = [
    ...(verdict === null ? [] : [verdict]),
    ...(reasons.length === 0 ? [] : [`(${reasons.join(', ')})`]),
    ...Object.entries(scores).map(([id, score]) => `${id} ${score}`),
  ];
  return printable(parts.join(' '));
}

function nameUnit({ level, study, series, instance }: ReviewedUnit): string {
  return `${level} ${printable(level === 'study' ? study : level === 'series' ? series : instance)}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** What programs read. */
export function toJson({ readers, both, onlyA, onlyB, verdicts, scores, disagreements }: Comparison): object {
  return {
    readers,
    units: { both, only_a: onlyA, only_b: onlyB },
    interval: 'Fleiss, Cohen and Everitt (1969), 95 %',
    verdicts: toMeasures(verdicts),
    scores: scores.map((score) => ({
      id: score.id,
      ...toMeasures(score),
      kappa_linear: score.linear ?? null,
      kappa_quadratic: score.quadratic ?? null,
    })),
    disagreements: disagreements.map(({ unit: { level, study, series, instance }, a, b }) => ({
      unit: level,
      study,
      ...(level !== 'study' && { series }),
      ...(level === 'file' && { instance }),
      a: toWords(a),
      b: toWords(b),
    })),
  };
}

function toMeasures({ table, units, equal, kappa }: Measured<unknown>) {
  const { categories, counts } = table;
  return { categories, table: counts, units, equal, kappa: kappa ?? null };
}

function toWords({ verdict, reasons, scores, comment }: Decision) {
  return { verdict, reasons, scores, comment };
}
