import { LAYER_KINDS, PACKET_KINDS } from '../../../shared/contract/layers.ts';
import { findLayerGround, isSlideRegion, keyOfTarget, type PictureUnder } from '../../show/pictures/layerTarget.ts';
import { pictureOf } from '../../show/pictures/pictureKinds.ts';
import { scaleMatrix } from '../../show/pictures/viewTransform.ts';
import { cellOf, stackOfCell } from '../../kit/state/cells.ts';
import { layersOf, shownLayersOf } from '../../kit/state/layers.ts';
import type { Page } from '../../kit/state/page.ts';
import { reportOf, viewportsOf } from '../../show/pictures/viewports.ts';
import { type DamagedLayerPart, describeDamage } from './describeDamage.ts';
import { CLIENTS } from './layerClients.ts';
import { descriptionsOf } from './layerDescriptions.ts';
import { layerLoaderOf, type LayerWish } from './layerLoader.ts';
import { createLayerLooks } from './layerLooks.ts';
import type { DrawingSurfaces, StyledLayer } from './layerPainter.ts';
import { LAYER_PAINTERS } from './layerPainters.ts';
import { type LayerOnScreen, lightParts, setLayerProbe } from './layerProbe.ts';
import { listLayerWishes } from './layerWishes.ts';
import { stylesOf } from './partStyles.ts';

/** Images on each side whose layers are prefetched when the user pauses. */
const AHEAD = 3;
const REST_MS = 200;

export type FollowOptions = {
  readonly page: Page;
  readonly cell: number;
  readonly canvas: HTMLCanvasElement;
  /** Over the canvas. */
  readonly surfaces: DrawingSurfaces;
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
export function followLayers({ page, cell, canvas, surfaces, onProblems }: FollowOptions): () => void {
  const [loader, descriptions] = [layerLoaderOf(page), descriptionsOf(page)];
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser does not provide a 2D canvas');
  const drawers = DRAWING_ORDER.map((kind) => ({ kind, drawer: LAYER_PAINTERS[kind].createDrawer(surfaces) }));
  const lookOf = createLayerLooks(page);
  let restTimer: ReturnType<typeof setTimeout> | undefined;
  let soon: readonly LayerWish[] = [];
  let lastKey: string | undefined;
  let lastReport: unknown;
  let onScreen: readonly LayerOnScreen[] = [];
  /** By layer: the pieces of a slide that were last drawn without a gap. */
  const complete = new Map<number, readonly LayerWish[]>();

  const isReady = (wish: LayerWish) => loader.find(wish)?.status === 'ready';
  /** What is drawn of a slide while pieces of another size are loading: those before, if they are at hand. */
  const replaceMissing = (wishes: readonly LayerWish[]): LayerWish[] => {
    const layers = new Set(wishes.map(({ layer }) => layer));
    return [...layers].flatMap((layer) => {
      const own = wishes.filter((wish) => wish.layer === layer);
      const before = complete.get(layer) ?? [];
      if (own.every((wish) => loader.find(wish) !== undefined)) complete.set(layer, own);
      else if (!own.some(isReady) && before.some(isReady)) return before;
      return own;
    });
  };

  const draw = () => {
    const shown = findLayerGround(page, cell);
    const wishes = shown === undefined ? [] : listLayerWishes(page, cell, shown, visibleIn(page, cell));
    const drawn = createDrawn();
    let [missing, present] = [0, 0];
    let failure: LayerFailure | undefined;
    const damaged: DamagedLayerPart[] = [];
    const probed: LayerOnScreen[] = [];
    for (const wish of wishes) if (loader.find(wish) === undefined) missing += 1;
    for (const wish of shown !== undefined && isSlideRegion(shown.target) ? replaceMissing(wishes) : wishes) {
      const description = descriptions.find(wish.layer);
      const outcome = loader.find(wish);
      const painter = LAYER_PAINTERS[wish.kind];
      const { noun } = painter;
      if (outcome?.status === 'failed') failure = { noun, error: outcome.error };
      if (description !== undefined && outcome?.status === 'ready') {
        const { packet } = outcome.value;
        present += 1;
        const { target } = wish;
        const look = lookOf(description);
        drawn[wish.kind].push({ packet, target, look });
        probed.push({
          packet,
          description,
          target,
          look,
          partsAt: (column, row) => painter.partsAt(packet, ...toPacketPixel(target, column, row)),
        });
        for (const part of painter.listDamaged(packet)) damaged.push({ ...part, noun, parts: description.parts });
      }
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (shown !== undefined) fit(canvas, shown.screen);
    context.clearRect(0, 0, canvas.width, canvas.height);
    const { screen } = shown ?? {};
    const imageToCanvas = screen === undefined ? NOWHERE : scaleMatrix(screen.imageToScreen, screen.pixelRatio);
    // Without a picture too, because what is not in the canvas is not cleared with it.
    for (const { kind, drawer } of drawers) drawer.draw(context, drawn[kind], imageToCanvas);
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
    lightParts(page, cell, () => onScreen),
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

/** For nothing to draw. */
const NOWHERE = [1, 0, 0, 1, 0, 0] as const;

/** The sample of a packet at a pixel of the picture; only those of slides are pieces with samples of other sizes. */
function toPacketPixel(target: PictureUnder, column: number, row: number): readonly [number, number] {
  if (!isSlideRegion(target)) return [column, row];
  return [Math.floor((column - target.x) / target.pixel), Math.floor((row - target.y) / target.pixel)];
}

function visibleIn(page: Page, cell: number): readonly number[] {
  const { shown, areVisible } = shownLayersOf(page, cell);
  return areVisible ? shown : [];
}

/** Nearest first; empty while cine plays. */
function listSoon(page: Page, cell: number): LayerWish[] {
  const { position, cine } = cellOf(page, cell);
  const frames = stackOfCell(page, cell)?.frames;
  // The frames of a slide are its tiles.
  if (frames === undefined || cine.playing || pictureOf(page, cell)?.traits.frames === 'tiles') return [];
  const around = Array.from({ length: AHEAD }, (_, i) => [position + i + 1, position - i - 1]).flat();
  return around.flatMap((at) => {
    const address = frames[at];
    if (address === undefined) return [];
    const target = { fileIndex: address.fileIndex, frame: address.frame };
    return listLayerWishes(page, cell, { target, pieces: [] }, visibleIn(page, cell));
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
