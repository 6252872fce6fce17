import type { FileRecord } from '../../../shared/contract/files.ts';
import type {
  PlaneRun,
  WireSeries,
  WireStack,
  StackKind,
  StackTrait,
  WireStackWarning,
} from '../../../shared/contract/series.ts';
import { findPlaneRun } from '../../../shared/stackPlanes.ts';
import { MOST_VIDEO_FRAMES } from '../../../shared/videoFrames.ts';

export type StackFrame = {
  readonly fileIndex: number;
  /** Counts from 0. */
  readonly frame: number;
  readonly sopInstanceUid: string;
  /** Position along the normal of the stack. */
  readonly positionMm: number | undefined;
  /** Orientation and spacing, shared with neighbouring frames; undefined if neither is known, or not yet. */
  readonly plane?: PlaneRun | undefined;
};

/** What one cell can show: the images of a stack in scroll order, or a single file that is in no stack. */
export type ViewStack = {
  /**
   * Built from UIDs for the server's stacks; from the file index, which is valid for one server run, for a single file.
   */
  readonly id: string;
  readonly kind: StackKind | 'file';
  /** Empty for a file without an image. */
  readonly frames: readonly StackFrame[];
  readonly warnings: readonly WireStackWarning[];
  /** Geometry of the frames; undefined for a single file. */
  readonly planes?: readonly PlaneRun[] | undefined;
  /** The file of the first frame. */
  readonly fileIndex: number;
  /** Size of the whole picture of which the images are tiles. */
  readonly matrix?: { readonly rows: number; readonly columns: number } | undefined;
  /** What distinguishes it from the other stacks of its series. */
  readonly distinction?: readonly StackTrait[] | undefined;
  readonly seriesUid: string | undefined;
  readonly studyUid: string | undefined;
};

/** The stacks from /series by id. An unchanged stack stays the same object. */
export function buildSeriesStacks(
  series: readonly WireSeries[],
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

function buildStack(stack: WireStack, uids: { studyUid: string; seriesUid: string }): ViewStack | undefined {
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

/** Uses the index, because several files may have the same UID. */
export function fileStackId({ index }: FileRecord): string {
  return `${FILE_PREFIX}${index}`;
}

/** The file index of a single-file stack; undefined for the id of any other stack. */
export function fileOfStackId(id: string): number | undefined {
  return id.startsWith(FILE_PREFIX) ? Number(id.slice(FILE_PREFIX.length)) : undefined;
}

/**
 * A stack of a single file, for files in no series and until the series are known. `frameCount` is what its stream has,
 * which may differ from what the file declares.
 */
export function buildFileStack(file: FileRecord, frameCount = countFrames(file)): ViewStack {
  const frames = Array.from({ length: frameCount }, (_, frame) => ({
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

/** The server draws no frames of a video, but the page decodes them. What a video declares is not checked. */
function countFrames({ support_state, object_kind, frame_count }: FileRecord): number {
  if (support_state === 'renderable') return frame_count;
  return object_kind === 'video' ? Math.min(frame_count, MOST_VIDEO_FRAMES) : 0;
}

/** Whether a file can have more than one frame. What a video declares is not checked. */
export function isMultiFrame({ frame_count, object_kind }: FileRecord): boolean {
  return frame_count > 1 || object_kind === 'video';
}

/** The stack of each file; the first one for a file in several. */
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
