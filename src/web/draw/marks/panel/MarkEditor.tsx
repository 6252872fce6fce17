import { type ReactNode, useState } from 'react';
import type { RoiBox } from '../../../../shared/contract/annotations.ts';
import { traitsOf } from '../../../../shared/markTraits.ts';
import { usePage } from '../../../kit/state/page.ts';
import { isMultiFrame } from '../../../kit/state/stacks.ts';
import type { Size } from '../../../kit/state/viewState.ts';
import { VisuallyHidden } from '../../../kit/ui/VisuallyHidden.tsx';
import type { BrushMark } from '../masks/brushes.ts';
import { fillMask } from '../masks/fillMask.ts';
import { changeRoi } from '../rois/roiActions.ts';
import { setEdge } from '../rois/roiEditing.ts';
import { putSlideBox } from '../rois/slideRoiActions.ts';
import { classesOf, useLabels } from '../shapes/labels.ts';
import type { MarkWords } from '../shapes/measurement.ts';
import { changeMarkWords } from '../shapes/measurements.ts';
import { ExchangeButtons } from './ExchangeButtons.tsx';
import { frameOfRoi, FrameScopeEditor } from './FrameScopeEditor.tsx';
import type { ListedMark } from './useListedMarks.ts';
import styles from './MarkEditor.module.css';
import { NumberField } from './NumberField.tsx';
import { RoiStatistics } from './RoiStatistics.tsx';

/** What can be changed of the selected mark without drawing: its words, and of a ROI its edges and frames. */
export function MarkEditor({ mark }: { readonly mark: ListedMark }): ReactNode {
  const page = usePage();
  switch (mark.type) {
    case 'shape':
      if (mark.item.place.type === 'cut') return null;
      return (
        <>
          <WordFields {...mark} hasText={traitsOf(mark.item.kind).hasText === true} />
          <ExchangeButtons />
        </>
      );
    case 'brush':
      return (
        <>
          <WordFields {...mark} />
          <FillButton mask={mark.mask} />
        </>
      );
    case 'roi': {
      const { file, roi } = mark;
      const address = { fileIndex: file.index, uid: roi.uid };
      const change = (box: RoiBox) => changeRoi(page, address, { box }, frameOfRoi(page, file, roi));
      return (
        <>
          <div className={styles.editor}>
            <BoxFields
              legend="Edges in pixels"
              box={roi.box}
              image={{ width: file.columns, height: file.rows }}
              onChange={change}
            />
            {isMultiFrame(file) && <FrameScopeEditor file={file} roi={roi} />}
          </div>
          <RoiStatistics file={file} roi={roi} />
          <ExchangeButtons />
        </>
      );
    }
    case 'box': {
      const { file, box, tiles } = mark;
      const [image] = tiles.levels;
      // A ROI on several separate tiles stays as it is.
      if (image === undefined || box.unit.box === undefined) return null;
      const change = (next: RoiBox) => putSlideBox(page, tiles, box, next);
      return (
        <>
          <div className={styles.editor}>
            <BoxFields legend="Edges in pixels of the slide" box={box.box} image={image} onChange={change} />
          </div>
          <RoiStatistics file={file} roi={box} />
        </>
      );
    }
  }
}

function FillButton({ mask }: { readonly mask: BrushMark }) {
  const page = usePage();
  const { words, slices, slide } = mask;
  return (
    <div className={styles.editor}>
      <button
        type="button"
        className={styles.button}
        disabled={words.locked || slices.size < 2 || slide !== undefined}
        onClick={() => void fillMask(page, mask)}
      >
        Fill between slices
      </button>
    </div>
  );
}

const EDGES = [
  [0, 'Top', 'height'],
  [1, 'Left', 'width'],
  [2, 'Bottom', 'height'],
  [3, 'Right', 'width'],
] as const;

type BoxProps = {
  readonly legend: string;
  readonly box: RoiBox;
  readonly image: Size;
  readonly onChange: (box: RoiBox) => void;
};

/** The coordinates of a box, the keyboard alternative to dragging. */
function BoxFields({ legend, box, image, onChange }: BoxProps) {
  const change = (next: RoiBox) => {
    if (String(next) !== String(box)) onChange(next);
  };
  return (
    <fieldset className={styles.edges}>
      <legend>
        <VisuallyHidden>{legend}</VisuallyHidden>
      </legend>
      {EDGES.map(([edge, label, size]) => (
        <NumberField
          key={edge}
          label={label}
          value={box[edge]}
          min={0}
          max={image[size]}
          onChange={(value) => change(setEdge(box, edge, value, image))}
        />
      ))}
    </fieldset>
  );
}

type WordProps = {
  readonly uid: string;
  readonly words: MarkWords | undefined;
  /** Only an arrow has one. */
  readonly hasText?: boolean;
};

/** What users say of a mark. */
function WordFields({ uid, words, hasText = false }: WordProps) {
  const page = usePage();
  const classes = useLabels(classesOf);
  if (words === undefined) return null;
  const change = (changed: Partial<MarkWords>) => changeMarkWords(page, [uid], changed);
  const isUnknown = words.class !== null && !classes.some(({ key }) => key === words.class);
  return (
    <div className={styles.editor}>
      <TextField label="Label" value={words.label} isLocked={words.locked} onChange={(label) => change({ label })} />
      {hasText && (
        <TextField label="Text" value={words.text} isLocked={words.locked} onChange={(text) => change({ text })} />
      )}
      <label className={styles.field}>
        Class
        <select
          value={words.class ?? ''}
          disabled={words.locked}
          onChange={({ target }) => change({ class: target.value === '' ? null : target.value })}
        >
          <option value="">None</option>
          {isUnknown && <option value={words.class ?? ''}>{words.class} (not in the scheme)</option>}
          {classes.map(({ key, title }) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <TextField
        label="Comment"
        value={words.comment}
        isLocked={words.locked}
        onChange={(comment) => change({ comment })}
      />
      <label className={styles.check}>
        <input type="checkbox" checked={words.locked} onChange={({ target }) => change({ locked: target.checked })} />
        Locked
      </label>
    </div>
  );
}

type TextProps = {
  readonly label: string;
  readonly value: string;
  readonly isLocked: boolean;
  readonly onChange: (text: string) => void;
};

/** What is typed counts on Enter and when the field loses the focus, so that one change is one step of undo. */
function TextField({ label, value, isLocked, onChange }: TextProps) {
  const [typed, setTyped] = useState<string>();
  const commit = () => {
    setTyped(undefined);
    if (typed !== undefined && typed !== value) onChange(typed);
  };
  return (
    <label className={styles.field}>
      {label}
      <input
        value={typed ?? value}
        maxLength={label === 'Label' ? 256 : 4_000}
        disabled={isLocked}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={commit}
        onKeyDown={({ key }) => {
          if (key === 'Enter') commit();
        }}
      />
    </label>
  );
}
