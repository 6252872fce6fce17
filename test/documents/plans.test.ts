import { readFileSync } from 'node:fs';
import { Errors } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { type PlanResponse, PlanResponse as Schema } from '../../src/shared/contract/plans.ts';
import { corpus } from '../support/corpus.ts';
import { CORPUS, findLayersData, LAYERS_DATA, needs } from '../support/needs.ts';
import { planElements } from '../support/planElements.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';

const SCHEMA = strictSchema(Schema);

async function read(server: SharedServer, query: string): Promise<PlanResponse> {
  const response = await server.request(`/api/file/0/plan${query}`);
  expect(response.status).toBe(200);
  const body = await response.json();
  expect(Errors(SCHEMA, body)).toEqual([]);
  return body;
}

type RecordedPoint = {
  readonly gantry: number | null;
  readonly energy: number | null;
  readonly weight: number | null;
  readonly positions: number;
  readonly devices: Readonly<Record<string, number>>;
  readonly spots: number;
  readonly spot_x: number;
  readonly spot_y: number;
  readonly spot_weight: number;
};

type RecordedPlan = {
  readonly path: string;
  readonly groups: readonly (readonly [fractions: number | null, dose: number | null, meterset: number | null])[];
  readonly beams: readonly {
    readonly number: number;
    readonly name: string;
    readonly meterset: number | null;
    readonly dose: number | null;
    readonly points: readonly RecordedPoint[];
  }[];
  readonly channels: readonly {
    readonly number: number;
    readonly time: number;
    readonly dwells: number;
    readonly z: number;
  }[];
};

const RECORDED: Readonly<Record<'corpus' | 'layers', readonly RecordedPlan[]>> = JSON.parse(
  readFileSync(new URL('plans.json', import.meta.url), 'utf8'),
);

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

describe.each([
  ['of the corpus', CORPUS, corpus, RECORDED.corpus],
  ['of the files for layers', LAYERS_DATA, findLayersData(), RECORDED.layers],
] as const)('plans %s are as pydicom reads them:', (_, need, root, plans) => {
  test.each(plans)('$path', needs(need), async ({ path, groups, beams, channels }) => {
    const server = await serveShared(`${root}/${path}`);
    const plan = await read(server, '');
    expect(plan.fraction_groups.map((one) => [one.fractions, one.dose_per_fraction_gy, one.meterset])).toEqual(groups);
    expect(plan.beams.map(({ number, name, meterset, dose_gy }) => [number, name, meterset, dose_gy])).toEqual(
      beams.map(({ number, name, meterset, dose }) => [number, name, meterset, dose]),
    );
    for (const [at, { points }] of beams.entries()) {
      const { beam } = await read(server, `?beam=${at}`);
      if (beam === null) throw new Error('no beam');
      expect(beam.is_cut).toBe(false);
      expect(beam.control_points).toHaveLength(points.length);
      for (const [index, point] of beam.control_points.entries()) {
        const expected = points[index];
        expect([point.gantry, point.energy, point.cumulative_weight]).toEqual([
          expected?.gantry,
          expected?.energy,
          expected?.weight,
        ]);
        expect(
          Object.fromEntries(beam.devices.map(({ type }, device) => [type, point.positions[device]?.length])),
        ).toEqual(expected?.devices);
        expect(sum(point.positions.flatMap((list) => list ?? []))).toBeCloseTo(expected?.positions ?? NaN, 9);
        const { x = [], y = [], weights = [] } = point.spots ?? {};
        expect(x).toHaveLength(expected?.spots ?? NaN);
        // Each spot is the same 32-bit number, which has 24 bits.
        expect(Math.abs(sum(x) - (expected?.spot_x ?? NaN))).toBeLessThanOrEqual(x.length * 1e-5);
        expect(Math.abs(sum(y) - (expected?.spot_y ?? NaN))).toBeLessThanOrEqual(x.length * 1e-5);
        expect(sum(weights)).toBeCloseTo(expected?.spot_weight ?? NaN, -3);
      }
      expect(plan.beams[at]?.spot_weight).toBeCloseTo(sum(points.map(({ spot_weight }) => spot_weight)), 3);
    }
    expect(plan.channels).toHaveLength(channels.length);
    for (const [at, expected] of channels.entries()) {
      const { channel } = await read(server, `?channel=${at}`);
      const dwells = channel?.dwells ?? [];
      expect(plan.channels[at]?.number).toBe(expected.number);
      expect(dwells).toHaveLength(expected.dwells);
      expect(sum(dwells.map(({ time_s }) => time_s ?? NaN))).toBeCloseTo(expected.time, 6);
      expect(sum(dwells.map(({ position }) => position?.[2] ?? NaN))).toBeCloseTo(expected.z, 6);
    }
  });
});

const open = () => serveShared(writeDicom(planElements()));

describe('a plan of an arc and a setup image', () => {
  test('adds the dose and the meterset of beams that treat', async () => {
    const { fraction_groups, beams } = await read(await open(), '');
    expect(fraction_groups).toEqual([
      { number: 1, fractions: 30, dose_per_fraction_gy: 2, meterset: 200, beam_numbers: [1, 2] },
    ]);
    expect(beams.map(({ is_treatment }) => is_treatment)).toEqual([true, false]);
  });

  test('turns in the direction of its control points', async () => {
    const { beams } = await read(await open(), '');
    // From 181 clockwise to 359 are 178 degrees, and on to 179 are 180 more.
    expect(beams[0]).toMatchObject({ gantry_start: 181, gantry_stop: 179, gantry_direction: 'CW', gantry_travel: 358 });
  });

  test('has what is in effect at each control point', async () => {
    const { beam } = await read(await open(), '?beam=0');
    expect(beam?.devices).toEqual([
      { type: 'ASYMX', boundaries: [], problem: null },
      { type: 'MLCX', boundaries: [-10, 0, 10], problem: null },
    ]);
    expect(
      beam?.control_points.map(({ gantry, energy, meterset, positions }) => [gantry, energy, meterset, positions]),
    ).toEqual([
      [
        181,
        6,
        0,
        [
          [-20, 20],
          [-15, -5, 15, 5],
        ],
      ],
      // The weights are of 4: 200 MU x 1 / 4.
      [
        359,
        6,
        50,
        [
          [-20, 20],
          [-10, -5, 10, 5],
        ],
      ],
      [
        179,
        6,
        200,
        [
          [-20, 20],
          [-10, -5, 10, 5],
        ],
      ],
    ]);
  });

  test.each([
    ['?beam=2', 404, 'item_not_found'],
    ['?channel=0', 404, 'item_not_found'],
    ['?beam=-1', 400, 'invalid_query'],
  ])('%s is %i %s', async (query, status, code) => {
    const response = await (await open()).request(`/api/file/0/plan${query}`);
    expect([response.status, (await response.json()).code]).toEqual([status, code]);
  });
});

test('an object that is no plan has none', async () => {
  const server = await serveShared(writeDicom({ SOPClassUID: '1.2.840.10008.5.1.4.1.1.66', SOPInstanceUID: '2.25.1' }));
  const response = await server.request('/api/file/0/plan');
  expect([response.status, (await response.json()).code]).toEqual([400, 'bad_request']);
});

test.each([
  ['pairs that are declared and not there', { NumberOfLeafJawPairs: '2147483647' }, {}, /declares 2147483647 pairs/],
  ['too few boundaries', { LeafPositionBoundaries: ['-10', '10'] }, {}, /2 boundaries instead of 3/],
  ['boundaries that do not ascend', { LeafPositionBoundaries: ['-10', '10', '0'] }, {}, /do not ascend/],
  ['an odd number of positions', {}, { LeafJawPositions: ['1', '2', '3'] }, /odd number/],
  [
    'more positions than any collimator has',
    {},
    { LeafJawPositions: Array.from({ length: 2000 }, () => '1') },
    /more than 512/,
  ],
])('leaves with %s are not drawn, and it says why', async (_, device, positions, problem) => {
  const { beam } = await read(await serveShared(writeDicom(planElements({ device, positions }))), '?beam=0');
  expect(beam?.devices[1]?.boundaries).toEqual([]);
  expect(beam?.devices[1]?.problem).toMatch(problem);
  expect(beam?.devices[0]?.problem).toBeNull();
});

/** As bytes, because the writer refuses texts that are no numbers. The length is even. */
const decimal = (text: string) => ({ vr: 'DS', value: Buffer.from(text, 'latin1') }) as const;

test('counts that lie, numbers that are none and references to itself do not harm the answer', async () => {
  const point = {
    GantryAngle: decimal('NaN '),
    IsocenterPosition: decimal('1\\x\\Inf '),
    CumulativeMetersetWeight: decimal('1e400 '),
  };
  const plan = planElements({
    elements: {
      BeamSequence: [
        {
          BeamNumber: '1',
          NumberOfControlPoints: '2147483647',
          NumberOfWedges: '-3',
          FinalCumulativeMetersetWeight: '0',
          BeamLimitingDeviceSequence: [{ RTBeamLimitingDeviceType: 'MLCX', NumberOfLeafJawPairs: '-1' }],
          ControlPointSequence: [
            {
              ...point,
              BeamLimitingDevicePositionSequence: [
                { RTBeamLimitingDeviceType: 'MLCX', LeafJawPositions: decimal('NaN\\1 ') },
              ],
            },
          ],
        },
      ],
      ReferencedRTPlanSequence: [{ ReferencedSOPInstanceUID: '2.25.700' }],
    },
  });
  const server = await serveShared(writeDicom(plan));
  const { beams, beam } = await read(server, '?beam=0');
  expect(beams[0]).toMatchObject({ control_point_count: 1, wedges: 0, gantry_start: null, isocenter: null });
  expect(beam?.control_points[0]).toMatchObject({ gantry: null, meterset: null, positions: [null] });
  expect((await server.request('/api/file/0/document')).status).toBe(200);
});
