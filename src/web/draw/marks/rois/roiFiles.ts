import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { checkAnnotation, NO_ROIS } from '../../../../shared/annotations.ts';
import type { AnnotationPayload } from '../../../../shared/contract/annotations.ts';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import type { StoredRois } from '../../../kit/api/annotations.ts';
import { countMarkableFrames } from '../../../../shared/videoFrames.ts';
import { definePart, usePage } from '../../../kit/state/page.ts';
import { createSync, type Sync } from '../sync/createSync.ts';
import type { FoundWork } from '../sync/parking.ts';
import { runInSlices, visitInSlices } from '../../../kit/ui/runInSlices.ts';
import { type Step, type StepHistory, stepsOf } from '../../../kit/state/stepHistory.ts';
import { mergeRois } from './mergeRois.ts';
import { coversFrame, isSamePayload, type Roi, toPayload, toRois } from './roi.ts';
import { type RoiBackend, serverBackend } from './roiBackend.ts';
import {
  type ExportState,
  type FileRois,
  NO_ROI_STATE,
  type RoiSelection,
  type RoiState,
  type RoiWork,
} from './roiState.ts';

export type RoiFileRef = Pick<FileRecord, 'index' | 'rows' | 'columns' | 'frame_count'> &
  Partial<Pick<FileRecord, 'object_kind'>>;

export interface RoiFiles {
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
  /** Returns an id that no other ROI has. */
  createId(): number;
  /**
   * One edit by the user: shown at once, sent to the server and added to the history. If the ROIs of the file are not
   * loaded yet, this happens when they are.
   */
  edit(fileIndex: number, change: (rois: readonly Roi[]) => readonly Roi[], frame?: number): void;
  /** One edit that changes several files, such as a box on a slide whose tiles are in several files. */
  editTogether(changes: ReadonlyMap<number, readonly Roi[]>, place: StepPlace): void;
  select(selection: RoiSelection | undefined): void;
  setNewRoisOn(newRoisOn: RoiState['newRoisOn']): void;
  setExport(state: ExportState): void;
  /** Repeats failed requests at once. */
  retry(): void;
  /** `merge` implements the choice `both`; the default merges ROI by ROI. */
  resolve(fileIndex: number, choice: 'mine' | 'theirs' | 'both', merge?: typeof mergeRois): void;
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
  const rois = createRoiFiles(serverBackend, stepsOf(page));
  page.onRestart(() => rois.forget());
  return rois;
});

export function useRois<T>(select: (state: RoiState) => T): T {
  return useStore(roisOf(usePage()).store, select);
}

export type StepPlace = Pick<Step, 'fileIndex' | 'frame'>;

export function isRoiStep({ part }: Step): boolean {
  return part === 'rois';
}

export function createRoiFiles(backend: RoiBackend, steps: StepHistory): RoiFiles {
  const store = createStore<RoiState>(() => NO_ROI_STATE);
  const find = (fileIndex: number) => store.getState().files.get(fileIndex);
  const put = (fileIndex: number, changed: Partial<FileRois>) => {
    const known = find(fileIndex);
    if (known === undefined) return;
    store.setState(({ files }) => ({ files: new Map(files).set(fileIndex, { ...known, ...changed }) }));
  };
  const loads = new Map<number, Promise<void>>();
  let nextId = 1;
  const createId = () => nextId++;
  const number = (payload: AnnotationPayload) => {
    const rois = toRois(payload, nextId);
    nextId += rois.length;
    return rois;
  };
  let run = new AbortController();

  /** Shows these ROIs, and clears the selection if the selected ROI is gone. */
  const showHere = (fileIndex: number, rois: readonly Roi[]) => {
    put(fileIndex, { rois });
    const { selection } = store.getState();
    const isGone = selection?.fileIndex === fileIndex && !rois.some(({ id }) => id === selection.id);
    if (isGone) store.setState({ selection: undefined });
  };

  const sync = createSync<AnnotationPayload, StoredRois>({
    find(key) {
      const file = find(Number(key));
      if (file?.load.kind !== 'loaded') return undefined;
      // In the form that the server returns: a list of all frames comes back empty.
      const checked = checkAnnotation(toPayload(file.rois), file.bounds);
      return { mine: checked.ok ? checked.payload : toPayload(file.rois), stored: file.stored };
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
      for (const [key, payload] of changed) showHere(Number(key), number(payload ?? NO_ROIS));
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
  });

  const read = async (fileIndex: number, signal: AbortSignal) => {
    put(fileIndex, { load: { kind: 'loading' } });
    try {
      const stored = await backend.read(fileIndex, signal);
      if (signal.aborted) return;
      put(fileIndex, { load: { kind: 'loaded' }, stored, rois: number(stored?.payload ?? NO_ROIS) });
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
    showHere(fileIndex, rois);
    sync.touch(String(fileIndex));
  };

  const edit: RoiFiles['edit'] = (fileIndex, change, frame) => {
    const known = find(fileIndex);
    if (known?.load.kind === 'loading') void editWhenLoaded(fileIndex, change, frame);
    if (known?.load.kind !== 'loaded') return;
    const after = change(known.rois);
    if (after === known.rois) return;
    const before = known.rois;
    const changed = [...before.filter((roi) => !after.includes(roi)), ...after.filter((roi) => !before.includes(roi))];
    steps.record({
      part: 'rois',
      fileIndex,
      frame,
      isOn: (shown) => changed.some((roi) => coversFrame(roi, shown)),
      undo: () => show(fileIndex, before),
      redo: () => show(fileIndex, after),
    });
    show(fileIndex, after);
  };

  const editTogether: RoiFiles['editTogether'] = (changes, { fileIndex, frame }) => {
    const files = [...changes].map(([index, after]) => ({ index, before: find(index), after }));
    if (files.some(({ before }) => before?.load.kind !== 'loaded')) return;
    const changed = files.map(({ index, before, after }) => ({ index, before: before?.rois ?? [], after }));
    const showAll = (side: 'before' | 'after') => {
      for (const file of changed) show(file.index, file[side]);
    };
    steps.record({
      part: 'rois',
      fileIndex,
      frame,
      fileIndices: files.map(({ index }) => index),
      isOn: () => false,
      undo: () => showAll('before'),
      redo: () => showAll('after'),
    });
    showAll('after');
  };

  const editWhenLoaded: (...edited: Parameters<RoiFiles['edit']>) => Promise<void> = async (fileIndex, ...edited) => {
    await loads.get(fileIndex);
    if (find(fileIndex)?.load.kind === 'loaded') edit(fileIndex, ...edited);
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
    if (isSamePayload(stored.payload, toPayload(now.rois))) {
      put(fileIndex, { stored });
      return;
    }
    steps.forget((step) => isRoiStep(step) && (step.fileIndices ?? [step.fileIndex]).includes(fileIndex));
    put(fileIndex, { stored });
    show(fileIndex, number(stored.payload));
  };

  return {
    store,
    sync,
    load,
    createId,
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

    select: (selection) => store.setState({ selection }),
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
          choice === 'theirs' ? theirs.payload : merge({ base, mine: toPayload(known.rois), theirs: theirs.payload });
        edit(fileIndex, () => number(merged));
      }
      sync.decide(String(fileIndex));
    },

    listWork() {
      const { files } = store.getState();
      const kept: RoiWork[] = [];
      for (const [fileIndex, { rois }] of files) {
        if (rois.length > 0 || sync.stateOf(String(fileIndex)) !== 'saved') kept.push({ fileIndex, rois });
      }
      return kept;
    },

    forget() {
      run.abort();
      run = new AbortController();
      loads.clear();
      sync.stop();
      steps.forget(isRoiStep);
      store.setState({ files: new Map(), selection: undefined });
    },

    async meet(all) {
      const unread: (typeof all)[number][] = [];
      await Promise.all(
        all.map(async (one) => {
          const { rois } = one.work;
          const file = one.found.get(one.work.fileIndex);
          if (file === undefined) return;
          await load(file);
          const now = find(file.index);
          if (now?.load.kind !== 'loaded') unread.push(one);
          else if (now.stored === undefined) edit(file.index, () => rois);
          else if (!isSamePayload(toPayload(now.rois), toPayload(rois))) {
            showHere(file.index, rois);
            sync.ask(String(file.index), now.stored);
          }
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
    rois: NOTHING,
    stored: undefined,
  };
}

// Shared, because there may be 100,000 files without ROIs.
const LOADING: FileRois['load'] = { kind: 'loading' };
const LOADED: FileRois['load'] = { kind: 'loaded' };
const NOTHING: readonly Roi[] = [];

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
