import type { WaveformResponse } from '../../../../shared/contract/waveforms.ts';
import { SelectField } from '../../../kit/ui/SelectField.tsx';
import documentStyles from '../DocumentCell.module.css';
import { formatClock } from './formatClock.ts';
import { chooseLayout, ECG_LAYOUTS, type EcgLayout } from './planPaper.ts';
import { ROWS_AT_ONCE, type WaveformPlan, type WaveformSettings, WINDOWS_S } from './useWaveformPlan.ts';
import { durationOf, spanOf, type WaveformPlace } from './waveformPlace.ts';

type Props = Pick<WaveformPlan, 'chosen' | 'canBePaper' | 'isPaper' | 'rows' | 'screenPxPerMm'> & {
  readonly answer: WaveformResponse;
  readonly place: WaveformPlace;
  readonly settings: WaveformSettings;
  readonly seconds: number;
  readonly isMeasuringScreen: boolean;
  readonly change: (changed: Partial<WaveformSettings>) => void;
  readonly goTo: (next: Partial<WaveformPlace>) => void;
  readonly onMeasureScreen: () => void;
};

const SPEEDS = [25, 50] as const;
const GAINS = [5, 10, 20] as const;

/** What of a recording is shown, and how. */
export function WaveformChoices({ answer, place, settings, change, goTo, ...shown }: Props) {
  const { chosen, canBePaper, isPaper, rows, screenPxPerMm, seconds, isMeasuringScreen, onMeasureScreen } = shown;
  const { groups } = answer;
  const { layout, mmPerS, mmPerMv, isDerived, wantsTrueSize, firstRow, hasMarks } = settings;
  const canMark = answer.annotations.some(({ times_s }) => times_s.length > 0);
  return (
    <>
      {groups.length > 1 && (
        <label>
          Group
          <select
            value={place.group}
            onChange={({ target }) => {
              const group = target.value === 'all' ? 'all' : Number(target.value);
              change({ firstRow: 0 });
              goTo({ group, startS: spanOf(answer, group)[0] });
            }}
          >
            {groups.map((group, at) => (
              <option key={`${group.label} ${at}`} value={at} disabled={group.problem !== null}>
                {`${group.label}: ${group.channel_count} × ${formatClock(durationOf(group), 0.1)}, ${group.sampling_frequency ?? '?'} Hz`}
              </option>
            ))}
            <option value="all">All groups, as rows</option>
          </select>
        </label>
      )}
      {chosen !== undefined && canBePaper && (
        <label>
          Show as
          <select
            value={isPaper ? (layout ?? chooseLayout(chosen.channels)) : 'rows'}
            onChange={({ target }) => {
              const chosenLayout = isLayout(target.value) ? { layout: target.value } : {};
              change({ wantsPaper: target.value !== 'rows', ...chosenLayout });
            }}
          >
            {Object.entries(ECG_LAYOUTS).map(([key, label]) => (
              <option key={key} value={key}>
                {label}
              </option>
            ))}
            <option value="rows">Rows that fill the view</option>
          </select>
        </label>
      )}
      {isPaper && (
        <>
          <SelectField
            label="Speed"
            value={mmPerS}
            choices={SPEEDS.map((one) => [one, `${one} mm/s`])}
            onChange={(speed) => change({ mmPerS: speed })}
          />
          <SelectField
            label="Gain"
            value={mmPerMv}
            choices={GAINS.map((one) => [one, `${one} mm/mV`])}
            onChange={(gain) => change({ mmPerMv: gain })}
          />
          <label>
            <input
              type="checkbox"
              checked={isDerived}
              onChange={({ target }) => change({ isDerived: target.checked })}
            />
            Derive missing leads
          </label>
          {screenPxPerMm > 0 && (
            <label>
              <input
                type="checkbox"
                checked={wantsTrueSize}
                onChange={({ target }) => change({ wantsTrueSize: target.checked })}
              />
              True size
            </label>
          )}
          <button
            type="button"
            className={documentStyles.button}
            aria-expanded={isMeasuringScreen}
            onClick={onMeasureScreen}
          >
            Screen scale
          </button>
        </>
      )}
      {!isPaper && (
        <SelectField
          label="Window"
          value={seconds}
          choices={[...new Set([...WINDOWS_S, seconds])]
            .toSorted((a, b) => a - b)
            .map((one) => [one, formatClock(one, one < 1 ? 0.1 : 1)])}
          onChange={(windowS) => change({ windowS })}
        />
      )}
      {!isPaper && rows.length > ROWS_AT_ONCE && (
        <SelectField
          label="Channels"
          value={firstRow}
          choices={Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, at) => [
            at * ROWS_AT_ONCE,
            `${at * ROWS_AT_ONCE + 1} to ${Math.min(rows.length, (at + 1) * ROWS_AT_ONCE)} of ${rows.length}`,
          ])}
          onChange={(first) => change({ firstRow: first })}
        />
      )}
      {canMark && (
        <label>
          <input type="checkbox" checked={hasMarks} onChange={({ target }) => change({ hasMarks: target.checked })} />
          Marks
        </label>
      )}
    </>
  );
}

function isLayout(text: string): text is EcgLayout {
  return Object.hasOwn(ECG_LAYOUTS, text);
}
