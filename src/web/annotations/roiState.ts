import type { ImageBounds } from '../../shared/annotations.ts';
import type { AnnotationPayload } from '../../shared/contract/annotations.ts';
import type { StoredRois } from '../api/annotations.ts';
import type { Roi } from './roi.ts';

/** The ROIs of one file, as they are on the screen, and how they stand with the server. */
export type FileRois = {
  /** Says which file it is, also in another run of the server. */
  readonly path: string;
  /** What its ROIs must keep within. */
  readonly bounds: ImageBounds;
  readonly load: LoadState;
  readonly rois: readonly Roi[];
  /** What the server holds as far as is known; undefined until it has said so. */
  readonly stored: StoredRois | undefined;
  readonly save: SaveState;
};

export type LoadState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded' }
  | { readonly kind: 'failed'; readonly error: Error };

export type SaveState =
  | { readonly kind: 'saved' }
  | { readonly kind: 'saving' }
  /** It did not arrive; it is tried again until it does. */
  | { readonly kind: 'retrying'; readonly error: Error }
  /** It breaks a rule, or the server does not take it; only another edit can help. */
  | { readonly kind: 'refused'; readonly error: Error }
  /** The server holds something else than what was edited here: a person decides. */
  | { readonly kind: 'conflict'; readonly base: AnnotationPayload; readonly theirs: StoredRois };

export type RoiSelection = { readonly fileIndex: number; readonly id: number };

/** ROIs from before the server was started again, until it is known where their files are. */
export type ParkedRois = { readonly path: string; readonly rois: readonly Roi[] };

export type RoiState = {
  readonly files: ReadonlyMap<number, FileRois>;
  readonly selection: RoiSelection | undefined;
  readonly parked: readonly ParkedRois[];
  /** Of files that are no longer open: these ROIs cannot be saved. */
  readonly lost: readonly ParkedRois[];
  /** Of files with several frames. */
  readonly newRoisOn: 'all' | 'frame';
  readonly export: ExportState;
};

export type ExportState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running' }
  | { readonly kind: 'failed'; readonly error: Error };

export const NO_ROI_STATE: RoiState = {
  files: new Map(),
  selection: undefined,
  parked: [],
  lost: [],
  newRoisOn: 'all',
  export: { kind: 'idle' },
};

export function isUnsaved({ save }: FileRois): boolean {
  return save.kind !== 'saved';
}
