import type { DataSetInput } from '../../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../../src/server/standard/dicom/writeDicom.ts';
import { FRAME_OF_REFERENCE } from '../../support/placedElements.ts';
import {
  contentItem,
  fiducialElements,
  measuredElements,
  measurementGroup,
  reportElements,
  scoord,
  scoord3d,
  slideAnnotationElements,
} from '../../support/regionElements.ts';
import { type HostileFile, layer } from '../hostileFile.ts';

const SHOWN = { layer: 'shown', plane: 'shown' } as const;
const REFUSED = { layer: 'layer_too_large', plane: 'layer_too_large' } as const;
/** Nothing that planes could cut. */
const NOT_IN_SPACE = { layer: 'shown', plane: 'semantic_mapping_unavailable' } as const;

const POINT = scoord3d('POINT', [5, 5, 0], FRAME_OF_REFERENCE);

/** Reports, fiducials and annotations of slides with too much in them, and with coordinates that are none. */
export const regions: readonly HostileFile[] = [
  layer('a report of 30,000 regions in one plane', { layer: 'shown', plane: 'layer_too_large' }, () =>
    report([
      measurementGroup(
        'many',
        Array.from({ length: 30_000 }, () => POINT),
      ),
    ]),
  ),
  // The rest is more than 512 MiB leave for regions.
  layer('20,000 groups of measurements', REFUSED, () =>
    report(Array.from({ length: 20_000 }, () => measurementGroup('again', [POINT]))),
  ),
  layer('a region of two million points', REFUSED, () =>
    report([measurementGroup('long', [long3d(new Float32Array(6_000_000).fill(1))])]),
  ),
  layer('regions whose coordinates are no numbers', SHOWN, () =>
    report([
      measurementGroup('none', [
        scoord3d('POLYGON', [NaN, Infinity, -Infinity, 1e38, -1e38, 0, 1, 2, 3], FRAME_OF_REFERENCE),
        scoord3d('ELLIPSOID', [1, 2, 3], FRAME_OF_REFERENCE),
        scoord3d(
          'ELLIPSE',
          Array.from({ length: 12 }, () => 1),
          FRAME_OF_REFERENCE,
        ),
        scoord3d('POLYLINE', [], FRAME_OF_REFERENCE),
        scoord('CIRCLE', [1, 2, 3], '2.25.1', { frames: [0, -1, 2_147_483_647] }),
      ]),
    ]),
  ),
  layer('content that is 500 levels deep', NOT_IN_SPACE, () => {
    let item = scoord('POINT', [1, 1], '2.25.1');
    for (let level = 0; level < 500; level += 1) item = contentItem('CONTAINER', ['1', '2', '3'], {}, [item]);
    return report([item]);
  }),
  layer('items that refer to each other', NOT_IN_SPACE, () =>
    report([
      contentItem('SCOORD', ['1', '2', '3'], { GraphicType: 'POINT', GraphicData: [1, 1] }, [
        { RelationshipType: 'SELECTED FROM', ReferencedContentItemIdentifier: [1, 1, 1, 1, 1, 1, 1, 1] },
        { RelationshipType: 'SELECTED FROM', ReferencedContentItemIdentifier: Array.from({ length: 5000 }, () => 1) },
      ]),
    ]),
  ),
  layer('20,000 fiducials', REFUSED, () =>
    writeDicom(
      fiducialElements(
        Array.from({ length: 20_000 }, (_, i) => ({
          name: String(i),
          shape: ['LINE', 'PLANE', 'T_SHAPE', 'POINT'][i % 4]!,
          points: [
            [1, 2, i],
            [2, 3, i],
            [1, 5, i],
          ].slice(0, [2, 3, 3, 1][i % 4]),
        })),
        FRAME_OF_REFERENCE,
      ),
    ),
  ),
  layer('fiducials with points that do not fit their shapes', SHOWN, () =>
    writeDicom(
      fiducialElements(
        ['POINT', 'LINE', 'PLANE', 'SURFACE', 'RULER', 'L_SHAPE', 'T_SHAPE', 'SHAPE', 'STAR'].flatMap((shape) => [
          { name: shape, shape, points: [] },
          { name: shape, shape, points: [[1, 2]] },
          {
            name: shape,
            shape,
            points: [
              [1, 1, 1],
              [1, 1, 1],
              [1, 1, 1],
              [1, 1, 1],
              [1e300, 1, 1],
            ],
          },
          {
            name: shape,
            shape,
            points: [
              [1, 1, 1],
              [1, 1, 1],
              [1, 1, 1],
            ],
            uncertaintyMm: NaN,
          },
        ]),
        FRAME_OF_REFERENCE,
      ),
    ),
  ),
  layer('50,000 groups of one annotation', NOT_IN_SPACE, () =>
    writeDicom(slideAnnotationElements(Array.from({ length: 50_000 }, () => ({ type: 'POINT', values: [1, 1] })))),
  ),
  layer('annotations whose lists are out of order', NOT_IN_SPACE, () =>
    writeDicom(
      slideAnnotationElements([
        { type: 'POLYGON', values: [1, 2, 3, 4, 5, 6], indices: [5, 3, 1, 0, 4_294_967_295, 2] },
        { type: 'POLYLINE', values: [], indices: [1, 1, 1] },
        { type: 'POLYGON', values: [1, 2, 3, 4, 5, 6], indices: [] },
        { type: 'RECTANGLE', values: [NaN, 1, 1e38, 1, 3, 4, 5], count: 4_294_967_295 },
      ]),
    ),
  ),
  layer('measured values of one annotation by the million, and two thousand measurements', NOT_IN_SPACE, () =>
    writeDicom(
      slideAnnotationElements([
        {
          type: 'POINT',
          values: [1, 1],
          different: {
            MeasurementsSequence: [
              {
                ...measuredElements('long', '1', []),
                MeasurementValuesSequence: [
                  {
                    FloatingPointValues: new Uint8Array(8_000_000),
                    AnnotationIndexList: new Uint8Array(8_000_000).fill(255),
                  },
                ],
              },
              ...Array.from({ length: 2000 }, () => measuredElements('again', '1', [NaN, 1], [4_294_967_295, 0])),
            ],
          },
        },
      ]),
    ),
  ),
  layer('two million annotations in one place', { ...REFUSED, plane: NOT_IN_SPACE.plane }, () =>
    writeDicom(
      slideAnnotationElements([
        {
          type: 'POINT',
          values: [],
          different: { PointCoordinatesData: new Uint8Array(new Float32Array(4_000_000).fill(1).buffer) },
        },
      ]),
    ),
  ),
  layer('an annotation of a million points', NOT_IN_SPACE, () =>
    writeDicom(
      slideAnnotationElements([
        {
          type: 'POLYGON',
          values: [],
          indices: [1],
          different: {
            PointCoordinatesData: new Uint8Array(
              Float32Array.from({ length: 2_000_000 }, (_, i) => (i * 7919) % 1000).buffer,
            ),
          },
        },
      ]),
    ),
  ),
];

function report(groups: readonly DataSetInput[]): Uint8Array {
  return writeDicom(reportElements(groups));
}

/** In explicit VR, a list of floats has 64 KiB at most; as unknown it may be longer. */
function long3d(values: Float32Array): DataSetInput {
  const data = { vr: 'UN', value: new Uint8Array(values.buffer) };
  return { ...scoord3d('POLYLINE', [], FRAME_OF_REFERENCE), GraphicData: data };
}
