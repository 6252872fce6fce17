import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Errors } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { DocumentResponse } from '../../src/shared/contract/documents.ts';
import {
  type ContentItem,
  type MeasurementsResponse,
  MeasurementsResponse as MeasurementsSchema,
  type ReportResponse,
  ReportResponse as ReportSchema,
  type WireMeasurementGroup,
} from '../../src/shared/contract/reports.ts';
import { corpus } from '../support/corpus.ts';
import { ctRow } from '../support/imageElements.ts';
import { CORPUS, findLayersData, LAYERS_DATA, type Need, needs } from '../support/needs.ts';
import { AXIAL, placedImage } from '../support/placedElements.ts';
import { explicit, item as rawItem, join as joinBytes, part10, UNDEFINED } from '../support/rawElements.ts';
import { contentItem, measurementGroup, reportElements, scoord } from '../support/regionElements.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';

const REPORT = strictSchema(ReportSchema);
const MEASUREMENTS = strictSchema(MeasurementsSchema);

async function readReport(server: SharedServer, index: number, query = ''): Promise<ReportResponse> {
  const response = await server.request(`/api/file/${index}/report${query}`);
  expect(response.status).toBe(200);
  const body = await response.json();
  expect(Errors(REPORT, body)).toEqual([]);
  return body;
}

async function readMeasurements(server: SharedServer, index: number): Promise<MeasurementsResponse> {
  const response = await server.request(`/api/file/${index}/report/measurements`);
  expect(response.status).toBe(200);
  const body = await response.json();
  expect(Errors(MEASUREMENTS, body)).toEqual([]);
  return body;
}

async function readCode(server: SharedServer, path: string): Promise<string> {
  const response = await server.request(path);
  const { code } = await response.json();
  return `${response.status} ${code}`;
}

function listItems(root: ContentItem): ContentItem[] {
  return [root, ...root.items.flatMap(listItems)];
}

function refersTo(uid: string) {
  return {
    ReferencedSOPSequence: [{ ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2', ReferencedSOPInstanceUID: uid }],
  };
}

/** The first items of a report have fewer items below them. */
function withoutItems(content: ContentItem): ContentItem {
  return { ...content, items: [] };
}

type RecordedRow = readonly [
  place: string,
  relationship: string | null,
  valueType: string,
  concept: readonly string[] | null,
  byReference: string | null,
  value: unknown,
];
type RecordedGroup = {
  readonly tracking_uid: string | null;
  readonly finding: string | null;
  readonly measurements: readonly (readonly [name: string, value: number])[];
};
type DcmqiGroup = Pick<RecordedGroup, 'measurements'> & { readonly tracking_id: string };
const recorded: {
  readonly reports: Readonly<Record<string, readonly RecordedRow[]>>;
  readonly groups: Readonly<Record<string, readonly RecordedGroup[]>>;
  readonly dcmqi: Readonly<Record<string, readonly DcmqiGroup[]>>;
} = JSON.parse(readFileSync(new URL('reports.json', import.meta.url), 'utf8'));

const PLACES: Readonly<Record<string, readonly [Need, string | undefined]>> = {
  corpus: [CORPUS, corpus],
  'layers-data': [LAYERS_DATA, findLayersData()],
};

function pathOf(key: string): string {
  const [place = '', ...rest] = key.split('/');
  return join(PLACES[place]?.[1] ?? '', ...rest);
}

/** The part of a value that is the same however it is written; see `text_of` in makeReports.py. */
function essenceOf({ value, text: written, link }: ContentItem): unknown {
  switch (value.type) {
    case 'TEXT':
      return written;
    case 'NUM':
      return value.value;
    case 'CODE':
      return value.code && [value.code.value, value.code.scheme];
    case 'PNAME':
    case 'DATE':
    case 'TIME':
    case 'DATETIME':
      return value.stored;
    case 'UIDREF':
      return value.uid;
    case 'IMAGE':
    case 'COMPOSITE':
    case 'WAVEFORM':
      return link?.target.sop_instance_uid ?? null;
    case 'SCOORD':
    case 'SCOORD3D':
      return [value.graphic, value.points];
    case 'CONTAINER':
    case 'TCOORD':
    case 'TABLE':
    case 'OTHER':
      return null;
  }
}

for (const [place, [need]] of Object.entries(PLACES)) {
  const keys = Object.keys(recorded.reports).filter((key) => key.startsWith(`${place}/`));

  describe(`reports and key object selections of ${place}`, needs(need), () => {
    test.each(keys)('%s has the items that pydicom reads, in their order, with their values', async (key) => {
      const server = await serveShared(pathOf(key));
      const { root, count, is_cut } = await readReport(server, 0, '?depth=16');
      const items = listItems(root);
      expect([count, is_cut]).toEqual([items.length, false]);
      const found = items.map((one) => [
        one.item,
        one.relationship,
        one.value_type,
        one.concept && [one.concept.value, one.concept.scheme],
        one.by_reference,
        one.by_reference === null ? essenceOf(one) : null,
      ]);
      expect(trimmed(found)).toEqual(trimmed(recorded.reports[key] ?? []));
    });

    const withGroups = Object.keys(recorded.groups).filter((key) => key.startsWith(`${place}/`));
    test.each(withGroups)('%s has the measurement groups that highdicom and dcmqi read', async (key) => {
      const server = await serveShared(pathOf(key));
      const { groups } = await readMeasurements(server, 0);
      for (const expected of recorded.groups[key] ?? []) {
        const group = groups.find(({ tracking_uid }) => tracking_uid === expected.tracking_uid);
        expect(group?.finding?.value ?? null).toBe(expected.finding);
        expect(group && valuesOf(group, ({ float, value }) => float ?? value)).toEqual(expected.measurements);
      }
      for (const { tracking_id, measurements } of recorded.dcmqi[key] ?? []) {
        const named = groups.filter((group) => group.tracking_id === tracking_id);
        // It reads the decimal, also where there is a floating-point value.
        const found = named.map((group) => valuesOf(group, ({ value }) => value));
        expect({ tracking_id, found }).toEqual({ tracking_id, found: [measurements] });
      }
    });
  });
}

type MeasuredRow = WireMeasurementGroup['rows'][number];

function valuesOf({ rows }: WireMeasurementGroup, read: (row: MeasuredRow) => string | number | null): unknown[] {
  return rows.flatMap((row) => {
    const value = read(row);
    return value === null ? [] : [[row.name?.value, Number(value)]];
  });
}

/** Trailing spaces of text are padding or were typed; both tools trim them differently. */
function trimmed(rows: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(rows), trimText);
}

function trimText(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.trimEnd().replaceAll('\r\n', '\n') : value;
}

describe('a dose report', needs(LAYERS_DATA), () => {
  test('has totals and events: DLP 12.5 + 450 = 462.5 mGy cm', async () => {
    const server = await serveShared(pathOf('layers-data/synthetic-phantom/sr/rdsr_ct.dcm'));
    const document: DocumentResponse = await (await server.request('/api/file/0/document')).json();
    const [totals, events] = document.tables;
    expect(totals?.rows).toContainEqual(['CT Dose Length Product Total', 462.5, 'mGy cm']);
    const column = events?.columns.findIndex(({ label }) => label === 'DLP (mGy cm)') ?? -1;
    expect(events?.rows.map((row) => row[column])).toEqual([12.5, 450]);
  });
});

type Concept = readonly [value: string, scheme: string, meaning: string];

function num(name: Concept, value: string, unit: string): DataSetInput {
  const units = [{ CodeValue: unit, CodingSchemeDesignator: 'UCUM', CodeMeaning: unit }];
  return contentItem('NUM', name, {
    MeasuredValueSequence: [{ NumericValue: value, MeasurementUnitsCodeSequence: units }],
  });
}

function coded(name: Concept, [CodeValue, CodingSchemeDesignator, CodeMeaning]: Concept): DataSetInput {
  return contentItem('CODE', name, { ConceptCodeSequence: [{ CodeValue, CodingSchemeDesignator, CodeMeaning }] });
}

function dcm(value: string, meaning: string): Concept {
  return [value, 'DCM', meaning];
}

const calibration = contentItem('CONTAINER', dcm('122505', 'Calibration'), {}, [
  num(dcm('122322', 'Calibration Factor'), '1.1', '1'),
]);

async function readTables(content: readonly DataSetInput[]): Promise<Record<string, unknown>> {
  const server = await serveContent(content, { SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.67' });
  const document: DocumentResponse = await (await server.request('/api/file/0/document')).json();
  return Object.fromEntries(
    document.tables.map(({ title, columns, rows }) => [title, [columns.map(({ label }) => label), ...rows]]),
  );
}

// The containers of PS3.16 TID 10002 and 10003, 10022, 10041 and 10042.
describe('totals and events of dose reports', () => {
  test('of projections: one row for each total and plane, in both units, without the factors of the calibration', async () => {
    const accumulated = (plane: Concept, product: string) =>
      contentItem('CONTAINER', dcm('113702', 'Accumulated X-Ray Dose Data'), {}, [
        coded(dcm('113764', 'Acquisition Plane'), plane),
        calibration,
        num(dcm('113722', 'Dose Area Product Total'), product, 'Gy.m2'),
      ]);
    const event = (kvp: string) =>
      contentItem('CONTAINER', dcm('113706', 'Irradiation Event X-Ray Data'), {}, [
        coded(dcm('113764', 'Acquisition Plane'), dcm('113620', 'Plane A')),
        num(dcm('113733', 'KVP'), kvp, 'kV'),
        num(dcm('113738', 'Dose (RP)'), '0.002', 'Gy'),
      ]);

    expect(
      await readTables([
        accumulated(dcm('113620', 'Plane A'), '0.0012'),
        accumulated(dcm('113621', 'Plane B'), '0.0003'),
        event('70'),
        event('81'),
      ]),
    ).toEqual({
      Totals: [
        ['Total', 'Value', 'Unit', 'In other units', 'Plane'],
        // A square metre has 10,000 cm², and a gray 100 cGy.
        ['Dose Area Product Total', 0.0012, 'Gy m²', '1200 cGy cm²', 'Plane A'],
        ['Dose Area Product Total', 0.0003, 'Gy m²', '300 cGy cm²', 'Plane B'],
      ],
      'Irradiation events': [
        ['Acquisition Plane', 'KVP (kV)', 'Dose (RP) (Gy)'],
        ['Plane A', 70, 0.002],
        ['Plane A', 81, 0.002],
      ],
    });
  });

  test('of a radiopharmaceutical: its administrations, with the doses of all organs', async () => {
    const organ = (site: Concept, dose: string) =>
      contentItem('CONTAINER', dcm('113517', 'Organ Dose Information'), {}, [
        coded(['363698007', 'SCT', 'Finding Site'], site),
        num(dcm('113518', 'Organ Dose'), dose, 'mGy'),
      ]);
    const administration = contentItem('CONTAINER', dcm('113502', 'Radiopharmaceutical Administration'), {}, [
      num(dcm('113507', 'Administered activity'), '370', 'MBq'),
      organ(['10200004', 'SCT', 'Liver'], '7.8'),
      organ(['64033007', 'SCT', 'Kidney'], '6.3'),
    ]);

    expect(await readTables([administration])).toEqual({
      Administrations: [
        ['Administered activity (MBq)', 'Finding Site', 'Organ Dose (mGy)'],
        [370, 'Liver, Kidney', '7.8, 6.3'],
      ],
    });
  });

  test('of an enhanced report: totals by source, and the summary of each event', async () => {
    const accumulated = contentItem('CONTAINER', dcm('130500', 'Accumulated Dose Data'), {}, [
      contentItem('TEXT', dcm('113832', 'Identification of the X-Ray Source'), { TextValue: 'A' }),
      calibration,
      num(dcm('113730', 'Total Fluoro Time'), '42', 's'),
    ]);
    const event = contentItem('CONTAINER', dcm('130501', 'Irradiation Event Summary Data'), {}, [
      contentItem('TEXT', dcm('113832', 'Identification of the X-Ray Source'), { TextValue: 'A' }),
      num(dcm('113738', 'Dose (RP)'), '0.004', 'Gy'),
    ]);

    expect(await readTables([accumulated, event])).toEqual({
      Totals: [
        ['Total', 'Value', 'Unit', 'Source'],
        ['Total Fluoro Time', 42, 's', 'A'],
      ],
      'Irradiation events': [
        ['Identification of the X-Ray Source', 'Dose (RP) (Gy)'],
        ['A', 0.004],
      ],
    });
  });
});

const NUMBER = ['410668003', 'SCT', 'Length'] as const;
const TEXT = ['121106', 'DCM', 'Comment'] as const;

function text(value: string, different: DataSetInput = {}, content: readonly DataSetInput[] = []): DataSetInput {
  return contentItem('TEXT', TEXT, { TextValue: value, ...different }, content);
}

async function serveContent(content: readonly DataSetInput[], different: DataSetInput = {}): Promise<SharedServer> {
  return serveShared(writeDicom(reportElements([], { ContentSequence: content, ...different })));
}

function byReference(place: readonly number[]): DataSetInput {
  return { RelationshipType: 'INFERRED FROM', ReferencedContentItemIdentifier: place };
}

describe('content items', () => {
  test('a number without a measured value has its qualifier instead', async () => {
    const qualifier = [{ CodeValue: '114000', CodingSchemeDesignator: 'DCM', CodeMeaning: 'Not a number' }];
    const server = await serveContent([
      contentItem('NUM', NUMBER, { NumericValueQualifierCodeSequence: qualifier }),
      contentItem('NUM', NUMBER, { MeasuredValueSequence: [] }),
    ]);
    const { root } = await readReport(server, 0);
    expect(root.items.map((one) => one.text)).toEqual(['Not a number', 'no value']);
  });

  test('a floating point value is kept beside the decimal text', async () => {
    const measured = { NumericValue: '0.33333333333333', FloatingPointValue: 1 / 3 };
    const server = await serveContent([contentItem('NUM', NUMBER, { MeasuredValueSequence: [measured] })]);
    const { root } = await readReport(server, 0);
    expect(root.items[0]?.value).toMatchObject({ value: '0.33333333333333', float: 1 / 3 });
  });

  test('an item by reference is not followed, even if it leads to itself or to the root', async () => {
    const server = await serveContent([
      text('one', {}, [byReference([1]), byReference([1, 1, 2]), byReference([1, 9])]),
    ]);
    const { root, count } = await readReport(server, 0);
    expect(count).toBe(5);
    const [only] = root.items;
    expect(only?.items.map(({ by_reference, children }) => [by_reference, children])).toEqual([
      ['1', 0],
      ['1.1.2', 0],
      ['1.9', 0],
    ]);
  });

  test('a text is read in the character set of its own item', async () => {
    const server = await serveContent([text('Größe', { SpecificCharacterSet: 'ISO_IR 192' })]);
    const { root } = await readReport(server, 0);
    expect(root.items[0]?.text).toBe('Größe');
  });

  test('an image leads to its frame, and coordinates to the image that they are selected from', async () => {
    const server = await serveShared(
      writeDicom(placedImage({ uid: '2.25.71', rows: 4, columns: 4, plane: AXIAL })),
      writeDicom(reportElements([measurementGroup('A', [scoord('CIRCLE', [1, 1, 2, 1], '2.25.71')], 8)])),
    );
    const { root } = await readReport(server, 1);
    const region = listItems(root).find(({ value_type }) => value_type === 'SCOORD');
    expect(region?.text).toBe('circle');
    expect(region?.link?.place).toEqual({ frame_index: 0, layer: 1, item: null, time_ms: null });
  });
});

test('the regions of a report name the content items that describe them', async () => {
  const server = await serveShared(
    writeDicom(placedImage({ uid: '2.25.71', rows: 4, columns: 4, plane: AXIAL })),
    writeDicom(
      reportElements([
        measurementGroup('A', [scoord('CIRCLE', [1, 1, 2, 1], '2.25.71')], 8),
        measurementGroup('B', [scoord('POINT', [1, 1], '2.25.71')]),
      ]),
    ),
  );
  const { parts } = await (await server.request('/api/layer/1')).json();
  expect(parts.map(({ item }: { item: string }) => item)).toEqual(['1.1.1', '1.1.2']);
  const { groups } = await readMeasurements(server, 1);
  expect(groups.map(({ item }) => item)).toEqual(['1.1.1', '1.1.2']);
});

describe('pages of a report', () => {
  const content = Array.from({ length: 5 }, (_, i) => text(`${i + 1}`, {}, [text(`${i + 1}.1`)]));

  test('begin at an item and at one of its children', async () => {
    const server = await serveContent(content);
    const page = await readReport(server, 0, '?offset=1&limit=2&depth=1');
    expect(page.root.items.map(({ item, children, items }) => [item, children, items.length])).toEqual([
      ['1.2', 1, 0],
      ['1.3', 1, 0],
    ]);
    expect([page.truncated, page.root.children]).toEqual([true, 5]);
    const { root, truncated } = await readReport(server, 0, '?item=1.4');
    expect([root.item, root.text, root.items[0]?.text, truncated]).toEqual(['1.4', '4', '4.1', false]);
  });

  test('of an item that is not there are 404, of other objects and malformed places 400', async () => {
    const server = await serveShared(writeDicom(ctRow({})), writeDicom(reportElements([])));
    expect(await readCode(server, '/api/file/1/report?item=1.7')).toBe('404 item_not_found');
    expect(await readCode(server, '/api/file/1/report?item=1.1.1.1')).toBe('404 item_not_found');
    expect(await readCode(server, '/api/file/1/report?item=x')).toBe('400 invalid_query');
    expect(await readCode(server, '/api/file/0/report')).toBe('400 bad_request');
    expect(await readCode(server, '/api/file/0/report/measurements')).toBe('400 bad_request');
  });

  test('can be the first items only, which are those of the whole report', async () => {
    const image = contentItem('IMAGE', NUMBER, refersTo('2.25.5'));
    // The image that it is selected from is the last item of the report, which the first reading does not reach.
    const region = { ...scoord('POINT', [1, 1], '2.25.5'), ContentSequence: [byReference([1, 1501])] };
    const long = (isRegion: (at: number) => boolean) => [
      ...Array.from({ length: 1_500 }, (_, at) =>
        isRegion(at) ? region : contentItem('CONTAINER', NUMBER, {}, [text(String(at))]),
      ),
      image,
    ];
    for (const stored of [long(() => false), long((at) => at === 3), long(() => false).slice(0, 9)]) {
      const server = await serveContent(stored);
      const whole = listItems((await readReport(server, 0, '?depth=16')).root).slice(0, 20);
      const { root, count, truncated, is_cut } = await readReport(server, 0, '?first=20&depth=16');
      const first = listItems(root);
      const isLong = stored.length > 9;
      expect([first.length, count, truncated, is_cut, root.children]).toEqual(
        isLong ? [20, 20, true, false, 1_501] : [19, 19, false, false, 9],
      );
      expect(first.map(withoutItems)).toEqual(whole.map(withoutItems));
    }
    expect(await readCode(await serveContent([]), '/api/file/0/report?first=20&offset=1')).toBe('400 invalid_query');
    // Without evidence, the links of the document are those of all of the content.
    const unlisted = await serveContent([contentItem('IMAGE', NUMBER, refersTo('2.25.6')), ...long(() => false)]);
    const { links } = await (await unlisted.request('/api/file/0/document')).json();
    expect(JSON.stringify(links)).toMatch(/2\.25\.6.*2\.25\.5/);
  });

  test('add up to all of twenty thousand items', async () => {
    const server = await serveContent(Array.from({ length: 20_000 }, (_, i) => text(`line ${i}`)));
    let count = 0;
    for (let offset = 0; offset < 20_000; offset += 1_000) {
      const { root, is_cut } = await readReport(server, 0, `?offset=${offset}&limit=1000`);
      expect([root.children, is_cut, root.items[0]?.text]).toEqual([20_000, false, `line ${offset}`]);
      count += root.items.length;
    }
    expect(count).toBe(20_000);
  });
});

test('measurements as CSV have their codes, and no text that a spreadsheet would run', async () => {
  const server = await serveShared(writeDicom(reportElements([measurementGroup('=A, "b"', [], 8)])));
  const response = await server.request('/api/file/0/report/measurements?format=csv');
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="measurements.csv"');
  const [head = '', row = ''] = (await response.text()).split('\r\n');
  expect(head).toContain('tracking id');
  expect(row).toContain(`"'=A, ""b""",,Nodule,27925004,SCT,`);
  expect(row).toContain(',1.1.1.3,Length,410668003,SCT,8,mm,mm,');
});

describe('hostile reports are bounded', () => {
  test('100,000 levels of content', async () => {
    const level = joinBytes(explicit(0x0040a730, 'SQ', '', UNDEFINED), rawItem(undefined, UNDEFINED));
    const head = [explicit(0x00080016, 'UI', '1.2.840.10008.5.1.4.1.1.88.33'), explicit(0x00080018, 'UI', '2.25.99')];
    const deep = Buffer.alloc(level.length * 100_000, level);
    const server = await serveShared(part10(joinBytes(...head.map(even), deep)));
    const { count, is_cut } = await readReport(server, 0, '?depth=16');
    expect(count).toBeLessThan(100);
    expect(is_cut).toBe(true);
    expect((await server.request('/api/file/0/document')).status).toBe(200);
    expect((await readMeasurements(server, 0)).groups).toEqual([]);
  });

  test('65,000 items, each with a number', async () => {
    const measured = {
      NumericValue: '1',
      MeasurementUnitsCodeSequence: [{ CodeValue: 'mm', CodingSchemeDesignator: 'UCUM', CodeMeaning: 'mm' }],
    };
    const items = Array.from({ length: 65_000 }, () =>
      contentItem('NUM', NUMBER, { MeasuredValueSequence: [measured] }),
    );
    const server = await serveContent(items);
    const { root, is_cut } = await readReport(server, 0, '?limit=10');
    expect(root.items).toHaveLength(10);
    expect(is_cut).toBe(true);
    const { count, is_cut: areMeasurementsCut } = await readMeasurements(server, 0);
    expect([count, areMeasurementsCut]).toEqual([20_000, true]);
  });
});

/** UIDs are padded to an even length. */
function even(element: Uint8Array): Uint8Array {
  if (element.length % 2 === 0) return element;
  const padded = joinBytes(element, Uint8Array.of(0));
  padded[6] = (padded[6] ?? 0) + 1;
  return padded;
}
