import { useState } from 'react';
import { formatSlideSize } from '../shapes/describeMeasurement.ts';
import { findClass, useLabels } from '../shapes/labels.ts';
import { WordFields } from './MarkEditor.tsx';
import { useMarks } from '../sync/marks.ts';
import { showFrame } from '../../../show/pictures/shownFrame.ts';
import { findFile } from '../../../kit/state/library.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { centerOnSlide } from '../shapes/showMark.ts';
import { countMaskPixels } from '../../../../shared/maskRuns.ts';
import list from '../../../kit/ui/ListPanel.module.css';
import { ListRow } from '../../../kit/ui/ListRow.tsx';
import {
  type BrushMark,
  changeWords,
  chooseBrushMark,
  deleteBrushMark,
  LARGEST_RADIUS,
  type MaskOnSlide,
  listBrushMarks,
  setRadius,
  setRange,
  SMALLEST_RADIUS,
  stackOfMark,
  useBrushes,
} from '../masks/brushes.ts';
import styles from './BrushPanel.module.css';
import { CopyLayer } from './CopyLayer.tsx';
import { fillMask } from '../masks/fillMask.ts';
import { positionsOf } from '../masks/placeOfMask.ts';
import { parseFrameKey } from '../sync/markForm.ts';

/** Settings of the brush, and the masks that were painted with it. */
export function BrushPanel() {
  const page = usePage();
  const radius = useBrushes((state) => state.radius);
  const chosenUid = useMarks((state) => state.chosenMask);
  // The list is made of them.
  useMarks((state) => state.masks);
  const marks = listBrushMarks(page);
  return (
    <section className={styles.brush} aria-label="Masks">
      <label className={styles.field}>
        Radius
        <input
          type="range"
          min={SMALLEST_RADIUS}
          max={LARGEST_RADIUS}
          step={0.5}
          value={radius}
          onChange={({ target }) => setRadius(page, target.valueAsNumber)}
        />
        <output>{radius} px</output>
      </label>
      <RangeField />
      <div className={styles.buttons}>
        <button type="button" disabled={chosenUid === undefined} onClick={() => chooseBrushMark(page, undefined)}>
          New mask
        </button>
        <CopyLayer />
      </div>
      <ul className={styles.list}>
        {marks.map((mark) => (
          <MaskRow key={mark.uid} mark={mark} isChosen={mark.uid === chosenUid} />
        ))}
      </ul>
    </section>
  );
}

/** Limits the brush to pixels with values in a range. */
function RangeField() {
  const page = usePage();
  const range = useBrushes((state) => state.range);
  const [kept, setKept] = useState({ low: -200, high: 200 });
  const change = (changed: Partial<typeof kept>) => {
    const next = { ...kept, ...changed };
    if (Number.isNaN(next.low) || Number.isNaN(next.high)) return;
    setKept(next);
    if (range !== undefined) setRange(page, next);
  };
  const { low, high } = range ?? kept;
  return (
    <div className={styles.field}>
      <label>
        <input
          type="checkbox"
          checked={range !== undefined}
          onChange={({ target }) => setRange(page, target.checked ? kept : undefined)}
        />
        Only values from
      </label>
      <input
        type="number"
        aria-label="Lowest value"
        value={low}
        onChange={({ target }) => change({ low: target.valueAsNumber })}
      />
      to
      <input
        type="number"
        aria-label="Highest value"
        value={high}
        onChange={({ target }) => change({ high: target.valueAsNumber })}
      />
    </div>
  );
}

function MaskRow({ mark, isChosen }: { readonly mark: BrushMark; readonly isChosen: boolean }) {
  const page = usePage();
  const { uid, slices, words, slide } = mark;
  const labelClass = useLabels(() => findClass(page, words.class));
  const name = [labelClass?.title, words.label].filter(Boolean).join(': ') || 'Mask';
  const pixels = [...slices.values()].reduce((sum, mask) => sum + countMaskPixels(mask.runs), 0);
  const show = () => {
    chooseBrushMark(page, uid);
    if (slide !== undefined) {
      showOnSlide(page, mark, slide);
      return;
    }
    const stack = stackOfMark(page, mark);
    const [middle] = stack === undefined ? [] : positionsOf(stack, slices.keys()).slice(Math.floor(slices.size / 2));
    if (middle === undefined) return;
    const { fileIndex, frame } = parseFrameKey(middle[1]);
    showFrame(page, fileIndex, frame);
  };
  return (
    <ListRow
      isSelected={isChosen}
      onJump={show}
      deleteLabel={`Delete mask ${name}`}
      onDelete={() => deleteBrushMark(page, mark)}
      details={
        isChosen ? (
          <>
            <WordFields words={words} onChange={(changed) => changeWords(page, uid, changed)} />
            <div className={styles.buttons}>
              <button
                type="button"
                disabled={words.locked || slices.size < 2 || slide !== undefined}
                onClick={() => void fillMask(page, mark)}
              >
                Fill between slices
              </button>
            </div>
          </>
        ) : undefined
      }
    >
      <span>
        <span className={styles.swatch} style={{ background: labelClass?.color ?? '#ffb000' }} />
        {name}
        {words.locked && ' (locked)'}
      </span>
      <span className={list.quiet}>
        {slide !== undefined && describeArea(page, pixels, slide)}
        {slide === undefined && `${pixels} pixels on ${slices.size === 1 ? '1 image' : `${slices.size} images`}`}
      </span>
    </ListRow>
  );
}

/** Of a mask on a slide, in mm² or µm² if the size of a pixel is known. */
function describeArea(page: Page, pixels: number, { fileIndex, step }: MaskOnSlide): string {
  const [rowMm, columnMm] = findFile(page, fileIndex)?.pixel_spacing_mm ?? [];
  const area = pixels * step ** 2;
  const resolution = step === 1 ? 'in full resolution' : `at 1/${step} of full resolution`;
  if (rowMm === undefined || columnMm === undefined) return `${area} pixels of the slide, ${resolution}`;
  return `${formatSlideSize(area * rowMm * columnMm, 'mm²')}, ${resolution}`;
}

/** Centers the slide on the mask. */
function showOnSlide(page: Page, { slices }: BrushMark, { fileIndex, step }: MaskOnSlide): void {
  const points = [...slices.values()].flatMap(({ left, top, width, height }) => [
    { x: left * step, y: top * step },
    { x: (left + width) * step, y: (top + height) * step },
  ]);
  if (!centerOnSlide(page, { fileIndex, points })) showFrame(page, fileIndex, 0);
}
