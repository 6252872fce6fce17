import { ArrowLeftRight, Pause, Play, Repeat, SkipBack, SkipForward } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { cellOf, cellsOf, scrollBy, scrollTo, setCine, stackOfCell, useCells, useStackOfCell } from '../state/cells.ts';
import { useFileInfo } from '../state/fileInfo.ts';
import { describePlace } from '../state/frameOrder.ts';
import { findFile, libraryOf } from '../state/library.ts';
import { definePart, type Page, usePage } from '../state/page.ts';
import { useIsSlide } from '../pictures/slides.ts';
import type { ViewStack } from '../state/stacks.ts';
import { followStores } from '../ui/followStores.ts';
import { LiveText } from '../ui/LiveText.tsx';
import { findGaps } from './missingSlices.ts';
import { LEAST_FPS, MOST_FPS, rateOf } from './player.ts';
import styles from './Scrubber.module.css';
import { useReachedFps } from './useCine.ts';

/** The bar below the images: the position of the active cell in its stack, and its cine controls. */
export function Scrubber() {
  const page = usePage();
  const cell = useCells(({ activeCell }) => activeCell);
  const stack = useStackOfCell(cell);
  const count = stack?.frames.length ?? 0;
  const isSlide = useIsSlide(cell);
  const texts = useMemo(() => ({ place: () => placeIn(page, cell) }), [page, cell]);
  if (stack === undefined || count < 2 || isSlide) return null;
  return (
    <fieldset className={styles.bar} aria-label="Place in the stack">
      <PlayButtons cell={cell} />
      <Slider key={stack.id} cell={cell} stack={stack} />
      <LiveText className={styles.place} stores={placeStoresOf(page)} text={texts.place} />
      <Rate cell={cell} stack={stack} />
    </fieldset>
  );
}

/** Includes the library, because a stack grows while its files are found. */
const placeStoresOf = definePart((page) => [cellsOf(page), libraryOf(page)]);

function placeIn(page: Page, cell: number): string {
  const stack = stackOfCell(page, cell);
  const { position } = cellOf(page, cell);
  return stack === undefined ? '' : describePlace(stack, position, findFile(page, stack.frames[position]?.fileIndex));
}

function PlayButtons({ cell }: { readonly cell: number }) {
  const page = usePage();
  const isPlaying = useCells(({ cells }) => cells[cell]?.cine.playing ?? false);
  const label = isPlaying ? 'Pause' : 'Play';
  return (
    <>
      <IconButton label="Previous image" title="Previous image (Up)" onClick={() => scrollBy(page, cell, -1)}>
        <SkipBack size={16} />
      </IconButton>
      <IconButton label={label} title={`${label} (Space)`} onClick={() => setCine(page, cell, { playing: !isPlaying })}>
        {isPlaying ? <Pause size={16} /> : <Play size={16} />}
      </IconButton>
      <IconButton label="Next image" title="Next image (Down)" onClick={() => scrollBy(page, cell, 1)}>
        <SkipForward size={16} />
      </IconButton>
    </>
  );
}

type IconButtonProps = {
  readonly label: string;
  readonly title: string;
  readonly onClick: () => void;
  readonly children: React.ReactNode;
};

function IconButton({ label, title, onClick, children }: IconButtonProps) {
  return (
    <button type="button" className={styles.button} aria-label={label} title={title} onClick={onClick}>
      {children}
    </button>
  );
}

/** Follows the store without React, because cine playback would render it 60 times a second. */
function Slider({ cell, stack }: { readonly cell: number; readonly stack: ViewStack }) {
  const page = usePage();
  const ref = useRef<HTMLInputElement>(null);
  const last = stack.frames.length - 1;
  const gaps = useMemo(() => findGaps(stack), [stack]);
  useEffect(() => {
    const input = ref.current;
    if (input === null) return undefined;
    return followStores([cellsOf(page)], () => {
      const { position } = cellOf(page, cell);
      input.value = String(position);
      input.setAttribute('aria-valuetext', `Image ${position + 1} of ${last + 1}`);
    });
  }, [page, cell, last]);
  return (
    <div className={styles.track}>
      <input
        ref={ref}
        className={styles.slider}
        type="range"
        min={0}
        max={last}
        defaultValue={0}
        aria-label="Image in the stack"
        onInput={(event) => scrollTo(page, cell, Number(event.currentTarget.value))}
      />
      {gaps.map(({ after, missing }) => (
        <span
          key={after}
          className={styles.gap}
          title={`${missing} missing after image ${after + 1}`}
          style={{ insetInlineStart: `${((after + 0.5) / last) * 100}%` }}
        />
      ))}
    </div>
  );
}

function Rate({ cell, stack }: { readonly cell: number; readonly stack: ViewStack }) {
  const page = usePage();
  const cine = useCells(({ cells }) => cells[cell]?.cine);
  const info = useFileInfo(stack.fileIndex);
  const reached = useReachedFps(cell);
  const fps = Math.round(rateOf(cine?.fps, info?.frame_time_ms));
  const isLate = cine?.playing === true && reached !== undefined && reached < fps * 0.9;
  const isLoop = cine?.mode !== 'sweep';
  const mode = isLoop ? 'Loop' : 'Sweep';
  return (
    <>
      <label className={styles.rate}>
        <input
          className={styles.fps}
          type="number"
          min={LEAST_FPS}
          max={MOST_FPS}
          value={fps}
          aria-label="Frames a second"
          onChange={({ currentTarget }) => setRate(page, cell, currentTarget.valueAsNumber)}
        />
        fps
      </label>
      {isLate && (
        <output className={styles.late} title="Frames come later than they should. None is left out.">
          {reached} of {fps}
        </output>
      )}
      <IconButton
        label={mode}
        title={`${mode}: at the end ${isLoop ? 'from the beginning again' : 'back again'}`}
        onClick={() => setCine(page, cell, { mode: isLoop ? 'sweep' : 'loop' })}
      >
        {isLoop ? <Repeat size={16} /> : <ArrowLeftRight size={16} />}
      </IconButton>
    </>
  );
}

function setRate(page: Page, cell: number, fps: number): void {
  if (fps >= LEAST_FPS && fps <= MOST_FPS) setCine(page, cell, { fps });
}
