import { beginPage, escapeHtml } from '../htmlPage.ts';
import type { ComparedCase } from './scoreTable.ts';

export type NotCompared = { readonly what: string; readonly reason: string };

export type ComparePage = {
  readonly about: readonly string[];
  readonly cases: readonly ComparedCase[];
  readonly notCompared: readonly NotCompared[];
};

type Score = { readonly of: ComparedCase; readonly pair: ComparedCase['found']['pairs'][number] };

const STRIP = { width: 240, height: 18, radius: 3 };
const STYLE = `<style>
td, th { padding: 3px 10px 3px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
td.text { white-space: normal; min-width: 8em; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
svg.strip { display: block; background: var(--card); }
svg.strip circle { fill: #0072b2; fill-opacity: .55; }
</style>
`;

/** All cases, the worst first, after a summary of each part. */
export function* writeComparePage({ about, cases, notCompared }: ComparePage): Generator<string> {
  yield beginPage({ title: 'Comparison of segmentations', generator: 'negato compare', isAlone: true, style: STYLE });
  for (const line of about) yield `<p class="soft">${escapeHtml(line)}</p>\n`;
  const scores = cases.flatMap((of) => of.found.pairs.map((pair): Score => ({ of, pair })));
  const parts = new Map<string, Score[]>();
  for (const score of scores) {
    const name = score.pair.truth.name;
    parts.set(name, [...(parts.get(name) ?? []), score]);
  }
  yield table(
    'Parts',
    SUMMARY,
    [...parts].map(([name, of]) => summarize(name, of)),
  );
  const worstFirst = scores.toSorted((a, b) => a.pair.numbers.dice - b.pair.numbers.dice);
  yield `<h2>Cases, the worst Dice first</h2>\n<div class="scroll"><table>\n${heads(CASES)}`;
  for (const score of worstFirst) yield writeRow(CASES, toCaseCells(score));
  yield '</table></div>\n';
  const alone = cases.flatMap(({ name, found }) => [
    ...found.only_truth.map((part) => [name, 'truth', part.name, fixed(part.volume_ml, 3)]),
    ...found.only_test.map((part) => [name, 'test', part.name, fixed(part.volume_ml, 3)]),
  ]);
  if (alone.length > 0)
    yield table(
      'Parts without a partner',
      ALONE,
      alone.map((row) => row.map(escapeHtml)),
    );
  const notes = cases.flatMap(({ name, found }) => found.notes.map((note) => [name, note]));
  if (notes.length > 0)
    yield table(
      'Notes',
      NOTES,
      notes.map((row) => row.map(escapeHtml)),
    );
  if (notCompared.length > 0) {
    yield table(
      'Not compared',
      LEFT,
      notCompared.map(({ what, reason }) => [what, reason].map(escapeHtml)),
    );
  }
  yield '</body>\n</html>\n';
}

type Column = { readonly name: string; readonly means: string; readonly isText?: boolean };

const SUMMARY: readonly Column[] = [
  { name: 'Part', means: 'as the truth calls it', isText: true },
  { name: 'Cases', means: 'cases in which it is compared' },
  { name: 'Dice, mean', means: 'mean of 2 × samples in both / samples of the two' },
  { name: 'median', means: 'half of the cases have a lower Dice' },
  { name: 'lowest', means: 'Dice of the worst case' },
  { name: 'HD95, median', means: 'median over cases with distances, in mm' },
  { name: 'NSD, mean', means: 'part of both surfaces within the tolerance' },
  { name: 'Missed', means: 'components of the truth that are not found, of all cases' },
  { name: 'False', means: 'components of the test where the truth has nothing, of all cases' },
  { name: 'Dice of all cases, 0 to 1', means: 'a point for each case', isText: true },
];
const CASES: readonly Column[] = [
  { name: 'Case', means: 'file of the truth', isText: true },
  { name: 'Part', means: 'as the truth calls it', isText: true },
  { name: 'Dice', means: '2 × samples in both / samples of the two' },
  { name: 'IoU', means: 'samples in both / samples in one of them' },
  { name: 'Precision', means: 'part of the test that is in the truth' },
  { name: 'Recall', means: 'part of the truth that is in the test' },
  { name: 'Truth ml', means: 'volume of the truth' },
  { name: 'Test ml', means: 'volume of the test' },
  { name: 'HD mm', means: 'largest distance of one surface from the other' },
  { name: 'HD95 mm', means: 'distance that 95 % of each surface do not exceed' },
  { name: 'ASSD mm', means: 'mean distance over both surfaces' },
  { name: 'NSD', means: 'part of both surfaces within the tolerance' },
  { name: 'Missed', means: 'components of the truth that are not found' },
  { name: 'False', means: 'components of the test where the truth has nothing' },
  { name: 'Series', means: 'Series Instance UID of the images', isText: true },
];
const ALONE: readonly Column[] = [
  { name: 'Case', means: 'file of the truth', isText: true },
  { name: 'Side', means: 'truth or test', isText: true },
  { name: 'Part', means: 'its name', isText: true },
  { name: 'ml', means: 'its volume' },
];
const NOTES: readonly Column[] = [
  { name: 'Case', means: 'file of the truth', isText: true },
  { name: 'Note', means: 'how areas became samples', isText: true },
];
const LEFT: readonly Column[] = [
  { name: 'What', means: 'file or case', isText: true },
  { name: 'Why', means: 'the reason', isText: true },
];

/** Cells are HTML. */
function table(title: string, columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => writeRow(columns, row)).join('');
  return `<h2>${escapeHtml(title)}</h2>\n<div class="scroll"><table>\n${heads(columns)}${lines}</table></div>\n`;
}

function heads(columns: readonly Column[]): string {
  const cells = columns.map(({ name, means, isText = false }) => {
    return `<th scope="col" class="${isText ? 'text' : 'number'}" title="${escapeHtml(means)}">${escapeHtml(name)}</th>`;
  });
  return `<tr>${cells.join('')}</tr>\n`;
}

function writeRow(columns: readonly Column[], cells: readonly string[]): string {
  const written = cells.map((cell, at) => `<td class="${columns[at]!.isText ? 'text' : 'number'}">${cell}</td>`);
  return `<tr>${written.join('')}</tr>\n`;
}

function toCaseCells({ of, pair }: Score): readonly string[] {
  const { numbers, truth, test } = pair;
  const { components } = numbers;
  const name = truth.name === test.name ? truth.name : `${truth.name} / ${test.name}`;
  return [
    escapeHtml(of.name),
    escapeHtml(name),
    ...[numbers.dice, numbers.iou, numbers.precision, numbers.recall].map((value) => fixed(value, 4)),
    ...[truth.volume_ml, test.volume_ml].map((value) => fixed(value, 3)),
    ...[numbers.hd_mm, numbers.hd95_mm, numbers.assd_mm].map((value) => fixed(value, 2)),
    fixed(numbers.nsd, 4),
    fixed(components?.missed ?? null, 0),
    fixed(components?.false ?? null, 0),
    escapeHtml(of.series?.seriesInstanceUid ?? ''),
  ];
}

function summarize(name: string, scores: readonly Score[]): readonly string[] {
  const listed = (valueOf: (score: Score) => number | null) => scores.flatMap((score) => valueOf(score) ?? []);
  const dice = listed(({ pair }) => pair.numbers.dice);
  const components = scores.flatMap(({ pair }) => pair.numbers.components ?? []);
  return [
    escapeHtml(name),
    fixed(scores.length, 0),
    fixed(meanOf(dice), 4),
    fixed(medianOf(dice), 4),
    fixed(Math.min(...dice), 4),
    fixed(medianOf(listed(({ pair }) => pair.numbers.hd95_mm)), 2),
    fixed(meanOf(listed(({ pair }) => pair.numbers.nsd)), 4),
    components.length === 0 ? '' : fixed(sumOf(components.map(({ missed }) => missed)), 0),
    components.length === 0 ? '' : fixed(sumOf(components.map((one) => one.false)), 0),
    drawStrip(scores),
  ];
}

function sumOf(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : sumOf(values) / values.length;
}

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

function drawStrip(scores: readonly Score[]): string {
  const { width, height, radius } = STRIP;
  const points = scores.map(({ of, pair }) => {
    const x = radius + pair.numbers.dice * (width - 2 * radius);
    const about = escapeHtml(`${of.name}: ${fixed(pair.numbers.dice, 4)}`);
    return `<circle cx="${x.toFixed(1)}" cy="${height / 2}" r="${radius}"><title>${about}</title></circle>`;
  });
  return `<svg class="strip" role="img" aria-label="Dice of ${scores.length} cases" width="${width}" height="${height}">${points.join('')}</svg>`;
}

/** Nothing for what does not exist. */
function fixed(value: number | null, digits: number): string {
  return value === null ? '' : value.toFixed(digits);
}
