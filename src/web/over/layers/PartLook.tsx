import { Square, SquareDashed } from 'lucide-react';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import type { PartStyle } from '../../../shared/partStyle.ts';
import styles from './LayerList.module.css';

type Props = {
  /** The part, such as a segment or a structure, as the user knows it. */
  readonly name: string;
  readonly style: Pick<PartStyle, 'opacity' | 'isOutline'>;
  readonly onChange: (change: Partial<PartStyle>) => void;
};

/** Opacity and outline of one part of a layer. */
export function PartLook({ name, style: { opacity, isOutline }, onChange }: Props) {
  return (
    <span className={styles.look}>
      <OpacitySlider name={name} opacity={opacity} onChange={(next) => onChange({ opacity: next })} />
      <ToolButton label={`Outline of ${name}`} isOn={isOutline} onClick={() => onChange({ isOutline: !isOutline })}>
        {isOutline ? <SquareDashed size={15} aria-hidden="true" /> : <Square size={15} aria-hidden="true" />}
      </ToolButton>
    </span>
  );
}

type OpacitySliderProps = {
  readonly name: string;
  /** From 0 to 1. */
  readonly opacity: number;
  readonly onChange: (opacity: number) => void;
};

export function OpacitySlider({ name, opacity, onChange }: OpacitySliderProps) {
  const percent = Math.round(opacity * 100);
  return (
    <input
      type="range"
      min={0}
      max={100}
      value={percent}
      aria-label={`Opacity of ${name}`}
      aria-valuetext={`${percent} percent`}
      onChange={({ target }) => onChange(Number(target.value) / 100)}
    />
  );
}
