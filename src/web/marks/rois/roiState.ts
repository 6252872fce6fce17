import type { ImageBounds } from '../../../shared/annotations.ts';
import type { AnnotationPayload } from '../../../shared/contract/annotations.ts';
import type { StoredRois } from '../../api/annotations.ts';
import type { Roi } from './roi.ts';

/** The ROIs of one file as they are on the screen, and their state on the server. */
export type FileRois = {
  /** Identifies the file across runs of the server. */
  readonly path: string;
  /** The limits that its ROIs must stay within. */
  readonly bounds: ImageBounds;
  readonly load: LoadState;
  readonly rois: readonly Roi[];
  /** The last known content on the server; undefined until the server has answered. */
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
  /** The request did not arrive; it is repeated until it does. */
  | { readonly kind: 'retrying'; readonly error: Error }
  /** The ROIs break a rule or the server rejected them; only another edit can help. */
  | { readonly kind: 'refused'; readonly error: Error }
  /** The server's ROIs differ from those that the edits here started from; the user decides. */
  | { readonly kind: 'conflict'; readonly base: AnnotationPayload; readonly theirs: StoredRois };

export type RoiSelection = { readonly fileIndex: number; readonly id: number };

/** ROIs from before a restart of the server, kept until their files are found again. */
export type ParkedRois = { readonly path: string; readonly rois: readonly Roi[] };

export type RoiState = {
  readonly files: ReadonlyMap<number, FileRois>;
  readonly selection: RoiSelection | undefined;
  readonly parked: readonly ParkedRois[];
  /** ROIs of files that are no longer open, which cannot be saved. */
  readonly lost: readonly ParkedRois[];
  /** For files with several frames. Undefined until the user chooses: as is usual for the file. */
  readonly newRoisOn: 'all' | 'frame' | undefined;
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
  newRoisOn: undefined,
  export: { kind: 'idle' },
};

/** Whether only this page has some of them. Lost ones count until the user has dismissed them. */
export function hasUnsavedRois({ files, parked, lost }: RoiState): boolean {
  if (parked.length > 0 || lost.length > 0) return true;
  for (const { save } of files.values()) if (save.kind !== 'saved') return true;
  return false;
}
