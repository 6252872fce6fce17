import { createStore } from 'zustand/vanilla';
import { buildOrientation } from '../../../shared/geometry.ts';
import { orientationOfRun } from '../../../shared/stackPlanes.ts';
import type { TagNode } from '../../../shared/contract/tags.ts';
import { fetchTag, fetchTags } from '../../kit/api/tags.ts';
import { definePart, type Page } from '../../kit/state/page.ts';
import type { StackFrame } from '../../kit/state/stacks.ts';
import { describeDimensions, listPointers } from './frameDimensions.ts';
import { type ImageOrientation, parsePatientOrientation } from './patientAxes.ts';
import type { PictureSource } from './pictureSource.ts';
import { findItem, findNode, SHARED_GROUPS } from './tagNodes.ts';

/** Data for the corner texts and edge letters that the lists of files and series do not contain. */
export type FrameDetails = {
  /** By keyword: the top level and the shared functional groups, with texts as written in the file. */
  readonly values: ReadonlyMap<string, string>;
  /** What the frame differs in from the others of its file; absent if that is nothing. */
  readonly dimensions?: string | undefined;
};

/** By file and frame, for the frames on which the user stayed. */
export const detailsOf = definePart((page) => {
  const store = createStore<{ readonly details: ReadonlyMap<string, FrameDetails> }>(() => ({ details: new Map() }));
  page.onRestart(() => store.setState({ details: new Map() }));
  return store;
});

const MOST_KEPT = 500;

function detailsKey({ fileIndex, frame }: Pick<StackFrame, 'fileIndex' | 'frame'>): string {
  return `${fileIndex}/${frame}`;
}

export function findDetails(page: Page, frame: StackFrame | undefined): FrameDetails | undefined {
  return frame && detailsOf(page).getState().details.get(detailsKey(frame));
}

/** From the plane of the frame, otherwise from the letters in its file. */
export function findOrientation(
  page: Page,
  source: Pick<PictureSource, 'stack' | 'planeOf'>,
  position: number,
): ImageOrientation | undefined {
  const { stack } = source;
  const run = source.planeOf(position);
  // The coordinates of an ultrasound volume or a slide have no patient left and right.
  const plane = run?.space === 'patient' ? orientationOfRun(run) : undefined;
  if (plane !== undefined) return { kind: 'plane', plane };
  if (stack === undefined) return undefined;
  const own = findDetails(page, stack.frames[position]);
  if (own !== undefined) return (stack.kind === 'file' ? findOrientationOfFile(own) : undefined) ?? findLetters(own);
  // Images of one stack have the same orientation unless the stack says otherwise, so a known one is used until the
  // next is loaded. The frames of a single file are not known to have the same orientation.
  if (stack.kind === 'file' || stack.warnings.some(({ code }) => code === 'inconsistent_orientation')) return undefined;
  for (const frame of stack.frames) {
    const known = findDetails(page, frame);
    if (known !== undefined) return findLetters(known);
  }
  return undefined;
}

/**
 * A file in no series has no plane in the list of series, so the orientation that the file gives for all its frames is
 * used.
 */
function findOrientationOfFile({ values }: FrameDetails): ImageOrientation | undefined {
  const plane = buildOrientation(values.get('ImageOrientationPatient')?.split('\\').map(Number));
  return plane && { kind: 'plane', plane };
}

/** Patient Orientation (0020,0020), which projections have instead of a plane. */
function findLetters({ values }: FrameDetails): ImageOrientation | undefined {
  const written = values.get('PatientOrientation');
  return written === undefined ? undefined : parsePatientOrientation(written.split('\\'));
}

/** Requests the details once for each frame. After a failure they stay absent: unknown letters are not shown. */
export async function loadDetails(page: Page, frame: StackFrame, signal: AbortSignal): Promise<void> {
  if (findDetails(page, frame) !== undefined) return;
  try {
    const nodes = await fetchTags(frame.fileIndex, { depth: 3, items: 1 }, page.untilRestart(signal));
    const dimensions = await loadDimensions(nodes, frame, page.untilRestart(signal));
    const details = { values: readValues(nodes), dimensions };
    const kept = [...detailsOf(page).getState().details].slice(1 - MOST_KEPT);
    detailsOf(page).setState({ details: new Map([...kept, [detailsKey(frame), details]]) });
  } catch {
    // An abort is no error either: the user moved on.
  }
}

const PER_FRAME_GROUPS = '(5200,9230)';
const DIMENSION_INDICES = '(0020,9222)';
const MOST_DIMENSIONS = 64;

/** Undefined for an image without dimensions, and if they cannot be read: the rest is shown nevertheless. */
async function loadDimensions(
  nodes: readonly TagNode[],
  { fileIndex, frame }: StackFrame,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (findNode(nodes, PER_FRAME_GROUPS) === undefined || findNode(nodes, DIMENSION_INDICES) === undefined)
    return undefined;
  try {
    const [indices, groups] = await Promise.all([
      fetchTag(fileIndex, { path: DIMENSION_INDICES, limit: MOST_DIMENSIONS }, signal),
      fetchTag(fileIndex, { path: PER_FRAME_GROUPS, offset: frame, limit: 1 }, signal),
    ]);
    const own = findItem([groups], PER_FRAME_GROUPS) ?? [];
    return describeDimensions(own, listPointers(indices)) || undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

/** Elements of the top level and of all shared functional groups. Their names do not repeat. */
function readValues(nodes: readonly TagNode[]): ReadonlyMap<string, string> {
  const groups = (findItem(nodes, SHARED_GROUPS) ?? []).flatMap(({ value }) =>
    value.type === 'sequence' ? (value.items[0] ?? []) : [],
  );
  const values = new Map<string, string>();
  for (const { keyword, value } of [...groups, ...nodes]) {
    if (value.type === 'string' || value.type === 'number') values.set(keyword, String(value.value));
    if (value.type === 'strings' || value.type === 'numbers') values.set(keyword, value.value.join('\\'));
  }
  return values;
}
