import { expect, test } from 'vitest';
import type { PlanResponse } from '../../../../shared/contract/plans.ts';
import { formatPlanItem, parsePlanItem } from './planItem.ts';

function planOf(beams: readonly object[], channels: readonly object[] = []): PlanResponse {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only these fields are read
  return { beams, channels } as unknown as PlanResponse;
}

const BEAMS = planOf([
  { number: 7, is_treatment: false, control_point_count: 1 },
  { number: 2, is_treatment: true, control_point_count: 20 },
]);

test('the address of a beam has its number and its control point, and leads back to them', () => {
  const place = { kind: 'beam', position: 1, controlPoint: 14 } as const;
  expect(formatPlanItem(BEAMS, place)).toBe('2.14');
  expect(parsePlanItem(BEAMS, '2.14')).toEqual(place);
});

test.each([
  ['no address', undefined],
  ['a beam that the plan does not have', '9.1'],
  ['text that is no place', 'page-3'],
])('%s leads to the first beam that treats', (_, item) => {
  expect(parsePlanItem(BEAMS, item)).toEqual({ kind: 'beam', position: 1, controlPoint: 0 });
});

test('a control point behind the last one leads to the last one', () => {
  expect(parsePlanItem(BEAMS, '2.99')).toEqual({ kind: 'beam', position: 1, controlPoint: 19 });
});

test('a plan without beams leads to its channels', () => {
  const plan = planOf([], [{}, {}]);
  expect(parsePlanItem(plan, undefined)).toEqual({ kind: 'channel', position: 0 });
  expect(parsePlanItem(plan, 'channel-2')).toEqual({ kind: 'channel', position: 1 });
  expect(formatPlanItem(plan, { kind: 'channel', position: 1 })).toBe('channel-2');
  expect(parsePlanItem(planOf([]), '1.0')).toBeUndefined();
});
