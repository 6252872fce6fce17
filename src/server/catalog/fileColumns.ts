import type { FileDescription } from './dicomFile.ts';
import { SOURCE_NUMBERS } from '../origins/sourceColumns.ts';
import type { ConcatenationPart, SlidePlacement } from './placement.ts';

/**
 * Files as the catalog keeps them, those of one batch of the scan together: a few long columns instead of some ten
 * objects a file. A hundred thousand files then cost next to nothing to send from a thread, and garbage collection,
 * which stops the event loop, finds little to look at. They are in shared memory, whose size does not make V8 collect:
 * nothing of it can be freed.
 */
export type FileColumns = {
  /** All texts, one after the other. Those that files have in common are there once. */
  readonly text: string;
  /** Where each text ends. */
  readonly textEnds: Uint32Array<SharedArrayBuffer>;
  /** For each file which texts are its own, in the order of `TEXTS`; -1 for absent. */
  readonly texts: Int32Array<SharedArrayBuffer>;
  /** For each file its numbers, in the order of `NUMBERS`; NaN for absent. Words of a fixed list are numbers too. */
  readonly numbers: Float64Array<SharedArrayBuffer>;
  /** What few files have, or many have alike. `NUMBERS` says which is a file's own. */
  readonly orientations: readonly (readonly number[])[];
  readonly concatenations: readonly ConcatenationPart[];
  readonly slides: readonly SlidePlacement[];
};

export const TEXTS = [
  'path',
  // Absent for local files that are where `path` says.
  'source',
  'sopInstanceUid',
  'instanceNumber',
  'label',
  'patientId',
  'patientName',
  'studyInstanceUid',
  'studyDate',
  'studyDescription',
  'seriesInstanceUid',
  'seriesNumber',
  'seriesDescription',
  'modality',
  'sopClassUid',
  'sopClassName',
  'supportReason',
  'photometricInterpretation',
  'transferSyntaxUid',
  'transferSyntaxName',
  'frameOfReferenceUid',
  // Present in every file that has a placement.
  'imageType',
] as const satisfies readonly (keyof FileDescription | 'imageType')[];

export const NUMBERS = [
  'objectKind',
  'supportState',
  'pixelSpacingSource',
  'hasPixels',
  'burnedInAnnotation',
  'frameCount',
  'declaredFrameCount',
  'rows',
  'columns',
  'samplesPerPixel',
  'bitsAllocated',
  'bitsStored',
  'pixelAspectRatio',
  'rowSpacingMm',
  'columnSpacingMm',
  'windowCenter',
  'windowWidth',
  ...SOURCE_NUMBERS,
  'echoNumber',
  'bValue',
  'time',
  'positionX',
  'positionY',
  'positionZ',
  'orientation',
  'hasFrameGeometry',
  'concatenation',
  'slide',
] as const;

export type TextName = (typeof TEXTS)[number];
export type NumberName = (typeof NUMBERS)[number];

/** Where a text or a number of each name is among those of a file. */
export const TEXT_AT = placesOf(TEXTS);
export const NUMBER_AT = placesOf(NUMBERS);

function placesOf<Name extends string>(names: readonly Name[]): Readonly<Record<Name, number>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has a place for every name
  return Object.fromEntries(names.map((name, at) => [name, at])) as Record<Name, number>;
}
