import type { ImageBounds } from '../../../../shared/annotations.ts';
import type { StoredRois } from '../../../kit/api/annotations.ts';
import type { Roi } from './roi.ts';

/** The ROIs of one file as they are on the screen, and their state on the server. */
export type FileRois = {
  /** The limits that its ROIs must stay within. */
  readonly bounds: ImageBounds;
  readonly load: LoadState;
  readonly rois: readonly Roi[];
  /** The last known content on the server; undefined until the server has answered. */
  readonly stored: StoredRois | undefined;
};

export type LoadState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded' }
  | { readonly kind: 'failed'; readonly error: Error };

export type RoiSelection = { readonly fileIndex: number; readonly id: number };

/** The ROIs of a file in one run of the server. */
export type RoiWork = { readonly fileIndex: number; readonly rois: readonly Roi[] };

export type RoiState = {
  readonly files: ReadonlyMap<number, FileRois>;
  readonly selection: RoiSelection | undefined;
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
  newRoisOn: undefined,
  export: { kind: 'idle' },
};
