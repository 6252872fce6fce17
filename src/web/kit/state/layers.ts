import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { LAYER_NAMES, LAYER_OBJECTS, type LayerName, RT_DOSE_STORAGE } from '../../../shared/contract/layers.ts';
import type { LayerRecord } from './attachments.ts';
import { cellsOf, cellsOfLayout } from './cells.ts';
import { libraryOf } from './library.ts';
import { definePart, type Page, usePage } from './page.ts';

/** The layers that are shown over the images of one cell. */
export type ShownLayers = {
  /** Indices of the files that they come from, in the order in which they were added. */
  readonly shown: readonly number[];
  /** Visibility of all of them together. */
  readonly areVisible: boolean;
};

export type LayersState = {
  readonly byCell: ReadonlyMap<number, ShownLayers>;
  /** By layer, where known. */
  readonly reaches: ReadonlyMap<number, LayerReach>;
  /** By layer, the volume (from 0) that the user has chosen of several; no entry to follow the picture. */
  readonly volumes: ReadonlyMap<number, number>;
  /** By layer, what the user has restricted it to. */
  readonly filters: ReadonlyMap<number, ValueFilter>;
  /** By dose, what its values are combined with. */
  readonly combined: ReadonlyMap<number, CombinedDoses>;
};

/** Files of doses that are added to another one and subtracted from it. */
export type CombinedDoses = { readonly plus: readonly number[]; readonly minus: readonly number[] };

/** Only what has a measured value in this range is shown. */
export type ValueFilter = {
  /** Name of the measurement, with its unit. */
  readonly title: string;
  readonly low: number;
  readonly high: number;
};

/** What a layer lies over. */
export type LayerReach = {
  readonly files: ReadonlySet<number>;
  /** The frames of reference whose planes it lies over; undefined for that of its file. */
  readonly spaces: ReadonlySet<string> | undefined;
};

const NONE: ShownLayers = { shown: [], areVisible: true };

export const layersOf = definePart((page) => {
  const store = createStore<LayersState>(createNothing);
  page.onRestart(() => store.setState(createNothing()));
  return store;
});

function createNothing(): LayersState {
  return { byCell: new Map(), reaches: new Map(), volumes: new Map(), filters: new Map(), combined: new Map() };
}

export function shownLayersOf(page: Page, cell: number): ShownLayers {
  return layersOf(page).getState().byCell.get(cell) ?? NONE;
}

export function useShownLayers<T>(cell: number, select: (state: ShownLayers) => T): T {
  return useStore(layersOf(usePage()), ({ byCell }) => select(byCell.get(cell) ?? NONE));
}

/** The only sort of layer that comes from no file of the list. */
const ATTACHMENT: LayerName = 'attachment';

/** The sort of layer that a file has; undefined if it has none, or nothing to draw. */
export function layerNameOf(record: LayerRecord): LayerName | undefined {
  if ('attachment' in record) return ATTACHMENT;
  const { object_kind, sop_class_uid, has_pixels } = record;
  const file = { objectKind: object_kind, sopClassUid: sop_class_uid };
  return LAYER_NAMES.find((name) => {
    const { matches, needsPixels } = LAYER_OBJECTS[name];
    return matches(file) && (has_pixels || !needsPixels);
  });
}

/** Whether a file is a layer and no image: it is opened over its images. */
export function hasLayer(file: LayerRecord): boolean {
  const name = layerNameOf(file);
  return name !== undefined && !LAYER_OBJECTS[name].isImage;
}

/** Whether a file opens over the images that it lies over: a layer, or a dose. */
export function opensOverImages(file: FileRecord): boolean {
  return hasLayer(file) || file.sop_class_uid === RT_DOSE_STORAGE;
}

/** Whether a file is an image that may also lie over others as a field, if its stack is a volume. */
export function isField(file: LayerRecord): boolean {
  if ('attachment' in file) return false;
  const name = layerNameOf(file);
  const isGray = file.photometric_interpretation.startsWith('MONOCHROME');
  return name !== undefined && LAYER_OBJECTS[name].isImage && isGray;
}

/** Modalities whose volumes are usually laid over others, the most usual first. */
export const USUAL_FIELDS: readonly string[] = ['PT', 'NM', 'RTDOSE'];

/** Offered over other images without being asked for. */
export function isUsualField(file: FileRecord): boolean {
  return isField(file) && (USUAL_FIELDS.includes(file.modality) || isMap(file));
}

export function isMap({ object_kind }: FileRecord): boolean {
  return object_kind === 'parametric_map';
}

/**
 * Whether a layer can lie over images of this file: both are of the same study, and of the same frame of reference if
 * both declare one; or of different studies of one patient in the same frame of reference. For a field, only the frame of reference counts. If registrations are open, any layer of the same
 * patient may; its description says whether it does.
 */
export function mayLieOver(page: Page, layer: LayerRecord, image: FileRecord): boolean {
  if (hasLayer(image)) return false;
  const [own, other] = [layer.frame_of_reference_uid, image.frame_of_reference_uid];
  if (layer.patient_id === image.patient_id && hasRegistrations(libraryOf(page).getState().files)) return true;
  const isSameSpace = own !== null && own === other;
  if (isField(layer)) return isSameSpace;
  if (layer.study_instance_uid !== image.study_instance_uid) {
    return isSameSpace && layer.patient_id === image.patient_id;
  }
  return own === null || other === null || isSameSpace;
}

const REGISTRATION_STORAGE: readonly string[] = ['1.2.840.10008.5.1.4.1.1.66.1', '1.2.840.10008.5.1.4.1.1.66.3'];
const registered = new WeakMap<readonly FileRecord[], boolean>();

export function hasRegistrations(files: readonly FileRecord[]): boolean {
  const known = registered.get(files);
  if (known !== undefined) return known;
  const found = files.some(({ sop_class_uid }) => REGISTRATION_STORAGE.includes(sop_class_uid));
  registered.set(files, found);
  return found;
}

/** Whether a layer can lie over one of these files; true until it is described. */
export function mayLieOverAny(page: Page, layer: number, files: Iterable<number>): boolean {
  const reach = layersOf(page).getState().reaches.get(layer);
  if (reach === undefined) return true;
  for (const file of files) if (reach.files.has(file)) return true;
  return false;
}

/** Whether a layer lies over the planes of a frame of reference. A file may name those of its parts in sequences only. */
export function liesInSpace(
  { frame_of_reference_uid }: LayerRecord,
  spaces: LayerReach['spaces'],
  frameOfReferenceUid: string,
): boolean {
  return spaces?.has(frameOfReferenceUid) ?? frame_of_reference_uid === frameOfReferenceUid;
}

export function spacesOfLayer(page: Page, layer: number): LayerReach['spaces'] {
  return layersOf(page).getState().reaches.get(layer)?.spaces;
}

export function setLayerReaches(page: Page, reaches: LayersState['reaches']): void {
  layersOf(page).setState({ reaches });
}

/** Shows or hides a layer in a cell and in the cells that show the same layers, or in exactly these cells. */
export function setLayerShown(page: Page, where: LayerCells, fileIndex: number, isShown: boolean): void {
  change(page, where, ({ shown, areVisible }) => {
    const others = shown.filter((index) => index !== fileIndex);
    return isShown ? { shown: [...others, fileIndex], areVisible: true } : { shown: others, areVisible };
  });
}

export function setLayersVisible(page: Page, where: LayerCells, areVisible: boolean): void {
  change(page, where, ({ shown }) => ({ shown, areVisible }));
}

export function chosenVolumeOf(page: Page, layer: number): number | undefined {
  return layersOf(page).getState().volumes.get(layer);
}

export function useChosenVolume(layer: number): number | undefined {
  return useStore(layersOf(usePage()), ({ volumes }) => volumes.get(layer));
}

/** Chooses one of the volumes of a layer; undefined to follow the picture. */
export function chooseVolume(page: Page, layer: number, volume: number | undefined): void {
  decide(page, 'volumes', layer, volume);
}

export function filterOf(page: Page, layer: number): ValueFilter | undefined {
  return layersOf(page).getState().filters.get(layer);
}

export function useFilter(layer: number): ValueFilter | undefined {
  return useStore(layersOf(usePage()), ({ filters }) => filters.get(layer));
}

/** Restricts a layer to a range of measured values; undefined for all of it. */
export function setFilter(page: Page, layer: number, filter: ValueFilter | undefined): void {
  decide(page, 'filters', layer, filter);
}

export function combinedOf(page: Page, layer: number): CombinedDoses | undefined {
  return layersOf(page).getState().combined.get(layer);
}

export function useCombined(layer: number): CombinedDoses | undefined {
  return useStore(layersOf(usePage()), ({ combined }) => combined.get(layer));
}

/** Combines a dose with others; undefined for the dose alone. */
export function setCombined(page: Page, layer: number, combined: CombinedDoses | undefined): void {
  decide(page, 'combined', layer, combined);
}

type Decisions = Pick<LayersState, 'volumes' | 'filters' | 'combined'>;
type DecisionOf<Name extends keyof Decisions> =
  Decisions[Name] extends ReadonlyMap<number, infer Value> ? Value : never;

/** What the user has decided of a layer; undefined takes it back. */
function decide<Name extends keyof Decisions>(
  page: Page,
  name: Name,
  layer: number,
  value: DecisionOf<Name> | undefined,
): void {
  const { [name]: before } = layersOf(page).getState();
  if (before.get(layer) === value) return;
  const next = new Map<number, unknown>(before);
  if (value === undefined) next.delete(layer);
  else next.set(layer, value);
  layersOf(page).setState({ [name]: next });
}

/** Shows the layers of a cell in others too. */
export function copyShownLayers(page: Page, from: number, to: readonly number[]): void {
  const shown = shownLayersOf(page, from);
  layersOf(page).setState(({ byCell }) => ({
    byCell: new Map([...byCell, ...to.map((cell) => [cell, shown] as const)]),
  }));
}

export function forgetShownLayers(page: Page): void {
  layersOf(page).setState({ byCell: new Map() });
}

/** The values of the layers over the picture of a cell at one of its pixels, as text; written when they are drawn. */
export type LayerProbe = (column: number, row: number) => readonly string[];

export const layerProbesOf = definePart(() => createStore<ReadonlyMap<number, LayerProbe>>(() => new Map()));

type LayerCells = number | readonly number[];

function change(page: Page, where: LayerCells, next: (before: ShownLayers) => ShownLayers): void {
  const { links, layout } = cellsOf(page).getState();
  const linked = links.layers ? cellsOfLayout(layout) : [];
  const changed = typeof where === 'number' ? [...new Set([where, ...linked])] : where;
  layersOf(page).setState(({ byCell }) => ({
    byCell: new Map([...byCell, ...changed.map((one) => [one, next(byCell.get(one) ?? NONE)] as const)]),
  }));
}
