import type { ImageBounds } from '../../../../shared/annotations.ts';
import type { StoredRois } from '../../../kit/api/annotations.ts';
import type { Roi } from './roi.ts';

/** What the page knows of the server's ROIs of one file. They themselves are in the store of marks. */
export type FileRois = {
  /** The limits that its ROIs must stay within. */
  readonly bounds: ImageBounds;
  readonly load: LoadState;
  /** The last known content on the server; undefined until the server has answered. */
  readonly stored: StoredRois | undefined;
};

export type LoadState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'loaded' }
  | { readonly kind: 'failed'; readonly error: Error };

/** ROIs of a file in one run of the server: all of them, or those that were drawn before the others were read. */
export type RoiWork = { readonly fileIndex: number; readonly rois: readonly Roi[]; readonly areAll: boolean };

export type RoiState = {
  readonly files: ReadonlyMap<number, FileRois>;
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
  newRoisOn: undefined,
  export: { kind: 'idle' },
};
