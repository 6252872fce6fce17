import { buildOrientation } from '../../../shared/geometry.ts';
import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { findMacro, firstFrameOf, type FrameAttributes } from '../../standard/dicom/eachFrame.ts';
import { MOST_VALUES } from '../../standard/dicom/mostValues.ts';
import * as Tag from '../../standard/dicom/tag.ts';
import {
  checkNumbers,
  findOrientationItem,
  findPositionItem,
  readOrientation,
  readPosition,
} from '../../standard/geometry/framePlace.ts';
import { refuse, type VolumeRefusal } from './volume.ts';

type Refused = { readonly refusal: VolumeRefusal };

/** Why no image of a stack has a plane in space, by what the header of its first file says, and lacks. */
export function explainNoPlanes(dataSet: DataSet, frameCount: number): Refused {
  const sopClass = dataSet.string(Tag.SOPClassUID) ?? '';
  const first = firstFrameOf(dataSet);
  if (sopClass === NUCLEAR) return explainNuclear(dataSet, frameCount);
  const kind = PROJECTIONS.get(sopClass) ?? PROJECTED.get(dataSet.string(Tag.Modality) ?? '');
  const isPlaced = SECTIONS.has(sopClass);
  if (kind !== undefined && !isPlaced) {
    return refuse('not_a_volume', `this is a projection: ${kind}, which is no section of the patient`);
  }
  if (sopClass === OPHTHALMIC_TOMOGRAPHY && findMacro(first, Tag.OphthalmicFrameLocationSequence) !== undefined) {
    return refuse(
      'no_geometry',
      'its frames are lines on a photograph of the eye, in pixels (Ophthalmic Frame Location Sequence (0022,0031), PS3.3 ' +
        'C.8.17.10.1), and Plane Position Sequence (0020,9113), which has positions in the patient, is missing',
    );
  }
  if (INTRAVASCULAR.has(sopClass)) {
    const message =
      'its frames follow a catheter (PS3.3 A.66), and how far it was pulled is no position in the patient';
    return refuse('no_geometry', message);
  }
  if (first.own !== undefined || first.shared !== undefined) return explainGroups(first);
  if (frameCount > 1) return explainFrames(dataSet, frameCount);
  return refuse('no_geometry', lackOf(listLackingInImage(first)));
}

const ROOT = '1.2.840.10008.5.1.4.1.1.';
const NUCLEAR = `${ROOT}20`;
const OPHTHALMIC_TOMOGRAPHY = `${ROOT}77.1.5.4`;
const INTRAVASCULAR: ReadonlySet<string> = new Set([`${ROOT}14.1`, `${ROOT}14.2`]);
/** X-Ray 3D Angiographic, Craniofacial and Breast Tomosynthesis: PS3.3 A.53, A.54 and A.55. */
const SECTIONS: ReadonlySet<string> = new Set([`${ROOT}13.1.1`, `${ROOT}13.1.2`, `${ROOT}13.1.3`]);

const PROJECTIONS: ReadonlyMap<string, string> = new Map([
  [`${ROOT}12.1.1`, 'an Enhanced XA image has the angles of its beam (PS3.3 A.47)'],
  [`${ROOT}12.2.1`, 'an Enhanced XRF image has the angles of its beam (PS3.3 A.48)'],
  [`${ROOT}13.1.4`, 'a Breast Projection X-Ray image (PS3.3 A.74)'],
  [`${ROOT}13.1.5`, 'a Breast Projection X-Ray image (PS3.3 A.74)'],
]);

const PROJECTED: ReadonlyMap<string, string> = new Map([
  ['CR', 'an image of Modality CR (PS3.3 A.2)'],
  ['DX', 'an image of Modality DX (PS3.3 A.26)'],
  ['MG', 'an image of Modality MG (PS3.3 A.27)'],
  ['IO', 'an image of Modality IO (PS3.3 A.28)'],
  ['PX', 'an image of Modality PX (PS3.3 A.26)'],
  ['XA', 'an image of Modality XA (PS3.3 A.14)'],
  ['RF', 'an image of Modality RF (PS3.3 A.16)'],
  ['RG', 'an image of Modality RG'],
  ['RTIMAGE', 'an RT Image (PS3.3 A.17)'],
]);

const POSITION = 'Image Position (Patient) (0020,0032)';
const ORIENTATION = 'Image Orientation (Patient) (0020,0037)';

/** PS3.3 C.8.4.8.1.1: Image Type says by what the frames are told apart. Only those of a reconstruction are slices. */
function explainNuclear(dataSet: DataSet, frameCount: number): Refused {
  const kind = dataSet.strings(Tag.ImageType, MOST_VALUES.imageType)[2] ?? '';
  if (kind.startsWith('RECON')) return refuse('no_geometry', lackOf(listLackingInReconstruction(dataSet, frameCount)));
  const by = NUCLEAR_KINDS.get(kind);
  if (by === undefined) {
    const value = kind === '' ? 'missing' : kind;
    return refuse(
      'no_geometry',
      `the third value of Image Type (0008,0008) is ${value}, which is no reconstruction of slices`,
    );
  }
  return refuse(
    'no_geometry',
    `this is ${by} (Image Type ${kind}, PS3.3 C.8.4.8.1.1), of which no frame is a section of the patient`,
  );
}

const NUCLEAR_KINDS: ReadonlyMap<string, string> = new Map([
  ['STATIC', 'a projection for each energy window and detector'],
  ['WHOLE BODY', 'a projection of the whole body for each energy window and detector'],
  ['DYNAMIC', 'a projection for each moment'],
  ['GATED', 'a projection for each slot of the heartbeat'],
  ['TOMO', 'a projection for each angle'],
  ['GATED TOMO', 'a projection for each angle and slot of the heartbeat'],
]);

function listLackingInReconstruction(dataSet: DataSet, frameCount: number): string[] {
  const detector = dataSet.items(Tag.DetectorInformationSequence)[0];
  if (detector === undefined) return ['Detector Information Sequence (0054,0022)'];
  const where = 'of Detector Information Sequence (0054,0022)';
  const slices = dataSet.numbers(Tag.SliceVector, frameCount);
  const isPlaced = checkNumbers(readPosition(detector), 3) !== undefined;
  const isOriented = buildOrientation(checkNumbers(readOrientation(detector), 6)) !== undefined;
  return [
    ...(isPlaced ? [] : [`${POSITION} ${where}`]),
    ...(isOriented ? [] : [`${ORIENTATION} ${where}`]),
    ...(slices.length < frameCount ? ['Slice Vector (0054,0080) of all frames'] : []),
    ...(dataSet.number(Tag.SpacingBetweenSlices) === undefined ? ['Spacing Between Slices (0018,0088)'] : []),
  ];
}

function explainGroups(first: FrameAttributes): Refused {
  const isVolume =
    findMacro(first, Tag.PlanePositionVolumeSequence) !== undefined ||
    findMacro(first, Tag.PlaneOrientationVolumeSequence) !== undefined;
  const [position, orientation] = isVolume
    ? [Tag.PlanePositionVolumeSequence, Tag.PlaneOrientationVolumeSequence]
    : [Tag.PlanePositionSequence, Tag.PlaneOrientationSequence];
  const [where, how] = isVolume
    ? ['Plane Position (Volume) Sequence (0020,930E)', 'Plane Orientation (Volume) Sequence (0020,930F)']
    : ['Plane Position Sequence (0020,9113)', 'Plane Orientation Sequence (0020,9116)'];
  const lacking = [
    ...(findMacro(first, position) === undefined ? [where] : []),
    ...(findMacro(first, orientation) === undefined ? [how] : []),
  ];
  if (lacking.length > 0) return refuse('no_geometry', lackOf(lacking));
  if (isVolume) return refuse('no_geometry', `${where} or ${how} of the first frame is not valid`);
  const inFrame = listLackingInImage(first);
  return refuse('no_geometry', lackOf(inFrame));
}

function explainFrames(dataSet: DataSet, frameCount: number): Refused {
  if (dataSet.has(Tag.FrameTime) || dataSet.has(Tag.FrameTimeVector)) {
    const message =
      'this is a cine (PS3.3 C.7.6.5): Frame Time (0018,1063) or its vector says that its frames differ in time, not in space';
    return refuse('not_a_volume', message);
  }
  const message =
    `this is a file of ${frameCount} frames that has neither Per-Frame Functional Groups Sequence (5200,9230) nor other ` +
    'positions for each frame';
  return refuse('not_a_volume', message);
}

function listLackingInImage(first: FrameAttributes): string[] {
  const isPlaced = checkNumbers(readPosition(findPositionItem(first)), 3) !== undefined;
  const isOriented = buildOrientation(checkNumbers(readOrientation(findOrientationItem(first)), 6)) !== undefined;
  return [...(isPlaced ? [] : [POSITION]), ...(isOriented ? [] : [ORIENTATION])];
}

function lackOf(names: readonly string[]): string {
  if (names.length === 0) return 'where the images lie is not said in a form that is known';
  return `it is not said where the images lie: there is no valid ${names.join(' and no valid ')}`;
}
