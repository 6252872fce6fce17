import { useState } from 'react';
import styles from './SlideControls.module.css';
import { fromHex, toHex } from '../../../kit/state/pathMix.ts';
import type { MixedPath } from './slideMix.ts';

type Range = NonNullable<MixedPath['range']>;

type Props = {
  readonly mix: readonly MixedPath[];
  /** The fitting range of each path's tiles, by path, as far as it is known. */
  readonly fitting: Readonly<Record<string, Range>>;
  readonly onChange: (mix: readonly MixedPath[]) => void;
};

/** Controls for mixing optical paths into one picture: which paths, in which color, between which values. */
export function MixControls({ mix, fitting, onChange }: Props) {
  const change = (path: string, changed: Partial<MixedPath>) =>
    onChange(mix.map((one) => (one.path === path ? { ...one, ...changed } : one)));
  return (
    <fieldset className={styles.mix} aria-label="Color mix of optical paths">
      {mix.map(({ path, label, color, isVisible, range }) => {
        const shown = range ?? fitting[path];
        return (
          <div key={path} className={styles.mixed}>
            <label className={styles.path}>
              <input
                type="checkbox"
                checked={isVisible}
                onChange={({ target }) => change(path, { isVisible: target.checked })}
              />
              <span title={label}>{label}</span>
            </label>
            <input
              type="color"
              aria-label={`Color of ${label}`}
              value={toHex(color)}
              onChange={({ target }) => change(path, { color: fromHex(target.value) })}
            />
            {(['low', 'high'] as const).map((end) => (
              <EndField
                key={end}
                label={`${end === 'low' ? 'Minimum' : 'Maximum'} of ${label}`}
                value={shown?.[end]}
                onChange={(value) => shown && change(path, { range: orderRange({ ...shown, [end]: value }, end) })}
              />
            ))}
            <button
              type="button"
              className={styles.button}
              disabled={range === undefined}
              aria-label={`Automatic range of ${label}`}
              onClick={() => change(path, { range: undefined })}
            >
              Auto
            </button>
          </div>
        );
      })}
    </fieldset>
  );
}

/** Keeps the end that was set and moves the other one if necessary. */
function orderRange({ low, high }: Range, set: keyof Range): Range {
  if (low < high) return { low, high };
  return set === 'low' ? { low, high: low + 1 } : { low: high - 1, high };
}

type EndProps = {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (value: number) => void;
};

/** Typed text is committed on Enter or blur, because each change fetches tiles. */
function EndField({ label, value, onChange }: EndProps) {
  const [typed, setTyped] = useState<string>();
  const commit = () => {
    const number = Number(typed);
    if (typed !== undefined && typed.trim() !== '' && Number.isFinite(number)) onChange(number);
    setTyped(undefined);
  };
  return (
    <input
      className={styles.end}
      inputMode="decimal"
      aria-label={label}
      disabled={value === undefined}
      value={typed ?? (value === undefined ? '' : String(Number(value.toFixed(2))))}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={commit}
      onKeyDown={({ key }) => key === 'Enter' && commit()}
    />
  );
}
