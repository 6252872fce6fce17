import type { Page } from 'playwright-core';
import { median } from './measure.ts';

export type CrosshairDrag = {
  /** From the wish for three planes until the first of them is shown, and until all are exact. */
  readonly firstPlaneMs: number;
  readonly allPlanesMs: number;
  /** New pictures of each of the two planes that follow. */
  readonly picturesPerSecond: number;
  /** From the time when the hand was where a picture belongs until it is shown; the median. */
  readonly behindMs: number;
  /** From the end of the drag until both are exact. */
  readonly exactMs: number;
  /** Frames that the page has drawn. */
  readonly drawingsPerSecond: number;
};

const DRAG_MS = 4_000;
const STEP_MS = 16;
/** The planes that follow a drag in the axial one, and the direction of the drag that moves each of them. */
const FOLLOWING = [
  { cell: 1, axis: 'y' },
  { cell: 2, axis: 'x' },
] as const;

/** Opens three planes of the stack on the page and drags the crosshair through the axial one. */
export async function dragCrosshair(page: Page): Promise<CrosshairDrag> {
  await page.evaluate(watchCells);
  await page.keyboard.press('y');
  const { firstMs: firstPlaneMs, allMs: allPlanesMs } = await page.evaluate(untilPlanes);
  const box = await page.locator('[data-cell="0"]').boundingBox();
  if (box === null) throw new Error('no cell');
  const [middleX, middleY, reach] = [
    box.x + box.width / 2,
    box.y + box.height / 2,
    Math.min(box.width, box.height) / 4,
  ];
  // Not at the lines through the middle, whose handles would turn the planes.
  const at = (part: number) => [middleX + reach * (part - 0.3), middleY + reach * (part - 0.6)] as const;
  await page.mouse.move(...at(0));
  await page.mouse.down();
  await page.evaluate(untilRest);
  await page.evaluate(forget);
  const began = performance.now();
  // A hand does not wait until the page has seen where it is.
  const moves: Promise<void>[] = [];
  for (let took = 0; took < DRAG_MS; took = performance.now() - began) {
    moves.push(page.mouse.move(...at(took / DRAG_MS)));
    await new Promise((next) => setTimeout(next, STEP_MS));
  }
  await Promise.all(moves);
  const log = await page.evaluate(readLog);
  await page.mouse.up();
  const restedMs = await page.evaluate(untilRest);
  const ends = await page.evaluate(readLog);
  return { firstPlaneMs, allPlanesMs, exactMs: restedMs - log.lastMoveMs, ...summarize(log, ends.shown) };
}

type Log = {
  /** Where the pointer was. */
  readonly moves: readonly { readonly atMs: number; readonly x: number; readonly y: number }[];
  /** Pictures of the cells that follow, by position. */
  readonly pictures: readonly { readonly atMs: number; readonly cell: number; readonly position: number }[];
  readonly frames: number;
  readonly lastMoveMs: number;
  /** The position that each cell shows now. */
  readonly shown: readonly number[];
};

function summarize({ moves, pictures, frames, lastMoveMs }: Log, ends: readonly number[]) {
  const [first, last] = [moves[0], moves.at(-1)];
  if (first === undefined || last === undefined) throw new Error('the pointer did not move');
  const seconds = (lastMoveMs - first.atMs) / 1000;
  const delays = FOLLOWING.flatMap(({ cell, axis }) => {
    const own = pictures.filter((picture) => picture.cell === cell);
    const start = own[0];
    const end = ends[cell];
    if (start === undefined || end === undefined) return [];
    // The first picture is where the drag began: the plane moves as far as the hand does.
    const wantedAt = (move: (typeof moves)[number]) =>
      start.position + ((move[axis] - first[axis]) / (last[axis] - first[axis])) * (end - start.position);
    return own.slice(1).flatMap(({ atMs, position }) => {
      const move = moves.find((one) => Math.abs(wantedAt(one) - position) <= 0.5);
      return move === undefined ? [] : [atMs - move.atMs];
    });
  });
  const shown = pictures.filter(({ atMs }) => atMs <= lastMoveMs).length - FOLLOWING.length;
  return {
    picturesPerSecond: shown / FOLLOWING.length / seconds,
    behindMs: median(delays),
    drawingsPerSecond: frames / seconds,
  };
}

declare global {
  interface Window {
    benchLog?: {
      moves: { atMs: number; x: number; y: number }[];
      pictures: { atMs: number; cell: number; position: number }[];
      frames: number;
      wishedMs: number;
    };
  }
}

/** Runs in the page: notes the key, the pointer, the frames, and the pictures of all cells. */
function watchCells(): void {
  const log: NonNullable<Window['benchLog']> = { moves: [], pictures: [], frames: 0, wishedMs: 0 };
  window.benchLog = log;
  addEventListener('keydown', () => (log.wishedMs = performance.now()), { capture: true });
  addEventListener(
    'pointermove',
    ({ clientX, clientY }) => log.moves.push({ atMs: performance.now(), x: clientX, y: clientY }),
    { capture: true },
  );
  const look = () => {
    log.frames += 1;
    for (const cell of [1, 2]) {
      const position = Number(document.querySelector<HTMLElement>(`[data-cell="${cell}"]`)?.dataset['shown'] || NaN);
      const before = log.pictures.findLast((picture) => picture.cell === cell)?.position;
      if (!Number.isNaN(position) && position !== before) {
        log.pictures.push({ atMs: performance.now(), cell, position });
      }
    }
    requestAnimationFrame(look);
  };
  look();
}

/** Runs in the page: what was noted so far is forgotten, but for the pictures on the screen. */
function forget(): void {
  const log = window.benchLog!;
  log.moves.length = 0;
  log.frames = 0;
  const last = [1, 2].flatMap((cell) => log.pictures.findLast((picture) => picture.cell === cell) ?? []);
  log.pictures.splice(0, log.pictures.length, ...last);
}

/** Runs in the page. */
async function untilPlanes(): Promise<{ readonly firstMs: number; readonly allMs: number }> {
  const cells = [0, 1, 2];
  const count = (selector: string) =>
    cells.filter((cell) => document.querySelector(`[data-cell="${cell}"]${selector}`)).length;
  const { wishedMs } = window.benchLog!;
  while (count('') < 3) await new Promise(requestAnimationFrame);
  while (count(':not([data-shown=""])[data-status="ready"]') < 1) await new Promise(requestAnimationFrame);
  const firstMs = performance.now() - wishedMs;
  while (count('[data-status="ready"]:not([data-quality="preview"])') < 3) await new Promise(requestAnimationFrame);
  return { firstMs, allMs: performance.now() - wishedMs };
}

/** Runs in the page: the time when all planes are exact, and have been for some frames. */
async function untilRest(): Promise<number> {
  const selector = '[data-status="ready"]:not([data-quality="preview"])';
  let [since, frames] = [0, 0];
  while (frames < 20) {
    await new Promise(requestAnimationFrame);
    const isExact = [0, 1, 2].every((cell) => document.querySelector(`[data-cell="${cell}"]${selector}`));
    if (!isExact) frames = 0;
    else {
      if (frames === 0) since = performance.now();
      frames += 1;
    }
  }
  return since;
}

/** Runs in the page. */
function readLog(): Log {
  const { moves, pictures, frames } = window.benchLog!;
  const shown = [0, 1, 2].map((cell) =>
    Number(document.querySelector<HTMLElement>(`[data-cell="${cell}"]`)?.dataset['shown'] || NaN),
  );
  return { moves, pictures, frames, lastMoveMs: moves.at(-1)?.atMs ?? NaN, shown };
}
