import { toModalityUnit } from '../../../shared/modalityUnit.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { formatDate, formatPersonName } from '../series/describeFile.ts';
import { describeDistinction } from '../series/describeStack.ts';
import { cellOf, stackOfCell } from '../../kit/state/cells.ts';
import { findInfo } from '../../kit/state/fileInfo.ts';
import { findFile } from '../../kit/state/library.ts';
import { layerProbesOf } from '../../kit/state/layers.ts';
import type { Page } from '../../kit/state/page.ts';
import { formatMagnification } from '../pictures/magnification.ts';
import { frameOnScreen, probesOf, reportOf } from '../pictures/viewports.ts';
import { caveatsOf, readingOf, rivalOf, toRead, windowReadingOf } from '../values/reading.ts';
import { placesOf } from '../pictures/carry.ts';
import { isBlindReview } from '../../kit/state/reviewNews.ts';
import { findCrosshair } from '../pictures/crosshair.ts';
import { findDetails } from '../pictures/frameDetails.ts';
import { pictureOf } from '../pictures/pictureKinds.ts';
import { describePosition } from '../pictures/describePosition.ts';
import type { ProbedSample } from '../pictures/probeFrame.ts';
import { visibleCells } from '../pictures/shownFrame.ts';
import type { WindowNumbers, WindowUnit } from './typedWindow.ts';
import { formatTime, formatValue } from '../../kit/ui/formatNumbers.ts';

/** The file named in a cell: that of the picture on screen, or, if there is none, the one the cell is about to show. */
function namedIn(page: Page, cell: number): FileRecord | undefined {
  const { shown } = reportOf(page, cell);
  if (shown !== undefined) return shown.file ?? shown.source.headerOf?.(shown.position)?.file;
  const picture = pictureOf(page, cell);
  const { position } = cellOf(page, cell);
  const place = picture?.fileOf(position) ?? picture?.headerOf?.(position);
  return place?.file ?? findFile(page, picture?.stack?.fileIndex);
}

/** Details of the picture on screen that the list of files does not contain. */
function detailsIn(page: Page, cell: number) {
  return findDetails(page, frameOnScreen(page, cell)?.frame);
}

/**
 * The file whose patient and study are written in a cell. If all visible pictures are of one study, only the first cell
 * names it; undefined in the others. As soon as one is of another study, each cell names its own.
 */
function studyNamedIn(page: Page, cell: number): FileRecord | undefined {
  if (isBlindReview(page)) return undefined;
  const named = visibleCells(page).filter((other) => namedIn(page, other) !== undefined);
  const [first, ...others] = named.map((other) => namedIn(page, other));
  const isOneStudy = others.every((file) => isSameStudy(file, first));
  return isOneStudy && named.includes(cell) && named[0] !== cell ? undefined : namedIn(page, cell);
}

function isSameStudy(a: FileRecord | undefined, b: FileRecord | undefined): boolean {
  return (
    a !== undefined &&
    a.study_instance_uid !== '' &&
    a.study_instance_uid === b?.study_instance_uid &&
    a.patient_id === b.patient_id &&
    a.patient_name === b.patient_name
  );
}

export function patientText(page: Page, cell: number): string {
  return formatPersonName(studyNamedIn(page, cell)?.patient_name ?? '');
}

export function patientIdText(page: Page, cell: number): string {
  return studyNamedIn(page, cell)?.patient_id ?? '';
}

export function studyText(page: Page, cell: number): string {
  const file = studyNamedIn(page, cell);
  return file === undefined ? '' : join(' ', formatDate(file.study_date), file.study_description);
}

export function seriesText(page: Page, cell: number): string {
  const file = namedIn(page, cell);
  if (file === undefined || isBlindReview(page)) return '';
  return join(' ', file.series_number === '' ? '' : `#${file.series_number}`, file.series_description);
}

/** What distinguishes the stack from others of its series. */
export function distinctionText(page: Page, cell: number): string {
  const { shown } = reportOf(page, cell);
  const { caption } = shown?.source ?? pictureOf(page, cell) ?? {};
  if (caption !== undefined) return caption;
  const stack = shown?.stack ?? stackOfCell(page, cell);
  return namedIn(page, cell) === undefined || stack === undefined ? '' : describeDistinction(stack);
}

/** What the frame differs in from the others of its file: time, b-value, echo. */
export function dimensionText(page: Page, cell: number): string {
  return detailsIn(page, cell)?.dimensions ?? '';
}

export function modalityText(page: Page, cell: number): string {
  const values = detailsIn(page, cell)?.values;
  const view = join(' ', values?.get('ImageLaterality') ?? values?.get('Laterality'), values?.get('ViewPosition'));
  return join(' ', namedIn(page, cell)?.modality, view);
}

const TECHNIQUE: readonly (readonly [keyword: string, prefix: string, unit: string])[] = [
  ['KVP', '', ' kV'],
  ['XRayTubeCurrent', '', ' mA'],
  ['RepetitionTime', 'TR ', ' ms'],
  ['EchoTime', 'TE ', ' ms'],
  ['FlipAngle', '', '°'],
  ['SliceThickness', '', ' mm'],
];

export function techniqueText(page: Page, cell: number): string {
  const values = detailsIn(page, cell)?.values;
  if (values === undefined || namedIn(page, cell) === undefined) return '';
  const parts = TECHNIQUE.flatMap(([keyword, prefix, unit]) => {
    const number = Number(values.get(keyword) ?? NaN);
    return Number.isFinite(number) && number > 0 ? [`${prefix}${formatValue(number)}${unit}`] : [];
  });
  return parts.join('  ');
}

export function zoomText(page: Page, cell: number): string {
  const { screen } = reportOf(page, cell);
  if (screen === undefined) return '';
  const { zoom, magnification } = screen;
  const percent = `Zoom ${formatZoom(zoom)} %`;
  return magnification === undefined ? percent : `${percent}  ${formatMagnification(zoom * magnification)}`;
}

/** In percent. A whole slide can be less than one percent. */
function formatZoom(zoom: number): string {
  return zoom < 0.1 ? String(Number((zoom * 100).toPrecision(2))) : formatValue(Math.round(zoom * 100));
}

/** The window and how it was chosen. */
export function windowText(page: Page, cell: number): string {
  const { window, shown } = reportOf(page, cell);
  const inverted = shown?.invert === true ? 'inverted' : '';
  if (window === undefined) return inverted;
  const numbers = window.applied === 'voi_lut' ? 'VOI LUT' : describeLevels(page, cell, window);
  return join('  ', numbers, nameWindow(page, cell), window.applied === 'sigmoid' ? 'sigmoid' : '', inverted);
}

/** A window is in modality units; it is displayed in the unit of the values under the pointer. */
function describeLevels(page: Page, cell: number, { center, width }: WindowNumbers): string {
  const { slope, intercept, unit } = windowUnitOf(page, cell);
  const [shownWidth, shownCenter] = [width * Math.abs(slope), center * slope + intercept];
  return join(' ', `W ${formatValue(shownWidth)} L ${formatValue(shownCenter)}`, unit);
}

/** The unit in which the window of a cell is displayed and typed. */
export function windowUnitOf(page: Page, cell: number): WindowUnit {
  const { state } = reportOf(page, cell).shown ?? {};
  // The window of a presentation state is in the values of its own modality transformation.
  if (state !== undefined) {
    return { slope: 1, intercept: 0, unit: state.state?.modality?.kind === 'rescale' ? unitOf(page, cell) : '' };
  }
  const reading = windowReadingOf(page, cell);
  const { slope, intercept } = reading?.ofModality ?? { slope: 1, intercept: 0 };
  return { slope, intercept, unit: reading?.ofModality === undefined ? unitOf(page, cell) : reading.unit };
}

/** The values at the ends of the window, for the color legend. */
export function legendTexts(page: Page, cell: number): { readonly low: string; readonly high: string } {
  const { window } = reportOf(page, cell);
  if (window === undefined || window.applied === 'voi_lut') return { low: '', high: '' };
  const { slope, intercept, unit } = windowUnitOf(page, cell);
  const at = (side: 1 | -1) => formatValue((window.center + (side * window.width) / 2) * slope + intercept);
  return { low: at(-1), high: join(' ', at(1), unit) };
}

function nameWindow(page: Page, cell: number): string {
  const { shown } = reportOf(page, cell);
  const chosen = shown?.chosen;
  if (shown === undefined || chosen === undefined) return '';
  if (chosen.kind === 'preset') return chosen.name;
  if (chosen.kind === 'full') return 'full range';
  if (chosen.kind === 'custom') return '';
  if (shown.state !== undefined) return 'presentation state';
  if (shown.stackWindow !== undefined) return `stack: ${shown.stackWindow.how}`;
  const info = shown.file && findInfo(page, shown.file.index);
  const index = chosen.kind === 'file' ? chosen.index : 0;
  const declared = info?.windows[index];
  if (info !== undefined && info.windows.length === 0)
    return reportOf(page, cell).window?.applied === 'voi_lut' ? '' : '1–99 %';
  return declared?.explanation ?? (index > 0 ? `file ${index + 1}` : '');
}

/** The value under the pointer. */
export function probeText(page: Page, cell: number): string {
  if (reportOf(page, cell).screen === undefined) return '';
  const probe = probesOf(page).getState().probes.get(cell);
  if (probe === undefined) return '';
  const warning = probe.isDamaged === true ? 'damaged' : '';
  return join('  ', `(${probe.column}, ${probe.row})`, describeSample(page, cell, probe), probe.origin, warning);
}

/** The values of the layers under the pointer. Without one, a space keeps the line, so that nothing moves. */
export function layerProbeText(page: Page, cell: number): string {
  const probeAt = layerProbesOf(page).getState().get(cell);
  const probe = probesOf(page).getState().probes.get(cell);
  if (probeAt === undefined) return '';
  return (probe && probeAt(probe.column, probe.row).join(' · ')) || '\u00a0';
}

function describeSample(page: Page, cell: number, sample: ProbedSample): string {
  const { stored, value, isPadding } = sample;
  if (typeof stored !== 'number') {
    // If a gray frame is too large to load its samples, only the level on screen is known.
    return reportOf(page, cell).window === undefined ? stored.join(' ') : `gray ${stored[0]} of 255`;
  }
  if (isPadding) return Number.isNaN(stored) ? 'outside' : `padding ${formatValue(stored)}`;
  const reading = readingOf(page, cell);
  const input = toRead(page, cell, sample);
  const read = reading === undefined ? value : input === undefined ? undefined : reading.toValue(input);
  if (read === undefined) return join(' ', `stored ${formatValue(stored)}`, reading && 'is not mapped');
  const unit = reading === undefined ? unitOf(page, cell) : reading.unit;
  const rival = rivalOf(page, cell);
  const other = input === undefined ? undefined : rival?.reading.toValue(input);
  const rivalUnit = rival?.reading.unit === unit ? '' : rival?.reading.unit;
  const origin = join(
    ', ',
    read === stored ? '' : `stored ${formatValue(stored)}`,
    other === undefined ? '' : join(' ', formatValue(other), rivalUnit, `by ${rival?.title}`),
  );
  return join(' ', formatValue(read), unit, origin === '' ? '' : `(${origin})`);
}

/** The unit of modality values. */
function unitOf(page: Page, cell: number): string {
  const { shown } = reportOf(page, cell);
  if (shown?.source.unit !== undefined) return shown.source.unit;
  const file = shown?.file;
  const rescaleType = findInfo(page, file?.index ?? -1)?.rescale.type ?? null;
  return toModalityUnit(rescaleType, {
    modality: file?.modality,
    petUnits: detailsIn(page, cell)?.values.get('Units'),
  });
}

/** The position in the patient. */
export function positionText(page: Page, cell: number): string {
  const { shown } = reportOf(page, cell);
  const positionMm = shown && placesOf(shown.source)?.valueOf(shown.position);
  return positionMm === undefined ? '' : `${positionMm.toFixed(1)} mm`;
}

/** The crosshair in the patient: the distances from the origin towards left or right, back or front, head or feet. */
export function crosshairText(page: Page, cell: number): string {
  const { shown } = reportOf(page, cell);
  const point = findCrosshair(page, shown?.source);
  if (point === undefined || shown?.source.planeOf(shown.position)?.space !== 'patient') return '';
  const parts = point.map((value, axis) => `${(value < 0 ? 'RAF' : 'LPH')[axis]} ${Math.abs(value).toFixed(1)}`);
  return `${parts.join('  ')} mm`;
}

export function timeText(page: Page, cell: number): string {
  const { shown } = reportOf(page, cell);
  if (shown?.file === undefined) return '';
  const { frame } = shown.frame;
  const values = detailsIn(page, cell)?.values;
  const frameTimeMs = findInfo(page, shown.file.index)?.frame_time_ms;
  if (typeof frameTimeMs === 'number' && frame > 0) return `${((frame * frameTimeMs) / 1000).toFixed(2)} s`;
  return formatTime(values?.get('AcquisitionTime') ?? values?.get('ContentTime'));
}

/** The position in the source, and in the file if that differs. */
export function placeText(page: Page, cell: number): string {
  const { shown } = reportOf(page, cell);
  if (shown === undefined || !shown.source.traits.scrolls || shown.source.positions < 2) return '';
  return describePosition(shown.source, shown.position);
}

/** Limits of the picture's quality that the user should know; usually empty. */
export function qualityText(page: Page, cell: number): string {
  const { quality, shown, places } = reportOf(page, cell);
  if (shown === undefined) return '';
  const isPart = places !== undefined && places.used < places.needed;
  const preview = isPart ? `loading, ${places.used} of ${places.needed} slices` : 'preview';
  const isLossy = shown.file !== undefined && findInfo(page, shown.file.index)?.lossy === true;
  return join(
    ' · ',
    shown.source.reservation,
    quality === 'preview' ? preview : isLossy ? 'lossy' : '',
    shown.file?.burned_in_annotation === true ? 'burned-in annotation' : '',
    ...caveatsOf(page, cell),
  );
}

function join(separator: string, ...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string' && part !== '').join(separator);
}
