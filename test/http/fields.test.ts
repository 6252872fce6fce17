import { describe, expect, test } from 'vitest';
import { type FieldPacket, decodeField, valueOfField } from '../../src/shared/fieldPacket.ts';
import { pixelToPatient, type Vector3 } from '../../src/shared/geometry.ts';
import type { LayerResponse, LayersResponse } from '../../src/shared/contract/layerAnswers.ts';
import type { PlaneGrid } from '../../src/shared/planeGrid.ts';
import {
  CT_ORIGIN,
  CT_SIZE,
  CT_SPACING_MM,
  CT_STEP_MM,
  DOSE_CENTRE,
  DOSE_SIZE,
  doseAt,
  writeCt,
  writeDose,
  writePet,
  writePlan,
} from '../support/fieldFiles.ts';
import { FRAME_OF_REFERENCE } from '../support/placedElements.ts';
import { turn } from '../support/rampVolume.ts';
import { serve, type TestServer } from '../support/serve.ts';

const { slices, rows, columns } = CT_SIZE;
/** The files are served in the order in which they are given: the CT first. */
const [DOSE, PLAN] = [slices, slices + 1];

function gridOfSlice(slice: number): PlaneGrid {
  return {
    position: [CT_ORIGIN[0], CT_ORIGIN[1], CT_ORIGIN[2] + slice * CT_STEP_MM],
    rowDirection: [1, 0, 0],
    columnDirection: [0, 1, 0],
    rowSpacingMm: CT_SPACING_MM,
    columnSpacingMm: CT_SPACING_MM,
    rows,
    columns,
  };
}

async function fetchField(server: TestServer, path: string): Promise<FieldPacket> {
  const response = await server.request(path);
  expect(response.status).toBe(200);
  return decodeField(await response.arrayBuffer());
}

function planePath(layer: number, grid: PlaneGrid, more = ''): string {
  const { position, rowDirection, columnDirection, rowSpacingMm, columnSpacingMm } = grid;
  const plane = [
    `frame_of_reference=${FRAME_OF_REFERENCE}`,
    `position=${position.join()}`,
    `orientation=${[...rowDirection, ...columnDirection].join()}`,
    `spacing=${rowSpacingMm},${columnSpacingMm}&rows=${grid.rows}&columns=${grid.columns}${more}`,
  ];
  return `/api/layer/${layer}/plane?${plane.join('&')}`;
}

/**
 * The largest difference from the formula of the dose over all pixels of a picture where the packet has a value, between
 * the outermost centres of samples: half a sample beyond them, the value is that of the outermost one.
 */
function compare(packet: FieldPacket, grid: PlaneGrid) {
  let [difference, count] = [0, 0];
  for (let row = 0; row < grid.rows; row += 1) {
    for (let column = 0; column < grid.columns; column += 1) {
      const value = packet.item && valueOfField(packet.item, column, row);
      if (value === undefined) continue;
      count += 1;
      const point = pixelToPatient(grid, { row, column });
      if (isBetweenCentres(point)) difference = Math.max(difference, Math.abs(value - doseAt(point)));
    }
  }
  return { difference, count };
}

/** The dose has samples every 3 mm from (-30, -35, -18): 24 columns, 20 rows, 14 planes. */
function isBetweenCentres([x, y, z]: Vector3): boolean {
  return x >= -30 && x <= 39 && y >= -35 && y <= 22 && z >= -18 && z <= 21;
}

async function describeLayer(server: TestServer, layer: number): Promise<LayerResponse> {
  const response = await server.request(`/api/layer/${layer}`);
  expect(response.status).toBe(200);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract test checks it
  return (await response.json()) as LayerResponse;
}

const EFFECTIVE = { DoseType: 'EFFECTIVE' };

describe('a dose over the images of its frame of reference', () => {
  test('has the values of the dose on the grid of the dose', async () => {
    const server = await serve(...writeCt(), writeDose(), writePlan());
    // Slice 10 at z = 18 is plane 12 of the dose, which begins at -18 and has a plane every 3 mm.
    const packet = await fetchField(server, `/api/layer/${DOSE}/frame?file=10&frame=0`);
    expect([packet.rows, packet.columns]).toEqual([rows, columns]);
    expect([packet.item?.rows, packet.item?.columns]).toEqual([DOSE_SIZE.rows, DOSE_SIZE.columns]);
    // The first sample of the dose at x = -30, y = -35 lies 18 and 1 mm from that of the CT, which has 1.5 mm.
    expect(packet.item?.toTarget).toEqual([2, 0, 0, 2, 12, expect.closeTo(1 / 1.5, 9)]);
    expect(packet.item?.isInterpolated).toBe(false);
    const grid = gridOfSlice(10);
    for (const [row, column] of [
      [0, 0],
      [7, 12],
      [19, 23],
    ] as const) {
      const at = { column: 12 + 2 * column, row: 1 / 1.5 + 2 * row };
      // Half a step of Dose Grid Scaling.
      expect(valueOfField(packet.item!, at.column, at.row)).toBeCloseTo(doseAt(pixelToPatient(grid, at)), 2);
    }
    // Between grid points, linear interpolation of the formula is within 0.5 % of the maximum of 66 Gy.
    const { difference, count } = compare(packet, grid);
    expect(difference).toBeLessThan(0.33);
    expect(count).toBeGreaterThan(40 * 48 - 1);
    // The dose does not reach the left border of the CT.
    expect(valueOfField(packet.item!, 3, 10)).toBeUndefined();
  });

  test('is interpolated between its planes, over stored frames and over any plane alike', async () => {
    const server = await serve(...writeCt(), writeDose(), writePlan());
    const grid = gridOfSlice(5);
    const overFrame = await fetchField(server, `/api/layer/${DOSE}/frame?file=5&frame=0`);
    const overPlane = await fetchField(server, planePath(DOSE, grid));
    expect(overPlane).toEqual(overFrame);
    expect(overFrame.item?.isInterpolated).toBe(true);
    expect(compare(overFrame, grid).difference).toBeLessThan(0.33);
    const coronal: PlaneGrid = {
      ...gridOfSlice(0),
      position: [CT_ORIGIN[0], -8.5, 20],
      columnDirection: [0, 0, -1],
      rows: 30,
    };
    const cut = await fetchField(server, planePath(DOSE, coronal));
    expect([cut.item?.rows, cut.item?.columns]).toEqual([DOSE_SIZE.planes, DOSE_SIZE.columns]);
    expect(compare(cut, coronal).difference).toBeLessThan(0.33);
    const oblique: PlaneGrid = { ...gridOfSlice(5), ...turn(0.3, 0.2, 0.4), position: [-20, -40, 0] };
    const cutObliquely = await fetchField(server, planePath(DOSE, oblique));
    const { difference, count } = compare(cutObliquely, oblique);
    expect(count).toBeGreaterThan(500);
    expect(difference).toBeLessThan(0.5);
  });

  test('is combined with others in planes, and not where their values mean something else', async () => {
    const half = DOSE_SIZE.planes / 2;
    // Half as strong, with planes 1 mm higher that end in the middle; one of another type, a relative one, one elsewhere.
    const heights = Array.from({ length: half }, (_, plane) => -17 + 3 * plane);
    const doses = [
      writeDose(),
      writeDose({ uid: '2.25.731', factor: 0.5, heights }),
      writeDose({ uid: '2.25.732', factor: 0.25 }),
      writeDose({ uid: '2.25.733', different: EFFECTIVE }),
      writeDose({ uid: '2.25.734', different: { DoseUnits: 'RELATIVE' } }),
      writeDose({ uid: '2.25.735', different: { FrameOfReferenceUID: '2.25.99' } }),
    ];
    const server = await serve(...writeCt(), ...doses);
    const [other, third, effective, relative, elsewhere] = [1, 2, 3, 4, 5].map((at) => DOSE + at);
    const combined = [
      [`plus=${other}`, 1.5],
      [`minus=${other}`, 0.5],
      [`plus=${third}&minus=${other}`, 0.75],
      [`plus=${other},${third}`, 1.75],
    ] as const;
    const grid = gridOfSlice(3);
    for (const [query, factor] of combined) {
      const overFrame = await fetchField(server, `/api/layer/${DOSE}/frame?file=3&frame=0&${query}`);
      expect(await fetchField(server, planePath(DOSE, grid, `&${query}`))).toEqual(overFrame);
      const { scale, offset, missing, samples, ...item } = overFrame.item!;
      expect([scale, offset, missing, samples.constructor, item.isInterpolated]).toEqual([
        1,
        0,
        undefined,
        Float32Array,
        true,
      ]);
      const at = { column: 12 + 2 * 11, row: 1 / 1.5 + 2 * 9 };
      const expected = factor * doseAt(pixelToPatient(grid, at));
      // Linear interpolation of each between planes is within 0.5 % of its highest value of 66 Gy.
      expect(Math.abs(valueOfField(overFrame.item!, at.column, at.row)! - expected)).toBeLessThan(0.6);
    }
    // The sum is unknown where one of them is: the other dose ends 20 mm below the highest slice.
    const above = await fetchField(server, `/api/layer/${DOSE}/frame?file=9&frame=0&plus=${other}`);
    expect(valueOfField(above.item!, 34, 19)).toBeUndefined();

    const slab = planePath(DOSE, grid, '&slab=6');
    for (const [path, code, words] of [
      [`${slab}&plus=${other}`, 'semantic_mapping_unavailable', /combined in planes/],
      [`/api/layer/${DOSE}/frame?file=3&frame=0&plus=${effective}`, 'dose_not_absolute', /of another type/],
      [`/api/layer/${DOSE}/frame?file=3&frame=0&minus=${relative}`, 'dose_not_absolute', /relative/],
      [
        `/api/layer/${DOSE}/frame?file=3&frame=0&plus=${elsewhere}`,
        'semantic_mapping_unavailable',
        /frames of reference/,
      ],
      [`/api/layer/${DOSE}/frame?file=3&frame=0&plus=${DOSE}`, 'bad_request', /with itself/],
      [`/api/layer/${DOSE}/frame?file=3&frame=0&plus=3`, 'bad_request', /file 3 is no dose/],
      [`/api/layer/${DOSE}/frame?file=3&frame=0&plus=99`, 'not_found', /99/],
      [`/api/layer/0/frame?file=3&frame=0&plus=${other}`, 'bad_request', /file 0 is no dose/],
    ] as const) {
      const refused = await server.request(path);
      expect([path, await refused.json()]).toEqual([path, { code, error: expect.stringMatching(words) }]);
    }
    expect((await server.request(slab)).status).toBe(200);
  });

  test('is the same whether its offsets are relative, absolute or descending', async () => {
    const forms = ['relative', 'absolute', 'descending'] as const;
    const server = await serve(
      ...writeCt(),
      ...forms.map((offsets, at) => writeDose({ offsets, uid: `2.25.73${at + 1}` })),
    );
    const packets = await Promise.all(
      forms.map((_, at) => fetchField(server, `/api/layer/${slices + at}/frame?file=4&frame=0`)),
    );
    expect(packets[1]).toEqual(packets[0]);
    expect(packets[2]).toEqual(packets[0]);
  });

  test('of one plane lies over the images in that plane, and over no other', async () => {
    const dose = writeDose({ planes: 1, different: { GridFrameOffsetVector: undefined, NumberOfFrames: undefined } });
    const server = await serve(...writeCt(), dose);
    // z = -18, that of the first plane of the grid, and of slice 1.
    const { targets, placement, value_range } = await describeLayer(server, DOSE);
    expect(placement.status).toBe('direct');
    expect(targets).toEqual([{ file_index: 1, frame_indices: [0] }]);
    expect(value_range?.[1]).toBeCloseTo(doseAt([6, -8, -18]), 2);
    const packet = await fetchField(server, `/api/layer/${DOSE}/frame?file=1&frame=0`);
    expect(packet.item?.isInterpolated).toBe(false);
    const grid = gridOfSlice(1);
    expect(compare(packet, grid).count).toBeGreaterThan(40 * 48 - 1);
    expect(compare(packet, grid).difference).toBeLessThan(0.33);
    expect((await fetchField(server, `/api/layer/${DOSE}/frame?file=2&frame=0`)).item).toBeUndefined();
    // It is still no volume, so nothing is made of it in other planes.
    expect(await (await server.request(`/api/file/${DOSE}/volume`)).json()).toMatchObject({
      volume: null,
      refusal: { reason: 'single_place' },
    });
  });

  test('names the prescription of its plan as 100 %, and its own maximum otherwise', async () => {
    const server = await serve(...writeCt(), writeDose(), writePlan());
    const { kind, units, value_range, reference_values, default_levels, targets, placement } = await describeLayer(
      server,
      DOSE,
    );
    expect(kind).toBe('field');
    expect(units).toEqual({ label: 'Gy', kind: 'gy' });
    expect(placement.status).toBe('direct');
    // The dose reaches from -19.5 to 22.5 mm: all slices but the first, at -22.
    expect(targets.map(({ file_index }) => file_index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    // The grid point next to the centre (5, -8, 2) is (6, -8, 3).
    const highest = doseAt([6, -8, 3]);
    expect(value_range?.[1]).toBeCloseTo(highest, 2);
    expect(reference_values).toEqual([
      {
        value: 60,
        unit: 'Gy',
        source: 'target_prescription',
        source_file_index: PLAN,
        label: 'target prescription of plan Boost, PTV',
      },
      {
        value: 54,
        unit: 'Gy',
        source: 'target_prescription',
        source_file_index: PLAN,
        label: 'target prescription of plan Boost',
      },
      {
        value: expect.closeTo(highest, 2),
        unit: 'Gy',
        source: 'maximum',
        source_file_index: null,
        label: 'maximum of the dose',
      },
    ]);
    expect(default_levels).toEqual([66, 63, 60, 57, 54, 48, 42, 30, 18]);

    const alone = await serve(...writeCt(), writeDose());
    const described = await describeLayer(alone, DOSE);
    expect(described.reference_values.map(({ source }) => source)).toEqual(['maximum']);
    expect(described.default_levels[0]).toBeCloseTo(0.95 * highest, 2);
  });

  test('divides the prescription for a fraction, and has none for a beam', async () => {
    const server = await serve(
      ...writeCt(),
      writeDose({ uid: '2.25.731', different: { DoseSummationType: 'FRACTION' } }),
      writeDose({ uid: '2.25.732', different: { DoseSummationType: 'BEAM' } }),
      writePlan(),
    );
    const [fraction, beam] = [await describeLayer(server, slices), await describeLayer(server, slices + 1)];
    expect([fraction.description, beam.description]).toEqual([
      'physical dose of a fraction',
      'physical dose of a beam',
    ]);
    expect(fraction.reference_values[0]).toMatchObject({
      value: 2,
      label: 'target prescription of plan Boost, PTV for one fraction',
    });
    expect(beam.reference_values.map(({ source }) => source)).toEqual(['maximum']);
  });

  test.each([
    [{ DoseUnits: 'RELATIVE' }, { label: 'relative', kind: 'relative' }, 'dose_not_absolute'],
    [EFFECTIVE, { label: 'Gy (effective)', kind: 'gy' }, 'dose_effective'],
    [{ DoseType: 'ERROR' }, { label: 'Gy (error)', kind: 'gy' }, 'dose_error'],
    [{ DoseGridScaling: '' }, { label: '', kind: 'stored' }, 'dose_not_scaled'],
  ])('is called what it is with %j', async (different, units, warning) => {
    const server = await serve(...writeCt(), writeDose({ different }), writePlan());
    const described = await describeLayer(server, DOSE);
    expect(described.units).toEqual(units);
    expect(described.warnings.map(({ code }) => code)).toEqual([warning]);
    const sources = described.reference_values.map(({ source }) => source);
    expect(sources.includes('target_prescription')).toBe(different === EFFECTIVE);
  });
});

describe('other volumes over images', () => {
  test('are listed for a picture, and the stack itself is not', async () => {
    const server = await serve(...writeCt(), writeDose(), ...writePet());
    const response = await server.request('/api/layers?file=5&frame=0');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract test checks it
    const { layers } = (await response.json()) as LayersResponse;
    // One line for each stack, by its first file.
    expect(layers.map(({ layer, kind, title, touches_frame }) => [layer, kind, title, touches_frame])).toEqual([
      [DOSE, 'field', 'Dose', true],
      [DOSE + 1, 'field', 'FDG', true],
    ]);
    const overPet = await server.request(`/api/layers?file=${DOSE + 1}&frame=0`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract test checks it
    const { layers: under } = (await overPet.json()) as LayersResponse;
    expect(under.map(({ layer }) => layer)).toEqual([0, DOSE]);
  });

  test('have the values of each slice, whatever its rescale', async () => {
    const server = await serve(...writeCt(), ...writePet());
    // z = 2: slice 5 of the PET, and slice 6 of the CT.
    const packet = await fetchField(server, `/api/layer/${slices}/frame?file=6&frame=0`);
    const grid = gridOfSlice(6);
    const at = (point: Vector3) => {
      const [x, y] = [(point[0] - grid.position[0]) / CT_SPACING_MM, (point[1] - grid.position[1]) / CT_SPACING_MM];
      return valueOfField(packet.item!, x, y);
    };
    // Values were rounded to steps of 1.5 Bq/ml.
    expect(Math.abs(at(DOSE_CENTRE)! - 20_000)).toBeLessThan(1);
    expect(Math.abs(at([5, 30, 2])! - 2_000)).toBeLessThan(1);
    expect((await describeLayer(server, slices)).units).toEqual({ label: 'Bq/ml', kind: 'modality' });
  });

  test('are refused in another frame of reference and for stacks that are no volumes', async () => {
    const elsewhere = writeDose({ different: { FrameOfReferenceUID: '2.25.999' } });
    const [single] = writeCt();
    const server = await serve(single!, elsewhere);
    const refused = await server.request('/api/layer/1/frame?file=0&frame=0');
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ code: 'semantic_mapping_unavailable' });
    const flat = await server.request('/api/layer/0');
    expect(flat.status).toBe(422);
    expect(await flat.json()).toMatchObject({ code: 'volume_unavailable' });
  });
});
