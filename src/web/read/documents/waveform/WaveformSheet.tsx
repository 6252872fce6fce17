import { asError } from '../../../../shared/asError.ts';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { WaveformResponse } from '../../../../shared/contract/waveforms.ts';
import type { SamplesAddress } from '../../../kit/api/waveforms.ts';
import { usePanels } from '../../../kit/state/panels.ts';
import { download } from '../../../kit/ui/download.ts';
import { PanelMessage } from '../../../kit/ui/PanelMessage.tsx';
import documentStyles from '../DocumentCell.module.css';
import { drawPaper, drawRows, type Inks, type Mark } from './drawTraces.ts';
import { formatClock } from './formatClock.ts';
import { chooseLayout, ECG_LAYOUTS, type EcgLayout, LEFT_MM, mvPerUnit, planPaper, STEP_MM } from './planPaper.ts';
import { planRows, rangeOf } from './planRows.ts';
import { ScreenScale } from './ScreenScale.tsx';
import { SoundButton } from './SoundButton.tsx';
import { findTraceValues, valueAt } from './traceValues.ts';
import { useSamples } from './useSamples.ts';
import { useSize } from '../../../kit/ui/useSize.ts';
import { MOST_CSV_SAMPLES, writeWaveformCsv } from './waveformCsv.ts';
import { type Callipers, formatAmount, stripKey, WaveformFigure } from './WaveformFigure.tsx';
import { WaveformNotes } from './WaveformNotes.tsx';
import { durationOf, formatPlace, parsePlace, spanOf, type WaveformPlace } from './waveformPlace.ts';
import styles from './WaveformView.module.css';

type Props = {
  readonly answer: WaveformResponse;
  readonly name: string;
  readonly item: string | undefined;
  readonly setItem: (item: string | undefined) => void;
};

const PAPER_S = 10;
const SPEEDS = [25, 50] as const;
const GAINS = [5, 10, 20] as const;
const WINDOWS_S = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 600, 3_600, 21_600, 86_400] as const;
/** Rows at a time; a recording may have hundreds of channels. */
const ROWS_AT_ONCE = 24;
/** Samples of each channel that a paper loads one by one. */
const MOST_PAPER_VALUES = 65_536;
const LEAST_PX_PER_MM = 2;
const MOST_PX_PER_MM = 12;

export function WaveformSheet({ answer, name, item, setItem }: Props) {
  const { groups } = answer;
  const place = parsePlace(item, answer);
  const chosen = place.group === 'all' ? undefined : groups[place.group];
  const canBePaper = chosen?.channels.some(({ unit }) => mvPerUnit(unit) !== undefined) === true;
  const [wantsPaper, setWantsPaper] = useState(answer.is_ecg);
  const isPaper = wantsPaper && canBePaper;
  const [layout, setLayout] = useState<EcgLayout>();
  const [mmPerS, setSpeed] = useState<number>(25);
  const [mmPerMv, setGain] = useState<number>(10);
  const [isDerived, setDerived] = useState(false);
  const [wantsTrueSize, setTrueSize] = useState(false);
  const [isMeasuringScreen, setMeasuringScreen] = useState(false);
  const [windowS, setWindow] = useState<number>();
  const [firstRow, setFirstRow] = useState(0);
  const [callipers, setCallipers] = useState<Callipers>();
  const [saveError, setSaveError] = useState<string>();
  const screenPxPerMm = usePanels((panels) => panels.screenPxPerMm);
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const [box, size] = useSize();

  const [firstS, endS] = spanOf(answer, place.group);
  const lengthS = endS - firstS;
  const seconds = isPaper
    ? Math.min(PAPER_S, Math.max(1, Math.ceil(lengthS - 1e-6)))
    : (windowS ?? chooseWindow(lengthS));
  const startS = Math.max(firstS, Math.min(place.startS, endS - seconds));
  // The last sample of ten seconds may be a little late.
  const isPaged = lengthS > seconds * 1.01;

  const rows = useMemo(
    () =>
      groups.flatMap((group, at) =>
        group.problem === null && (place.group === 'all' || place.group === at)
          ? group.channels.map((_, channel) => ({ group: at, channel }))
          : [],
      ),
    [groups, place.group],
  );
  const shownRows = useMemo(() => rows.slice(firstRow, firstRow + ROWS_AT_ONCE), [rows, firstRow]);

  const paper = useMemo(() => {
    if (!isPaper || chosen === undefined || place.group === 'all') return undefined;
    const isTrue = wantsTrueSize && screenPxPerMm > 0;
    const fitting = (size.width - 2) / (seconds * mmPerS + LEFT_MM + STEP_MM);
    return planPaper({
      group: place.group,
      channels: chosen.channels,
      layout: layout ?? chooseLayout(chosen.channels),
      startS,
      seconds,
      mmPerS,
      mmPerMv,
      pxPerMm: isTrue ? screenPxPerMm : Math.min(MOST_PX_PER_MM, Math.max(LEAST_PX_PER_MM, fitting)),
      isDerived,
    });
  }, [
    isPaper,
    chosen,
    place.group,
    wantsTrueSize,
    screenPxPerMm,
    size.width,
    seconds,
    mmPerS,
    mmPerMv,
    layout,
    startS,
    isDerived,
  ]);

  const addresses = useMemo(() => {
    const wanted = paper === undefined ? shownRows : paper.strips.flatMap(({ terms }) => terms);
    const most = paper === undefined ? 4 * Math.max(100, Math.round(size.width)) : MOST_PAPER_VALUES;
    return listAddresses(answer, wanted, { startS, seconds, most });
  }, [answer, paper, shownRows, size.width, startS, seconds]);
  const { samples, error, isLoading } = useSamples(answer.file_index, addresses);

  const plan = useMemo(() => {
    if (paper !== undefined) return paper;
    const ranges = shownRows.map((row) => rangeOf(findTraceValues(groups, samples, [{ ...row, factor: 1 }])));
    const { width: widthPx, height: heightPx } = size;
    return planRows({ groups, rows: shownRows, ranges, startS, seconds, widthPx, heightPx });
  }, [paper, groups, shownRows, samples, size, startS, seconds]);
  const values = useMemo(
    () => plan.strips.map(({ terms }) => findTraceValues(groups, samples, terms)),
    [plan, groups, samples],
  );
  const [hasMarks, setMarks] = useState(true);
  const marks = useMemo(() => (hasMarks ? listMarks(answer, place.group) : []), [answer, place.group, hasMarks]);
  const canMark = answer.annotations.some(({ times_s }) => times_s.length > 0);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, inks: Inks) => {
      const drawing = { values, marks, inks };
      if (paper !== undefined) drawPaper(context, paper, drawing);
      else drawRows(context, plan, drawing);
    },
    [paper, plan, values, marks],
  );

  const goTo = (next: Partial<WaveformPlace>) => {
    setCallipers(undefined);
    setItem(formatPlace({ group: place.group, startS, ...next }));
  };
  const page = (pages: number) =>
    goTo({ startS: Math.max(firstS, Math.min(startS + pages * seconds, endS - seconds)) });
  const measure = () => {
    const at = plan.strips.findIndex(({ terms }) => terms.length > 0);
    const strip = plan.strips[at];
    if (callipers !== undefined || strip === undefined) return setCallipers(undefined);
    const endOf = (part: number) => {
      const timeS = strip.startS + (part * strip.width) / strip.pxPerS;
      const trace = values[at];
      return { timeS, value: (trace && valueAt(trace, timeS)) ?? 0 };
    };
    return setCallipers({ name: stripKey(strip), from: endOf(0.3), to: endOf(0.6) });
  };
  const saveCsv = async () => {
    try {
      setSaveError(undefined);
      const csv = await writeWaveformCsv(answer, addresses);
      download(new Blob([csv], { type: 'text/csv' }), `${name} ${formatClock(startS, 1).replaceAll(':', '-')}.csv`);
    } catch (reason) {
      setSaveError(asError(reason).message);
    }
  };
  const savePicture = () =>
    canvasRef.current?.toBlob((blob) => {
      if (blob !== null) download(blob, `${name}.png`);
    });
  const isTooLong = addresses.some(({ from, to }) => to - from > MOST_CSV_SAMPLES);
  const unit = plan.strips.find((strip) => stripKey(strip) === callipers?.name)?.unit ?? '';
  const isTrueSize = wantsTrueSize && screenPxPerMm > 0;

  return (
    <div className={styles.view}>
      <div className={styles.bar} role="toolbar" aria-label="Waveform">
        {groups.length > 1 && (
          <label>
            Group
            <select
              value={place.group}
              onChange={({ target }) => {
                const group = target.value === 'all' ? 'all' : Number(target.value);
                setFirstRow(0);
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
        {canBePaper && (
          <label>
            Show as
            <select
              value={isPaper ? (layout ?? chooseLayout(chosen.channels)) : 'rows'}
              onChange={({ target }) => {
                setCallipers(undefined);
                setWantsPaper(target.value !== 'rows');
                if (isLayout(target.value)) setLayout(target.value);
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
            <Choice label="Speed" unit="mm/s" value={mmPerS} choices={SPEEDS} onChange={setSpeed} />
            <Choice label="Gain" unit="mm/mV" value={mmPerMv} choices={GAINS} onChange={setGain} />
            <label>
              <input type="checkbox" checked={isDerived} onChange={({ target }) => setDerived(target.checked)} />
              Derive missing leads
            </label>
            {screenPxPerMm > 0 && (
              <label>
                <input type="checkbox" checked={wantsTrueSize} onChange={({ target }) => setTrueSize(target.checked)} />
                True size
              </label>
            )}
            <button
              type="button"
              className={documentStyles.button}
              aria-expanded={isMeasuringScreen}
              onClick={() => setMeasuringScreen(!isMeasuringScreen)}
            >
              Screen scale
            </button>
          </>
        )}
        {!isPaper && (
          <label>
            Window
            <select value={seconds} onChange={({ target }) => setWindow(Number(target.value))}>
              {[...new Set([...WINDOWS_S, seconds])]
                .toSorted((a, b) => a - b)
                .map((one) => (
                  <option key={one} value={one}>
                    {formatClock(one, one < 1 ? 0.1 : 1)}
                  </option>
                ))}
            </select>
          </label>
        )}
        {!isPaper && rows.length > ROWS_AT_ONCE && (
          <label>
            Channels
            <select value={firstRow} onChange={({ target }) => setFirstRow(Number(target.value))}>
              {Array.from({ length: Math.ceil(rows.length / ROWS_AT_ONCE) }, (_, at) => (
                <option key={at} value={at * ROWS_AT_ONCE}>
                  {`${at * ROWS_AT_ONCE + 1} to ${Math.min(rows.length, (at + 1) * ROWS_AT_ONCE)} of ${rows.length}`}
                </option>
              ))}
            </select>
          </label>
        )}
        {canMark && (
          <label>
            <input type="checkbox" checked={hasMarks} onChange={({ target }) => setMarks(target.checked)} />
            Marks
          </label>
        )}
        <button
          type="button"
          className={documentStyles.button}
          aria-pressed={callipers !== undefined}
          title="Drag over the drawing, or move the ends with the arrow keys"
          onClick={measure}
        >
          Callipers
        </button>
        {answer.is_audio && <SoundButton answer={answer} place={place} startS={startS} />}
        <button
          type="button"
          className={documentStyles.button}
          disabled={isTooLong}
          title={isTooLong ? 'Choose a shorter window' : 'The samples of the window'}
          onClick={() => void saveCsv()}
        >
          Save CSV
        </button>
        <button type="button" className={documentStyles.button} onClick={savePicture}>
          Save picture
        </button>
      </div>
      {isPaged && (
        <div className={styles.bar}>
          <button type="button" className={documentStyles.button} disabled={startS <= firstS} onClick={() => page(-1)}>
            Previous
          </button>
          <button
            type="button"
            className={documentStyles.button}
            disabled={startS >= endS - seconds - 1e-6}
            onClick={() => page(1)}
          >
            Next
          </button>
          <input
            className={styles.time}
            type="range"
            aria-label="Time"
            aria-valuetext={formatClock(startS, 0.1)}
            min={firstS}
            max={Math.max(firstS, endS - seconds)}
            step={Math.max(0.001, seconds / 10)}
            value={startS}
            onChange={({ target }) => goTo({ startS: Number(target.value) })}
          />
          <span>
            {formatClock(startS, 0.1)} to {formatClock(Math.min(endS, startS + seconds), 0.1)} of{' '}
            {formatClock(lengthS, 0.1)}
          </span>
        </div>
      )}
      {isMeasuringScreen && <ScreenScale onClose={() => setMeasuringScreen(false)} />}
      <div className={styles.bar}>
        {isPaper && (
          <span className={documentStyles.quiet}>
            {mmPerS} mm/s · {mmPerMv} mm/mV {isTrueSize ? 'in true size' : 'on the grid'}
          </span>
        )}
        <output className={styles.reading}>{callipers && describeCallipers(callipers, unit)}</output>
        {isLoading && <span className={documentStyles.quiet}>Loading…</span>}
      </div>
      {(error ?? saveError) !== undefined && <PanelMessage tone="danger">{error ?? saveError}</PanelMessage>}
      <div className={styles.body}>
        <section
          ref={box}
          className={`${styles.sheet} ${isPaper ? '' : styles.plain}`}
          aria-label="Traces"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
          tabIndex={0}
        >
          <WaveformFigure
            label={`${isPaper ? 'ECG' : 'Waveform'}: ${plan.strips.map((strip) => strip.name).join(', ')}`}
            strips={plan.strips}
            width={plan.width}
            height={plan.height}
            draw={draw}
            canvasRef={canvasRef}
            callipers={callipers}
            setCallipers={setCallipers}
          />
        </section>
        <WaveformNotes
          answer={answer}
          onGoTo={(timeS, group) => goTo({ group: group ?? place.group, startS: Math.max(0, timeS - seconds / 2) })}
        />
      </div>
    </div>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly unit: string;
  readonly value: number;
  readonly choices: readonly number[];
  readonly onChange: (value: number) => void;
};

function Choice({ label, unit, value, choices, onChange }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChange(Number(target.value))}>
        {choices.map((one) => (
          <option key={one} value={one}>
            {one} {unit}
          </option>
        ))}
      </select>
    </label>
  );
}

function isLayout(text: string): text is EcgLayout {
  return Object.hasOwn(ECG_LAYOUTS, text);
}

/** All of a short recording, and ten seconds of a long one. */
function chooseWindow(lengthS: number): number {
  return WINDOWS_S.find((seconds) => seconds >= lengthS && seconds <= 30) ?? 10;
}

type Window = { readonly startS: number; readonly seconds: number; readonly most: number };

/** One request for each group, with a sample more on both sides, so that lines reach the edges. */
function listAddresses(
  { groups }: WaveformResponse,
  wanted: readonly { readonly group: number; readonly channel: number }[],
  { startS, seconds, most }: Window,
): SamplesAddress[] {
  return [...new Set(wanted.map(({ group }) => group))].flatMap((at) => {
    const group = groups[at];
    const rate = group?.sampling_frequency ?? 0;
    if (group === undefined || rate <= 0) return [];
    const channels = [...new Set(wanted.filter((one) => one.group === at).map(({ channel }) => channel))];
    const skews = channels.map((channel) => group.channels[channel]?.skew_s ?? 0);
    const clamp = (sample: number) => Math.max(0, Math.min(group.sample_count, sample));
    const from = clamp(Math.floor((startS - group.start_s - Math.max(...skews)) * rate) - 1);
    const to = clamp(Math.ceil((startS + seconds - group.start_s - Math.min(...skews)) * rate) + 2);
    return from < to ? [{ group: at, from, to, channels: channels.toSorted((a, b) => a - b), most }] : [];
  });
}

/** Annotations of the group that have a time. */
function listMarks({ annotations }: WaveformResponse, group: WaveformPlace['group']): Mark[] {
  return annotations
    .filter(({ channels }) => group === 'all' || channels.length === 0 || channels.some((one) => one.group === group))
    .flatMap(({ times_s, text }) => times_s.map((timeS) => ({ timeS, text })));
}

/** `812 ms (73.9 per minute), 1.05 mV`. */
function describeCallipers({ from, to }: Callipers, unit: string): string {
  const ms = Math.abs(to.timeS - from.timeS) * 1_000;
  const rate = ms > 0 ? ` (${formatAmount(60_000 / ms)} per minute)` : '';
  return `${ms < 10_000 ? ms.toFixed(ms < 10 ? 1 : 0) : formatAmount(ms)} ms${rate}, ${formatAmount(to.value - from.value)} ${unit}`;
}
