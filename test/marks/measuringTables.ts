import { MARK_KINDS, type MarkKind } from '../../src/shared/contract/marks.ts';
import { measureShape } from '../../src/shared/markMeasures.ts';
import { MARK_RULES } from '../../src/shared/markRules.ts';
import { type Scale, SCALE_SOURCES, SCALE_TERMS } from '../../src/shared/pixelScale.ts';
import { MEASURED_KINDS } from '../../src/server/marks/statistics/markStatistics.ts';

type Table = readonly (readonly string[])[];

/** The tables of docs/measuring.md, by the names of the comments around them: what the code says, the headings first. */
export function measuringTables(): Readonly<Record<'sizes' | 'kinds', Table>> {
  return {
    sizes: [
      ['Source of the pixel size', 'Unit shown', 'Caveat', '`spacing_source`'],
      ...[...SCALE_SOURCES, 'none' as const].map((source) => {
        const { declaredBy, note, caveat } = SCALE_TERMS[source];
        const unit = source === 'none' ? 'px' : 'mm';
        return [declaredBy, note === '' ? unit : `${unit} ${note}`, caveat, source === 'none' ? '' : `\`${source}\``];
      }),
    ],
    kinds: [
      ['Kind', 'Sizes, with a pixel size', 'Sizes, without one', 'Through a stack or in a volume', 'Values inside'],
      ...MARK_KINDS.map((kind) => {
        const { title, places } = MARK_RULES[kind];
        const hasVolume = places.includes('stack') || places.includes('volume');
        return [
          title,
          describe(kind, 'mm'),
          describe(kind, 'px'),
          hasVolume ? 'volume in ml' : '',
          MEASURED_KINDS.includes(kind) ? (kind === 'point' ? 'of its pixel' : 'yes') : '',
        ];
      }),
    ],
  };
}

const CORNERS = [
  { x: 0, y: 0 },
  { x: 4, y: 0 },
  { x: 4, y: 3 },
  { x: 0, y: 3 },
];

function describe(kind: MarkKind, unit: Scale['unit']): string {
  const scale: Scale = { spacing: [1, 1], unit, source: undefined, aspect: 1 };
  const points = CORNERS.slice(0, Math.min(MARK_RULES[kind].most, CORNERS.length));
  if (kind === 'brush') return `area of its pixels in ${unit}²`;
  return measureShape(kind, points, scale)
    .map(({ name, unit: own }) => `${name.replace('_', ' ')} in ${own}`)
    .join(', ');
}

/** The cells of a table of Markdown, without the line below its headings. */
export function parseTable(text: string): Table {
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  return lines
    .filter((_, n) => n !== 1)
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** Where a table is in the page, between its two comments. */
export function placeOfTable(name: string): RegExp {
  return new RegExp(`(?<=<!-- ${name} -->\n)[^]*(?=<!-- /${name} -->)`);
}
