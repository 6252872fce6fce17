import { ArrowDownToLine, ArrowUpToLine, Donut, Eye, EyeOff, Focus } from 'lucide-react';
import { memo } from 'react';
import { usePage } from '../../kit/state/page.ts';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import type { PartStyle } from '../../../shared/partStyle.ts';
import type { LayerPart } from './layerClient.ts';
import styles from './LayerList.module.css';
import { useIsLit } from './litParts.ts';
import { PartLook } from './PartLook.tsx';
import { setStyle, useStyle } from './partStyles.ts';

export const PART_ROW_PX = 56;

/** What a list says of a part. */
export type ListedPart = LayerPart & {
  /** Unique in the list. */
  readonly key: string;
  /** What it is, in a few words. */
  readonly kind: string;
  readonly description: string;
  /** Amount and volume; empty until they are known. Their place is reserved. */
  readonly size: string;
  readonly exactSize?: string | undefined;
  readonly damage?: string | undefined;
  /** Why nothing of it is drawn. */
  readonly reason: string | null;
  /** The ends that the user can go to. */
  readonly ends: readonly PartEnd[];
  /** Whether the user may fill contours inside others. */
  readonly isNested: boolean;
};

export type PartEnd = 'first' | 'last';

type Props = {
  readonly layer: number;
  readonly part: ListedPart;
  /** Whether looks matter: the layer can be drawn. */
  readonly hasLook: boolean;
  readonly onOnly: (part: number) => void;
  readonly onJump: (part: number, end: PartEnd) => void;
  readonly topPx: number;
  /** From 1. */
  readonly place: number;
  readonly total: number;
};

/** A segment, structure, label or region: whether and how it is drawn, and what is known of it. Memoized: there may be a thousand. */
export const PartRow = memo(function PartRow({ layer, part, hasLook, onOnly, onJump, topPx, place, total }: Props) {
  const page = usePage();
  const { number, name, reason, kind, size, damage } = part;
  const style = useStyle(layer, number);
  const { isVisible, color, fillsNested = false } = style;
  const isLit = useIsLit(layer, number);
  const change = (next: Partial<PartStyle>) => setStyle(page, layer, { parts: [number], change: next });
  const isDrawn = reason === null;
  // A type that is the name says nothing, and a fact for which there is no room is left out rather than cut.
  const facts = kind.split(' · ').filter((fact) => fact !== name);
  return (
    <li
      className={styles.row}
      style={{ top: topPx, height: PART_ROW_PX }}
      aria-setsize={total}
      aria-posinset={place}
      data-part={number}
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
        value={toHex(color ?? part.color)}
        aria-label={`Color of ${name}`}
        title={color === undefined ? explainColor(part) : undefined}
        disabled={!isDrawn || !hasLook}
        onChange={({ target }) => change({ color: fromHex(target.value) })}
      />
      <span className={styles.label} title={part.description}>
        {name}
      </span>
      {isDrawn && hasLook ? <PartLook name={name} style={style} onChange={change} /> : <span />}
      <span className={styles.facts}>
        <span className={styles.kind} title={reason ?? kind}>
          {isDrawn ? (
            facts.map((fact, n) => <span key={`${n}/${fact}`}>{n === 0 ? fact : ` · ${fact}`}</span>)
          ) : (
            <span className={styles.reason}>{reason}</span>
          )}
        </span>
        <span className={styles.size} title={part.exactSize}>
          {damage !== undefined && (
            <span
              className={styles.damaged}
              title="Truncated or damaged in the file, so voxel count and volume are unreliable"
            >
              {damage} ·{' '}
            </span>
          )}
          {size}
        </span>
        <span className={styles.jumps}>
          {part.isNested && (
            <ToolButton
              label={`Fill contours inside others of ${name}`}
              isOn={fillsNested}
              disabled={!isDrawn}
              onClick={() => change({ fillsNested: !fillsNested, isOutline: false })}
            >
              <Donut size={15} aria-hidden="true" />
            </ToolButton>
          )}
          <ToolButton label={`Only ${name}`} disabled={!isDrawn} onClick={() => onOnly(number)}>
            <Focus size={15} aria-hidden="true" />
          </ToolButton>
          <ToolButton
            label={`First image of ${name}`}
            disabled={!part.ends.includes('first')}
            onClick={() => onJump(number, 'first')}
          >
            <ArrowUpToLine size={15} aria-hidden="true" />
          </ToolButton>
          <ToolButton
            label={`Last image of ${name}`}
            disabled={!part.ends.includes('last')}
            onClick={() => onJump(number, 'last')}
          >
            <ArrowDownToLine size={15} aria-hidden="true" />
          </ToolButton>
        </span>
      </span>
    </li>
  );
});

function explainColor({ declaredColor }: LayerPart): string | undefined {
  if (declaredColor === undefined) return undefined;
  return `Another part of this layer has the color that the file declares, ${toHex(declaredColor)}`;
}

function toHex(color: readonly number[]): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function fromHex(text: string): readonly [number, number, number] {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  return [red, green, blue];
}
