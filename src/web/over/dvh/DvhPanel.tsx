import { X } from 'lucide-react';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { nameLayer } from '../layers/describeLayers.ts';
import { groupOfCell } from '../layers/groupOfCell.ts';
import { lightLevel } from '../layers/litLevels.ts';
import { styleOf, stylesOf } from '../layers/partStyles.ts';
import { cellsOf, useCells } from '../../kit/state/cells.ts';
import { type DvhChoice, dvhChoiceOf, listDvhFiles } from '../../kit/state/dvh.ts';
import { setLayerShown, useShownLayers } from '../../kit/state/layers.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { setPanels } from '../../kit/state/panels.ts';
import { CopyButton } from '../../kit/ui/CopyButton.tsx';
import { formatValue } from '../../kit/ui/formatNumbers.ts';
import { download } from '../../kit/ui/download.ts';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import { listCurves, type VolumeUnit } from './dvhCurves.ts';
import { AddedDoses } from '../layers/AddedDoses.tsx';
import { AddColumn } from './AddColumn.tsx';
import styles from './DvhPanel.module.css';
import { DvhPlot } from './DvhPlot.tsx';
import { formatCurves, formatTable, grayOfDose } from './dvhTable.ts';
import { HistogramTable } from './HistogramTable.tsx';
import { useDvhPoints } from './useDvhPoints.ts';
import { type DvhState, type MeasuredPart, useDvhs } from './useDvhs.ts';

/**
 * Dose-volume histograms of a structure set or segmentation, as curves and as a table, beside the images. The dose that
 * the user points at is a bright line in them.
 */
export function DvhPanel() {
  const page = usePage();
  const onClose = () => {
    setPanels(page, { isDvhOpen: false });
    document.querySelector<HTMLElement>(`[data-cell="${cellsOf(page).getState().activeCell}"]`)?.focus();
  };
  const { volumes, doses } = useLibrary(() => listDvhFiles(page));
  const choice = useStore(dvhChoiceOf(page), (state) => state.choice);
  const choose = (change: Partial<DvhChoice>) => {
    if (choice !== undefined) dvhChoiceOf(page).setState({ choice: { ...choice, ...change } });
  };
  const state = useDvhs(choice);
  const [unit, setUnit] = useState<VolumeUnit>('percent');
  const [inPercent, setInPercent] = useState(false);
  const [hidden, setHidden] = useState<ReadonlySet<number>>(new Set());
  const [lit, setLit] = useState<number>();
  const light = useDoseLine(choice?.dose);
  const [reference] = state.references;
  const gray = grayOfDose(state.dose);
  const dose = inPercent && reference !== undefined ? { label: '%', gy: reference.value / 100 } : gray;
  const changedStyles = useStore(stylesOf(page), (parts) => parts.styles);
  const rows = useMemo(
    () =>
      state.measured.map((one) => ({
        ...one,
        color: styleOf(page, choice?.volumes ?? -1, one.number).color ?? one.color,
      })),
    // oxlint-disable-next-line react/exhaustive-deps -- colors come from the styles
    [page, choice, state.measured, changedStyles],
  );
  const curves = useMemo(
    () => rows.flatMap((row) => (hidden.has(row.number) ? [] : listCurves(row.dvh, row, unit))),
    [rows, hidden, unit],
  );
  const added = useDvhPoints(
    choice,
    state.isRunning ? [] : rows.filter(({ dvh }) => dvh.volume_cm3 !== null).map(({ number }) => number),
  );
  return (
    // Esc closes the panel wherever the focus is inside it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      className={styles.panel}
      aria-label="Dose-volume histograms"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className={styles.choices}>
        <FileSelect
          label="Structures"
          files={volumes}
          value={choice?.volumes}
          onChange={(index) => choose({ volumes: index })}
        />
        <FileSelect
          label="Dose"
          files={doses}
          value={choice?.dose}
          onChange={(index) => choose({ dose: index, plus: [] })}
        />
        {choice !== undefined && (
          <AddedDoses
            sign="plus"
            doses={doses}
            dose={choice.dose}
            terms={choice.plus}
            onChange={(plus) => choose({ plus })}
          />
        )}
        {choice !== undefined && <DoseOverImages dose={choice.dose} />}
        <label>
          <span>Volume in</span>
          <select value={unit} onChange={({ target }) => setUnit(target.value === 'cm3' ? 'cm3' : 'percent')}>
            <option value="percent">%</option>
            <option value="cm3">cm³</option>
          </select>
        </label>
        {reference !== undefined && (
          <label>
            <span>Dose in</span>
            <select
              value={inPercent ? 'percent' : 'gy'}
              onChange={({ target }) => setInPercent(target.value === 'percent')}
            >
              <option value="gy">{gray.label}</option>
              <option value="percent">%</option>
            </select>
          </label>
        )}
        <AddColumn referenceGy={reference?.value} onAdd={added.add} />
        <span className={styles.close}>
          <ToolButton label="Close histograms" keyHint="Esc" onClick={onClose}>
            <X size={16} aria-hidden="true" />
          </ToolButton>
        </span>
      </div>
      <div className={styles.body}>
        <div className={styles.left}>
          <Progress state={state} />
          {state.error !== undefined && (
            <p className={styles.problem} role="alert">
              The dose cannot be measured: {state.error}{' '}
              <button type="button" onClick={state.restart}>
                Retry
              </button>
            </p>
          )}
          {curves.length > 0 && (
            <DvhPlot curves={curves} unit={unit} dose={dose} lit={lit} onLight={setLit} onDose={light} />
          )}
        </div>
        {/* A region that scrolls must be reachable by keyboard. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <div className={styles.right} tabIndex={0}>
          {rows.length > 0 && <HistogramTable {...{ rows, hidden, setHidden, lit, setLit, unit, dose, added }} />}
          {added.error !== undefined && (
            <p className={styles.problem} role="alert">
              The added columns cannot be measured: {added.error}
            </p>
          )}
          <Notes state={state} rows={rows} />
          <div className={styles.foot}>
            <p className={styles.quiet}>For research and inspection, not for clinical use</p>
            <CopyButton label="Copy table" text={formatTable(rows, gray, added)} />
            <button
              type="button"
              disabled={rows.length === 0}
              onClick={() =>
                download(new Blob([formatTable(rows, gray, added)], { type: 'text/csv' }), 'dvh-table.csv')
              }
            >
              Table as CSV
            </button>
            <button
              type="button"
              disabled={rows.length === 0}
              onClick={() => download(new Blob([formatCurves(rows, gray)], { type: 'text/csv' }), 'dvh-curves.csv')}
            >
              Curves as CSV
            </button>
          </div>
        </div>
      </div>
    </section>
  );
}

/** Lights the line of a dose value in the images; nothing stays lit when the dose changes or the panel closes. */
function useDoseLine(dose: number | undefined): (gy: number | undefined) => void {
  const page = usePage();
  useEffect(() => () => (dose === undefined ? undefined : lightLevel(page, dose, undefined)), [page, dose]);
  return useCallback((gy) => (dose === undefined ? undefined : lightLevel(page, dose, gy)), [page, dose]);
}

/** Without the dose over the images there is no line to light, so it is shown when the panel opens. */
function DoseOverImages({ dose }: { readonly dose: number }) {
  const page = usePage();
  const cell = useCells(({ activeCell }) => activeCell);
  const isShown = useShownLayers(cell, ({ shown, areVisible }) => areVisible && shown.includes(dose));
  const show = useCallback(
    (isOn: boolean) => setLayerShown(page, groupOfCell(page, cellsOf(page).getState().activeCell), dose, isOn),
    [page, dose],
  );
  useEffect(() => show(true), [show]);
  return (
    <label>
      <input type="checkbox" checked={isShown} onChange={({ target }) => show(target.checked)} />
      Dose over images
    </label>
  );
}

type SelectProps = {
  readonly label: string;
  readonly files: readonly FileRecord[];
  readonly value: number | undefined;
  readonly onChange: (index: number) => void;
};

function FileSelect({ label, files, value, onChange }: SelectProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ target }) => onChange(Number(target.value))}>
        {files.map((file) => (
          <option key={file.index} value={file.index}>
            {nameLayer(file, files)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Progress({ state: { parts, done, isRunning, isCancelled, cancel, restart, error } }: ProgressProps) {
  if (error !== undefined || (!isRunning && !isCancelled)) return null;
  return (
    <div className={styles.progress}>
      <progress aria-label="Measured structures" max={Math.max(1, parts.length)} value={done} />
      <span>
        {done} of {parts.length} measured{isCancelled ? ', then cancelled' : '…'}
      </span>
      {isRunning ? (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      ) : (
        <button type="button" onClick={restart}>
          Measure all
        </button>
      )}
    </div>
  );
}

type ProgressProps = { readonly state: ReturnType<typeof useDvhs> };

/** What a reader of the numbers must know. */
function Notes({
  state: { dose, references },
  rows,
}: {
  readonly state: DvhState;
  readonly rows: readonly MeasuredPart[];
}) {
  const [reference] = references;
  const byMessage = new Map<string, string[]>();
  for (const { name, dvh } of rows) {
    for (const { message } of dvh.warnings) byMessage.set(message, [...(byMessage.get(message) ?? []), name]);
  }
  const steps = rows.flatMap(({ dvh }) => dvh.step_mm ?? []);
  const hasStored = rows.some(({ dvh }) => dvh.stored !== null);
  if (dose === undefined) return null;
  return (
    <div className={styles.notes}>
      <p className={styles.quiet}>
        {describeDose(dose)}
        {reference !== undefined && ` 100 % = ${formatValue(reference.value)} ${reference.unit}, ${reference.label}.`}
        {steps.length > 0 &&
          ` Sampled every ${describeSteps(steps)} in the planes of the structures, the dose interpolated linearly.`}
        {hasStored && ' Dashed lines are stored in the dose object.'}
      </p>
      {[...byMessage].map(([message, names]) => (
        <p key={message} className={styles.warning}>
          {nameSome(names)}: {message}.
        </p>
      ))}
    </div>
  );
}

/** Example: `Physical dose of a plan, up to 65.9 Gy.` */
function describeDose(dose: NonNullable<DvhState['dose']>): string {
  const { type, summation, maximum_gy } = dose;
  const kind = type === null ? 'Dose' : `${type.charAt(0)}${type.slice(1).toLowerCase()} dose`;
  const of = summation === null ? '' : ` (${summation.toLowerCase().replaceAll('_', ' ')})`;
  return `${kind}${of}${maximum_gy === null ? '' : `, up to ${formatValue(maximum_gy)} ${grayOfDose(dose).label}`}.`;
}

function describeSteps(steps: readonly number[]): string {
  const [least, most] = [Math.min(...steps), Math.max(...steps)].map((step) => Number(step.toPrecision(2)));
  return least === most ? `${least} mm` : `${least} to ${most} mm`;
}

const MOST_NAMED = 6;

function nameSome(names: readonly string[]): string {
  const others = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} others` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${others}`;
}
