import type { AnnotationPayload, RoiBox } from './contract/annotations.ts';

/** The image that the ROIs are drawn on. All 0 for an object without pixels, which cannot have ROIs. */
export type ImageBounds = { readonly rows: number; readonly columns: number; readonly frameCount: number };

export type AnnotationProblem = {
  /** `shape`: the value is not a payload. `value`: it is a payload, but breaks a rule. */
  readonly kind: 'shape' | 'value';
  /** Undefined when the value as a whole is not a payload. */
  readonly field: AnnotationField | undefined;
  readonly message: string;
};

export type AnnotationField = keyof AnnotationPayload;

export type CheckedAnnotation =
  | { readonly ok: true; readonly payload: AnnotationPayload }
  | { readonly ok: false; readonly problem: AnnotationProblem };

export const NO_ROIS: AnnotationPayload = { num_roi: 0, roi_coords: [], roi_frames: [] };

/**
 * The rules for ROIs, shared by the server, the CSV import and the viewer. Returns the canonical copy, or the first
 * rule that is broken. Messages number ROIs from 0.
 */
export function checkAnnotation(value: unknown, bounds: ImageBounds): CheckedAnnotation {
  const shaped = readShape(value);
  if ('message' in shaped) return { ok: false, problem: { kind: 'shape', ...shaped } };
  const broken = findBrokenRule(shaped, bounds);
  if (broken !== undefined) return { ok: false, problem: { kind: 'value', ...broken } };
  return { ok: true, payload: canonicalize(shaped, bounds.frameCount) };
}

type Problem = Pick<AnnotationProblem, 'field' | 'message'>;

const FIELDS: readonly string[] = ['num_roi', 'roi_coords', 'roi_frames'] satisfies AnnotationField[];

function readShape(value: unknown): AnnotationPayload | Problem {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { field: undefined, message: 'the payload must be an object with num_roi, roi_coords and roi_frames' };
  }
  // Unknown keys are rejected rather than dropped: a mistyped roi_frames would put the ROI on all frames.
  const stranger = Object.keys(value).find((key) => !FIELDS.includes(key));
  if (stranger !== undefined) {
    return { field: undefined, message: `unknown key ${JSON.stringify(stranger)}: a payload has ${FIELDS.join(', ')}` };
  }
  const { num_roi, roi_coords, roi_frames = [] }: Partial<Record<AnnotationField, unknown>> = value;
  if (typeof num_roi !== 'number') return { field: 'num_roi', message: 'num_roi must be a number' };
  if (!Array.isArray(roi_coords)) return { field: 'roi_coords', message: 'roi_coords must be an array of boxes' };
  const oddBox = roi_coords.findIndex((box) => !isBox(box));
  if (oddBox !== -1) {
    return { field: 'roi_coords', message: `ROI ${oddBox}: a box must be four numbers [ymin, xmin, ymax, xmax]` };
  }
  if (!Array.isArray(roi_frames)) {
    return { field: 'roi_frames', message: 'roi_frames must be an array of lists of frame indices' };
  }
  const oddList = roi_frames.findIndex((frames) => !isNumberList(frames));
  if (oddList !== -1) {
    return { field: 'roi_frames', message: `ROI ${oddList}: the frames must be a list of frame indices` };
  }
  return { num_roi, roi_coords, roi_frames };
}

function isBox(value: unknown): value is RoiBox {
  return isNumberList(value) && value.length === 4;
}

function isNumberList(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number');
}

function findBrokenRule(
  { num_roi, roi_coords, roi_frames }: AnnotationPayload,
  bounds: ImageBounds,
): Problem | undefined {
  const count = roi_coords.length;
  if (num_roi !== count) {
    return { field: 'num_roi', message: `num_roi is ${num_roi}, but roi_coords has ${plural(count, 'box', 'boxes')}` };
  }
  for (const [roi, box] of roi_coords.entries()) {
    const fault = boxFault(box, bounds);
    if (fault !== undefined) return { field: 'roi_coords', message: `ROI ${roi}: ${fault}` };
  }
  if (roi_frames.length !== 0 && roi_frames.length !== count) {
    const lists = plural(roi_frames.length, 'list', 'lists');
    return { field: 'roi_frames', message: `roi_frames has ${lists} for ${plural(count, 'box', 'boxes')}` };
  }
  for (const [roi, frames] of roi_frames.entries()) {
    const fault = frameFault(frames, bounds.frameCount);
    if (fault !== undefined) return { field: 'roi_frames', message: `ROI ${roi}: ${fault}` };
  }
  return undefined;
}

function boxFault([ymin, xmin, ymax, xmax]: RoiBox, { rows, columns }: ImageBounds): string | undefined {
  return (
    spanFault({ low: 'ymin', high: 'ymax', unit: 'rows' }, [ymin, ymax], rows) ??
    spanFault({ low: 'xmin', high: 'xmax', unit: 'columns' }, [xmin, xmax], columns)
  );
}

type SpanNames = { low: string; high: string; unit: string };

function spanFault(names: SpanNames, [low, high]: [number, number], size: number): string | undefined {
  if (!Number.isInteger(low)) return `${names.low} ${low} is not an integer`;
  if (!Number.isInteger(high)) return `${names.high} ${high} is not an integer`;
  if (low < 0) return `${names.low} ${low} is less than 0`;
  if (high > size) return `${names.high} ${high} is greater than ${size}, the number of ${names.unit}`;
  if (high <= low) return `${names.high} ${high} is not greater than ${names.low} ${low}`;
  return undefined;
}

function frameFault(frames: readonly number[], frameCount: number): string | undefined {
  for (const frame of frames) {
    if (!Number.isInteger(frame)) return `frame ${frame} is not an integer`;
    if (frame < 0 || frame >= frameCount) {
      return frameCount === 0
        ? `frame ${frame}: the file has no frames`
        : `frame ${frame} is outside 0 to ${frameCount - 1}`;
    }
  }
  return undefined;
}

/**
 * Expects a payload that satisfies the rules. Adding 0 turns -0, which JSON can express, into 0. "All frames" is always
 * written as an empty list, even if the payload lists every frame.
 */
function canonicalize({ roi_coords, roi_frames }: AnnotationPayload, frameCount: number): AnnotationPayload {
  const frames = roi_frames.map((list) => {
    const named = [...new Set(list.map((frame) => frame + 0))].toSorted((a, b) => a - b);
    return named.length === frameCount ? [] : named;
  });
  return {
    num_roi: roi_coords.length,
    roi_coords: roi_coords.map(([ymin, xmin, ymax, xmax]) => [ymin + 0, xmin + 0, ymax + 0, xmax + 0]),
    roi_frames: frames.every((list) => list.length === 0) ? [] : frames,
  };
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
