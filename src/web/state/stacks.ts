import type { FileRecord } from '../../shared/contract/files.ts';
import type { PlaneRun, Series, Stack, StackKind, StackTrait, StackWarning } from '../../shared/contract/series.ts';
import { findPlaneRun } from '../../shared/stackPlanes.ts';

export type StackFrame = {
  readonly fileIndex: number;
  /** Counts from 0. */
  readonly frame: number;
  readonly sopInstanceUid: string;
  /** Along the normal of the stack. */
  readonly positionMm: number | undefined;
  /** Orientation and spacing, which it has in common with its neighbours; undefined where neither is known, or not yet. */
  readonly plane?: PlaneRun | undefined;
};

/** What one cell can show: the images of a stack in scroll order, or one file that is in none. */
export type ViewStack = {
  /** Of the server's stacks made of UIDs; of a file by itself of its index, which is that of one run of the server. */
  readonly id: string;
  readonly kind: StackKind | 'file';
  /** Empty: a file without a picture. */
  readonly frames: readonly StackFrame[];
  readonly warnings: readonly StackWarning[];
  /** Where the frames lie; undefined for a file by itself. */
  readonly planes?: readonly PlaneRun[] | undefined;
  /** The file of the first frame. */
  readonly fileIndex: number;
  /** The whole that the images are tiles of. */
  readonly matrix?: { readonly rows: number; readonly columns: number } | undefined;
  /** What tells it from the other stacks of its series. */
  readonly distinction?: readonly StackTrait[] | undefined;
  readonly seriesUid: string | undefined;
  readonly studyUid: string | undefined;
};

/** The stacks of /series by id. One that has not changed is the same object as before. */
export function buildSeriesStacks(
  series: readonly Series[],
  known: ReadonlyMap<string, ViewStack>,
): ReadonlyMap<string, ViewStack> {
  const stacks = new Map<string, ViewStack>();
  for (const { study_instance_uid, series_instance_uid, stacks: wire } of series) {
    for (const stack of wire) {
      const built = buildStack(stack, { studyUid: study_instance_uid, seriesUid: series_instance_uid });
      if (built === undefined) continue;
      const before = known.get(stack.id);
      stacks.set(stack.id, before !== undefined && isSameStack(before, built) ? before : built);
    }
  }
  return stacks;
}

function buildStack(stack: Stack, uids: { studyUid: string; seriesUid: string }): ViewStack | undefined {
  const first = stack.frames[0];
  if (first === undefined) return undefined;
  const frames = stack.frames.map((frame, at) => ({
    fileIndex: frame.file_index,
    frame: frame.frame_index,
    sopInstanceUid: frame.sop_instance_uid,
    positionMm: frame.position_along_normal_mm ?? undefined,
    plane: findPlaneRun(stack.planes, at),
  }));
  const [rows, columns] = [stack.total_pixel_matrix_rows, stack.total_pixel_matrix_columns];
  return {
    id: stack.id,
    kind: stack.kind,
    frames,
    planes: stack.planes,
    warnings: stack.warnings,
    fileIndex: first.file_index,
    matrix: rows === null || columns === null ? undefined : { rows, columns },
    distinction: stack.distinction,
    ...uids,
  };
}

function isSameStack(a: ViewStack, b: ViewStack): boolean {
  if (a.kind !== b.kind || a.frames.length !== b.frames.length || a.warnings.length !== b.warnings.length) return false;
  if (JSON.stringify(a.distinction) !== JSON.stringify(b.distinction)) return false;
  if (JSON.stringify(a.planes) !== JSON.stringify(b.planes)) return false;
  if (a.warnings.some(({ message }, i) => message !== b.warnings[i]?.message)) return false;
  return a.frames.every((frame, i) => {
    const other = b.frames[i];
    return (
      frame.fileIndex === other?.fileIndex &&
      frame.frame === other.frame &&
      frame.positionMm === other.positionMm &&
      frame.sopInstanceUid === other.sopInstanceUid
    );
  });
}

const FILE_PREFIX = 'file/';

/** By index: several files may have one UID. */
export function fileStackId({ index }: FileRecord): string {
  return `${FILE_PREFIX}${index}`;
}

/** The index of the file that is a stack by itself; undefined for the id of another stack. */
export function fileOfStackId(id: string): number | undefined {
  return id.startsWith(FILE_PREFIX) ? Number(id.slice(FILE_PREFIX.length)) : undefined;
}

/** One file by itself: for what is in no series, and until the series are known. */
export function buildFileStack(file: FileRecord): ViewStack {
  const count = file.support_state === 'renderable' ? file.frame_count : 0;
  const frames = Array.from({ length: count }, (_, frame) => ({
    fileIndex: file.index,
    frame,
    sopInstanceUid: file.sop_instance_uid,
    positionMm: undefined,
  }));
  return {
    id: fileStackId(file),
    kind: 'file',
    frames,
    warnings: [],
    fileIndex: file.index,
    seriesUid: file.series_instance_uid || undefined,
    studyUid: file.study_instance_uid || undefined,
  };
}

/** Which stack holds each file; of a file in several, the first. */
export function indexStacks(stacks: Iterable<ViewStack>): ReadonlyMap<number, ViewStack> {
  const byFile = new Map<number, ViewStack>();
  for (const stack of stacks) {
    for (const { fileIndex } of stack.frames) if (!byFile.has(fileIndex)) byFile.set(fileIndex, stack);
  }
  return byFile;
}

/** Position of a frame in the stack. */
export function findPosition(stack: ViewStack, fileIndex: number, frame: number): number | undefined {
  const position = stack.frames.findIndex((one) => one.fileIndex === fileIndex && one.frame === frame);
  return position < 0 ? undefined : position;
}
