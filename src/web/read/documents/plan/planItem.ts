import type { PlanResponse } from '../../../../shared/contract/plans.ts';

/** What a plan shows: a control point of a beam, or a channel. Positions count from 0. */
export type PlanPlace =
  | { readonly kind: 'beam'; readonly position: number; readonly controlPoint: number }
  | { readonly kind: 'channel'; readonly position: number };

/** `2.14` is the beam with the number 2 at its control point 14, as the object numbers them; `channel-1` is the first channel. */
export function formatPlanItem(plan: PlanResponse, place: PlanPlace): string {
  if (place.kind === 'channel') return `channel-${place.position + 1}`;
  return `${plan.beams[place.position]?.number ?? ''}.${place.controlPoint}`;
}

/** The place that an address names, or else the first beam that treats. Undefined if there is nothing to show. */
export function parsePlanItem(plan: PlanResponse, item: string | undefined): PlanPlace | undefined {
  const [, channel] = /^channel-(\d{1,6})$/.exec(item ?? '') ?? [];
  if (channel !== undefined && plan.channels[Number(channel) - 1] !== undefined)
    return { kind: 'channel', position: Number(channel) - 1 };
  const [, number, controlPoint] = /^(-?\d{1,12})(?:\.(\d{1,6}))?$/.exec(item ?? '') ?? [];
  const named = plan.beams.findIndex((beam) => number !== undefined && beam.number === Number(number));
  if (named >= 0) {
    const last = Math.max(0, (plan.beams[named]?.control_point_count ?? 0) - 1);
    return { kind: 'beam', position: named, controlPoint: Math.min(Number(controlPoint ?? 0), last) };
  }
  const treating = plan.beams.findIndex((beam) => beam.is_treatment);
  if (plan.beams.length > 0) return { kind: 'beam', position: Math.max(0, treating), controlPoint: 0 };
  return plan.channels.length > 0 ? { kind: 'channel', position: 0 } : undefined;
}
