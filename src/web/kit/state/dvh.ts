import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { LAYER_OBJECTS, RT_DOSE_STORAGE } from '../../../shared/contract/layers.ts';
import { cellsOf } from './cells.ts';
import { layerNameOf, shownLayersOf } from './layers.ts';
import { findFile, libraryOf, stackOf } from './library.ts';
import { definePart, type Page } from './page.ts';
import { panelsOf, setPanels } from './panels.ts';

/** The open files that dose-volume histograms are made of. */
type DvhFiles = {
  /** Objects that enclose volumes: structure sets and segmentations. */
  readonly volumes: readonly FileRecord[];
  /** The first file of each dose. */
  readonly doses: readonly FileRecord[];
};

/** By the stacks of the files, which decide what is one dose. */
const listed = new WeakMap<object, { readonly files: readonly FileRecord[]; readonly found: DvhFiles }>();

export function listDvhFiles(page: Page): DvhFiles {
  const { files, stackOfFile } = libraryOf(page).getState();
  const known = listed.get(stackOfFile);
  if (known?.files === files) return known.found;
  const doses = new Map<string, FileRecord>();
  const volumes: FileRecord[] = [];
  for (const file of files) {
    if (hasVolumes(file)) volumes.push(file);
    if (isDose(file)) {
      const { id } = stackOf(page, file);
      if (!doses.has(id)) doses.set(id, file);
    }
  }
  const found = { volumes, doses: [...doses.values()] };
  listed.set(stackOfFile, { files, found });
  return found;
}

function hasVolumes(file: FileRecord): boolean {
  const name = layerNameOf(file);
  return name !== undefined && LAYER_OBJECTS[name].hasVolumes;
}

function isDose({ sop_class_uid, has_pixels }: FileRecord): boolean {
  return sop_class_uid === RT_DOSE_STORAGE && has_pixels;
}

/** Whether there is something to measure; with a file, whether it is part of it. */
export function hasDvh(page: Page, file?: FileRecord): boolean {
  const { volumes, doses } = listDvhFiles(page);
  if (volumes.length === 0 || doses.length === 0) return false;
  return file === undefined || hasVolumes(file) || isDose(file);
}

export type DvhChoice = {
  readonly volumes: number;
  readonly dose: number;
  /** Doses that are added to it. */
  readonly plus: readonly number[];
};

/** The files of the histograms that are shown, or were shown last. */
export const dvhChoiceOf = definePart((page) => {
  const store = createStore<{ readonly choice: DvhChoice | undefined }>(() => ({ choice: undefined }));
  page.onRestart(() => {
    store.setState({ choice: undefined });
    setPanels(page, { isDvhOpen: false });
  });
  return store;
});

/** Opens the histograms of a structure set, a segmentation or a dose; without one, those of the active cell. */
export function openDvh(page: Page, fileIndex?: number): void {
  const choice = chooseDvh(page, findFile(page, fileIndex));
  if (choice === undefined) return;
  dvhChoiceOf(page).setState({ choice });
  setPanels(page, { isDvhOpen: true });
}

/** Opens the histograms of the active cell, or closes them. */
export function toggleDvh(page: Page): void {
  if (panelsOf(page).getState().isDvhOpen) setPanels(page, { isDvhOpen: false });
  else openDvh(page);
}

/** The best of each that fits the other: what lies over the active cell, then the same study, then any. */
function chooseDvh(page: Page, opener: FileRecord | undefined): DvhChoice | undefined {
  const { volumes, doses } = listDvhFiles(page);
  const { shown } = shownLayersOf(page, cellsOf(page).getState().activeCell);
  const pick = (files: readonly FileRecord[], other: FileRecord | undefined) =>
    opener !== undefined && files.includes(opener)
      ? opener
      : files.toSorted((a, b) => rank(b, other, shown) - rank(a, other, shown))[0];
  const ofVolumes = pick(volumes, opener);
  const ofDose = pick(doses, opener ?? ofVolumes);
  return ofVolumes && ofDose && { volumes: ofVolumes.index, dose: ofDose.index, plus: [] };
}

function rank(file: FileRecord, other: FileRecord | undefined, shown: readonly number[]): number {
  const uid = file.frame_of_reference_uid;
  const isSameSpace = uid !== null && uid === other?.frame_of_reference_uid;
  const isSameStudy = file.study_instance_uid === other?.study_instance_uid;
  return (shown.includes(file.index) ? 4 : 0) + (isSameSpace ? 2 : 0) + (isSameStudy ? 1 : 0);
}
