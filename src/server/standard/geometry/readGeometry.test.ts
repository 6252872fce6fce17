import { describe, expect, test } from 'vitest';
import { ctElements } from '../../../../test/support/ctElements.ts';
import { enhancedElements } from '../../../../test/support/enhancedElements.ts';
import { placeLevel, slideElements } from '../../../../test/support/slideElements.ts';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { type DataSetInput, writeDicom } from '../dicom/writeDicom.ts';
import { type FrameGeometry, measuresAt, orientationAt, planeAt, pointAt } from './frameGeometry.ts';
import { readGeometry } from './readGeometry.ts';

const AXIAL = ['1', '0', '0', '0', '1', '0'];
const UNIT = { rowDirection: [1, 0, 0], columnDirection: [0, 1, 0] };

function read(elements: DataSetInput, frameCount = 1): FrameGeometry {
  return readGeometry(bufferSource(writeDicom(elements)), frameCount);
}

function pointsOf(geometry: FrameGeometry): unknown[] {
  return Array.from({ length: geometry.length }, (_, frame) => pointAt(geometry, frame));
}

function doubtsOf({ doubts }: FrameGeometry): Record<string, readonly [count: number, first: number]> {
  return Object.fromEntries(doubts.map(({ code, frameCount, firstFrame }) => [code, [frameCount, firstFrame]]));
}

/** Several frames without functional groups. */
function multiFrame(frames: number, different: DataSetInput): DataSetInput {
  const none = { SharedFunctionalGroupsSequence: undefined, PerFrameFunctionalGroupsSequence: undefined };
  return enhancedElements([], {
    ...none,
    NumberOfFrames: frames,
    PixelData: new Uint8Array(4 * frames),
    ...different,
  });
}

function groups(z: string, orientation: readonly string[], spacing: string): DataSetInput {
  return {
    PlanePositionSequence: [{ ImagePositionPatient: ['0', '0', z] }],
    PlaneOrientationSequence: [{ ImageOrientationPatient: orientation }],
    PixelMeasuresSequence: [{ PixelSpacing: [spacing, spacing], SpacingBetweenSlices: '3' }],
  };
}

/** A dose grid whose first plane is at z = 30 mm. */
function readGrid(offsets: readonly string[], different: DataSetInput = {}, frames = 2): FrameGeometry {
  const plane = { ImagePositionPatient: ['1', '2', '30'], ImageOrientationPatient: AXIAL, PixelSpacing: ['1', '1'] };
  return read(multiFrame(frames, { ...plane, GridFrameOffsetVector: [...offsets], ...different }), frames);
}

/** An NM reconstruction with three slices. */
function nuclear(different: DataSetInput): DataSetInput {
  return multiFrame(3, {
    ImageType: ['ORIGINAL', 'PRIMARY', 'RECON TOMO', 'EMISSION'],
    PixelSpacing: ['4', '4'],
    SpacingBetweenSlices: '-4',
    SliceVector: [1, 2, 3],
    DetectorInformationSequence: [{ ImagePositionPatient: ['1', '2', '3'], ImageOrientationPatient: AXIAL }],
    ...different,
  });
}

describe('an image of one frame', () => {
  test('has the plane of its attributes, without doubts', () => {
    const geometry = read(
      ctElements({
        ImagePositionPatient: ['1', '2', '3'],
        ImageOrientationPatient: AXIAL,
        PixelSpacing: ['0.5', '0.25'],
        FrameOfReferenceUID: '1.2.3',
      }),
    );
    expect(planeAt(geometry, 0)).toEqual({ position: [1, 2, 3], ...UNIT, rowSpacingMm: 0.5, columnSpacingMm: 0.25 });
    expect(geometry).toMatchObject({ space: 'patient', frameOfReferenceUid: '1.2.3', doubts: [], placesFrames: false });
  });

  test('that is a projection has the spacing of the detector, and no plane in the patient', () => {
    const geometry = read(ctElements({ ImagerPixelSpacing: ['0.2', '0.1'], PixelSpacing: undefined }));
    expect(measuresAt(geometry, 0)).toMatchObject({ spacingMm: [0.2, 0.1], source: 'imager', aspectRatio: 2 });
    expect(planeAt(geometry, 0)).toBeUndefined();
    expect(doubtsOf(geometry)).toEqual({ detector_spacing: [1, 0], no_orientation: [1, 0], no_position: [1, 0] });
  });

  test.each<[string, DataSetInput, string]>([
    ['a position of two numbers', { ImagePositionPatient: ['1', '2'] }, 'bad_position'],
    ['a position of four numbers', { ImagePositionPatient: ['1', '2', '3', '4'] }, 'bad_position'],
    [
      'directions that are not perpendicular',
      { ImageOrientationPatient: ['1', '0', '0', '1', '0', '0'] },
      'bad_orientation',
    ],
    [
      'directions that are not unit vectors',
      { ImageOrientationPatient: ['2', '0', '0', '0', '2', '0'] },
      'bad_orientation',
    ],
    ['a scanned film', { PixelSpacing: undefined, NominalScannedPixelSpacing: ['1', '1'] }, 'film_spacing'],
    ['an aspect ratio alone', { PixelSpacing: undefined, PixelAspectRatio: ['2', '1'] }, 'no_spacing'],
  ])('with %s has no plane, and a doubt gives the reason', (_, different, code) => {
    const placed = { ImagePositionPatient: ['1', '2', '3'], ImageOrientationPatient: AXIAL, PixelSpacing: ['1', '1'] };
    const geometry = read(ctElements({ ...placed, ...different }));
    expect(planeAt(geometry, 0)).toBeUndefined();
    expect(doubtsOf(geometry)).toEqual({ [code]: [1, 0] });
  });
});

describe('functional groups', () => {
  test('store each orientation and spacing once, with the frames that have it', () => {
    const sagittal = ['0', '1', '0', '0', '0', '-1'];
    const geometry = read(
      multiFrame(3, {
        PerFrameFunctionalGroupsSequence: [
          groups('1', AXIAL, '1'),
          groups('2', sagittal, '2'),
          groups('3', AXIAL, '1'),
        ],
      }),
      3,
    );
    expect([...geometry.orientations]).toEqual([1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, -1]);
    expect([...geometry.orientationOf]).toEqual([0, 1, 0]);
    expect([...geometry.measuresOf]).toEqual([0, 1, 0]);
    expect(geometry.measures.map(({ spacingMm, sliceSpacingMm }) => [spacingMm, sliceSpacingMm])).toEqual([
      [[1, 1], 3],
      [[2, 2], 3],
    ]);
    expect(pointsOf(geometry)).toEqual([
      [0, 0, 1],
      [0, 0, 2],
      [0, 0, 3],
    ]);
    expect(geometry).toMatchObject({ placesFrames: true, isSpatial: true, doubts: [] });
  });

  test('take precedence over attributes at the top level, which are used if there are none', () => {
    const top = { ImagePositionPatient: ['9', '9', '9'], ImageOrientationPatient: AXIAL, PixelSpacing: ['4', '4'] };
    const own = { PlaneOrientationSequence: [{ ImageOrientationPatient: ['0', '1', '0', '1', '0', '0'] }] };
    const geometry = read(multiFrame(2, { ...top, PerFrameFunctionalGroupsSequence: [own, {}] }), 2);
    expect(orientationAt(geometry, 0)).toEqual({ rowDirection: [0, 1, 0], columnDirection: [1, 0, 0] });
    expect(orientationAt(geometry, 1)).toEqual(UNIT);
    expect(measuresAt(geometry, 1)?.spacingMm).toEqual([4, 4]);
    // A position at the top level is that of the first frame; the file does not say that the others have the same
    // position.
    expect(pointsOf(geometry)).toEqual([[9, 9, 9], undefined]);
    expect(doubtsOf(geometry)).toEqual({ no_position: [1, 1] });
  });

  test('that all frames share describe a cine', () => {
    const geometry = read(
      multiFrame(2, {
        SharedFunctionalGroupsSequence: [
          {
            PlanePositionSequence: [{ ImagePositionPatient: ['4', '5', '6'] }],
            PlaneOrientationSequence: [{ ImageOrientationPatient: AXIAL }],
          },
        ],
        PerFrameFunctionalGroupsSequence: [{}, {}],
      }),
      2,
    );
    expect(pointsOf(geometry)).toEqual([
      [4, 5, 6],
      [4, 5, 6],
    ]);
    expect(geometry).toMatchObject({ placesFrames: true, isSpatial: false });
  });

  test('give a frame without its own groups what all frames share, but no position', () => {
    const geometry = read(enhancedElements([{ position: [0, 0, 1] }]), 2);
    expect(pointsOf(geometry)).toEqual([[0, 0, 1], undefined]);
    expect(orientationAt(geometry, 1)).toEqual(UNIT);
    expect(doubtsOf(geometry)).toEqual({ no_spacing: [2, 0], undescribed_frame: [1, 1], no_position: [1, 1] });
  });
});

test('the planes of an ultrasound volume are in the coordinates of the volume', () => {
  const geometry = read(
    multiFrame(2, {
      FrameOfReferenceUID: '1.2.1',
      VolumeFrameOfReferenceUID: '1.2.2',
      SharedFunctionalGroupsSequence: [
        { PlaneOrientationVolumeSequence: [{ ImageOrientationVolume: [1, 0, 0, 0, 1, 0] }] },
      ],
      PerFrameFunctionalGroupsSequence: [7, 3].map((z) => ({
        PlanePositionVolumeSequence: [{ ImagePositionVolume: [0, 0, z] }],
      })),
    }),
    2,
  );
  expect(pointsOf(geometry)).toEqual([
    [0, 0, 7],
    [0, 0, 3],
  ]);
  expect(geometry).toMatchObject({ space: 'volume', frameOfReferenceUid: '1.2.2', isSpatial: true });
  expect(doubtsOf(geometry)).toEqual({ volume_space: [2, 0], no_spacing: [2, 0] });
});

describe('a dose grid', () => {
  test('with offsets from 0 has its planes along the normal, in either direction', () => {
    expect(pointsOf(readGrid(['0', '2.5']))).toEqual([
      [1, 2, 30],
      [1, 2, 32.5],
    ]);
    // Sagittal: the row runs along y and the column against z, so the normal y x -z is -x.
    const sagittal = { ImageOrientationPatient: ['0', '1', '0', '0', '0', '-1'] };
    expect(pointsOf(readGrid(['0', '-4'], sagittal))).toEqual([
      [1, 2, 30],
      [5, 2, 30],
    ]);
  });

  test('with offsets from the height of its origin has absolute heights', () => {
    const geometry = readGrid(['30', '27.5']);
    expect(pointsOf(geometry)).toEqual([
      [1, 2, 30],
      [1, 2, 27.5],
    ]);
    expect(geometry).toMatchObject({ placesFrames: true, isSpatial: true, doubts: [] });
  });

  test('with offsets that the standard does not define has a doubt', () => {
    expect(doubtsOf(readGrid(['5', '8']))).toEqual({ dose_offsets: [2, 0] });
    const coronal = { ImageOrientationPatient: ['1', '0', '0', '0', '0', '-1'] };
    const geometry = readGrid(['30', '32'], coronal);
    expect(pointsOf(geometry)).toEqual([[1, 2, 30], undefined]);
    expect(doubtsOf(geometry)).toEqual({ dose_offsets: [2, 0], no_position: [1, 1] });
  });

  test('with fewer offsets than frames leaves the other frames without a position', () => {
    const geometry = readGrid(['0', '3'], {}, 4);
    expect(pointsOf(geometry).slice(1)).toEqual([[1, 2, 33], undefined, undefined]);
    expect(doubtsOf(geometry)).toEqual({ dose_offset_count: [2, 2], no_position: [2, 2] });
  });
});

describe('nuclear medicine', () => {
  test('has the slices of a reconstruction along the normal, in the direction of the sign of their spacing', () => {
    const geometry = read(nuclear({}), 3);
    expect(pointsOf(geometry)).toEqual([
      [1, 2, 3],
      [1, 2, -1],
      [1, 2, -5],
    ]);
    // It is shown in stored order.
    expect(geometry).toMatchObject({ placesFrames: false, doubts: [] });
  });

  test('has no plane for projections', () => {
    const geometry = read(nuclear({ ImageType: ['ORIGINAL', 'PRIMARY', 'TOMO', 'EMISSION'] }), 3);
    expect(doubtsOf(geometry)).toEqual({ no_orientation: [3, 0], no_position: [3, 0] });
  });
});

describe('the tiles of a slide', () => {
  // Nine tiles of 6 rows and 10 columns, three across, with pixels of 0.5 mm: 5 mm wide, 3 mm high.
  test('of a full tiling are placed row by row from the origin', () => {
    const geometry = read(slideElements(placeLevel(20, 10, '0.5')), 9);
    expect(geometry.space).toBe('slide');
    expect([0, 1, 3, 8].map((frame) => pointAt(geometry, frame))).toEqual([
      [20, 10, 0],
      [25, 10, 0],
      [20, 13, 0],
      [30, 16, 0],
    ]);
    expect(geometry).toMatchObject({ placesFrames: false, doubts: [] });
  });

  test('of a part of a level continue where the previous part ends', () => {
    const part = { ...placeLevel(20, 10, '0.5'), ConcatenationFrameOffsetNumber: 4, NumberOfFrames: 5 };
    expect(pointAt(read(slideElements(part), 5), 0)).toEqual([25, 13, 0]);
  });

  test('that declare their positions are placed there', () => {
    const place = { XOffsetInSlideCoordinateSystem: '7', YOffsetInSlideCoordinateSystem: '8' };
    const sparse = {
      ...placeLevel(20, 10, '0.5'),
      DimensionOrganizationType: 'TILED_SPARSE',
      NumberOfFrames: 2,
      PerFrameFunctionalGroupsSequence: [{ PlanePositionSlideSequence: [place] }, {}],
    };
    const geometry = read(slideElements(sparse), 2);
    expect(pointsOf(geometry)).toEqual([[7, 8, 0], undefined]);
    expect(doubtsOf(geometry)).toEqual({ no_position: [1, 1] });
  });

  test('that declare rows and columns are placed by them only without offsets, which they are compared with', () => {
    // Counted from 1: column 11 is 5 mm from the origin at (20, 10), and row 5 is 2 mm.
    const place = { ColumnPositionInTotalImagePixelMatrix: 11, RowPositionInTotalImagePixelMatrix: 5 };
    const at = (x: string, y: string) => ({
      ...place,
      XOffsetInSlideCoordinateSystem: x,
      YOffsetInSlideCoordinateSystem: y,
    });
    const sparse = {
      ...placeLevel(20, 10, '0.5'),
      DimensionOrganizationType: 'TILED_SPARSE',
      NumberOfFrames: 4,
      // 0.2 mm are less than half a pixel, 0.3 mm are more.
      PerFrameFunctionalGroupsSequence: [place, at('25', '12'), at('25.2', '12'), at('25', '12.3')].map((item) => ({
        PlanePositionSlideSequence: [item],
      })),
    };
    const geometry = read(slideElements(sparse), 4);
    expect(pointsOf(geometry)).toEqual([
      [25, 12, 0],
      [25, 12, 0],
      [25.2, 12, 0],
      [25, 12.3, 0],
    ]);
    expect(doubtsOf(geometry)).toEqual({ tile_offsets: [1, 3] });
    expect(geometry.tiles).toMatchObject({ totalRows: 14, totalColumns: 25, originMm: [20, 10] });
    expect([...(geometry.tiles?.places ?? [])]).toEqual([10, 4, 10, 4, 10, 4, 10, 4]);
  });
});

test('only the wanted number of values is read', () => {
  // A vector of 100,000 offsets for two frames.
  const offsets = Array.from({ length: 100_000 }, (_, at) => String(at));
  const plane = { ImagePositionPatient: ['1', '2', '30'], ImageOrientationPatient: AXIAL };
  const elements = multiFrame(2, { ...plane, GridFrameOffsetVector: offsets });
  const bytes = writeDicom(elements, { transferSyntaxUid: '1.2.840.10008.1.2' });
  const source = bufferSource(bytes);
  let longest = 0;
  const counting = {
    ...source,
    read(offset: number, length: number) {
      longest = Math.max(longest, length);
      return source.read(offset, length);
    },
  };
  expect(pointsOf(readGeometry(counting, 2))).toHaveLength(2);
  expect(longest).toBeLessThan(bytes.length / 2);
});
