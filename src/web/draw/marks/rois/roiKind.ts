import { checkAnnotation, NO_ROIS } from '../../../../shared/annotations.ts';
import type { AnnotationPayload } from '../../../../shared/contract/annotations.ts';
import type { StoredRois } from '../../../kit/api/annotations.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { SyncedKind } from '../sync/syncedKind.ts';
import { isSamePayload, putRois, roisOfFile, toPayload, toRois } from './roi.ts';
import type { RoiBackend } from './roiBackend.ts';
import type { FileRois } from './roiState.ts';

type FileTable = {
  readonly find: (fileIndex: number) => FileRois | undefined;
  readonly put: (fileIndex: number, changed: Partial<FileRois>) => void;
};

/** The ROIs of each file, whose key is its index, are kept equal on this page and on the server. */
export function createRoiKind(
  page: Page,
  backend: RoiBackend,
  { find, put }: FileTable,
): SyncedKind<AnnotationPayload, StoredRois> {
  return {
    find(key) {
      const file = find(Number(key));
      if (file?.load.kind !== 'loaded') return undefined;
      // In the form that the server returns: a list of all frames comes back empty.
      const payload = toPayload(roisOfFile(page, Number(key)));
      const checked = checkAnnotation(payload, file.bounds);
      return { mine: checked.ok ? checked.payload : payload, stored: file.stored };
    },
    contentOf: (stored) => stored?.payload ?? NO_ROIS,
    isEqual: isSamePayload,
    prepare(key, payload) {
      const bounds = find(Number(key))?.bounds;
      const checked = bounds && checkAnnotation(payload, bounds);
      if (checked?.ok === false) throw new Error(checked.problem.message);
      return payload;
    },
    merge: () => undefined,
    whenContradicting: 'ask',
    note: (key, stored) => put(Number(key), { stored }),
    show(changed) {
      for (const [key, payload] of changed) putRois(page, Number(key), toRois(payload ?? NO_ROIS));
    },
    send: (key, { mine = NO_ROIS, stored, signal }) =>
      backend.replace(Number(key), mine, { etag: stored?.etag, signal }),
    async read(key, known, signal) {
      const theirs = await backend.read(Number(key), signal);
      // In the new run this index may refer to another file. The list of files will tell.
      if (theirs?.instance !== known?.instance) throw new Error('the server was restarted');
      return theirs;
    },
    wait: backend.wait,
  };
}
