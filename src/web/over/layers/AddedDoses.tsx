import { X } from 'lucide-react';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { nameLayer } from './describeLayers.ts';
import styles from './AddedDoses.module.css';

type Props = {
  readonly sign: 'plus' | 'minus';
  readonly doses: readonly FileRecord[];
  /** The dose that others are combined with. */
  readonly dose: number;
  readonly terms: readonly number[];
  /** Doses that cannot be chosen, because they have the other sign. */
  readonly taken?: readonly number[];
  readonly onChange: (terms: readonly number[]) => void;
};

const WORDS = { plus: { label: 'Plus', sign: '+' }, minus: { label: 'Minus', sign: '−' } } as const;

/** Doses that are added to a dose, such as those of the other beams of a plan, or subtracted from it. */
export function AddedDoses({ sign, doses, dose, terms, taken = [], onChange }: Props) {
  const others = listCombinable(doses, dose);
  const free = others.filter(({ index }) => !terms.includes(index) && !taken.includes(index));
  const words = WORDS[sign];
  return (
    <>
      {others
        .filter(({ index }) => terms.includes(index))
        .map((file) => (
          <span key={file.index} className={styles.term}>
            {words.sign} {nameLayer(file, doses)}
            <button
              type="button"
              aria-label={`Leave out ${nameLayer(file, doses)}`}
              onClick={() => onChange(terms.filter((one) => one !== file.index))}
            >
              <X size={12} aria-hidden="true" />
            </button>
          </span>
        ))}
      {free.length > 0 && (
        <label>
          <span>{words.label}</span>
          <select
            value=""
            onChange={({ target }) =>
              onChange([
                ...terms,
                ...(target.value === 'all' ? free.map(({ index }) => index) : [Number(target.value)]),
              ])
            }
          >
            <option value="">no other dose</option>
            {sign === 'plus' && free.length > 1 && <option value="all">all {free.length} other doses</option>}
            {free.map((file) => (
              <option key={file.index} value={file.index}>
                {nameLayer(file, doses)}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

/** The other doses in the frame of reference of a dose. */
export function listCombinable(doses: readonly FileRecord[], dose: number): readonly FileRecord[] {
  const uid = doses.find(({ index }) => index === dose)?.frame_of_reference_uid;
  return doses.filter(({ index, frame_of_reference_uid: other }) => index !== dose && other !== null && other === uid);
}
