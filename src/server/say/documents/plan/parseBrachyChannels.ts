import type { PlanResponse, WireDwell, WirePlanChannel } from '../../../../shared/contract/plans.ts';
import { formatDate } from '../../../../shared/dicomTexts.ts';
import type { DataSet } from '../../../standard/dicom/dataSet.ts';
import { finite, numberAt, coordinatesAt, textAt } from './planValues.ts';
import { RtTag } from './rtTags.ts';

/** A channel of a brachytherapy plan or session, with the data set that it was read from. */
export type ParsedChannel = { readonly item: DataSet; readonly channel: WirePlanChannel };

/** PS3.3 C.8.8.15 and C.8.8.22. */
export function parseBrachyChannels(dataSet: DataSet): ParsedChannel[] {
  const sources = [...dataSet.items(RtTag.SourceSequence), ...dataSet.items(RtTag.RecordedSourceSequence)];
  return [RtTag.ApplicationSetupSequence, RtTag.TreatmentSessionApplicationSetupSequence].flatMap((tag) =>
    dataSet.items(tag).flatMap((setup) => {
      const isSession = tag === RtTag.TreatmentSessionApplicationSetupSequence;
      return setup.items(isSession ? RtTag.RecordedChannelSequence : RtTag.ChannelSequence).map((item) => ({
        item,
        channel: parseChannel(setup, item, sources, isSession),
      }));
    }),
  );
}

function parseChannel(setup: DataSet, item: DataSet, sources: readonly DataSet[], isSession: boolean): WirePlanChannel {
  const number = numberAt(item, RtTag.ReferencedSourceNumber);
  const source = sources.find((one) => number !== null && numberAt(one, RtTag.SourceNumber) === number);
  const delivered = numberAt(item, RtTag.DeliveredChannelTotalTime);
  const date = source?.string(RtTag.SourceStrengthReferenceDate);
  return {
    setup_number:
      numberAt(setup, RtTag.ApplicationSetupNumber) ?? numberAt(setup, RtTag.ReferencedBrachyApplicationSetupNumber),
    setup_name: textAt(setup, RtTag.ApplicationSetupName),
    setup_type: textAt(setup, RtTag.ApplicationSetupType),
    number: numberAt(item, RtTag.ChannelNumber),
    applicator: textAt(item, RtTag.SourceApplicatorID),
    length_mm: numberAt(item, RtTag.ChannelLength),
    step_mm: numberAt(item, RtTag.SourceApplicatorStepSize),
    movement: textAt(item, RtTag.SourceMovementType),
    total_time_s: isSession ? delivered : numberAt(item, RtTag.ChannelTotalTime),
    pulses: numberAt(item, isSession ? RtTag.DeliveredNumberOfPulses : RtTag.NumberOfPulses),
    source_number: number,
    isotope: textAt(source, RtTag.SourceIsotopeName),
    air_kerma_rate: numberAt(source, RtTag.ReferenceAirKermaRate),
    reference_date: date === undefined ? null : formatDate(date),
    total_reference_air_kerma: numberAt(setup, RtTag.TotalReferenceAirKerma),
    dwell_count: listDwells(item).length,
    session: isSession
      ? { specified_time_s: numberAt(item, RtTag.SpecifiedChannelTotalTime), delivered_time_s: delivered }
      : null,
  };
}

const MOST_DWELLS = 20_000;

export function describeDwells({ item }: ParsedChannel, position: number): NonNullable<PlanResponse['channel']> {
  const dwells = listDwells(item);
  return { position, dwells: dwells.slice(0, MOST_DWELLS), is_cut: dwells.length > MOST_DWELLS };
}

/**
 * Where the source stays, and for how long: the time between two control points in the same place is the share of the
 * weight that is added there. PS3.3 C.8.8.15.5
 */
export function listDwells(item: DataSet): WireDwell[] {
  const planned = item.items(RtTag.BrachyControlPointSequence);
  const points = planned.length > 0 ? planned : item.items(RtTag.BrachyControlPointDeliveredSequence);
  const total = numberAt(item, RtTag.ChannelTotalTime) ?? numberAt(item, RtTag.DeliveredChannelTotalTime);
  const finalWeight = numberAt(item, RtTag.FinalCumulativeTimeWeight);
  const perWeight = total !== null && finalWeight !== null && finalWeight > 0 ? total / finalWeight : null;
  const dwells: WireDwell[] = [];
  let before: { relative: number | null; weight: number | null } | undefined;
  for (const point of points) {
    const relative = numberAt(point, RtTag.ControlPointRelativePosition);
    const weight = numberAt(point, RtTag.CumulativeTimeWeight);
    const last = dwells.at(-1);
    if (last !== undefined && before !== undefined && before.relative === relative) {
      const added =
        weight === null || before.weight === null || perWeight === null ? null : (weight - before.weight) * perWeight;
      last.time_s = last.time_s === null || added === null ? null : finite(last.time_s + added);
    } else {
      dwells.push({
        relative_mm: relative,
        position: coordinatesAt(point, RtTag.ControlPoint3DPosition),
        time_s: perWeight === null ? null : 0,
      });
    }
    before = { relative, weight };
  }
  return dwells;
}
