import { type PointerEvent, useMemo, useState } from 'react';
import type { SpectraResponse } from '../../../../shared/contract/spectra.ts';
import { fetchSpectra, fetchSpectrum } from '../../../kit/api/waveforms.ts';
import { useFileAnswer } from '../../../over/layers/fileAnswers.ts';
import { descriptionsOf } from '../../../over/layers/layerDescriptions.ts';
import { openOverTarget, usePlace } from '../../../over/layers/openOverTarget.ts';
import { usePage } from '../../../kit/state/page.ts';
import { useAnswer } from '../../../kit/state/useAnswer.ts';
import { useAsked } from '../../../kit/state/useAsked.ts';
import { download } from '../../../kit/ui/download.ts';
import { formatCsvRows } from '../../../kit/ui/formatCsv.ts';
import { listTicks } from '../../../kit/ui/listTicks.ts';
import { PanelMessage } from '../../../kit/ui/PanelMessage.tsx';
import { SelectField } from '../../../kit/ui/SelectField.tsx';
import { PlotAxes } from '../../../kit/ui/PlotAxes.tsx';
import { AnswerStatus } from '../AnswerStatus.tsx';
import documentStyles from '../DocumentCell.module.css';
import type { DocumentViewProps } from '../documentViews.ts';
import waveformStyles from '../waveform/WaveformView.module.css';
import { useSize } from '../../../kit/ui/useSize.ts';
import {
  buildAxis,
  chooseRange,
  cutCurve,
  selectPart,
  SPECTRUM_PARTS,
  type SpectrumAxis,
  type SpectrumPart,
  toLine,
} from './spectrumCurve.ts';
import styles from './SpectrumView.module.css';
import { filledLength, transformSpectrum, turnPhase } from './transformSpectrum.ts';

/** Spectra over an axis of chemical shift, with the grid of voxels that they come from. */
export function SpectrumView({ cell, file, document, item, setItem }: DocumentViewProps) {
  const answer = useAnswer(file.index, fetchSpectra);
  const { value } = answer;
  if (value === undefined) return <AnswerStatus answer={answer} />;
  if (value.count === 0) return <PanelMessage tone="danger">No spectrum is stored as a whole.</PanelMessage>;
  return <Spectra cell={cell} spectra={value} name={document.title} item={item} setItem={setItem} />;
}

type SpectraProps = Pick<DocumentViewProps, 'cell' | 'item' | 'setItem'> & {
  readonly spectra: SpectraResponse;
  readonly name: string;
};

const ZERO_FILLS = [1, 2, 4] as const;

function Spectra({ cell, spectra, name, item, setItem }: SpectraProps) {
  const { count, rows, columns, frames, points, domain, representation, warnings } = spectra;
  const number = /^\d{1,7}$/.test(item ?? '') ? Number(item) - 1 : 0;
  const spectrum = Math.max(0, Math.min(count - 1, number));
  const axis = useMemo(() => buildAxis(spectra), [spectra]);
  const isComplex = representation === 'COMPLEX';
  const [part, setPart] = useState<SpectrumPart>(
    isComplex ? 'real' : representation === 'IMAGINARY' ? 'imaginary' : 'real',
  );
  const [phase0, setPhase0] = useState(0);
  const [phase1, setPhase1] = useState(0);
  const [apodizationHz, setApodization] = useState(0);
  const [zeroFill, setZeroFill] = useState<number>(2);
  const [isMirrored, setMirrored] = useState(false);
  const [range, setRange] = useState(() => chooseRange(axis, spectra.nucleus));
  const { pairs, error } = useSpectrum(spectra.file_index, spectrum);
  const look = { domain, widthHz: spectra.spectral_width_hz ?? points, apodizationHz, zeroFill, isMirrored };
  const build = (stored: Float32Array) =>
    cutCurve(selectPart(turnPhase(transformSpectrum(stored, look), phase0, phase1), part), axis, range);
  const curve = pairs && build(pairs);
  const filled = domain === 'TIME' ? filledLength(points, zeroFill) : points;
  const saveCsv = () => {
    if (curve === undefined) return;
    const lines = Array.from(curve.positions, (position, at) => [position, curve.values[at]]);
    const csv = formatCsvRows([[`Position (${axis.unit})`, part], ...lines]);
    download(new Blob([csv], { type: 'text/csv' }), `${name} ${spectrum + 1}.csv`);
  };
  const inFrame = rows * columns;
  const frame = Math.floor(spectrum / inFrame);
  return (
    <div className={waveformStyles.view}>
      <div className={waveformStyles.bar} role="toolbar" aria-label="Spectrum">
        {frames > 1 && (
          <NumberChoice
            label="Frame"
            value={frame + 1}
            low={1}
            high={Math.ceil(count / inFrame)}
            onChange={(next) => setItem(String((next - 1) * inFrame + (spectrum % inFrame) + 1))}
          />
        )}
        {isComplex && (
          <SelectField label="Show" value={part} choices={SPECTRUM_PARTS.map((one) => [one, one])} onChange={setPart} />
        )}
        {isComplex && (
          <>
            <Slider label="Phase 0" unit="°" low={-180} high={180} value={phase0} onChange={setPhase0} />
            <Slider label="Phase 1" unit="°" low={-720} high={720} value={phase1} onChange={setPhase1} />
          </>
        )}
        {domain === 'TIME' && (
          <>
            <Slider
              label="Apodization"
              unit=" Hz"
              low={0}
              high={10}
              step={0.5}
              value={apodizationHz}
              onChange={setApodization}
            />
            <SelectField
              label="Zero filling"
              value={zeroFill}
              choices={ZERO_FILLS.map((one) => [one, one === 1 ? 'none' : `× ${one}`])}
              onChange={setZeroFill}
            />
          </>
        )}
        <label title="Makers do not agree on the direction of the frequency axis">
          <input type="checkbox" checked={isMirrored} onChange={({ target }) => setMirrored(target.checked)} />
          Mirror
        </label>
        <Range axis={axis} range={range} onChange={setRange} />
        <button type="button" className={documentStyles.button} onClick={saveCsv}>
          Save CSV
        </button>
        <ImagesButton cell={cell} fileIndex={spectra.file_index} />
      </div>
      <p className={documentStyles.quiet}>
        {describeSpectrum(spectra, spectrum)}
        {filled > points && ` · ${points} points filled with zeros to ${filled}`}
        {' · phase and apodization change only this view'}
        {pairs === undefined && error === undefined && ' · loading…'}
      </p>
      {[...warnings.map(({ message }) => message), ...(error === undefined ? [] : [error])].map((message) => (
        <PanelMessage key={message} tone="danger">
          {message}
        </PanelMessage>
      ))}
      <div className={styles.body}>
        {inFrame > 1 && inFrame <= MOST_VOXELS && (
          <VoxelGrid
            key={frame}
            spectra={spectra}
            first={frame * inFrame}
            chosen={spectrum}
            build={build}
            look={JSON.stringify([look, phase0, phase1, part, range])}
            onChoose={(next) => setItem(String(next + 1))}
          />
        )}
        <SpectrumPlot curve={curve} axis={axis} range={range} part={part} />
      </div>
    </div>
  );
}

/** Leads to the images on which the volume of the spectra is drawn, if one is open. */
function ImagesButton({ cell, fileIndex }: { readonly cell: number; readonly fileIndex: number }) {
  const page = usePage();
  const { value } = useFileAnswer(descriptionsOf(page), fileIndex);
  if (usePlace(value) === undefined) return null;
  return (
    <button type="button" className={documentStyles.button} onClick={() => void openOverTarget(page, fileIndex, cell)}>
      Show on its images
    </button>
  );
}

function describeSpectrum({ rows, columns, frames, count, nucleus, transmitter_mhz }: SpectraResponse, at: number) {
  const row = Math.floor(at / columns) % rows;
  const place =
    rows * columns > 1 ? `row ${row + 1}, column ${(at % columns) + 1} of ${rows} × ${columns}` : 'one voxel';
  const frame =
    frames > 1 ? `, frame ${Math.floor(at / (rows * columns)) + 1} of ${Math.ceil(count / (rows * columns))}` : '';
  const field = transmitter_mhz === null ? '' : ` at ${Number(transmitter_mhz.toFixed(3))} MHz`;
  return `${nucleus ?? 'Spectrum'}${field}: ${place}${frame}`;
}

type Curve = { readonly positions: Float64Array; readonly values: Float64Array };

type PlotProps = {
  readonly curve: Curve | undefined;
  readonly axis: SpectrumAxis;
  readonly range: readonly [number, number];
  readonly part: SpectrumPart;
};

const MARGIN = { left: 64, right: 14, top: 10, bottom: 42 } as const;

/** The axis runs from right to left, as spectra are read. */
function SpectrumPlot({ curve, axis, range: [from, to], part }: PlotProps) {
  const [box, size] = useSize();
  const [at, setAt] = useState<number>();
  const width = Math.max(60, size.width - MARGIN.left - MARGIN.right);
  const height = Math.max(60, size.height - MARGIN.top - MARGIN.bottom);
  const [low, high] = extentOf(curve?.values);
  const isBackward = axis.unit !== 'point';
  const xOf = (position: number) => {
    const share = (position - from) / (to - from);
    return MARGIN.left + (isBackward ? 1 - share : share) * width;
  };
  const yOf = (value: number) => MARGIN.top + (1 - (value - low) / (high - low)) * height;
  const read = ({ clientX, currentTarget }: PointerEvent) => {
    const share = (clientX - currentTarget.getBoundingClientRect().left - MARGIN.left) / width;
    setAt(from + (isBackward ? 1 - share : share) * (to - from));
  };
  const value = curve && at !== undefined ? nearest(curve, at) : undefined;
  return (
    <section ref={box} className={styles.plot} aria-label="Plot">
      <svg
        width={size.width}
        height={size.height}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a drawing that is no file
        role="img"
        aria-label={`Spectrum, ${part} part, ${from.toFixed(1)} to ${to.toFixed(1)} ${axis.unit}`}
        onPointerMove={read}
        onPointerLeave={() => setAt(undefined)}
      >
        <PlotAxes
          box={{ left: MARGIN.left, top: MARGIN.top, width, height }}
          x={{
            label: axis.unit === 'ppm' ? 'Chemical shift (ppm)' : axis.unit === 'Hz' ? 'Frequency (Hz)' : 'Point',
            ticks: listTicks(from, to, Math.max(2, width / 70)),
            place: xOf,
          }}
          y={{ label: part, ticks: listTicks(low, high, 5), place: yOf }}
        />
        {curve && <polyline className={styles.curve} points={toLine(curve, xOf, yOf)} />}
        {value && (
          <>
            <line
              className={styles.cursor}
              x1={xOf(value[0])}
              x2={xOf(value[0])}
              y1={MARGIN.top}
              y2={MARGIN.top + height}
            />
            <text x={MARGIN.left + 8} y={MARGIN.top + 14} fill="currentColor">
              {`${value[0].toFixed(3)} ${axis.unit}: ${value[1].toPrecision(4)}`}
            </text>
          </>
        )}
      </svg>
    </section>
  );
}

function nearest({ positions, values }: Curve, at: number): readonly [number, number] | undefined {
  const [first, second] = positions;
  if (first === undefined) return undefined;
  const index = Math.round((at - first) / ((second ?? first + 1) - first));
  const [position, value] = [positions[index], values[index]];
  return position === undefined || value === undefined ? undefined : [position, value];
}

/** Lowest and highest value with a little room. */
function extentOf(values: Float64Array | undefined): readonly [number, number] {
  let [low, high] = [0, 0];
  for (const value of values ?? [])
    if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low === high) return [-1, 1];
  const room = (high - low) * 0.04;
  return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room];
}

/** More voxels in a frame than this are chosen by the address only. */
const MOST_VOXELS = 1_024;
const LANES = 4;

type GridProps = {
  readonly spectra: SpectraResponse;
  /** The first spectrum of the frame. */
  readonly first: number;
  readonly chosen: number;
  readonly build: (pairs: Float32Array) => Curve;
  /** What `build` depends on. */
  readonly look: string;
  readonly onChoose: (spectrum: number) => void;
};

/** A small curve for each voxel of a frame. All have the same scale. */
function VoxelGrid({ spectra, first, chosen, build, look, onChoose }: GridProps) {
  const { file_index, rows, columns, count } = spectra;
  const wanted = { fileIndex: file_index, columns, first, end: Math.min(first + rows * columns, count) };
  const { value: loaded } = useAsked(wanted, { ask: askVoxels });
  const lines = useMemo(() => {
    const curves = [...(loaded ?? [])].map(([at, pairs]) => [at, build(pairs)] as const);
    const extents = curves.map(([, { values }]) => extentOf(values));
    const [low, high] = [Math.min(...extents.map(([one]) => one)), Math.max(...extents.map(([, one]) => one))];
    return new Map(
      curves.map(([at, curve]) => {
        const [from = 0, to = 1] = [curve.positions[0], curve.positions.at(-1)];
        const xOf = (position: number) => 48 * (1 - (position - from) / (to - from || 1));
        return [at, toLine(curve, xOf, (value) => 48 * (1 - (value - low) / (high - low)))] as const;
      }),
    );
    // oxlint-disable-next-line react/exhaustive-deps -- `look` stands for `build`
  }, [loaded, look]);
  return (
    <fieldset
      className={styles.grid}
      style={{ gridTemplateColumns: `repeat(${columns}, minmax(26px, 60px))` }}
      aria-label="Voxels"
    >
      {Array.from({ length: rows * columns }, (_, at) => (
        <button
          key={at}
          type="button"
          className={styles.voxel}
          aria-pressed={first + at === chosen}
          aria-label={`Row ${Math.floor(at / columns) + 1}, column ${(at % columns) + 1}`}
          disabled={first + at >= count}
          onClick={() => onChoose(first + at)}
        >
          <svg viewBox="0 0 48 48" aria-hidden="true">
            <polyline className={styles.curve} points={lines.get(first + at) ?? ''} />
          </svg>
        </button>
      ))}
    </fieldset>
  );
}

type Voxels = {
  readonly fileIndex: number;
  readonly columns: number;
  readonly first: number;
  /** Without it. */
  readonly end: number;
};

async function askVoxels(
  { fileIndex, columns, first, end }: Voxels,
  signal: AbortSignal,
  show: (soFar: ReadonlyMap<number, Float32Array>) => void,
): Promise<ReadonlyMap<number, Float32Array>> {
  const wanted = Array.from({ length: end - first }, (_, at) => first + at);
  const found = new Map<number, Float32Array>();
  const load = async () => {
    for (let next = wanted.shift(); next !== undefined && !signal.aborted; next = wanted.shift()) {
      found.set(next, await fetchSpectrum(fileIndex, next, signal));
      // All at once at the end of a row, so that a large grid is not drawn a thousand times.
      if (wanted.length % columns === 0) show(new Map(found));
    }
  };
  // A voxel that cannot be read stays empty; choosing it says why.
  await Promise.allSettled(Array.from({ length: LANES }, load));
  return found;
}

function askSpectrum({ fileIndex, spectrum }: { fileIndex: number; spectrum: number }, signal: AbortSignal) {
  return fetchSpectrum(fileIndex, spectrum, signal);
}

function useSpectrum(fileIndex: number, spectrum: number) {
  const { value, error, isLoading } = useAsked({ fileIndex, spectrum }, { ask: askSpectrum });
  return isLoading ? { pairs: undefined, error: undefined } : { pairs: value, error };
}

type SliderProps = {
  readonly label: string;
  readonly unit: string;
  readonly low: number;
  readonly high: number;
  readonly step?: number;
  readonly value: number;
  readonly onChange: (value: number) => void;
};

function Slider({ label, unit, low, high, step = 1, value, onChange }: SliderProps) {
  return (
    <label>
      {label}
      <input
        type="range"
        min={low}
        max={high}
        step={step}
        value={value}
        onChange={({ target }) => onChange(Number(target.value))}
        onDoubleClick={() => onChange(0)}
      />
      <span style={{ minWidth: 44 }}>
        {value}
        {unit}
      </span>
    </label>
  );
}

type NumberProps = Omit<SliderProps, 'unit'>;

function NumberChoice({ label, low, high, step = 1, value, onChange }: NumberProps) {
  return (
    <label>
      {label}
      <input
        type="number"
        min={low}
        max={high}
        step={step}
        value={value}
        onChange={({ target }) => {
          const next = target.valueAsNumber;
          if (next >= low && next <= high) onChange(next);
        }}
      />
    </label>
  );
}

type RangeProps = {
  readonly axis: SpectrumAxis;
  readonly range: readonly [number, number];
  readonly onChange: (range: readonly [number, number]) => void;
};

function Range({ axis: { unit, low, high }, range: [from, to], onChange }: RangeProps) {
  const step = unit === 'ppm' ? 0.1 : 1;
  const least = (high - low) / 1_000;
  return (
    <>
      <NumberChoice
        label={`From (${unit})`}
        low={Math.floor(low)}
        high={to - least}
        step={step}
        value={Number(from.toFixed(2))}
        onChange={(next) => onChange([next, to])}
      />
      <NumberChoice
        label="To"
        low={from + least}
        high={Math.ceil(high)}
        step={step}
        value={Number(to.toFixed(2))}
        onChange={(next) => onChange([from, next])}
      />
      <button type="button" className={documentStyles.button} onClick={() => onChange([low, high])}>
        All
      </button>
    </>
  );
}
