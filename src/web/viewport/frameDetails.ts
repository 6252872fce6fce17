import { createStore } from 'zustand/vanilla';
import { buildOrientation } from '../../shared/geometry.ts';
import type { TagNode } from '../../shared/contract/tags.ts';
import { fetchTag, fetchTags } from '../api/tags.ts';
import type { StackFrame, ViewStack } from '../state/stacks.ts';
import { type ImageOrientation, parsePatientOrientation } from './patientAxes.ts';
import { findItem, findNode, FRAME_GROUPS, numbersOf, SHARED_GROUPS } from './tagNodes.ts';

/** What the corners and edges of an image say beyond the list of files. */
export type FrameDetails = {
  readonly orientation: ImageOrientation | undefined;
  /** By keyword: the top level and the shared functional groups, texts as the file writes them. */
  readonly values: ReadonlyMap<string, string>;
};

/** By file and frame, as far as somebody rested there. */
export const detailsStore = createStore<{ readonly details: ReadonlyMap<string, FrameDetails> }>(() => ({
  details: new Map(),
}));

const MOST_KEPT = 500;

function detailsKey({ fileIndex, frame }: Pick<StackFrame, 'fileIndex' | 'frame'>): string {
  return `${fileIndex}/${frame}`;
}

export function findDetails(frame: StackFrame | undefined): FrameDetails | undefined {
  return frame && detailsStore.getState().details.get(detailsKey(frame));
}

/** Images of one stack lie alike unless the stack says otherwise, so what is known of one serves until the next is. */
export function findOrientation(stack: ViewStack, shown: StackFrame | undefined): ImageOrientation | undefined {
  const own = findDetails(shown);
  if (own !== undefined) return own.orientation;
  // Of the frames of a single file nobody has said yet that they lie alike.
  if (stack.kind === 'file' || stack.warnings.some(({ code }) => code === 'inconsistent_orientation')) return undefined;
  for (const frame of stack.frames) {
    const known = findDetails(frame);
    if (known !== undefined) return known.orientation;
  }
  return undefined;
}

/** Asks once for each frame. A failure leaves it absent: letters that are not known are not shown. */
export async function loadDetails(frame: StackFrame, signal: AbortSignal): Promise<void> {
  if (findDetails(frame) !== undefined) return;
  try {
    const nodes = await fetchTags(frame.fileIndex, { depth: 3, items: 1 }, signal);
    const orientation = readOrientation(nodes) ?? (await loadFrameOrientation(nodes, frame, signal));
    const details = { orientation, values: readValues(nodes) };
    const kept = [...detailsStore.getState().details].slice(1 - MOST_KEPT);
    detailsStore.setState({ details: new Map([...kept, [detailsKey(frame), details]]) });
  } catch {
    // Being aborted is no error either: the hand moved on.
  }
}

export function forgetDetails(): void {
  detailsStore.setState({ details: new Map() });
}

const PLANE_ORIENTATION = '(0020,9116)';
const ORIENTATION_PATIENT = '(0020,0037)';
const PATIENT_ORIENTATION = '(0020,0020)';

function readOrientation(nodes: readonly TagNode[]): ImageOrientation | undefined {
  const inShared = findItem(findItem(nodes, SHARED_GROUPS), PLANE_ORIENTATION);
  return (
    toPlane(findNode(nodes, ORIENTATION_PATIENT)) ??
    toPlane(findNode(inShared, ORIENTATION_PATIENT)) ??
    toLetters(nodes)
  );
}

async function loadFrameOrientation(nodes: readonly TagNode[], { fileIndex, frame }: StackFrame, signal: AbortSignal) {
  const first = findItem(findItem(nodes, FRAME_GROUPS), PLANE_ORIENTATION);
  if (findNode(first, ORIENTATION_PATIENT) === undefined) return undefined;
  const path = `${FRAME_GROUPS}/${frame}/${PLANE_ORIENTATION}/0/${ORIENTATION_PATIENT}`;
  return toPlane(await fetchTag(fileIndex, { path }, signal));
}

function toPlane(node: TagNode | undefined): ImageOrientation | undefined {
  const plane = buildOrientation(numbersOf(node));
  return plane && { kind: 'plane', plane };
}

function toLetters(nodes: readonly TagNode[]): ImageOrientation | undefined {
  const node = findNode(nodes, PATIENT_ORIENTATION);
  return node?.value.type === 'strings' ? parsePatientOrientation(node.value.value) : undefined;
}

/** Elements of the top level, and of all shared functional groups, whose names do not repeat. */
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
