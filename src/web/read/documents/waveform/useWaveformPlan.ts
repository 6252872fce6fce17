import { useCallback, useMemo } from 'react';
import type { WaveformResponse } from '../../../../shared/contract/waveforms.ts';
import type { SamplesAddress } from '../../../kit/api/waveforms.ts';
import { usePanels } from '../../../kit/state/panels.ts';
import type { Size } from '../../../kit/state/viewState.ts';
import { drawPaper, drawRows, type Inks, type Mark } from './drawTraces.ts';
import { chooseLayout, type EcgLayout, LEFT_MM, mvPerUnit, planPaper, STEP_MM } from './planPaper.ts';
import { planRows, rangeOf } from './planRows.ts';
import { findTraceValues } from './traceValues.ts';
import { useSamples } from './useSamples.ts';
import { spanOf, type WaveformPlace } from './waveformPlace.ts';

/** How the user wants to see a recording. */
export type WaveformSettings = {
  readonly wantsPaper: boolean;
  /** Undefined: as is usual for the channels. */
  readonly layout: EcgLayout | undefined;
  readonly mmPerS: number;
  readonly mmPerMv: number;
  readonly isDerived: boolean;
  readonly wantsTrueSize: boolean;
  /** Undefined: as is usual for the length. */
  readonly windowS: number | undefined;
  readonly firstRow: number;
  readonly hasMarks: boolean;
};

export type WaveformPlan = ReturnType<typeof useWaveformPlan>;

const PAPER_S = 10;
export const WINDOWS_S = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 600, 3_600, 21_600, 86_400] as const;
/** Rows at a time; a recording may have hundreds of channels. */
export const ROWS_AT_ONCE = 24;
/** Samples of each channel that a paper loads one by one. */
const MOST_PAPER_VALUES = 65_536;
const LEAST_PX_PER_MM = 2;
const MOST_PX_PER_MM = 12;

/** What is drawn of a recording in a sheet of this size, with the samples that it needs. */
export function useWaveformPlan(
  answer: WaveformResponse,
  place: WaveformPlace,
  { settings, size }: { readonly settings: WaveformSettings; readonly size: Size },
) {
  const { groups } = answer;
  const { layout, mmPerS, mmPerMv, isDerived, wantsTrueSize, firstRow, hasMarks } = settings;
  const chosen = place.group === 'all' ? undefined : groups[place.group];
  const canBePaper = chosen?.channels.some(({ unit }) => mvPerUnit(unit) !== undefined) === true;
  const isPaper = settings.wantsPaper && canBePaper;
  const screenPxPerMm = usePanels((panels) => panels.screenPxPerMm);
  const [firstS, endS] = spanOf(answer, place.group);
  const lengthS = endS - firstS;
  const seconds = isPaper
    ? Math.min(PAPER_S, Math.max(1, Math.ceil(lengthS - 1e-6)))
    : (settings.windowS ?? chooseWindow(lengthS));
  const startS = Math.max(firstS, Math.min(place.startS, endS - seconds));

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
  const marks = useMemo(() => (hasMarks ? listMarks(answer, place.group) : []), [answer, place.group, hasMarks]);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, inks: Inks) => {
      const drawing = { values, marks, inks };
      if (paper !== undefined) drawPaper(context, paper, drawing);
      else drawRows(context, plan, drawing);
    },
    [paper, plan, values, marks],
  );

  const span = { firstS, endS, lengthS, seconds, startS };
  return { chosen, canBePaper, isPaper, rows, addresses, error, isLoading, plan, values, draw, screenPxPerMm, span };
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
