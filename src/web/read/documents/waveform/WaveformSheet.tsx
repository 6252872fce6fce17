import { asError } from '../../../../shared/asError.ts';
import { useRef, useState } from 'react';
import type { WaveformResponse } from '../../../../shared/contract/waveforms.ts';
import { download } from '../../../kit/ui/download.ts';
import { PanelMessage } from '../../../kit/ui/PanelMessage.tsx';
import { useSize } from '../../../kit/ui/useSize.ts';
import documentStyles from '../DocumentCell.module.css';
import { formatClock } from './formatClock.ts';
import { ScreenScale } from './ScreenScale.tsx';
import { SoundButton } from './SoundButton.tsx';
import { valueAt } from './traceValues.ts';
import { useWaveformPlan, type WaveformSettings } from './useWaveformPlan.ts';
import { WaveformChoices } from './WaveformChoices.tsx';
import { MOST_CSV_SAMPLES, writeWaveformCsv } from './waveformCsv.ts';
import { type Callipers, formatAmount, stripKey, WaveformFigure } from './WaveformFigure.tsx';
import { WaveformNotes } from './WaveformNotes.tsx';
import { formatPlace, parsePlace, type WaveformPlace } from './waveformPlace.ts';
import { WaveformTime } from './WaveformTime.tsx';
import styles from './WaveformView.module.css';

type Props = {
  readonly answer: WaveformResponse;
  readonly name: string;
  readonly item: string | undefined;
  readonly setItem: (item: string | undefined) => void;
};

export function WaveformSheet({ answer, name, item, setItem }: Props) {
  const place = parsePlace(item, answer);
  const [settings, setSettings] = useState<WaveformSettings>({
    wantsPaper: answer.is_ecg,
    layout: undefined,
    mmPerS: 25,
    mmPerMv: 10,
    isDerived: false,
    wantsTrueSize: false,
    windowS: undefined,
    firstRow: 0,
    hasMarks: true,
  });
  const [isMeasuringScreen, setMeasuringScreen] = useState(false);
  const [callipers, setCallipers] = useState<Callipers>();
  const [saveError, setSaveError] = useState<string>();
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const [box, size] = useSize();
  const shown = useWaveformPlan(answer, place, { settings, size });
  const { isPaper, addresses, error, isLoading, plan, values, draw, span } = shown;
  const { startS, seconds } = span;
  const { mmPerS, mmPerMv } = settings;

  const change = (changed: Partial<WaveformSettings>) => {
    // The strips are others.
    if ('wantsPaper' in changed) setCallipers(undefined);
    setSettings((before) => ({ ...before, ...changed }));
  };
  const goTo = (next: Partial<WaveformPlace>) => {
    setCallipers(undefined);
    setItem(formatPlace({ group: place.group, startS, ...next }));
  };
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
  const isTrueSize = settings.wantsTrueSize && shown.screenPxPerMm > 0;

  return (
    <div className={styles.view}>
      <div className={styles.bar} role="toolbar" aria-label="Waveform">
        <WaveformChoices
          {...shown}
          answer={answer}
          place={place}
          settings={settings}
          seconds={seconds}
          isMeasuringScreen={isMeasuringScreen}
          change={change}
          goTo={goTo}
          onMeasureScreen={() => setMeasuringScreen(!isMeasuringScreen)}
        />
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
      <WaveformTime span={span} goTo={goTo} />
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

/** `812 ms (73.9 per minute), 1.05 mV`. */
function describeCallipers({ from, to }: Callipers, unit: string): string {
  const ms = Math.abs(to.timeS - from.timeS) * 1_000;
  const rate = ms > 0 ? ` (${formatAmount(60_000 / ms)} per minute)` : '';
  return `${ms < 10_000 ? ms.toFixed(ms < 10 ? 1 : 0) : formatAmount(ms)} ms${rate}, ${formatAmount(to.value - from.value)} ${unit}`;
}
