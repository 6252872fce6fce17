import type { DisplayShutters, Shutter } from '../../../../shared/shutter.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { attributesOfFrame } from '../../../standard/dicom/eachFrame.ts';
import { MOST_VALUES } from '../../../standard/dicom/mostValues.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import type { FrameOverlay } from './readOverlays.ts';

export const FRAME_DISPLAY_SHUTTER_SEQUENCE = 0x00189472;
export const SHUTTER_OVERLAY_GROUP = 0x00181623;
/** The number of defined shapes. */
const MOST_SHAPES = 4;

/** The display shutters of a frame. A shape whose attributes are missing hides nothing. */
export function readShutters(
  dataSet: DataSet,
  frame: number,
  overlays: readonly FrameOverlay[],
): DisplayShutters | undefined {
  const attributes = attributesOfFrame(dataSet, frame, FRAME_DISPLAY_SHUTTER_SEQUENCE);
  const shutters = attributes
    .strings(Tag.ShutterShape, MOST_SHAPES)
    .flatMap((shape) => readShutter(attributes, shape, overlays) ?? []);
  if (shutters.length === 0) return undefined;
  return { shutters, presentationValue: attributes.number(Tag.ShutterPresentationValue) ?? 0 };
}

function readShutter(dataSet: DataSet, shape: string, overlays: readonly FrameOverlay[]): Shutter | undefined {
  switch (shape) {
    case 'RECTANGULAR':
      return readRectangle(dataSet);
    case 'CIRCULAR':
      return readCircle(dataSet);
    case 'POLYGONAL':
      return readPolygon(dataSet);
    case 'BITMAP': {
      const group = findShutterGroup(dataSet);
      const overlay = overlays.find((candidate) => candidate.group === group)?.plane;
      return overlay === undefined ? undefined : { shape: 'bitmap', overlay };
    }
    default:
      return undefined;
  }
}

/** The group of the overlay that is used as a shutter and is not drawn. */
export function findShutterGroup(dataSet: DataSet): number | undefined {
  return dataSet.number(SHUTTER_OVERLAY_GROUP);
}

function readRectangle(dataSet: DataSet): Shutter | undefined {
  const left = dataSet.number(Tag.ShutterLeftVerticalEdge);
  const right = dataSet.number(Tag.ShutterRightVerticalEdge);
  const upper = dataSet.number(Tag.ShutterUpperHorizontalEdge);
  const lower = dataSet.number(Tag.ShutterLowerHorizontalEdge);
  if (left === undefined || right === undefined || upper === undefined || lower === undefined) return undefined;
  return { shape: 'rectangular', left, right, upper, lower };
}

function readCircle(dataSet: DataSet): Shutter | undefined {
  const [row, column] = dataSet.numbers(Tag.CenterOfCircularShutter, 2);
  const radius = dataSet.number(Tag.RadiusOfCircularShutter);
  if (row === undefined || column === undefined || radius === undefined) return undefined;
  return { shape: 'circular', center: [row, column], radius };
}

function readPolygon(dataSet: DataSet): Shutter | undefined {
  const numbers = dataSet.numbers(Tag.VerticesOfThePolygonalShutter, MOST_VALUES.corners + 1);
  // Without its last corners it would be another polygon.
  if (numbers.length > MOST_VALUES.corners) return undefined;
  const vertices: [number, number][] = [];
  for (let i = 0; i + 1 < numbers.length; i += 2) vertices.push([numbers[i]!, numbers[i + 1]!]);
  return vertices.length < 3 ? undefined : { shape: 'polygonal', vertices };
}
