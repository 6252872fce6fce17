import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { NO_ROIS } from '../../../../shared/annotations.ts';
import type { AnnotationPayload } from '../../../../shared/contract/annotations.ts';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import type { StoredRois } from '../../../kit/api/annotations.ts';
import { countMarkableFrames } from '../../../../shared/videoFrames.ts';
import { definePart, type Page, usePage } from '../../../kit/state/page.ts';
import { createSync } from '../sync/createSync.ts';
import type { Sync } from '../sync/syncedKind.ts';
import type { FoundWork } from '../sync/parking.ts';
import { runInSlices, visitInSlices } from '../../../kit/ui/runInSlices.ts';
import { stepsOf } from '../../../kit/state/stepHistory.ts';
import { mergeRois } from './mergeRois.ts';
import { clearRois, isSamePayload, putRois, type Roi, roisOfFile, toPayload, toRois } from './roi.ts';
import { type RoiBackend, roiBackendOf } from './roiBackend.ts';
import { createRoiEdits, isRoiStep, type RoiEdits } from './roiEdits.ts';
import { createRoiKind } from './roiKind.ts';
import { type ExportState, type FileRois, NO_ROI_STATE, type RoiState, type RoiWork } from './roiState.ts';

export type RoiFileRef = Pick<FileRecord, 'index' | 'rows' | 'columns' | 'frame_count'> &
  Partial<Pick<FileRecord, 'object_kind'>>;

export interface RoiFiles extends RoiEdits {
  readonly store: StoreApi<RoiState>;
  /** Sends the ROIs of each file, whose key is its index. */
  readonly sync: Sync<AnnotationPayload, StoredRois>;
  /** Reads the ROIs of a file unless they are already loaded. Failures are reported in the state. */
  load(file: RoiFileRef): Promise<void>;
  /** Asks once which of these files have ROIs; the others are then known to have none. Rejects if the request fails. */
  survey(files: readonly RoiFileRef[]): Promise<void>;
  /** Reads the ROIs again to get changes of other clients; edits that were not saved are kept. */
  reload(fileIndex: number): Promise<void>;
  /** Reloads all files whose ROIs changed on the server since they were read. */
  reloadChanged(): Promise<void>;
  setNewRoisOn(newRoisOn: RoiState['newRoisOn']): void;
  setExport(state: ExportState): void;
  /** Repeats failed requests at once. */
  retry(): void;
  /** `merge` implements the choice `both`; the default merges ROI by ROI. */
  resolve(fileIndex: number, choice: 'mine' | 'theirs' | 'both', merge?: typeof mergeRois): void;
  /** Whether there is something that only this page has. */
  hasUnsaved(): boolean;
  /** What the page has of this run of the server. */
  listWork(): readonly RoiWork[];
  /** The server was restarted: indices refer to other files. */
  forget(): void;
  /** ROIs of the run before meet those of this one. Answers those that could not be read. */
  meet<Found extends FoundWork<RoiWork, RoiFileRef>>(found: readonly Found[]): Promise<readonly Found[]>;
  /** Resolves when no save is in flight: each has arrived, or has failed and will be retried. */
  settled(): Promise<void>;
}

/** The ROIs of all files, as this page shows and edits them. */
export const roisOf = definePart((page) => {
  const rois = createRoiFiles(page, roiBackendOf(page));
  page.onRestart(() => rois.forget());
  return rois;
});

export function useRois<T>(select: (state: RoiState) => T): T {
  return useStore(roisOf(usePage()).store, select);
}

export function createRoiFiles(page: Page, backend: RoiBackend): RoiFiles {
  const steps = stepsOf(page);
  const store = createStore<RoiState>(() => NO_ROI_STATE);
  const find = (fileIndex: number) => store.getState().files.get(fileIndex);
  const put = (fileIndex: number, changed: Partial<FileRois>) => {
    const known = find(fileIndex);
    if (known === undefined) return;
    store.setState(({ files }) => ({ files: new Map(files).set(fileIndex, { ...known, ...changed }) }));
  };
  const loads = new Map<number, Promise<void>>();
  let run = new AbortController();

  const listOf = (fileIndex: number) => roisOfFile(page, fileIndex);

  const sync = createSync(createRoiKind(page, backend, { find, put }));

  const read = async (fileIndex: number, signal: AbortSignal) => {
    put(fileIndex, { load: { kind: 'loading' } });
    try {
      const stored = await backend.read(fileIndex, signal);
      if (signal.aborted) return;
      // First the ROIs: what follows the files sees them.
      putRois(page, fileIndex, toRois(stored?.payload ?? NO_ROIS));
      put(fileIndex, { load: { kind: 'loaded' }, stored });
      waiting.make(fileIndex);
    } catch (error) {
      if (!signal.aborted) put(fileIndex, { load: { kind: 'failed', error: asError(error) } });
    }
  };

  const load: RoiFiles['load'] = async (file) => {
    const known = find(file.index);
    if (known !== undefined && known.load.kind !== 'failed') return loads.get(file.index);
    store.setState(({ files }) => ({ files: new Map(files).set(file.index, nothingYetOf(file)) }));
    return loadAgain(file.index);
  };

  const loadAgain = async (fileIndex: number) => {
    const loading = read(fileIndex, run.signal);
    loads.set(fileIndex, loading);
    return loading;
  };

  /** Shows these ROIs and saves them. */
  const show = (fileIndex: number, rois: readonly Roi[]) => {
    putRois(page, fileIndex, rois);
    sync.touch(String(fileIndex));
  };

  const { edit, editTogether, waiting } = createRoiEdits(page, {
    isLoaded: (fileIndex) => find(fileIndex)?.load.kind === 'loaded',
    show,
  });

  /** ROIs of the run before meet those of this one, and what was drawn since. */
  const meetAll = (fileIndex: number, rois: readonly Roi[], stored: StoredRois | undefined) => {
    const base = stored?.payload ?? NO_ROIS;
    const here = toPayload(listOf(fileIndex));
    const mine = isSamePayload(here, base) ? rois : toRois(mergeRois({ base, mine: here, theirs: toPayload(rois) }));
    if (stored === undefined) edit(fileIndex, () => mine);
    else if (!isSamePayload(here, toPayload(mine))) {
      putRois(page, fileIndex, mine);
      sync.ask(String(fileIndex), stored);
    }
  };

  const reload: RoiFiles['reload'] = async (fileIndex) => {
    const known = find(fileIndex);
    const isSaved = () => sync.stateOf(String(fileIndex)) === 'saved';
    if (known?.load.kind !== 'loaded' || !isSaved()) return;
    const stored = await backend.read(fileIndex, run.signal).catch(() => known.stored);
    const now = find(fileIndex);
    // If the file was edited meanwhile, the save of that edit detects the difference.
    if (stored === undefined || now?.stored !== known.stored || !isSaved()) return;
    if (now === undefined || stored.etag === now.stored?.etag || stored.instance !== now.stored?.instance) return;
    if (isSamePayload(stored.payload, toPayload(listOf(fileIndex)))) {
      put(fileIndex, { stored });
      return;
    }
    steps.forget((step) => isRoiStep(step) && (step.fileIndices ?? [step.fileIndex]).includes(fileIndex));
    put(fileIndex, { stored });
    show(fileIndex, toRois(stored.payload));
  };

  return {
    store,
    sync,
    load,
    edit,
    editTogether,

    async survey(files) {
      const { signal } = run;
      const { etags, untouched } = await backend.survey(signal);
      const all = new Map<number, FileRois>();
      const listing = visitInSlices(files, (file) => {
        if (!etags.has(file.index)) all.set(file.index, { ...nothingYetOf(file), load: LOADED, stored: untouched });
      });
      await runInSlices(listing, () => !signal.aborted);
      if (signal.aborted) return;
      store.setState(({ files: known }) => {
        for (const [index, file] of known) all.set(index, file);
        return { files: all };
      });
    },

    reload,

    async reloadChanged() {
      const { etags, untouched } = await backend.survey(run.signal);
      const changed = [...store.getState().files].filter(
        ([index, { stored }]) => stored !== undefined && stored.etag !== (etags.get(index) ?? untouched.etag),
      );
      for (const [index] of changed) await reload(index);
    },

    setNewRoisOn: (newRoisOn) => store.setState({ newRoisOn }),
    setExport: (state) => store.setState({ export: state }),

    retry() {
      sync.retry();
      for (const [index, file] of store.getState().files) if (file.load.kind === 'failed') void loadAgain(index);
    },

    resolve(fileIndex, choice, merge = mergeRois) {
      const known = find(fileIndex);
      const trouble = sync.store.getState().troubles.get(String(fileIndex));
      if (known === undefined || trouble?.kind !== 'conflict') return;
      const { base = NO_ROIS, theirs } = trouble;
      if (choice !== 'mine') {
        const merged =
          choice === 'theirs'
            ? theirs.payload
            : merge({ base, mine: toPayload(listOf(fileIndex)), theirs: theirs.payload });
        edit(fileIndex, () => toRois(merged));
      }
      sync.decide(String(fileIndex));
    },

    hasUnsaved: () => sync.hasUnsaved() || !waiting.isEmpty(),

    listWork() {
      const { files } = store.getState();
      const kept: RoiWork[] = waiting.list().map(([fileIndex, rois]) => ({ fileIndex, rois, areAll: false }));
      for (const fileIndex of files.keys()) {
        const rois = listOf(fileIndex);
        if (rois.length > 0 || sync.stateOf(String(fileIndex)) !== 'saved')
          kept.push({ fileIndex, rois, areAll: true });
      }
      return kept;
    },

    forget() {
      run.abort();
      run = new AbortController();
      loads.clear();
      sync.stop();
      waiting.forget();
      steps.forget(isRoiStep);
      clearRois(page);
      store.setState({ files: new Map() });
    },

    async meet(all) {
      const unread: (typeof all)[number][] = [];
      await Promise.all(
        all.map(async (one) => {
          const { rois, areAll } = one.work;
          const file = one.found.get(one.work.fileIndex);
          if (file === undefined) return;
          await load(file);
          const now = find(file.index);
          if (now?.load.kind !== 'loaded') unread.push(one);
          else if (areAll) meetAll(file.index, rois, now.stored);
          else edit(file.index, (known) => [...known, ...rois]);
        }),
      );
      return unread;
    },

    settled: sync.settled,
  };
}

function nothingYetOf({ rows, columns, frame_count, object_kind }: RoiFileRef): FileRois {
  return {
    bounds: { rows, columns, frameCount: countMarkableFrames(object_kind, frame_count) },
    load: LOADING,
    stored: undefined,
  };
}

// Shared, because there may be 100,000 files without ROIs.
const LOADING: FileRois['load'] = { kind: 'loading' };
const LOADED: FileRois['load'] = { kind: 'loaded' };

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
