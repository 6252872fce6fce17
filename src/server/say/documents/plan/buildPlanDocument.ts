import type { WireFractionGroup, WirePlanBeam, WirePrescription } from '../../../../shared/contract/plans.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { buildHead } from '../buildSummary.ts';
import { listFacts, tableOf } from '../describeElements.ts';
import { describeSequences } from '../describeSequences.ts';
import type { DocumentDraft, DocumentSource, DocumentStatus, DocumentTable, TableCell } from '../documentKind.ts';
import { parseBeams, parseFractionGroups, parsePrescriptions } from './parseBeams.ts';
import { listDwells, type ParsedChannel, parseBrachyChannels } from './parseBrachyChannels.ts';
import { RtTag } from './rtTags.ts';

/** Sequences of the object that have tables of their own below. */
const SHOWN: ReadonlySet<number> = new Set([
  Tag.DoseReferenceSequence,
  Tag.FractionGroupSequence,
  RtTag.BeamSequence,
  RtTag.IonBeamSequence,
  RtTag.TreatmentSessionBeamSequence,
  RtTag.TreatmentSessionIonBeamSequence,
  RtTag.ApplicationSetupSequence,
  RtTag.TreatmentSessionApplicationSetupSequence,
]);

/** A plan, or a record of a treatment: prescriptions, fractions, beams, channels, and a table for everything else. */
export function buildPlanDocument(source: DocumentSource): DocumentDraft {
  const { dataSet } = source;
  const summary = buildHead(source);
  const beams = parseBeams(dataSet);
  const channels = parseBrachyChannels(dataSet);
  const prescriptions = parsePrescriptions(dataSet);
  const groups = parseFractionGroups(dataSet, beams);
  const wire = beams.map(({ beam }) => beam);
  return {
    ...summary,
    subtitle: [summary.subtitle, describeTreatment(prescriptions, groups), describeParts(wire, channels)]
      .filter((text) => text !== undefined && text !== '')
      .join(' · '),
    status: [...summary.status, ...describeDelivery(wire)],
    facts: orderFacts(dataSet, summary.facts),
    tables: [
      prescriptionTable(prescriptions),
      fractionTable(groups),
      deliveryTable(wire),
      beamTable(wire),
      channelTable(channels),
      dwellTable(channels),
      ...describeSequences(dataSet, SHOWN),
    ].filter((table) => table !== undefined),
  };
}

/** Facts about the plan come first. */
function orderFacts(dataSet: DataSet, facts: DocumentDraft['facts']): DocumentDraft['facts'] {
  const own = listFacts(dataSet, 'Plan', [
    RtTag.RTPlanName,
    RtTag.RTPlanDescription,
    RtTag.PlanIntent,
    RtTag.PrescriptionDescription,
    RtTag.TreatmentProtocols,
    RtTag.TreatmentSites,
    RtTag.RTPlanDate,
    RtTag.RTPlanGeometry,
    RtTag.BrachyTreatmentTechnique,
    RtTag.BrachyTreatmentType,
    RtTag.TreatmentDate,
    RtTag.CurrentTreatmentStatus,
  ]);
  const shown = new Set(own.map(({ tagPath }) => tagPath));
  return [...own, ...facts.filter(({ tagPath }) => !shown.has(tagPath))];
}

/** `60 Gy in 30 fractions of 2 Gy`. The dose is the largest prescription for a target. */
function describeTreatment(
  prescriptions: readonly WirePrescription[],
  groups: readonly WireFractionGroup[],
): string | undefined {
  const doses = prescriptions.flatMap(({ target_prescription_gy: dose }) => dose ?? []);
  const [group] = groups.filter(({ fractions }) => fractions !== null);
  const parts = [
    doses.length === 0 ? undefined : `${round(Math.max(...doses.slice(0, 1000)))} Gy`,
    group?.fractions === undefined || group.fractions === null ? undefined : countOf(group.fractions, 'fraction'),
  ].filter((text) => text !== undefined);
  return parts.length === 0 ? undefined : parts.join(' in ');
}

function describeParts(beams: readonly WirePlanBeam[], channels: readonly ParsedChannel[]): string {
  const treating = beams.filter((beam) => beam.is_treatment).length;
  const other = beams.length - treating;
  return [
    beams.length === 0 ? '' : countOf(treating, 'treatment beam'),
    other === 0 ? '' : countOf(other, 'other beam'),
    channels.length === 0 ? '' : countOf(channels.length, 'channel'),
  ]
    .filter((text) => text !== '')
    .join(' · ');
}

export function countOf(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** Four decimals are more than any machine has. */
function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

function cell(value: number | null): TableCell {
  return value === null ? undefined : round(value);
}

function prescriptionTable(prescriptions: readonly WirePrescription[]): DocumentTable | undefined {
  return tableOf('Prescriptions', prescriptions, [
    { label: 'Number', value: (one) => one.number ?? undefined },
    { label: 'For', value: (one) => lower(one.type) },
    { label: 'Description', value: (one) => one.description ?? undefined },
    { label: 'Structure', value: (one) => lower(one.structure_type) },
    { label: 'ROI', value: (one) => one.roi_number ?? undefined },
    { label: 'Prescribed', unit: 'Gy', value: (one) => cell(one.target_prescription_gy) },
    { label: 'Minimum', unit: 'Gy', value: (one) => cell(one.target_minimum_gy) },
    { label: 'Maximum', unit: 'Gy', value: (one) => cell(one.target_maximum_gy) },
    { label: 'Organ limit', unit: 'Gy', value: (one) => cell(one.organ_limit_gy) },
    { label: 'Organ maximum', unit: 'Gy', value: (one) => cell(one.organ_maximum_gy) },
  ]);
}

function fractionTable(groups: readonly WireFractionGroup[]): DocumentTable | undefined {
  return tableOf('Fraction groups', groups, [
    { label: 'Number', value: (one) => one.number ?? undefined },
    { label: 'Fractions', value: (one) => one.fractions ?? undefined },
    { label: 'Dose per fraction, sum of beam doses', unit: 'Gy', value: (one) => cell(one.dose_per_fraction_gy) },
    { label: 'Meterset per fraction', value: (one) => cell(one.meterset) },
    {
      label: 'Beams',
      value: (one) => (one.beam_numbers.length === 0 ? undefined : one.beam_numbers.slice(0, 100).join(', ')),
    },
  ]);
}

/** Delivered against planned. */
function deliveryTable(beams: readonly WirePlanBeam[]): DocumentTable | undefined {
  const sessions = beams.flatMap((beam) => (beam.session === null ? [] : [{ ...beam.session, beam }]));
  return tableOf('Delivered against planned', sessions, [
    { label: 'Beam', value: ({ beam }) => beam.number ?? undefined },
    { label: 'Name', value: ({ beam }) => beam.name ?? undefined },
    { label: 'Fraction', value: (one) => one.fraction ?? undefined },
    { label: 'Unit', value: ({ beam }) => beam.meterset_unit ?? undefined },
    { label: 'Planned', value: (one) => cell(one.specified_meterset) },
    { label: 'Delivered', value: (one) => cell(one.delivered_meterset) },
    {
      label: 'Share',
      unit: '%',
      value: (one) => {
        const share = shareOf(one.specified_meterset, one.delivered_meterset);
        return share === undefined ? undefined : Math.round(share * 1e4) / 100;
      },
    },
    { label: 'Time', unit: 's', value: (one) => cell(one.delivered_time_s) },
    { label: 'Ended', value: (one) => lower(one.termination) },
    { label: 'Verification', value: (one) => lower(one.verification) },
    { label: 'Overrides', value: (one) => one.overrides || undefined },
    { label: 'Corrections', value: (one) => one.corrections || undefined },
  ]);
}

function shareOf(specified: number | null, delivered: number | null): number | undefined {
  return specified === null || delivered === null || !(specified > 0) ? undefined : delivered / specified;
}

/** A share that is not 100.0 % when it is printed. */
const SMALLEST_DIFFERENCE = 0.0005;
const MOST_SESSIONS = 16;

/** Sessions that did not end as planned. */
function describeDelivery(beams: readonly WirePlanBeam[]): DocumentStatus[] {
  return beams.slice(0, MOST_SESSIONS).flatMap(({ session, name, number }): DocumentStatus[] => {
    if (session === null) return [];
    const label = name ?? `Beam ${number ?? ''}`.trim();
    const share = shareOf(session.specified_meterset, session.delivered_meterset);
    const differs = share !== undefined && Math.abs(share - 1) >= SMALLEST_DIFFERENCE;
    const isNormal = session.termination === null || session.termination === 'NORMAL';
    if (!differs && isNormal) return [{ label, value: 'delivered as planned', tone: 'good' }];
    const texts = [
      differs ? `${(share * 100).toFixed(1)} % of the plan` : '',
      isNormal ? '' : `ended by ${session.termination?.toLowerCase() ?? ''}`,
    ].filter((text) => text !== '');
    return [{ label, value: texts.join(', '), tone: 'warn' }];
  });
}

function beamTable(beams: readonly WirePlanBeam[]): DocumentTable | undefined {
  return tableOf('Beams', beams, [
    { label: 'Number', value: (one) => one.number ?? undefined },
    { label: 'Name', value: (one) => one.name ?? undefined },
    { label: 'Description', value: (one) => one.description ?? undefined },
    { label: 'Use', value: (one) => lower(one.delivery) },
    { label: 'Type', value: (one) => lower(one.type) },
    { label: 'Radiation', value: (one) => lower(one.radiation) },
    { label: 'Energy', value: describeEnergies },
    { label: 'Machine', value: (one) => one.machine ?? undefined },
    { label: 'Gantry', value: describeGantry },
    { label: 'Collimator', unit: '°', value: (one) => cell(one.collimator) },
    { label: 'Couch', unit: '°', value: (one) => cell(one.couch) },
    { label: 'Isocentre', unit: 'mm', value: describeIsocenter },
    { label: 'SSD', unit: 'mm', value: (one) => cell(one.source_surface_mm) },
    { label: 'Meterset', value: (one) => cell(one.meterset) },
    { label: 'Unit', value: (one) => one.meterset_unit ?? undefined },
    { label: 'Dose', unit: 'Gy', value: (one) => cell(one.dose_gy) },
    { label: 'Accessories', value: describeAccessories },
    { label: 'Scan mode', value: (one) => lower(one.scan_mode) },
    { label: 'Layers', value: (one) => one.layer_count || undefined },
    { label: 'Spots', value: (one) => one.spot_count || undefined },
    { label: 'Control points', value: (one) => one.control_point_count },
  ]);
}

function lower(text: string | null): TableCell {
  return text?.toLowerCase().replaceAll('_', ' ');
}

function describeEnergies({ energies, energy_unit }: WirePlanBeam): TableCell {
  const [first] = energies;
  if (first === undefined) return undefined;
  if (energies.length === 1) return `${first} ${energy_unit}`;
  return `${Math.min(...energies)} to ${Math.max(...energies)} ${energy_unit}`;
}

export function describeGantry(beam: WirePlanBeam): TableCell {
  const { gantry_start: start, gantry_stop: stop, gantry_direction: direction, gantry_travel: travel } = beam;
  if (start === null) return undefined;
  if (travel === 0 || stop === null) return `${round(start)}°`;
  return `${round(start)}° → ${round(stop)}° ${direction ?? ''} (${round(travel)}°)`;
}

function describeIsocenter({ isocenter, isocenter_count: count }: WirePlanBeam): TableCell {
  if (isocenter === null) return undefined;
  const place = isocenter.map((value) => round(value)).join(', ');
  return count > 1 ? `${place} and ${count - 1} more` : place;
}

function describeAccessories(beam: WirePlanBeam): TableCell {
  const parts = [
    [beam.wedges, 'wedge'],
    [beam.blocks, 'block'],
    [beam.compensators, 'compensator'],
    [beam.range_shifters, 'range shifter'],
    [beam.range_modulators, 'range modulator'],
  ] as const;
  const texts = parts.flatMap(([count, one]) => (count === 0 ? [] : [countOf(count, one)]));
  if (beam.boli > 0) texts.push(beam.boli === 1 ? '1 bolus' : `${beam.boli} boli`);
  if (beam.snout !== null) texts.push(`snout ${beam.snout}`);
  return texts.join(', ');
}

function channelTable(channels: readonly ParsedChannel[]): DocumentTable | undefined {
  const rows = channels.map(({ channel }) => channel);
  return tableOf('Channels', rows, [
    { label: 'Setup', value: (one) => one.setup_name ?? one.setup_number ?? undefined },
    { label: 'Setup type', value: (one) => lower(one.setup_type) },
    { label: 'Channel', value: (one) => one.number ?? undefined },
    { label: 'Applicator', value: (one) => one.applicator ?? undefined },
    { label: 'Length', unit: 'mm', value: (one) => cell(one.length_mm) },
    { label: 'Step', unit: 'mm', value: (one) => cell(one.step_mm) },
    { label: 'Movement', value: (one) => lower(one.movement) },
    { label: 'Planned time', unit: 's', value: (one) => cell(one.session?.specified_time_s ?? null) },
    { label: 'Time', unit: 's', value: (one) => cell(one.total_time_s) },
    { label: 'Pulses', value: (one) => one.pulses ?? undefined },
    { label: 'Source', value: (one) => one.isotope ?? one.source_number ?? undefined },
    { label: 'Air kerma rate', unit: 'µGy/h at 1 m', value: (one) => cell(one.air_kerma_rate) },
    { label: 'On', value: (one) => one.reference_date ?? undefined },
    { label: 'Total reference air kerma', unit: 'µGy at 1 m', value: (one) => cell(one.total_reference_air_kerma) },
    { label: 'Dwell positions', value: (one) => one.dwell_count },
  ]);
}

function dwellTable(channels: readonly ParsedChannel[]): DocumentTable | undefined {
  const rows = channels.flatMap(({ item, channel }) => listDwells(item).map((dwell, at) => ({ channel, dwell, at })));
  return tableOf('Dwell positions', rows, [
    { label: 'Channel', value: ({ channel }) => channel.number ?? undefined },
    { label: 'Position', value: ({ at }) => at + 1 },
    { label: 'From the tip', unit: 'mm', value: ({ dwell }) => cell(dwell.relative_mm) },
    { label: 'x', unit: 'mm', value: ({ dwell }) => cell(dwell.position?.[0] ?? null) },
    { label: 'y', unit: 'mm', value: ({ dwell }) => cell(dwell.position?.[1] ?? null) },
    { label: 'z', unit: 'mm', value: ({ dwell }) => cell(dwell.position?.[2] ?? null) },
    { label: 'Time', unit: 's', value: ({ dwell }) => cell(dwell.time_s) },
  ]);
}
