import { useEffect, useRef, type PointerEvent } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import { drawColorBar } from '../../../show/pictures/drawColorBar.ts';
import { targetAt } from '../../../show/pictures/layerTarget.ts';
import { usePicture } from '../../../show/pictures/pictureKinds.ts';
import { useReport } from '../../../show/pictures/viewports.ts';
import { visibleCells } from '../../../show/pictures/shownFrame.ts';
import { activateCell, useCells } from '../../../kit/state/cells.ts';
import {
  type CombinedDoses,
  layersOf,
  useChosenVolume,
  useCombined,
  useShownLayers,
} from '../../../kit/state/layers.ts';
import { formatValue } from '../../../kit/ui/formatNumbers.ts';
import { findFile } from '../../../kit/state/library.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { showTab } from '../../../kit/state/panels.ts';
import { useTools } from '../../../kit/state/tools.ts';
import { nameLayer } from '../describeLayers.ts';
import { groupOfCell } from '../groupOfCell.ts';
import { descriptionsOf, liesOver } from '../layerDescriptions.ts';
import {
  type FieldDescription,
  formatWithUnit,
  isFieldDescription,
  nameFieldFully,
  referencesOf,
  volumeOver,
} from './describeField.ts';
import { colorOfValue } from './drawFields.ts';
import styles from './FieldLegend.module.css';
import { fieldColorsOf, type FieldLook, fieldLookOf, setFieldLook, useFieldLook } from './fieldLook.ts';

const NONE: readonly number[] = [];

/**
 * The colors of the fields over a picture, with their values in units. Dragging a scale changes its window. Of cells that
 * are seen together, only the first has the legend of a field.
 */
export function FieldLegends({ cell }: { readonly cell: number }) {
  const page = usePage();
  const picture = usePicture(cell);
  const isWanted = useTools(({ overlayText }) => overlayText !== 'none');
  const isColored = useReport(
    cell,
    ({ shown, window }) => window !== undefined && (shown?.colorMap ?? 'gray') !== 'gray',
  );
  const shown = useShownLayers(cell, ({ shown: on, areVisible }) => (areVisible ? on : NONE));
  const before = useCells(useShallow(() => cellsBefore(page, cell)));
  const elsewhere = useStore(
    layersOf(page),
    useShallow(({ byCell }) =>
      before.flatMap((one) => (byCell.get(one)?.areVisible === true ? (byCell.get(one)?.shown ?? []) : [])),
    ),
  );
  const fields = useStore(
    descriptionsOf(page).changes,
    useShallow(() =>
      shown.flatMap((index) => {
        if (elsewhere.includes(index)) return [];
        const description = descriptionsOf(page).find(index);
        const isDrawn = picture !== undefined && liesOver(page, index, picture);
        return isDrawn && description !== undefined && isFieldDescription(description) ? [description] : [];
      }),
    ),
  );
  if (!isWanted || fields.length === 0) return null;
  return (
    <div className={styles.slot}>
      <div className={styles.legends} data-beside={isColored}>
        {fields.map((description) => (
          <Legend key={description.fileIndex} cell={cell} description={description} />
        ))}
      </div>
    </div>
  );
}

/** The cells on the screen that are seen together with a cell and come before it. */
function cellsBefore(page: Page, cell: number): number[] {
  const visible = visibleCells(page);
  return groupOfCell(page, cell).filter((other) => other < cell && visible.includes(other));
}

type Props = { readonly cell: number; readonly description: FieldDescription };

function Legend({ cell, description }: Props) {
  const look = useFieldLook(description);
  const page = usePage();
  const chosen = useChosenVolume(description.fileIndex);
  const combined = useCombined(description.fileIndex);
  const { sort, unit, response } = description;
  const volume = useReport(cell, ({ shown }) => {
    const target = shown && targetAt(shown.source, shown.position);
    const part = target && volumeOver(description, chosen, target);
    return part === undefined ? undefined : (response.volumes[part]?.label ?? '');
  });
  const reference = referencesOf(description, combined)[look.reference];
  const percentOf = (value: number) =>
    reference === undefined ? '' : `${formatValue(Number(((100 * value) / reference.value).toFixed(1)))} %`;
  return (
    <div className={styles.legend} data-field={description.fileIndex}>
      <p>{formatWithUnit(description, look.high)}</p>
      <div className={styles.scale}>
        {look.areLines && look.levels.length > 0 && (
          <ul className={styles.levels}>
            {look.levels.map((level) => (
              <li key={level} style={{ borderColor: colorOfValue(look, level) }}>
                {percentOf(level)} {formatValue(level)}
              </li>
            ))}
          </ul>
        )}
        <Bar cell={cell} description={description} look={look} />
      </div>
      <p>{formatWithUnit(description, look.low)}</p>
      <p className={styles.name}>
        {combined === undefined ? nameFieldFully(description) : nameTerms(page, description, combined)}, interpolated
      </p>
      {volume !== undefined && <p className={styles.more}>{volume === '' ? 'one of several volumes' : volume}</p>}
      {look.isWash && look.threshold !== undefined && (
        <p className={styles.more}>clear below {formatValue(look.threshold)}</p>
      )}
      {reference !== undefined && (
        <p className={styles.more}>
          100 % = {formatValue(reference.value)} {unit}, {reference.label}
        </p>
      )}
      {sort === 'dose' && <p className={styles.more}>not for clinical use</p>}
    </div>
  );
}

/** Example: `Dose of beam 1 + dose of beam 2`. */
function nameTerms(page: Page, description: FieldDescription, { plus, minus }: CombinedDoses): string {
  const files = [...plus, ...minus].flatMap((index) => findFile(page, index) ?? []);
  const nameOf = (index: number) => files.flatMap((file) => (file.index === index ? nameLayer(file, files) : []));
  const terms = [
    ...plus.flatMap(nameOf).map((name) => ` + ${name}`),
    ...minus.flatMap(nameOf).map((name) => ` − ${name}`),
  ];
  return `${nameFieldFully(description)}${terms.join('')}`;
}

/** What a drag of the scale changes, by where it begins. */
type Grip = 'high' | 'low' | 'both';
const ENDS = 0.3;
/** A shorter movement is a click. */
const CLICK_PX = 3;

function Bar({ cell, description, look }: Props & { readonly look: FieldLook }) {
  const page = usePage();
  const bar = useRef<HTMLCanvasElement>(null);
  const drag = useRef<{ grip: Grip; fromY: number; low: number; high: number; hasMoved: boolean }>(undefined);
  const { low, high, threshold, isWash } = look;
  const colors = fieldColorsOf(look);
  useEffect(() => {
    if (bar.current !== null) drawColorBar(bar.current, colors);
  }, [colors]);
  const heightOf = () => bar.current?.getBoundingClientRect().height ?? 1;
  const begin = ({ nativeEvent, currentTarget, pointerId, clientY }: PointerEvent<HTMLButtonElement>) => {
    const part = nativeEvent.offsetY / heightOf();
    const start = fieldLookOf(page, description);
    const grip = part < ENDS ? 'high' : part > 1 - ENDS ? 'low' : 'both';
    drag.current = { grip, fromY: clientY, low: start.low, high: start.high, hasMoved: false };
    currentTarget.setPointerCapture(pointerId);
  };
  const move = ({ clientY }: PointerEvent) => {
    const { current } = drag;
    if (current === undefined) return;
    current.hasMoved ||= Math.abs(clientY - current.fromY) >= CLICK_PX;
    if (!current.hasMoved) return;
    const shift = ((current.fromY - clientY) / heightOf()) * (current.high - current.low);
    const least = (current.high - current.low) / 1000;
    setFieldLook(page, description, {
      low:
        current.grip === 'high'
          ? current.low
          : Math.min(current.low + shift, current.grip === 'both' ? Infinity : current.high - least),
      high:
        current.grip === 'low'
          ? current.high
          : Math.max(current.high + shift, current.grip === 'both' ? -Infinity : current.low + least),
    });
  };
  const end = () => {
    const { current } = drag;
    drag.current = undefined;
    if (current === undefined || current.hasMoved) return;
    activateCell(page, cell);
    showTab(page, 'layers');
  };
  const isCut = isWash && threshold !== undefined && threshold > low && threshold < high;
  return (
    <button
      type="button"
      className={styles.bar}
      data-in-picture=""
      aria-label={`Colors of ${description.name}, ${formatValue(low)} to ${formatWithUnit(description, high)}`}
      title="Drag an end to change the window, the middle to move it. Click for settings."
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={() => {
        drag.current = undefined;
      }}
      onKeyDown={({ key }) => {
        if (key === 'Enter' || key === ' ') showTab(page, 'layers');
      }}
    >
      <canvas ref={bar} width={1} height={256} aria-hidden="true" />
      {isCut && (
        <span className={styles.threshold} style={{ bottom: `${(100 * (threshold - low)) / (high - low)}%` }} />
      )}
    </button>
  );
}
