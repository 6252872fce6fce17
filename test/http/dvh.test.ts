import { beforeAll, describe, expect, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import type { DvhResponse, WirePartDvh } from '../../src/shared/contract/dvh.ts';
import { longWork } from '../hostile/files/longWork.ts';
import { DOSE_CENTRE, doseAt, writeDose } from '../support/fieldFiles.ts';
import { AXIAL, segmentationElements } from '../support/placedElements.ts';
import { motion, registrationElements } from '../support/registrationElements.ts';
import { serve, serveShared, type SharedServer, type TestServer } from '../support/serve.ts';
import { circle, structureSetElements, type WrittenRoi } from '../support/structureSetElements.ts';

const RADIUS = 20;
const STEP_MM = 3;
const [X, Y, Z] = DOSE_CENTRE;
/** Planes of a dose that are between those of others. */
const HIGHER = Array.from({ length: 16 }, (_, plane) => -20 + plane * STEP_MM);
const THREE = [-STEP_MM, 0, STEP_MM].map((dz) => Z + dz);

/** A sphere around the centre of the dose, or beside it, as circles every 3 mm. */
function sphere(number: number, name = 'Sphere', shift = 0): WrittenRoi {
  const contours = Array.from({ length: 13 }, (_, at) => {
    const dz = (at - 6) * STEP_MM;
    return { points: circle([X + shift, Y, Z + dz], Math.sqrt(RADIUS ** 2 - dz ** 2)) };
  });
  return { number, name, contours };
}

/** A rectangle of 20 mm in planes 3 mm apart. */
function box(number: number, name: string, [left, right]: readonly [number, number], planes = 4): WrittenRoi {
  const contours = Array.from({ length: planes }, (_, at) => {
    const z = at * STEP_MM;
    const corners = [
      [left, -20],
      [right, -20],
      [right, 0],
      [left, 0],
    ];
    return { points: corners.map(([x = 0, y = 0]) => [x, y, z]) };
  });
  return { number, name, contours };
}

/** Lines up and down 40 mm: each crosses every line of samples. */
function zigzag(number: number): WrittenRoi {
  const contours = [Z, Z + STEP_MM].flatMap((z) =>
    Array.from({ length: 16 }, (_, from) => ({
      points: Array.from({ length: 4000 }, (_unused, at) => [X + from + at / 4000, Y + (at % 2) * 40, z]),
    })),
  );
  return { number, name: 'Zigzag', contours };
}

const ROIS: readonly WrittenRoi[] = [
  sphere(1),
  {
    number: 2,
    name: 'Ring',
    contours: THREE.flatMap((z) => [18, 9].map((radius) => ({ points: circle([X, Y, z], radius) }))),
  },
  // Samples of the dose reach to x = 39 and half a sample of 3 mm beyond: 10.5 mm of 20.
  box(3, 'Edge', [30, 50]),
  box(4, 'Beside', [60, 70]),
  { number: 5, name: 'Nerve', contours: THREE.map((z) => ({ points: circle([X, Y, z], 2) })) },
  { number: 6, name: 'Seed', contours: [{ type: 'POINT', points: [[1, 2, 3]] }] },
  box(7, 'Slice', [0, 10], 1),
  { number: 8, name: 'None', contours: [] },
  sphere(9, 'Sphere'),
  sphere(10, 'Sphere'),
  sphere(11, 'Sphere'),
  // Two squares of 20 mm, of which one is 10 mm beside the other; and one of which two sides cross.
  { number: 12, name: 'Crossing', contours: [0, 10].flatMap((left) => box(12, '', [left, left + 20]).contours) },
  {
    number: 13,
    name: 'Bow tie',
    contours: box(13, '', [0, 20]).contours.map(({ points: [a, b, c, d] }) => ({ points: [a!, c!, b!, d!] })),
  },
];

/** The histograms that the dose object has, by ROI. */
function storedDvh(roi: number, different: DataSetInput = {}): DataSetInput {
  return {
    DVHType: 'CUMULATIVE',
    DoseUnits: 'GY',
    DVHDoseScaling: '2',
    DVHVolumeUnits: 'CM3',
    DVHNumberOfBins: '3',
    DVHData: ['5', '40', '10', '30', '1', '10'],
    DVHMeanDose: '17.5',
    DVHReferencedROISequence: [{ ReferencedROINumber: String(roi), DVHROIContributionType: 'INCLUDED' }],
    ...different,
  };
}

const STORED: DataSetInput = {
  ReferencedStructureSetSequence: [{ ReferencedSOPInstanceUID: '2.25.600' }],
  DVHSequence: [
    storedDvh(1),
    storedDvh(2, { DVHType: 'DIFFERENTIAL' }),
    storedDvh(3, { DVHVolumeUnits: 'PERCENT' }),
    storedDvh(5, { DVHType: 'NATURAL' }),
    storedDvh(9, { DoseUnits: 'RELATIVE' }),
    // Of a union of ROIs, which is neither of them.
    storedDvh(10, { DVHReferencedROISequence: [{ ReferencedROINumber: '10' }, { ReferencedROINumber: '11' }] }),
  ],
};

async function fetchDvh(server: TestServer | SharedServer, path: string): Promise<DvhResponse> {
  const response = await server.request(path);
  expect(response.status).toBe(200);
  return response.json();
}

/** The volume with at least a dose, interpolated in the curve. */
function volumeAt({ edges, cumulative_cm3 }: WirePartDvh, gy: number): number {
  const at = edges.findIndex((edge) => edge >= gy);
  const [below, above] = [edges[at - 1]!, edges[at]!];
  const part = (gy - below) / (above - below);
  return cumulative_cm3[at - 1]! * (1 - part) + cumulative_cm3[at]! * part;
}

function near(value: number, part: number) {
  return { asymmetricMatch: (other: unknown) => Math.abs(Number(other) - value) <= part * Math.abs(value) };
}

/**
 * The dose 66 exp(-r² / 1800) in a sphere of 20 mm: volume 4/3 π 20³; mean 3/20³ times the integral of r² D(r); D95 and
 * D2cc are the dose at the radius of 95 % and of 2 cm³ of the volume; V60 the volume of the radius at which it is 60 Gy.
 */
const ANALYTIC = { volume: 33.51, mean: 57.86, d95: 53.26, d2cc: 63.79, v60: 9.39 };

function expectSphere(dvh: WirePartDvh | undefined): void {
  expect(dvh).toMatchObject({
    volume_cm3: near(ANALYTIC.volume, 0.01),
    inside_dose_grid: 1,
    mean: near(ANALYTIC.mean, 0.005),
    d: { d95: near(ANALYTIC.d95, 0.005), d2cc: near(ANALYTIC.d2cc, 0.005) },
  });
  expect(volumeAt(dvh!, 60)).toEqual(near(ANALYTIC.v60, 0.04));
}

test('the samples of all structures of a small file are bounded together, and each has the same beside others', async () => {
  // Four squares of 300 mm in 60 planes: a third of a millimetre would take 4 x 60 x 900 x 900 = 194 million samples.
  const rois = [1, 2, 3, 4].map((number) => ({
    number,
    name: `Square ${number}`,
    contours: Array.from({ length: 60 }, (_, at) => ({
      points: [
        [-150, -150, 2 * at],
        [150, -150, 2 * at],
        [150, 150, 2 * at],
        [-150, 150, 2 * at],
      ],
    })),
  }));
  const structures = writeDicom(structureSetElements(rois));
  const fine = writeDose({ different: { PixelSpacing: ['1', '1'] } });
  const server = await serveShared(structures, fine);
  const { dvhs } = await fetchDvh(server, '/api/file/0/dvh?dose=1');
  const samples = dvhs.reduce((sum, { planes, step_mm }) => sum + planes * (300 / step_mm!) ** 2, 0);
  expect(samples).toBeLessThan(1.01 * (8 * 2 ** 20 + 32 * structures.length));
  // 300 mm x 300 mm x 60 planes of 2 mm.
  expect(dvhs.map(({ volume_cm3 }) => volume_cm3)).toEqual(dvhs.map(() => near(10_800, 1e-6)));
  expect((await fetchDvh(server, '/api/file/0/dvh?dose=1&parts=3')).dvhs).toEqual([dvhs[2]]);
});

test('segments of a small file that have very many samples together are measured if fewer are asked for', async () => {
  // 500 segments of 512 x 512 samples each: 131 million.
  const segments = longWork.find(({ name }) => name.startsWith('a segmentation of 500 segments'))!.write();
  const server = await serveShared(segments, writeDose());
  const all = await server.request('/api/file/0/dvh?dose=1');
  expect([all.status, await all.json()]).toMatchObject([
    422,
    { code: 'layer_too_large', error: expect.stringContaining('131072000 samples') },
  ]);
  const { dvhs } = await fetchDvh(server, '/api/file/0/dvh?dose=1&parts=1,2');
  // 512 mm x 512 mm x 10 mm.
  expect(dvhs.map(({ volume_cm3 }) => volume_cm3)).toEqual([near(2621.44, 1e-6), near(2621.44, 1e-6)]);
});

/** Files: the structures, doses with each form of offsets, doses that are refused, and structures that are. */
const [ABSOLUTE, DESCENDING, RELATIVE_UNITS, DIFFERENCE, UNSCALED, FLAT, ELSEWHERE, ZIGZAG] = [2, 3, 4, 5, 6, 7, 8, 9];

describe('the dose in a structure', () => {
  test('is that of the volume that its layer has', async () => {
    const { parts } = await (await server.request('/api/layer/0')).json();
    const compared = [1, 2, 3, 5, 12, 13].map((number) => {
      const { volume_mm3: volumeMm3 } = parts.find((each: { part: number }) => each.part === number);
      return (dvhOf(number)?.volume_cm3 ?? NaN) / (volumeMm3 / 1000);
    });
    for (const ratio of compared) expect(ratio).toBeCloseTo(1, 6);
  });

  test('of contours that cross is that of what they enclose by the even-odd rule', () => {
    // Four slabs of 3 mm: two parts of 10 mm x 20 mm, and two triangles of 20 mm x 10 mm.
    expect(dvhOf(12)?.volume_cm3).toBeCloseTo(4.8, 6);
    expect(dvhOf(13)?.volume_cm3).toBeCloseTo(2.4, 6);
  });

  let server: SharedServer;
  let answer: DvhResponse;
  const dvhOf = (part: number) => answer.dvhs.find((dvh) => dvh.part === part);
  const codesOf = (part: number) => dvhOf(part)?.warnings.map(({ code }) => code);

  beforeAll(async () => {
    server = await serveShared(
      writeDicom(structureSetElements(ROIS)),
      writeDose({ different: STORED }),
      writeDose({ uid: '2.25.731', offsets: 'absolute' }),
      writeDose({ uid: '2.25.732', offsets: 'descending' }),
      writeDose({ uid: '2.25.733', different: { DoseUnits: 'RELATIVE' } }),
      writeDose({ uid: '2.25.734', different: { DoseType: 'ERROR' } }),
      writeDose({ uid: '2.25.735', different: { DoseGridScaling: '' } }),
      writeDose({ uid: '2.25.736', planes: 1, different: { GridFrameOffsetVector: undefined } }),
      writeDose({ uid: '2.25.737', different: { FrameOfReferenceUID: '2.25.555' } }),
      writeDicom(structureSetElements([zigzag(1)], { SOPInstanceUID: '2.25.610' })),
    );
    answer = await fetchDvh(server, '/api/file/0/dvh?dose=1');
  });

  test('is that of the formula in a sphere', () => {
    expect(answer.dose).toEqual({
      units: 'GY',
      type: 'PHYSICAL',
      summation: 'PLAN',
      // The grid point next to the centre.
      maximum_gy: expect.closeTo(doseAt([6, -8, 3]), 2),
    });
    const dvh = dvhOf(1);
    // A third of the 3 mm of the dose is 1 mm, and a fortieth of the 40 mm of the sphere, too.
    expect(dvh).toMatchObject({ label: 'Sphere', warnings: [], step_mm: expect.closeTo(1, 2), planes: 13 });
    expectSphere(dvh);
    expect(dvh?.edges).toHaveLength(501);
    expect(dvh?.cumulative_cm3[0]).toBeCloseTo(dvh?.volume_cm3 ?? 0, 4);
    expect(dvh?.cumulative_cm3.every((volume, at, all) => at === 0 || volume <= all[at - 1]!)).toBe(true);
  });

  test('is the same whether the offsets of the dose are relative, absolute or descending', async () => {
    for (const dose of [ABSOLUTE, DESCENDING]) {
      const { dvhs } = await fetchDvh(server, `/api/file/0/dvh?dose=${dose}&parts=1`);
      expect(dvhs).toEqual([{ ...dvhOf(1), stored: null }]);
    }
  });

  test('counts contours inside others as holes, and says so', () => {
    // π (18² - 9²) in three slabs of 3 mm.
    expect(dvhOf(2)?.volume_cm3).toEqual(near((Math.PI * (18 ** 2 - 9 ** 2) * 9) / 1000, 0.005));
    expect(dvhOf(2)?.maximum).toBeLessThan(doseAt([X + 8, Y, Z]));
    expect(codesOf(2)).toEqual(['nested_contours']);
  });

  test('is left out where there is no dose, with its share', () => {
    expect(dvhOf(3)?.volume_cm3).toEqual(near((20 * 20 * 12) / 1000, 0.005));
    expect(dvhOf(3)?.inside_dose_grid).toEqual(near(10.5 / 20, 0.02));
    expect(dvhOf(3)?.minimum).toBeGreaterThan(0);
    expect(dvhOf(3)?.cumulative_cm3[0]).toEqual(near((10.5 * 20 * 12) / 1000, 0.02));
    expect(codesOf(3)).toEqual(['outside_dose_grid']);
    expect(dvhOf(4)).toMatchObject({ inside_dose_grid: 0, mean: null, d: { d50: null, d2cc: null } });
  });

  test('of a small one is measured between the samples of the dose', () => {
    // A cylinder of 2 mm radius and 9 mm.
    expect(dvhOf(5)).toMatchObject({
      volume_cm3: near((Math.PI * 4 * 9) / 1000, 0.01),
      step_mm: expect.closeTo(0.1, 3),
      d: { d2cc: null, d01cc: near(doseAt([X + 1, Y, Z + 3]), 0.01) },
    });
  });

  test('is told for any share, any volume and any dose', async () => {
    const names = ['D95', 'd2cc', 'D90%', 'D40cc', 'V60Gy', 'V0'];
    const [dvh] = (await fetchDvh(server, `/api/file/0/dvh?dose=1&parts=1&points=${names.join(',')}`)).dvhs;
    expect({ ...dvh, points: [] }).toEqual(dvhOf(1));
    const { points, volume_cm3: whole, d } = dvh!;
    expect(points.map(({ name }) => name)).toEqual(['D95', 'D2cc', 'D90', 'D40cc', 'V60Gy', 'V0Gy']);
    const [d95, d2cc, d90, d40cc, v60, v0] = points;
    // The same numbers as those that are always told.
    expect([d95!.dose, d2cc!.dose]).toEqual([d.d95, d.d2cc]);
    expect([d2cc!.volume_cm3, d2cc!.volume_percent]).toEqual([2, near(200 / whole!, 1e-6)]);
    // 90 % of the sphere are within 20 mm times the cube root of 0.9.
    expect(d90!.dose).toEqual(near(66 * Math.exp(-((RADIUS * Math.cbrt(0.9)) ** 2) / 1800), 0.005));
    expect(d40cc).toMatchObject({ dose: null, volume_cm3: 40 });
    expect(v60).toMatchObject({ dose: 60, volume_cm3: near(ANALYTIC.v60, 0.05) });
    // Between the volumes at the doses of the curve beside it.
    const above = dvh!.edges.findIndex((edge) => edge > 60);
    expect(v60!.volume_cm3).toBeLessThanOrEqual(dvh!.cumulative_cm3[above - 1]!);
    expect(v60!.volume_cm3).toBeGreaterThanOrEqual(dvh!.cumulative_cm3[above]!);
    expect(v60!.volume_percent).toEqual(near((100 * v60!.volume_cm3!) / whole!, 1e-6));
    expect(v0).toMatchObject({ dose: 0, volume_cm3: whole, volume_percent: 100 });
  });

  test('is the sum of several doses, also on other grids', async () => {
    const beams = await serveShared(
      writeDicom(structureSetElements(ROIS)),
      writeDose({ uid: '2.25.751', factor: 0.5, different: { DoseSummationType: 'BEAM', ...STORED } }),
      // Its planes are 1 mm higher.
      writeDose({ uid: '2.25.752', factor: 0.25, heights: HIGHER, different: { DoseSummationType: 'BEAM' } }),
      writeDose({ uid: '2.25.753' }),
    );
    const one = await fetchDvh(beams, '/api/file/0/dvh?dose=1&parts=1,3');
    const sum = await fetchDvh(beams, '/api/file/0/dvh?dose=1&plus=2&parts=1,3&points=V30Gy');
    const whole = await fetchDvh(server, '/api/file/0/dvh?dose=1&parts=1&points=V40Gy');
    expect([sum.dose_file_index, sum.plus_file_indices, sum.dose.summation]).toEqual([1, [2], 'BEAM']);
    const [sphere1] = sum.dvhs;
    const [expected] = whole.dvhs;
    expect(sphere1).toMatchObject({
      volume_cm3: expected!.volume_cm3,
      mean: near(0.75 * expected!.mean!, 0.003),
      minimum: near(0.75 * expected!.minimum!, 0.01),
      d: { d95: near(0.75 * expected!.d.d95!, 0.005), d2: near(0.75 * expected!.d.d2!, 0.005) },
      stored: null,
      warnings: [],
    });
    // 30 Gy of three quarters are 40 Gy of the whole.
    expect(sphere1!.points[0]!.volume_cm3).toEqual(near(expected!.points[0]!.volume_cm3!, 0.005));
    expect(one.dvhs[0]!.stored).not.toBeNull();
    // Where one of them is unknown, the sum is.
    expect(sum.dvhs[1]!.inside_dose_grid).toBeLessThanOrEqual(one.dvhs[1]!.inside_dose_grid!);

    const mixed = await fetchDvh(beams, '/api/file/0/dvh?dose=1&plus=2,3&parts=1');
    expect(mixed.dose.summation).toBeNull();
    expect(mixed.dvhs[0]!.warnings.map(({ code }) => code)).toEqual(['doses_overlap']);
  });

  test('is null for what encloses no volume, with the reason', () => {
    for (const part of [6, 7, 8]) {
      const nothing = { volume_cm3: null, mean: null, edges: [], warnings: [{ code: 'no_volume' }] };
      expect(dvhOf(part)).toMatchObject(nothing);
    }
  });

  test('is not beside a stored histogram of another type of dose', async () => {
    const stored = {
      ...STORED,
      DVHSequence: [storedDvh(1, { DoseType: 'EFFECTIVE' }), storedDvh(2, { DoseType: 'PHYSICAL' })],
    };
    const other = await serve(writeDicom(structureSetElements(ROIS)), writeDose({ different: stored }));
    const { dvhs } = await fetchDvh(other, '/api/file/0/dvh?dose=1&parts=1,2');
    expect(dvhs.map((one) => [one.part, one.stored === null])).toEqual([
      [1, true],
      [2, false],
    ]);
    expect(dvhs[0]?.warnings).toContainEqual({
      code: 'stored_dvh_unusable',
      message:
        'the histogram in the dose object is not shown, because its dose is of the type EFFECTIVE, and that of the grid is PHYSICAL',
    });
  });

  test('has the parts and the bins that were asked for', async () => {
    const some = await fetchDvh(server, '/api/file/0/dvh?dose=1&bins=16&parts=5,2,99');
    expect(some.dvhs.map(({ part }) => part)).toEqual([2, 5]);
    expect(some.dvhs[0]?.edges).toHaveLength(17);
    expect(some.dvhs[0]?.mean).toBe(dvhOf(2)?.mean);
  });

  test('is beside the histogram that the dose object has', () => {
    // Widths of bins of 10, 20 and 2 Gy, and the volume from each lower edge on.
    expect(dvhOf(1)?.stored).toEqual({
      type: 'CUMULATIVE',
      volume_units: 'CM3',
      edges: [0, 10, 30],
      cumulative: [40, 30, 10],
      minimum: null,
      mean: 17.5,
      maximum: null,
    });
    expect(dvhOf(2)?.stored).toMatchObject({ edges: [0, 10, 30, 32], cumulative: [80, 40, 10, 0] });
    expect(dvhOf(3)?.stored).toMatchObject({ volume_units: 'PERCENT', cumulative: [40, 30, 10] });
    for (const part of [5, 9]) {
      expect(dvhOf(part)?.stored).toBeNull();
      expect(codesOf(part)).toContain('stored_dvh_unusable');
    }
    expect([dvhOf(10)?.stored, dvhOf(11)?.stored]).toEqual([null, null]);
    expect(codesOf(10)).toEqual([]);
  });

  test('is refused, in this order of checks', async () => {
    const refusals = [
      ['/api/file/x/dvh', 400, 'invalid_path'],
      ['/api/file/99/dvh', 400, 'invalid_query'],
      ['/api/file/0/dvh?dose=1&bins=8', 400, 'invalid_query'],
      ['/api/file/99/dvh?dose=1', 404, 'not_found'],
      ['/api/file/0/dvh?dose=99', 404, 'not_found'],
      ['/api/file/1/dvh?dose=2', 400, 'bad_request'],
      ['/api/file/0/dvh?dose=0', 400, 'bad_request'],
      ['/api/file/0/dvh?dose=1&plus=1', 400, 'bad_request'],
      ['/api/file/0/dvh?dose=1&plus=0', 400, 'bad_request'],
      ['/api/file/0/dvh?dose=1&plus=99', 404, 'not_found'],
      ['/api/file/0/dvh?dose=1&points=D101', 400, 'invalid_query'],
      ['/api/file/0/dvh?dose=1&points=Q5', 400, 'invalid_query'],
      [`/api/file/0/dvh?dose=1&plus=${RELATIVE_UNITS}`, 422, 'dose_not_absolute'],
      [`/api/file/0/dvh?dose=1&plus=${ELSEWHERE}`, 422, 'semantic_mapping_unavailable'],
      [`/api/file/0/dvh?dose=${RELATIVE_UNITS}`, 422, 'dose_not_absolute'],
      [`/api/file/0/dvh?dose=${DIFFERENCE}`, 422, 'dose_not_absolute'],
      [`/api/file/0/dvh?dose=${UNSCALED}`, 422, 'dose_not_absolute'],
      [`/api/file/0/dvh?dose=${FLAT}`, 422, 'volume_unavailable'],
      [`/api/file/0/dvh?dose=${ELSEWHERE}`, 422, 'semantic_mapping_unavailable'],
      [`/api/file/${ZIGZAG}/dvh?dose=1`, 422, 'layer_too_large'],
    ] as const;
    for (const [path, status, code] of refusals) {
      const response = await server.request(path);
      expect.soft([response.status, (await response.json()).code], path).toEqual([status, code]);
    }
  });
});

test('the dose between planes at declared distances is interpolated, however different these are', async () => {
  const rois = [sphere(1)];
  // 2 mm up to the centre, then 4 mm, and from there to the end of the grid 10 mm.
  const heights = [-18, -16, -14, -12, -10, -8, -6, -4, -2, 0, 2, 6, 10, 14, 18, 22, 32];
  const server = await serve(
    writeDicom(structureSetElements(rois)),
    ...(['relative', 'absolute', 'descending'] as const).map((offsets, at) =>
      writeDose({ uid: `2.25.75${at}`, offsets, heights, different: { SliceThickness: '2' } }),
    ),
  );
  for (const dose of [1, 2, 3]) {
    const { dvhs } = await fetchDvh(server, `/api/file/0/dvh?dose=${dose}`);
    expectSphere(dvhs[0]);
    expect(dvhs[0]?.warnings).toEqual([]);
    const { volume, warnings } = await (await server.request(`/api/file/${dose}/volume`)).json();
    expect(volume.holes).toEqual([]);
    expect(warnings).toMatchObject([{ code: 'nonuniform_spacing' }]);
  }
});

test('the dose in a segment is that of the formula, whatever the type of the segmentation', async () => {
  const SIZE = 44;
  const planes = Array.from({ length: 14 }, (_, at) => Z + (at - 6.5) * STEP_MM);
  const inSphere = (z: number, value: number) =>
    Array.from({ length: SIZE * SIZE }, (_, i) => {
      const [x, y] = [X - 21.5 + (i % SIZE), Y - 21.5 + Math.floor(i / SIZE)];
      return (x - X) ** 2 + (y - Y) ** 2 + (z - Z) ** 2 <= RADIUS ** 2 ? value : 0;
    });
  const types = ['BINARY', 'FRACTIONAL', 'LABELMAP'] as const;
  const segmentations = types.map((type, at) => {
    const frames = planes.map((z) => ({
      samples: inSphere(z, type === 'FRACTIONAL' ? 255 : 1),
      plane: { ...AXIAL, position: [X - 21.5, Y - 21.5, z] },
    }));
    const elements = segmentationElements({ rows: SIZE, columns: SIZE, type, frames });
    return writeDicom({ ...elements, SOPInstanceUID: `2.25.62${at}` });
  });
  const server = await serve(writeDose(), ...segmentations);
  for (const [at] of types.entries()) {
    const { dvhs } = await fetchDvh(server, `/api/file/${at + 1}/dvh?dose=0`);
    expect(dvhs[0]).toMatchObject({ part: 1, label: 'segment 1', stored: null, warnings: [], planes: 14 });
    expectSphere(dvhs[0]);
    // The same number that the statistics of the segmentation have.
    const counted = await (await server.request(`/api/file/${at + 1}/segment-statistics`)).json();
    expect(dvhs[0]?.volume_cm3).toBeCloseTo(counted.segments[0].volume_mm3 / 1000, 3);
  }
});

test('a dose in another frame of reference is measured over a registration, and a stored histogram only of its set', async () => {
  // The registration moves by 7 mm, so the sphere is written 7 mm beside the dose.
  const registration = registrationElements({
    uid: '2.25.800',
    into: '2.25.555',
    items: [{ from: '2.25.500', matrices: [motion(0, [7, 0, 0])] }],
  });
  const different = {
    ...STORED,
    FrameOfReferenceUID: '2.25.555',
    ReferencedStructureSetSequence: [{ ReferencedSOPInstanceUID: '2.25.999' }],
  };
  const structures = structureSetElements([sphere(1, 'Sphere', -7)]);
  const server = await serve(writeDicom(structures), writeDose({ different }), writeDicom(registration));
  const { dvhs } = await fetchDvh(server, '/api/file/0/dvh?dose=1');
  expectSphere(dvhs[0]);
  expect(dvhs[0]?.warnings.map(({ code }) => code)).toEqual(['registered']);
  expect(dvhs[0]?.stored).toBeNull();
});
