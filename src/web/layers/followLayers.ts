import type { FileRecord } from '../../shared/contract/files.ts';
import { LAYER_KINDS, LAYER_OBJECTS, PACKET_KINDS } from '../../shared/contract/layers.ts';
import { findLayerTarget, imageOf, isPlane, keyOfTarget, type PictureUnder } from '../pictures/layerTarget.ts';
import { pictureOf } from '../pictures/pictureKinds.ts';
import { scaleMatrix } from '../pictures/viewTransform.ts';
import { cellOf, stackOfCell } from '../state/cells.ts';
import { isField, layerNameOf, layersOf, liesInSpace, shownLayersOf } from '../state/layers.ts';
import { findFile, stackOf } from '../state/library.ts';
import type { Page } from '../state/page.ts';
import { reportOf, viewportsOf } from '../pictures/viewports.ts';
import { type DamagedLayerPart, describeDamage } from './describeDamage.ts';
import { CLIENTS } from './layerClients.ts';
import { descriptionsOf } from './layerDescriptions.ts';
import { layerLoaderOf, type LayerWish } from './layerLoader.ts';
import { createLayerLooks } from './layerLooks.ts';
import type { StyledLayer } from './layerPainter.ts';
import { LAYER_PAINTERS } from './layerPainters.ts';
import { type DrawnLayer, followPointer, setLayerProbe } from './layerProbe.ts';
import { stylesOf } from './partStyles.ts';

/** Images on each side whose layers are prefetched when the user pauses. */
const AHEAD = 3;
const REST_MS = 200;

export type FollowOptions = {
  readonly page: Page;
  readonly cell: number;
  readonly canvas: HTMLCanvasElement;
  readonly onProblems: (problems: LayerProblems) => void;
};

export type LayerProblems = {
  /** Why a layer of the shown image is missing; undefined if all are present or loading. */
  readonly failure: LayerFailure | undefined;
  /** Which parts of the layers on the screen are cut or damaged in the file. */
  readonly damage: string | undefined;
};

export type LayerFailure = { readonly noun: string; readonly error: Error };

type DrawnOfKind = { readonly [Kind in (typeof PACKET_KINDS)[number]]: StyledLayer[] };

/**
 * Keeps a canvas in step with the frame that the cell shows. It draws immediately after the cell has drawn, because one
 * animation frame later a layer would lie over the next image.
 */
export function followLayers({ page, cell, canvas, onProblems }: FollowOptions): () => void {
  const [loader, descriptions] = [layerLoaderOf(page), descriptionsOf(page)];
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser does not provide a 2D canvas');
  const drawers = DRAWING_ORDER.map((kind) => ({ kind, drawer: LAYER_PAINTERS[kind].createDrawer() }));
  const lookOf = createLayerLooks(page);
  let restTimer: ReturnType<typeof setTimeout> | undefined;
  let soon: readonly LayerWish[] = [];
  let lastKey: string | undefined;
  let lastReport: unknown;
  let onScreen: readonly DrawnLayer[] = [];

  const draw = () => {
    const shown = findLayerTarget(page, cell);
    const wishes = shown === undefined ? [] : listWishes(page, cell, shown.target);
    const drawn = createDrawn();
    let [missing, present] = [0, 0];
    let failure: LayerFailure | undefined;
    const damaged: DamagedLayerPart[] = [];
    const probed: DrawnLayer[] = [];
    for (const wish of wishes) {
      const description = descriptions.find(wish.layer);
      const outcome = loader.find(wish);
      const painter = LAYER_PAINTERS[wish.kind];
      const { noun } = painter;
      if (outcome === undefined) missing += 1;
      if (outcome?.status === 'failed') failure = { noun, error: outcome.error };
      if (description !== undefined && outcome?.status === 'ready') {
        const { packet } = outcome.value;
        present += 1;
        drawn[wish.kind].push({ packet, look: lookOf(description) });
        probed.push({ packet, description, partsAt: (column, row) => painter.partsAt(packet, column, row) });
        for (const part of painter.listDamaged(packet)) damaged.push({ ...part, noun, parts: description.parts });
      }
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (shown !== undefined) fit(canvas, shown.screen);
    context.clearRect(0, 0, canvas.width, canvas.height);
    const { screen } = shown ?? {};
    if (screen !== undefined) {
      const imageToCanvas = scaleMatrix(screen.imageToScreen, screen.pixelRatio);
      for (const { kind, drawer } of drawers) drawer.draw(context, drawn[kind], imageToCanvas);
    }
    // For tests and for saving pictures: the image that the layers belong to, and whether all are loaded.
    canvas.dataset['masks'] = missing > 0 ? 'loading' : String(present);
    canvas.dataset['image'] = shown === undefined ? '' : keyOfTarget(shown.target);
    onScreen = probed;
    setLayerProbe(page, cell, probed);
    onProblems({ failure, damage: describeDamage(damaged) });
    want(wishes, shown && keyOfTarget(shown.target));
  };

  const want = (now: readonly LayerWish[], key: string | undefined) => {
    if (key !== lastKey) {
      soon = [];
      clearTimeout(restTimer);
      restTimer = setTimeout(rest, REST_MS);
    }
    lastKey = key;
    loader.want(cell, { now, soon });
  };
  const rest = () => {
    soon = listSoon(page, cell);
    draw();
  };
  /** Other layers than before, whose packets around the image are not loaded yet. */
  const drawOthers = () => {
    lastKey = undefined;
    draw();
  };
  const followReport = () => {
    const report = reportOf(page, cell);
    if (report === lastReport) return;
    lastReport = report;
    draw();
  };

  const stops = [
    viewportsOf(page).subscribe(followReport),
    layersOf(page).subscribe(drawOthers),
    descriptions.changes.subscribe(drawOthers),
    stylesOf(page).subscribe(draw),
    ...CLIENTS.flatMap(({ looks }) => looks?.changes(page).subscribe(draw) ?? []),
    loader.onOutcome(draw),
    followPointer(page, cell, () => onScreen),
  ];
  draw();
  return () => {
    for (const stop of stops) stop();
    clearTimeout(restTimer);
    setLayerProbe(page, cell, []);
    loader.want(cell, { now: [], soon: [] });
  };
}

/** The kinds that can be drawn, the lowest first. */
const DRAWING_ORDER = LAYER_KINDS.flatMap((kind) => PACKET_KINDS.filter((drawn) => drawn === kind));

function createDrawn(): DrawnOfKind {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of all kinds
  return Object.fromEntries(PACKET_KINDS.map((kind) => [kind, []])) as unknown as DrawnOfKind;
}

function listWishes(page: Page, cell: number, target: PictureUnder): LayerWish[] {
  const { shown, areVisible } = shownLayersOf(page, cell);
  if (!areVisible) return [];
  return shown.flatMap((layer) => {
    const file = findFile(page, layer);
    const name = file && layerNameOf(file);
    if (file === undefined || name === undefined || !isOver(page, file, target)) return [];
    // The planes of a volume are not covered by itself.
    if (isPlane(target) && isField(file) && stackOf(page, file) === ownStackOf(page, cell)) return [];
    return [{ layer, kind: LAYER_OBJECTS[name].kind, target }];
  });
}

function ownStackOf(page: Page, cell: number) {
  const picture = pictureOf(page, cell);
  const image = picture && imageOf(page, picture);
  return image && stackOf(page, image);
}

/** Whether the layer of a file is known to lie over a target. */
function isOver(page: Page, layer: FileRecord, target: PictureUnder): boolean {
  const description = descriptionsOf(page).find(layer.index);
  if (description === undefined) return false;
  if (isPlane(target)) return liesInSpace(layer, description.spaces, target.frameOfReferenceUid);
  return description.targets.get(target.fileIndex)?.has(target.frame) === true;
}

/** Nearest first; empty while cine plays. */
function listSoon(page: Page, cell: number): LayerWish[] {
  const { position, cine } = cellOf(page, cell);
  const frames = stackOfCell(page, cell)?.frames;
  if (frames === undefined || cine.playing) return [];
  const around = Array.from({ length: AHEAD }, (_, i) => [position + i + 1, position - i - 1]).flat();
  return around.flatMap((at) => {
    const address = frames[at];
    return address === undefined ? [] : listWishes(page, cell, { fileIndex: address.fileIndex, frame: address.frame });
  });
}

function fit(
  canvas: HTMLCanvasElement,
  { width, height, pixelRatio }: { width: number; height: number; pixelRatio: number },
) {
  const [across, down] = [Math.round(width * pixelRatio), Math.round(height * pixelRatio)];
  if (canvas.width !== across) canvas.width = across;
  if (canvas.height !== down) canvas.height = down;
}
