import { useCallback, useMemo } from 'react';
import type { WireDocumentTable } from '../../../../shared/contract/documents.ts';
import type { PlanResponse, WireControlPoint, WirePlanBeam } from '../../../../shared/contract/plans.ts';
import { fetchPlan } from '../../../kit/api/documents.ts';
import { formatCount } from '../../../show/series/describeFile.ts';
import { useAnswer } from '../../../kit/state/useAnswer.ts';
import { FailureMessage } from '../../../kit/ui/PanelMessage.tsx';
import documentStyles from '../DocumentCell.module.css';
import { DocumentTableView } from '../DocumentTables.tsx';
import type { DocumentViewProps } from '../documentViews.ts';
import { FactList } from '../FactList.tsx';
import { BeamsEyeView } from './BeamsEyeView.tsx';
import { DwellPlot } from './DwellPlot.tsx';
import styles from './PlanView.module.css';
import { formatPlanItem, parsePlanItem, type PlanPlace } from './planItem.ts';

function askPlan(fileIndex: number, signal: AbortSignal) {
  return fetchPlan(fileIndex, undefined, signal);
}

/** A treatment plan or record: its beams or channels, and the field at a control point. */
export function PlanView({ file, item, setItem }: DocumentViewProps) {
  const { value: plan, error, retry } = useAnswer(file.index, askPlan);
  const place = plan && parsePlanItem(plan, item);
  if (error !== undefined) return <FailureMessage error={error} onRetry={retry} />;
  if (plan === undefined) return <p className={documentStyles.quiet}>Loading…</p>;
  if (place === undefined) return null;
  const open = (next: PlanPlace) => setItem(formatPlanItem(plan, next));
  return (
    <>
      <PartList plan={plan} place={place} onOpen={open} />
      <Part key={`${place.kind} ${place.position}`} fileIndex={file.index} plan={plan} place={place} onOpen={open} />
    </>
  );
}

type ListProps = {
  readonly plan: PlanResponse;
  readonly place: PlanPlace;
  readonly onOpen: (place: PlanPlace) => void;
};

/** Parts that have buttons. All of them are in the tables below. */
const MOST_BUTTONS = 100;

function PartList({ plan, place, onOpen }: ListProps) {
  const beams = plan.beams.slice(0, MOST_BUTTONS).map((beam, position) => ({
    place: { kind: 'beam', position, controlPoint: 0 } as const,
    name: `${beam.number ?? position + 1} ${beam.name ?? ''}`,
    detail: describeBeam(beam),
  }));
  const channels = plan.channels.slice(0, MOST_BUTTONS).map((channel, position) => ({
    place: { kind: 'channel', position } as const,
    name: `Channel ${channel.number ?? position + 1}`,
    detail: [channel.applicator ?? '', formatCount(channel.dwell_count, 'dwell position')],
  }));
  return (
    <fieldset className={styles.parts} aria-label={beams.length > 0 ? 'Beams' : 'Channels'}>
      {[...beams, ...channels].map(({ place: own, name, detail }) => (
        <button
          key={`${own.kind} ${own.position}`}
          type="button"
          className={styles.part}
          aria-pressed={own.kind === place.kind && own.position === place.position}
          onClick={() => onOpen(own)}
        >
          {name} <small>{detail.filter((text) => text !== '').join(' · ')}</small>
        </button>
      ))}
    </fieldset>
  );
}

function describeBeam(beam: WirePlanBeam): string[] {
  const { gantry_start: start, gantry_stop: stop, gantry_travel: travel, meterset } = beam;
  const gantry = start === null ? '' : travel > 0 ? `${round(start)}° → ${round(stop)}°` : `${round(start)}°`;
  return [
    beam.is_treatment ? '' : (beam.delivery ?? '').toLowerCase().replaceAll('_', ' '),
    gantry,
    meterset === null ? '' : `${round(meterset)} ${beam.meterset_unit ?? ''}`.trim(),
  ];
}

function round(value: number | null): string {
  return value === null ? '' : String(Math.round(value * 100) / 100);
}

type PartProps = {
  readonly fileIndex: number;
  readonly plan: PlanResponse;
  readonly place: PlanPlace;
  readonly onOpen: (place: PlanPlace) => void;
};

function Part({ fileIndex, plan, place, onOpen }: PartProps) {
  const { kind, position } = place;
  const ask = useCallback(
    (index: number, signal: AbortSignal) => fetchPlan(index, { kind, position }, signal),
    [kind, position],
  );
  const { value, error, retry } = useAnswer(fileIndex, ask);
  if (error !== undefined) return <FailureMessage error={error} onRetry={retry} />;
  const beam = plan.beams[position];
  if (place.kind === 'channel') {
    const dwells = value?.channel?.position === position ? value.channel.dwells : [];
    return (
      <DwellPlot dwells={dwells} label={`Dwell times of channel ${plan.channels[position]?.number ?? position + 1}`} />
    );
  }
  if (beam === undefined || value?.beam?.position !== position)
    return <p className={documentStyles.quiet}>Loading the control points…</p>;
  return (
    <Beam
      beam={beam}
      own={value.beam}
      controlPoint={place.controlPoint}
      onMove={(controlPoint) => onOpen({ ...place, controlPoint })}
    />
  );
}

type BeamProps = {
  readonly beam: WirePlanBeam;
  readonly own: NonNullable<PlanResponse['beam']>;
  readonly controlPoint: number;
  readonly onMove: (controlPoint: number) => void;
};

function Beam({ beam, own, controlPoint, onMove }: BeamProps) {
  const { devices, control_points: points, is_cut: isCut } = own;
  const table = useMemo(() => tableOfPoints(own, beam), [own, beam]);
  const last = points.length - 1;
  const at = Math.min(controlPoint, last);
  const point = points[at];
  if (point === undefined) return <p className={documentStyles.quiet}>The beam has no control points.</p>;
  const problems = devices.flatMap(({ type, problem }) => (problem === null ? [] : [`${type}: ${problem}.`]));
  return (
    <>
      <div className={styles.beam}>
        <div className={styles.picture}>
          <BeamsEyeView
            devices={devices}
            points={points}
            point={point}
            label={`Field of beam ${beam.name ?? beam.number ?? ''} at control point ${at}, seen from the source`}
          />
          {last > 0 && (
            <label className={styles.slider}>
              Control point
              <input
                type="range"
                min={0}
                max={last}
                value={at}
                aria-valuetext={`${at} of ${last}`}
                onChange={(event) => onMove(Number(event.currentTarget.value))}
              />
              <output>
                {at} / {last}
              </output>
            </label>
          )}
          {problems.map((text) => (
            <p key={text} className={documentStyles.warning}>
              {text}
            </p>
          ))}
        </div>
        <div className={styles.values}>
          <FactList facts={factsOfPoint(point, beam)} />
        </div>
      </div>
      <DocumentTableView table={table} />
      {isCut && (
        <p className={documentStyles.quiet}>The beam is longer than what is shown here. All of it is in its tags.</p>
      )}
    </>
  );
}

function factsOfPoint(point: WireControlPoint, beam: WirePlanBeam) {
  const values: readonly (readonly [label: string, value: string, unit: string | null])[] = [
    ['Gantry', round(point.gantry), '°'],
    ['Collimator', round(point.collimator), '°'],
    ['Couch', round(point.couch), '°'],
    ['Couch pitch', point.pitch === 0 ? '' : round(point.pitch), '°'],
    ['Couch roll', point.roll === 0 ? '' : round(point.roll), '°'],
    ['Energy', round(point.energy), beam.energy_unit],
    ['Dose rate', round(point.dose_rate), `${beam.meterset_unit ?? ''}/min`],
    [beam.session === null ? 'Meterset so far' : 'Delivered', round(point.meterset), beam.meterset_unit],
    ['Planned', round(point.specified_meterset), beam.meterset_unit],
    ['Isocentre', point.isocenter?.map(round).join(', ') ?? '', 'mm'],
    ['Source to surface', round(point.source_surface_mm), 'mm'],
    ['Spots', point.spots === null ? '' : String(point.spots.x.length), null],
    ['Spot size', point.spots?.size?.map(round).join(' × ') ?? '', 'mm'],
  ];
  return values
    .filter(([, value]) => value !== '')
    .map(([label, value, unit]) => ({ section: 'At this control point', label, value, unit, tag_path: null }));
}

/** Columns of jaws are their positions; the leaves are drawn and not listed. */
function tableOfPoints({ devices, control_points: points }: BeamProps['own'], beam: WirePlanBeam): WireDocumentTable {
  type Column = { label: string; unit: string | null; value: (point: WireControlPoint) => string | number | null };
  const columns: Column[] = [
    { label: 'Control point', unit: null, value: ({ index }) => index },
    { label: 'Gantry', unit: '°', value: ({ gantry }) => gantry },
    { label: 'Collimator', unit: '°', value: ({ collimator }) => collimator },
    { label: 'Couch', unit: '°', value: ({ couch }) => couch },
    { label: 'Energy', unit: beam.energy_unit, value: ({ energy }) => energy },
    { label: 'Weight', unit: null, value: (point) => point.cumulative_weight },
    {
      label: beam.session === null ? 'Meterset' : 'Delivered',
      unit: beam.meterset_unit,
      value: ({ meterset }) => shorten(meterset),
    },
    { label: 'Planned', unit: beam.meterset_unit, value: (point) => shorten(point.specified_meterset) },
    ...devices.flatMap(({ type }, at): Column[] =>
      type.startsWith('MLC')
        ? []
        : [{ label: type, unit: 'mm', value: ({ positions }) => positions[at]?.map(shorten).join(' to ') ?? null }],
    ),
    { label: 'Spots', unit: null, value: ({ spots }) => spots?.x.length ?? null },
  ];
  const rows = points.map((point) => columns.map(({ value }) => value(point)));
  const filled = columns.map((_, at) => rows.some((row) => row[at] !== null));
  return {
    title: 'Control points',
    columns: columns.filter((_, at) => filled[at]).map(({ label, unit }) => ({ label, unit, is_color: false })),
    rows: rows.map((row) => row.filter((_, at) => filled[at])),
    row_count: rows.length,
  };
}

function shorten(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1000) / 1000;
}
