import type { DataSetInput } from '../../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../../src/server/standard/dicom/writeDicom.ts';
import { explicit, item, join, part10 } from '../../support/rawElements.ts';
import {
  circle,
  structureSetElements,
  type WrittenContour,
  type WrittenRoi,
} from '../../support/structureSetElements.ts';
import { type HostileFile, layer } from '../hostileFile.ts';

const SHOWN = { layer: 'shown', plane: 'shown' } as const;
const REFUSED = { layer: 'layer_too_large', plane: 'layer_too_large' } as const;
/** Contours in the plane that the test asks for, which goes through the origin. */
const DISC = circle([5, 5, 0], 4, 12);

/** Structure sets with too many contours, points and ROIs, and with coordinates that are none. */
export const structureSets: readonly HostileFile[] = [
  layer('a million contours', SHOWN, () => raw(repeatedItem(contourItem('CLOSED_PLANAR', SQUARE), 1_000_000))),
  layer('a contour of 800,000 points', SHOWN, () => raw(item(contourItem('CLOSED_PLANAR', points(800_000))))),
  // The rest is more than 512 MiB leave for structure sets.
  layer('a contour of five million points', REFUSED, () => raw(item(contourItem('CLOSED_PLANAR', points(5_000_000))))),
  layer('nine million points', REFUSED, () => raw(repeatedItem(contourItem('CLOSED_PLANAR', points(1_000_000)), 9))),
  // Each would be an item of the packet.
  layer('800,000 seeds in one plane', { layer: 'shown', plane: 'layer_too_large' }, () =>
    raw(item(contourItem('POINT', points(800_000)))),
  ),
  layer('a contour that crosses a plane 800,000 times', { layer: 'shown', plane: 'layer_too_large' }, () =>
    raw(item(contourItem('CLOSED_PLANAR', Buffer.alloc(400_000 * 13, '1\\1\\9\\2\\1\\-9\\')))),
  ),
  layer('10,000 contours in one plane, each in the next', SHOWN, () => one(nested(10_000))),
  layer('empty values for two million points', SHOWN, () =>
    raw(item(contourItem('CLOSED_PLANAR', Buffer.alloc(6_000_000, '\\')))),
  ),
  layer('values that are no numbers', SHOWN, () =>
    raw(
      item(contourItem('CLOSED_PLANAR', Buffer.from('NaN\\1e308\\-1e308\\inf\\x\\0x10\\1\\2\\1e999\\--1\\1.2.3\\5 '))),
    ),
  ),
  layer('a value of a million digits', SHOWN, () =>
    raw(item(contourItem('CLOSED_PLANAR', Buffer.alloc(1_000_000, '1')))),
  ),
  layer('a contour without data', SHOWN, () =>
    one([{ points: [], different: { ContourData: undefined } }, { points: [] }, { points: DISC }]),
  ),
  layer('counts of points that disagree with the data', SHOWN, () =>
    one(['0', '-1', '2147483647', '1'].map((count) => ({ points: DISC, different: { NumberOfContourPoints: count } }))),
  ),
  layer('contours of ROIs that are not described', { layer: 'shown', plane: 'shown' }, () =>
    writeDicom(
      structureSetElements([{ number: 1, name: 'Gone', contours: [{ points: DISC }] }], {
        StructureSetROISequence: [],
      }),
    ),
  ),
  layer('65,536 ROIs', SHOWN, () =>
    writeDicom(structureSetElements(Array.from({ length: 65_536 }, (_, i) => roi(i, [])))),
  ),
  layer('the same ROI Number in all ROIs', SHOWN, () =>
    writeDicom(structureSetElements(Array.from({ length: 2000 }, () => roi(7, [{ points: DISC }])))),
  ),
  layer('a frame of reference that nothing has', { layer: 'shown', plane: 'semantic_mapping_unavailable' }, () =>
    one([{ points: DISC }], { ReferencedFrameOfReferenceUID: '2.25.666' }),
  ),
  layer('frames of reference that relate to each other in a circle', SHOWN, () =>
    writeDicom(
      structureSetElements([roi(1, [{ points: DISC }])], {
        ReferencedFrameOfReferenceSequence: ['2.25.500', '2.25.501'].map((uid, at, all) => ({
          FrameOfReferenceUID: uid,
          FrameOfReferenceRelationshipSequence: [{ RelatedFrameOfReferenceUID: all[1 - at]! }],
        })),
      }),
    ),
  ),
  layer('points that are all in one place', SHOWN, () =>
    one([{ points: Array.from({ length: 1000 }, () => [5, 5, 0]) }, { points: [[1, 1, 0]] }]),
  ),
];

const SQUARE = Buffer.from('0\\0\\0\\9\\0\\0\\9\\9\\0\\0\\9\\0 ');

/** x runs along a line and back, so that no two of a row are equal. */
function points(count: number): Buffer {
  return Buffer.alloc(count * 6, '1\\2\\0\\3\\1\\0\\2\\5\\0\\');
}

/** In explicit VR a Decimal String has 64 KiB at most; as unknown it may be longer. */
function contourItem(type: string, data: Uint8Array): Uint8Array {
  const padded = data.length % 2 === 0 ? data : join(data, Buffer.from(' '));
  return join(
    explicit(0x30060042, 'CS', type.length % 2 === 0 ? type : `${type} `),
    explicit(0x30060050, 'UN', padded),
  );
}

function repeatedItem(content: Uint8Array, count: number): Uint8Array {
  const first = item(content);
  return Buffer.alloc(first.length * count, first);
}

/** A structure set of one ROI with these contours, as bytes. */
function raw(contours: Uint8Array): Uint8Array {
  const elements = structureSetElements([roi(1, [])], {
    ROIContourSequence: undefined,
    RTROIObservationsSequence: undefined,
  });
  const ofRoi = item(join(explicit(0x30060040, 'SQ', contours), explicit(0x30060084, 'IS', '1 ')));
  return part10(join(writeDicom(elements, { meta: false }), explicit(0x30060039, 'SQ', ofRoi)));
}

function one(contours: readonly WrittenContour[], different: DataSetInput = {}): Uint8Array {
  return writeDicom(structureSetElements([{ ...roi(1, contours), different }]));
}

function roi(number: number, contours: readonly WrittenContour[]): WrittenRoi {
  return { number, name: `ROI ${number}`, contours };
}

function nested(count: number): WrittenContour[] {
  return Array.from({ length: count }, (_, i) => ({ points: circle([0, 0, 0], 1 + i / 100, 4) }));
}
