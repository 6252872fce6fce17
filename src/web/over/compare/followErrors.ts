import { combineMasks } from '../../../shared/errorMasks.ts';
import { createMaskBits, type MaskBits } from '../../../shared/maskRuns.ts';
import type { SourceMasks } from '../../../shared/maskLayers.ts';
import { findLayer } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { panelsOf } from '../../kit/state/panels.ts';
import { cellsOf } from '../../kit/state/cells.ts';
import { findLayerGround, isSlideRegion, keyOfTarget, type PictureUnder } from '../../show/pictures/layerTarget.ts';
import { reportOf, watchReport } from '../../show/pictures/viewports.ts';
import { scaleMatrix } from '../../show/pictures/viewTransform.ts';
import { descriptionsOf } from '../layers/layerDescriptions.ts';
import { layerLoaderOf, type LayerWish, type LoadedPacket } from '../layers/layerLoader.ts';
import { LAYER_PAINTERS } from '../layers/layerPainters.ts';
import { listLayerWishes } from '../layers/layerWishes.ts';
import type { CompareChoice } from '../../kit/state/compareChoice.ts';
import {
  COMPARED_MARKS,
  compareChoiceOf,
  type ComparedSide,
  findSide,
  type SideName,
} from '../../kit/state/comparedSides.ts';
import { type ComparedPair, comparisonsOf, findComparison, listSeenPairs } from './comparison.ts';
import { createErrorDrawer } from './drawErrors.ts';
import type { MarkMasks } from './markMasks.ts';

export type FollowErrorsOptions = {
  readonly page: Page;
  readonly cell: number;
  readonly canvas: HTMLCanvasElement;
  readonly marks: MarkMasks;
};

/** Keeps a canvas with the errors of the comparison in step with the picture of a cell. Returns a function that stops it. */
export function followErrors({ page, cell, canvas, marks }: FollowErrorsOptions): () => void {
  const loader = layerLoaderOf(page);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser does not provide a 2D canvas');
  const owner = `errors ${cell}`;
  const drawer = createErrorDrawer();
  let isPrinting = false;
  /** What was combined last, and of what. */
  let combined: { readonly of: readonly unknown[]; readonly masks: SourceMasks } | undefined;
  let marksRevision = 0;

  const readSide = (side: ComparedSide, wanted: Wanted): ReadSide => {
    if (side === COMPARED_MARKS) {
      return {
        packets: [marksRevision],
        isLoading: false,
        read: ({ class: key }) => marks.read(page, cell, key),
      };
    }
    if (findLayer(page, side) !== undefined && descriptionsOf(page).find(side) === undefined) {
      void descriptionsOf(page).load(side);
      return NOT_YET;
    }
    const [wish] = listLayerWishes(page, cell, { target: wanted.target, pieces: [] }, [side]);
    // A layer that has nothing here is empty, as it is for the numbers.
    if (wish === undefined) return { packets: [], isLoading: false, read: () => undefined };
    const painter = LAYER_PAINTERS[wish.kind];
    const { isOfOnePart = false } = painter;
    const wishOf = (part: number): LayerWish => (isOfOnePart ? { ...wish, part } : wish);
    const wishes = isOfOnePart ? [...new Set(wanted.parts)].map(wishOf) : [wish];
    wanted.wishes.push(...wishes);
    const outcomes = wishes.map((one) => loader.find(one));
    const packetOf = (part: number): LoadedPacket | undefined => {
      const outcome = loader.find(wishOf(part));
      return outcome?.status === 'ready' ? outcome.value : undefined;
    };
    return {
      packets: outcomes,
      isLoading: outcomes.includes(undefined),
      read({ part }) {
        const packet = packetOf(part)?.packet;
        return packet && painter.insideOf?.(packet, part);
      },
    };
  };

  const findMasks = (target: PictureUnder, wishes: LayerWish[]): Combined | undefined => {
    const choice = compareChoiceOf(page);
    const answer = findComparison(page);
    const sides = { truth: findSide(page, choice?.truth), test: findSide(page, choice?.test) };
    if (choice === undefined || answer === undefined || sides.truth === undefined || sides.test === undefined)
      return undefined;
    const pairs = listSeenPairs(choice, answer);
    const read = (name: SideName, side: ComparedSide) =>
      readSide(side, { target, wishes, parts: pairs.map((pair) => pair[name].part) });
    const [truth, test] = [read('truth', sides.truth), read('test', sides.test)];
    if (truth.isLoading || test.isLoading) return { choice, masks: undefined };
    const of = [keyOfTarget(target), pairs.length, ...pairs, ...truth.packets, ...test.packets];
    const isKnown = combined?.of.length === of.length && of.every((one, at) => one === combined?.of[at]);
    if (!isKnown) {
      const masks = combine(pairs, { truth, test }, reportOf(page, cell).screen?.image);
      combined = masks && { of, masks };
    }
    return { choice, masks: combined?.masks };
  };

  const draw = () => {
    const shown = findLayerGround(page, cell);
    const wishes: LayerWish[] = [];
    const isDrawn = shown !== undefined && !isSlideRegion(shown.target);
    const found = isDrawn ? findMasks(shown.target, wishes) : undefined;
    const { screen } = shown ?? {};
    const ratio = screen?.pixelRatio ?? 1;
    const [width, height] = [Math.round((screen?.width ?? 0) * ratio), Math.round((screen?.height ?? 0) * ratio)];
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (screen !== undefined && shown !== undefined) {
      const { choice, masks } = found ?? {};
      // Paper may have no colors.
      const looks = choice && { look: isPrinting ? ('hatched' as const) : choice.look, only: choice.only };
      const drawn = masks && looks && { masks, target: shown.target, choice: looks };
      drawer.draw(context, drawn, scaleMatrix(screen.imageToScreen, screen.pixelRatio));
    }
    // For tests and for saving pictures: the picture that the errors belong to, and what is drawn.
    canvas.dataset['errors'] = found === undefined ? 'none' : found.masks === undefined ? 'loading' : 'drawn';
    canvas.dataset['image'] = shown === undefined ? '' : keyOfTarget(shown.target);
    loader.want(owner, { now: wishes, soon: [] });
  };
  const print = (isNow: boolean) => () => {
    isPrinting = isNow;
    draw();
  };
  const redraw = () => {
    marksRevision += 1;
    draw();
  };

  const ending = new AbortController();
  addEventListener('beforeprint', print(true), { signal: ending.signal });
  addEventListener('afterprint', print(false), { signal: ending.signal });
  const stops = [
    watchReport(page, cell).subscribe(draw),
    cellsOf(page).subscribe(draw),
    panelsOf(page).subscribe(({ compareText }, before) => {
      if (compareText !== before.compareText) draw();
    }),
    comparisonsOf(page).changes.subscribe(draw),
    descriptionsOf(page).changes.subscribe(draw),
    loader.onOutcome(draw),
    ...marks.stores(page).map((store) => store.subscribe(redraw)),
  ];
  draw();
  return () => {
    ending.abort();
    for (const stop of stops) stop();
    loader.want(owner, { now: [], soon: [] });
  };
}

type Combined = { readonly choice: CompareChoice; readonly masks: SourceMasks | undefined };

type Wanted = {
  readonly target: PictureUnder;
  /** Parts of the pairs that are drawn. */
  readonly parts: readonly number[];
  /** Collects what must be loaded. */
  readonly wishes: LayerWish[];
};

type ReadSide = {
  /** What the masks are made of: they are the same while these are. */
  readonly packets: readonly unknown[];
  readonly isLoading: boolean;
  /** Undefined if a part has nothing here. */
  readonly read: (part: ComparedPair[SideName]) => MaskBits | undefined;
};

const NOT_YET: ReadSide = { packets: [], isLoading: true, read: () => undefined };

type Sides = Readonly<Record<SideName, ReadSide>>;

function combine(
  pairs: readonly ComparedPair[],
  { truth, test }: Sides,
  image: { readonly width: number; readonly height: number } | undefined,
): SourceMasks | undefined {
  const found = pairs.map((pair) => ({ truth: truth.read(pair.truth), test: test.read(pair.test) }));
  // A packet has the size of its picture, also while a coarse picture is on the screen.
  const first = found.flatMap((one) => one.truth ?? one.test ?? [])[0];
  const size = first ?? (image && { columns: image.width, rows: image.height });
  if (size === undefined) return undefined;
  const empty = createMaskBits(size.columns, size.rows);
  return combineMasks(
    found.map((one) => ({ truth: one.truth ?? empty, test: one.test ?? empty })),
    size,
  );
}
