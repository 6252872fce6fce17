import { useState } from 'react';
import { useShallow } from 'zustand/shallow';
import type { FileRecord } from '../../../../shared/contract/files.ts';
import { RT_DOSE_STORAGE } from '../../../../shared/contract/layers.ts';
import { COLOR_MAPS, findColorMapName } from '../../../kit/state/colorMaps.ts';
import {
  chooseVolume,
  type CombinedDoses,
  setCombined,
  useChosenVolume,
  useCombined,
} from '../../../kit/state/layers.ts';
import { useLibrary } from '../../../kit/state/library.ts';
import { formatValue } from '../../../kit/ui/formatNumbers.ts';
import { usePage } from '../../../kit/state/page.ts';
import { capitalize } from '../describeLayers.ts';
import list from '../LayerList.module.css';
import { OpacitySlider } from '../PartLook.tsx';
import { type FieldDescription, referencesOf } from './describeField.ts';
import { AddedDoses, listCombinable } from '../AddedDoses.tsx';
import styles from './FieldDetails.module.css';
import { type FieldLook, restoreFieldLook, setFieldLook, useFieldLook } from './fieldLook.ts';

/** How a field is drawn: colors, window, threshold and lines. Nothing here asks the server. */
export function FieldDetails({ description }: { readonly description: FieldDescription }) {
  const page = usePage();
  const look = useFieldLook(description);
  const { name, response, unit, sort } = description;
  const change = (next: Partial<FieldLook>) => setFieldLook(page, description, next);
  const references = referencesOf(description, useCombined(description.fileIndex));
  const reset = () => {
    chooseVolume(page, description.fileIndex, undefined);
    setCombined(page, description.fileIndex, undefined);
    restoreFieldLook(page, description.fileIndex, undefined);
  };
  return (
    <>
      <p className={list.quiet}>
        {response.description !== null && `${capitalize(response.description)}. `}
        {capitalize(response.placement.reason)}. Values are interpolated linearly.
      </p>
      {response.spaces.map(({ frame_of_reference_uid: uid, placement: { via_file_indices, reason: words } }) =>
        via_file_indices.length === 0 ? null : (
          <p key={uid} className={list.note}>
            Over images of another frame of reference, {words}
          </p>
        ),
      )}
      {response.warnings.map(({ code, message }) => (
        <p key={code} className={list.note}>
          {capitalize(message)}
        </p>
      ))}
      <div className={styles.settings}>
        {response.volumes.length > 1 && <VolumeChoice description={description} />}
        {sort === 'dose' && <CombinedChoice description={description} />}
        <label>
          <span>Colors</span>
          <select
            aria-label={`Colors of ${name}`}
            value={look.palette === undefined ? look.colorMap : ''}
            onChange={({ target }) =>
              change({ colorMap: findColorMapName(target.value) ?? look.colorMap, palette: undefined })
            }
          >
            {look.palette !== undefined && <option value="">{look.palette.title}</option>}
            {COLOR_MAPS.map((map) => (
              <option key={map.name} value={map.name}>
                {map.title}
              </option>
            ))}
          </select>
        </label>
        <div className={styles.pair}>
          <span>Opacity</span>
          <OpacitySlider name={name} opacity={look.opacity} onChange={(opacity) => change({ opacity })} />
        </div>
        <div className={styles.pair}>
          <span>Window</span>
          <NumberField
            label={`Lowest color of ${name}`}
            value={look.low}
            onChange={(low) => low !== undefined && low < look.high && change({ low })}
          />
          <NumberField
            label={`Highest color of ${name}`}
            value={look.high}
            onChange={(high) => high !== undefined && high > look.low && change({ high })}
          />
          <span>{unit}</span>
        </div>
        <div className={styles.pair}>
          <span>Clear below</span>
          <NumberField
            label={`Threshold of ${name}`}
            value={look.threshold}
            onChange={(threshold) => change({ threshold })}
          />
          <span>{unit}</span>
        </div>
        <div className={styles.pair}>
          <label>
            <input
              type="checkbox"
              checked={look.isWash}
              onChange={({ target }) => change({ isWash: target.checked })}
            />
            Areas
          </label>
          <label>
            <input
              type="checkbox"
              checked={look.areLines}
              onChange={({ target }) => change({ areLines: target.checked })}
            />
            Lines
          </label>
          <button type="button" onClick={reset}>
            Reset
          </button>
        </div>
        {references.length > 0 && (
          <label>
            <span>100 % is</span>
            <select
              aria-label={`What 100 % of ${name} is`}
              value={look.reference}
              onChange={({ target }) => change({ reference: Number(target.value) })}
            >
              {references.map(({ value, label }, at) => (
                <option key={label} value={at}>
                  {formatValue(value)} {unit}, {label}
                </option>
              ))}
            </select>
          </label>
        )}
        {look.areLines && <Levels {...{ description, references, look }} onChange={change} />}
      </div>
    </>
  );
}

/** One of several times or channels is drawn. By itself it is that of the picture, if both have as many times. */
function VolumeChoice({ description: { fileIndex, name, response } }: { readonly description: FieldDescription }) {
  const page = usePage();
  const chosen = useChosenVolume(fileIndex);
  const { volumes, first_volume } = response;
  const first = volumes[first_volume ?? 0]?.label ?? '';
  return (
    <label>
      <span>Volume</span>
      <select
        aria-label={`Volume of ${name}`}
        title={`${volumes.length} volumes, of which one is drawn`}
        value={chosen ?? ''}
        onChange={({ target }) => chooseVolume(page, fileIndex, target.value === '' ? undefined : Number(target.value))}
      >
        <option value="">Time of the picture, or {first}</option>
        {volumes.map(({ part, label }) => (
          <option key={part} value={part}>
            {label === '' ? `Volume ${part + 1}` : label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The sum of a dose and others, or the difference. It has colors of its own at first. */
function CombinedChoice({ description: { fileIndex } }: { readonly description: FieldDescription }) {
  const page = usePage();
  const doses = useLibrary(useShallow(({ files }) => files.filter(isDoseGrid)));
  const { plus, minus } = useCombined(fileIndex) ?? NOTHING;
  if (listCombinable(doses, fileIndex).length === 0) return null;
  const combine = (next: CombinedDoses) => {
    restoreFieldLook(page, fileIndex, undefined);
    setCombined(page, fileIndex, next.plus.length + next.minus.length === 0 ? undefined : next);
  };
  return (
    <>
      <AddedDoses
        sign="plus"
        doses={doses}
        dose={fileIndex}
        terms={plus}
        taken={minus}
        onChange={(next) => combine({ plus: next, minus })}
      />
      <AddedDoses
        sign="minus"
        doses={doses}
        dose={fileIndex}
        terms={minus}
        taken={plus}
        onChange={(next) => combine({ plus, minus: next })}
      />
    </>
  );
}

const NOTHING: CombinedDoses = { plus: [], minus: [] };

function isDoseGrid({ sop_class_uid, has_pixels }: FileRecord): boolean {
  return sop_class_uid === RT_DOSE_STORAGE && has_pixels;
}

type LevelsProps = {
  readonly description: FieldDescription;
  readonly references: ReturnType<typeof referencesOf>;
  readonly look: FieldLook;
  readonly onChange: (change: Partial<FieldLook>) => void;
};

/** The values of the lines, typed in units or in percent of the reference. */
function Levels({ description, references, look, onChange }: LevelsProps) {
  const { name, unit } = description;
  const [inPercent, setInPercent] = useState(true);
  const reference = references[look.reference];
  const factor = inPercent && reference !== undefined ? reference.value / 100 : 1;
  const text = look.levels.map((level) => Number((level / factor).toPrecision(6))).join(' ');
  const type = (typed: string) => {
    const levels = typed.split(/[\s;,]+/).flatMap((part) => (part === '' ? [] : [Number(part) * factor]));
    if (levels.every(Number.isFinite)) onChange({ levels: [...new Set(levels)].toSorted((a, b) => b - a) });
  };
  return (
    <div className={styles.pair}>
      <span>Levels</span>
      <input
        key={text}
        type="text"
        className={styles.levels}
        aria-label={`Levels of ${name}`}
        defaultValue={text}
        onBlur={({ target }) => type(target.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') type(currentTarget.value);
        }}
      />
      {reference === undefined ? (
        <span>{unit}</span>
      ) : (
        <select
          aria-label={`Unit of the levels of ${name}`}
          value={inPercent ? 'percent' : 'unit'}
          onChange={({ target }) => setInPercent(target.value === 'percent')}
        >
          <option value="percent">%</option>
          <option value="unit">{unit === '' ? 'value' : unit}</option>
        </select>
      )}
    </div>
  );
}

type NumberFieldProps = {
  readonly label: string;
  /** Undefined shows an empty field. */
  readonly value: number | undefined;
  readonly onChange: (value: number | undefined) => void;
};

function NumberField({ label, value, onChange }: NumberFieldProps) {
  return (
    <input
      type="number"
      step="any"
      aria-label={label}
      value={value === undefined ? '' : Number(value.toPrecision(5))}
      onChange={({ target }) => {
        const typed = target.value === '' ? undefined : Number(target.value);
        if (typed === undefined || Number.isFinite(typed)) onChange(typed);
      }}
    />
  );
}
