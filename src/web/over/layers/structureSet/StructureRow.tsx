import { ArrowUpToLine, Donut, Eye, EyeOff, Focus } from 'lucide-react';
import { memo } from 'react';
import type { WireLayerPart } from '../../../../shared/contract/layerAnswers.ts';
import { usePage } from '../../../kit/state/page.ts';
import { ToolButton } from '../../../kit/ui/ToolButton.tsx';
import { showFrame } from '../../../show/pictures/shownFrame.ts';
import { cellsOf, stackOfCell } from '../../../kit/state/cells.ts';
import type { Page } from '../../../kit/state/page.ts';
import { findPosition } from '../../../kit/state/stacks.ts';
import styles from '../LayerList.module.css';
import type { PartStyle } from '../firstStyle.ts';
import { useIsLit } from '../litParts.ts';
import { PartLook } from '../PartLook.tsx';
import { setStyle, useStyle } from '../partStyles.ts';
import { formatVolume } from '../formatVolume.ts';
import { describeStructure, nameStructure } from './describeStructure.ts';

export const STRUCTURE_ROW_HEIGHT_PX = 78;

type Props = {
  readonly layer: number;
  readonly roi: WireLayerPart;
  readonly showOnly: (part: number) => void;
  readonly topPx: number;
  /** From 1. */
  readonly place: number;
  readonly total: number;
};

/** Memoized because a list can have a hundred rows. */
export const StructureRow = memo(function StructureRow({ layer, roi, showOnly, topPx, place, total }: Props) {
  const page = usePage();
  const style = useStyle(layer, roi.part);
  const { isVisible, color, fillsNested = false } = style;
  const isLit = useIsLit(layer, roi.part);
  const name = nameStructure(roi);
  const change = (next: Partial<PartStyle>) => setStyle(page, layer, { parts: [roi.part], change: next });
  const isDrawn = roi.reason === null;
  return (
    <li
      className={styles.row}
      style={{ top: topPx, height: STRUCTURE_ROW_HEIGHT_PX }}
      aria-setsize={total}
      aria-posinset={place}
      data-part={roi.part}
      data-visible={isVisible}
      data-drawn={isDrawn}
      data-lit={isLit}
    >
      <ToolButton
        label={`Show ${name}`}
        isOn={isVisible}
        disabled={!isDrawn}
        onClick={() => change({ isVisible: !isVisible })}
      >
        {isVisible && isDrawn ? <Eye size={15} aria-hidden="true" /> : <EyeOff size={15} aria-hidden="true" />}
      </ToolButton>
      <input
        className={styles.color}
        type="color"
        value={toHex(color ?? roi.color)}
        aria-label={`Color of ${name}`}
        disabled={!isDrawn}
        onChange={({ target }) => change({ color: fromHex(target.value) })}
      />
      <span className={styles.label} title={roi.description ?? name}>
        {name}
      </span>
      <span className={styles.jumps}>
        {roi.nested === true && (
          <ToolButton
            label={`Fill contours inside others of ${name}`}
            isOn={fillsNested}
            disabled={!isDrawn}
            onClick={() => change({ fillsNested: !fillsNested, isOutline: false })}
          >
            <Donut size={15} aria-hidden="true" />
          </ToolButton>
        )}
        <ToolButton label={`Only ${name}`} disabled={!isDrawn} onClick={() => showOnly(roi.part)}>
          <Focus size={15} aria-hidden="true" />
        </ToolButton>
        <ToolButton label={`First image of ${name}`} disabled={!isDrawn} onClick={() => goToFirst(page, roi)}>
          <ArrowUpToLine size={15} aria-hidden="true" />
        </ToolButton>
      </span>
      <span className={styles.kind} title={roi.reason ?? describeStructure(roi)}>
        {roi.reason ?? describeStructure(roi)}
      </span>
      <span className={styles.size}>{roi.volume_mm3 === null ? '' : formatVolume(roi.volume_mm3)}</span>
      {isDrawn && <PartLook name={name} style={style} onChange={change} />}
    </li>
  );
});

/** In the stack of the active cell if the structure lies over it. A stack may run opposite to the order of the server. */
function goToFirst(page: Page, { ends }: WireLayerPart): void {
  const stack = stackOfCell(page, cellsOf(page).getState().activeCell);
  const positionOf = ({ file_index, frame_index }: (typeof ends)[number]['first']) =>
    (stack && findPosition(stack, file_index, frame_index)) ?? Infinity;
  const first = ends.flatMap((one) => [one.first, one.last]).toSorted((a, b) => positionOf(a) - positionOf(b))[0];
  if (first !== undefined) showFrame(page, first.file_index, first.frame_index);
}

function toHex(color: readonly number[]): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function fromHex(text: string): readonly [number, number, number] {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  return [red, green, blue];
}
