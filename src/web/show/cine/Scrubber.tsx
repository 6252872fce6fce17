import { ArrowLeftRight, ChevronLeft, ChevronRight, Pause, Play, Repeat } from 'lucide-react';
import { type KeyboardEvent, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { describePosition } from '../pictures/describePosition.ts';
import { pictureOf, usePicture } from '../pictures/pictureKinds.ts';
import type { PictureSource } from '../pictures/pictureSource.ts';
import { scrollBy, scrollTo } from '../pictures/scroll.ts';
import { cellOf, cellsOf, setCine, useCells } from '../../kit/state/cells.ts';
import { useFileInfo } from '../../kit/state/fileInfo.ts';
import { libraryOf } from '../../kit/state/library.ts';
import { type KnownPresentation, listKeyPositions, presentationsOf } from '../../kit/state/presentations.ts';
import type { ViewStack } from '../../kit/state/stacks.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { followStores } from '../../kit/ui/followStores.ts';
import { findGaps } from './missingSlices.ts';
import { LEAST_FPS, MOST_FPS, rateOf } from './player.ts';
import styles from './Scrubber.module.css';
import { useReachedFps } from './useCine.ts';

/** The bar below the images: the position of the active cell in its stack, and its cine controls. */
export function Scrubber() {
  const cell = useCells(({ activeCell }) => activeCell);
  const picture = usePicture(cell);
  if (picture === undefined || !picture.traits.scrolls || picture.positions < 2) return null;
  const { Controls } = picture;
  const { plays } = picture.traits;
  return (
    <fieldset className={styles.bar} aria-label="Position in the stack">
      <StepButtons cell={cell} canPlay={plays} />
      <Slider key={picture.viewName ?? picture.id} cell={cell} picture={picture} />
      <Place key={cell} cell={cell} positions={picture.positions} />
      {Controls !== undefined && (
        <Suspense>
          <Controls cell={cell} />
        </Suspense>
      )}
      {plays && <Rate cell={cell} fileIndex={picture.stack?.fileIndex} />}
    </fieldset>
  );
}

type PlaceProps = { readonly cell: number; readonly positions: number };

/** The position as text; a click makes it a field for the number of an image. */
function Place({ cell, positions }: PlaceProps) {
  const page = usePage();
  const [isTyped, setTyped] = useState(false);
  if (!isTyped) return <PlaceText cell={cell} onClick={() => setTyped(true)} />;
  const onKeyDown = ({ key, currentTarget }: KeyboardEvent<HTMLInputElement>) => {
    if (key !== 'Enter' && key !== 'Escape') return;
    const number = Math.round(currentTarget.valueAsNumber);
    if (key === 'Enter' && number >= 1) scrollTo(page, cell, Math.min(number, positions) - 1);
    setTyped(false);
    document.querySelector<HTMLElement>(`[data-cell="${cell}"]`)?.focus();
  };
  return (
    <input
      className={styles.number}
      type="number"
      min={1}
      max={positions}
      defaultValue={cellOf(page, cell).position + 1}
      aria-label={`Number of the image, 1 to ${positions}`}
      // The user has just asked for it.
      // oxlint-disable-next-line jsx-a11y/no-autofocus
      autoFocus
      onFocus={({ currentTarget }) => currentTarget.select()}
      onKeyDown={onKeyDown}
      onBlur={() => setTyped(false)}
    />
  );
}

/** Follows the store without React, because cine playback would render it 60 times a second. */
function PlaceText({ cell, onClick }: { readonly cell: number; readonly onClick: () => void }) {
  const page = usePage();
  const text = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const span = text.current;
    if (span === null) return undefined;
    return followStores(placeStoresOf(page), () => {
      span.textContent = placeIn(page, cell);
    });
  }, [page, cell]);
  return (
    <button type="button" className={styles.place} title="Go to an image by its number" onClick={onClick}>
      <span ref={text}>{placeIn(page, cell)}</span>
    </button>
  );
}

/** Includes the library, because a stack grows while its files are found. */
const placeStoresOf = definePart((page) => [cellsOf(page), libraryOf(page)]);

function placeIn(page: Page, cell: number): string {
  const picture = pictureOf(page, cell);
  return picture === undefined ? '' : describePosition(picture, cellOf(page, cell).position);
}

function StepButtons({ cell, canPlay }: { readonly cell: number; readonly canPlay: boolean }) {
  const page = usePage();
  const isPlaying = useCells(({ cells }) => cells[cell]?.cine.playing ?? false);
  const label = isPlaying ? 'Pause' : 'Play';
  return (
    <>
      <IconButton label="Previous image" title="Previous image (Up)" onClick={() => scrollBy(page, cell, -1)}>
        <ChevronLeft size={18} />
      </IconButton>
      {canPlay && (
        <IconButton
          label={label}
          title={`${label} (Space)`}
          onClick={() => setCine(page, cell, { playing: !isPlaying })}
        >
          {isPlaying ? <Pause size={16} /> : <Play size={16} />}
        </IconButton>
      )}
      <IconButton label="Next image" title="Next image (Down)" onClick={() => scrollBy(page, cell, 1)}>
        <ChevronRight size={18} />
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

/** Follows the store without React, as does the text. */
function Slider({ cell, picture }: { readonly cell: number; readonly picture: PictureSource }) {
  const page = usePage();
  const ref = useRef<HTMLInputElement>(null);
  const last = picture.positions - 1;
  const gaps = useMemo(() => (picture.stack === undefined ? [] : findGaps(picture.stack)), [picture]);
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
      <KeyTicks picture={picture} />
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

/** More ticks than this would be one beside the other. */
const MOST_TICKS = 400;

/** Marks of the key images, and of the rejected ones. */
function KeyTicks({ picture: { stack, positions } }: { readonly picture: PictureSource }) {
  const known = useStore(presentationsOf(usePage()));
  const ticks = useMemo(
    () => (stack === undefined ? [] : listTicks(stack, positions, known)),
    [stack, positions, known],
  );
  return ticks.map(({ part, title, isRejected }) => (
    <span
      key={`${part} ${isRejected}`}
      className={isRejected ? styles.rejected : styles.key}
      title={title}
      data-tick={isRejected ? 'rejected' : 'key'}
      style={{ insetInlineStart: `${part * 100}%` }}
    />
  ));
}

type Tick = { readonly part: number; readonly title: string; readonly isRejected: boolean };

function listTicks(
  stack: ViewStack,
  positions: number,
  known: ReadonlyMap<number, KnownPresentation>,
): readonly Tick[] {
  const ticks = new Map<string, Tick>();
  const last = Math.max(1, positions - 1);
  const step = Math.max(1, last / MOST_TICKS);
  for (const one of known.values()) {
    const selection = one.key_objects;
    if (selection === null) continue;
    for (const position of listKeyPositions(stack, one)) {
      const part = (Math.round(position / step) * step) / last;
      const title = `Image ${position + 1}: ${selection.title?.meaning ?? 'key image'}`;
      ticks.set(`${part} ${selection.is_rejection}`, { part, title, isRejected: selection.is_rejection });
    }
  }
  return [...ticks.values()];
}

function Rate({ cell, fileIndex }: { readonly cell: number; readonly fileIndex: number | undefined }) {
  const page = usePage();
  const cine = useCells(({ cells }) => cells[cell]?.cine);
  const info = useFileInfo(fileIndex);
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
          aria-label="Frames per second"
          onChange={({ currentTarget }) => setRate(page, cell, currentTarget.valueAsNumber)}
        />
        fps
      </label>
      {isLate && (
        <output className={styles.late} title="Playback is slower than the set rate. No frames are skipped.">
          {reached} of {fps}
        </output>
      )}
      <IconButton
        label={mode}
        title={`${mode}: ${isLoop ? 'restart' : 'reverse'} at the end`}
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
