import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copySources, type SourceEdits } from '../support/copySources.ts';

const CONTEXT = { transfer: <Value>(value: Value): Value => value, throwIfCancelled() {} };
const WORDS = { label: '', class: null, text: '', comment: '', author: '', locked: false };

/** Reads the marks of a text with the sources of this folder. */
async function readMarks(folder: string, format: string, text: string): Promise<object[]> {
  const { readFormat } = await import(join(folder, 'src/server/work/marks/formats/readFormat.ts'));
  const { texts, starts } = await readFormat({ format, body: new TextEncoder().encode(text) }, CONTEXT);
  return Array.from({ length: starts.length - 1 }, (_, n) =>
    JSON.parse(new TextDecoder().decode(texts.subarray(starts[n], starts[n + 1]))),
  );
}

/** Writes one mark with the sources of this folder. */
async function writeMark(folder: string, format: string, kind: string, points: readonly number[]): Promise<string> {
  const { writeFormat } = await import(join(folder, 'src/server/work/marks/formats/writeFormat.ts'));
  const { packMarkSlices } = await import(join(folder, 'src/server/work/marks/markContent.ts'));
  const place = { type: 'frame', file_index: 0, frame_index: 0 };
  const content = { kind, place, points: Float64Array.from(points), slices: packMarkSlices([]), ...WORDS };
  const file = {
    path: 'a.dcm',
    studyInstanceUid: '1',
    seriesInstanceUid: '2',
    sopInstanceUid: '3',
    rows: 9,
    columns: 9,
  };
  const mark = { uid: '2.25.1', createdAtMs: 0, modifiedAtMs: 0, content, labelClass: null };
  return new TextDecoder().decode(await writeFormat({ format, marks: [mark], files: [file], isFirst: true }, CONTEXT));
}

test('a kind of mark is an entry in the table of kinds, and one for how it is drawn and with which tool', async () => {
  const edits: SourceEdits = {
    'src/shared/markTraits.ts': [
      '  freehand: {\n',
      `  triangle: {
    title: 'Triangle',
    shape: 'polygon',
    points: [3, 3],
    places: [...FLAT, 'stack'],
    measures: 'area',
  },
`,
    ],
    'src/web/draw/marks/shapes/measureKinds.ts': [
      '  ...DRAWN_KINDS,\n',
      `  triangle: drawnBy('triangle', {
    ...DRAWN_KINDS.polygon,
    tool: { title: 'Triangle', key: 'Alt+Y', name: 'Triangle', icon: Ruler, goes: 26.5 },
  }),
`,
    ],
  };
  const folder = copySources(edits);
  expect(Object.keys(edits)).toHaveLength(2);

  const { measureShape } = await import(join(folder, 'src/shared/markMeasures.ts'));
  const corners = [
    { x: 0, y: 0 },
    { x: 4, y: 0 },
    { x: 0, y: 3 },
  ];
  const scale = { spacing: [2, 1], unit: 'mm', source: undefined, aspect: 2 };
  // Half of 4 × 3 pixels, each of 2 × 1 mm.
  expect(measureShape('triangle', corners, scale)).toEqual([{ name: 'area', value: 12, unit: 'mm²' }]);
  const { MarkBody } = await import(join(folder, 'src/shared/contract/marks.ts'));
  expect(MarkBody.properties.kind.enum).toContain('triangle');
  const { isMeasureTool } = await import(join(folder, 'src/web/kit/state/tools.ts'));
  expect(isMeasureTool('triangle')).toBe(true);
  const { MEASURE_KINDS } = await import(join(folder, 'src/web/draw/marks/shapes/measureKinds.ts'));
  expect(MEASURE_KINDS.triangle).toMatchObject({ title: 'Triangle', making: { by: 'corners' } });
  const { TOOL_COMMANDS } = await import(join(folder, 'src/web/shell/toolCommands.ts'));
  expect(TOOL_COMMANDS).toContainEqual(expect.objectContaining({ id: 'tool.triangle', keys: ['Alt+Y'] }));
  expect(MEASURE_KINDS.triangle.quantitiesOf(corners, scale)).toEqual([{ name: 'area', value: 12, unit: 'mm²' }]);
  const points = corners.flatMap(({ x, y }) => [x, y]);
  for (const format of ['geojson', 'csv', 'coco']) {
    const { formatOf } = await import(join(folder, 'src/shared/markFormats.ts'));
    expect(formatOf(format).holds('triangle', 'frame')).toBe(true);
  }
  const [again] = await readMarks(folder, 'geojson', await writeMark(folder, 'geojson', 'triangle', points));
  expect(again).toMatchObject({ body: { kind: 'triangle', points: corners.map(({ x, y }) => [x, y]) } });
});

/** One line for each mark: its kind, then the numbers of its points. */
const TOY_FORMAT = `import { ViewerError } from '../../../../../shared/contract/errors.ts';
import type { FormatReading } from '../formatReading.ts';
import type { WriteFormatInput } from '../formatTasks.ts';

export function* write({ marks }: WriteFormatInput): Generator<string, void> {
  for (const { content } of marks) yield [content.kind, ...content.points].join(' ') + '\\n';
}

export function read(body: Uint8Array, reading: FormatReading): void {
  for (const [n, line] of new TextDecoder().decode(body).split('\\n').filter(Boolean).entries()) {
    const name = 'line ' + n;
    reading.attempt(name, () => {
      const [kind, x, y] = line.split(' ');
      if (kind !== 'point') throw new ViewerError('invalid_mark', 'a toy has points only');
      const place = { type: 'frame', file_index: reading.placeOfFile('', ''), frame_index: 0 };
      reading.add({ name, body: { kind, place, points: [[Number(x), Number(y)]] } });
    });
  }
}
`;

test('a format of marks is an entry in the table of formats, and a file of its name', async () => {
  const edits: SourceEdits = {
    'src/shared/markFormats.ts': [
      '  json: {\n',
      `  toy: {
    title: 'Toy, points only',
    mediaType: 'text/plain',
    fileName: 'negato-marks.toy',
    writes: 'text',
    reads: 'text',
    accepts: /^text\\/plain\\b/i,
    endings: ['.toy'],
    holds: (kind, place) => kind === 'point' && place === 'frame',
  },
`,
    ],
  };
  const folder = copySources(edits, { 'src/server/work/marks/formats/text/toy.ts': TOY_FORMAT });
  expect(Object.keys(edits)).toHaveLength(1);

  const { MarkExportQuery, MarkImportQuery } = await import(join(folder, 'src/shared/contract/marks.ts'));
  expect(MarkExportQuery.properties.format.enum).toContain('toy');
  expect(MarkImportQuery.properties.format.enum).toContain('toy');
  const written = await writeMark(folder, 'toy', 'point', [1.5, 2]);
  expect(written).toBe('point 1.5 2\n');
  expect(await readMarks(folder, 'toy', written)).toMatchObject([{ body: { kind: 'point', points: [[1.5, 2]] } }]);
});
