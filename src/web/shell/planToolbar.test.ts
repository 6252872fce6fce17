import { expect, test } from 'vitest';
import { GROUP_PX, type PlannedItem, planToolbar, YIELDING } from './planToolbar.ts';

const item = (goes: number): PlannedItem => ({ iconPx: 30, namedPx: 80, goes });
/** The middle group is named first. */
const GROUPS = [
  { items: [item(0)], naming: 1 },
  { items: [item(1), item(2)], naming: 0 },
  { items: [item(4), item(3)], naming: 2 },
];
/** Five icons in three groups. */
const ICONS_PX = 5 * 30 + 3 * GROUP_PX;

test('icons that fit are all there', () => {
  expect(planToolbar(ICONS_PX, GROUPS)).toEqual([['icon'], ['icon', 'icon'], ['icon', 'icon']]);
});

test('the least important tools move into the menu first, and pinned tools stay', () => {
  expect(planToolbar(ICONS_PX - 1, GROUPS)).toEqual([['icon'], ['icon', 'icon'], ['menu', 'icon']]);
  expect(planToolbar(ICONS_PX - 31, GROUPS)).toEqual([['icon'], ['icon', 'icon'], ['menu', 'menu']]);
  expect(planToolbar(10, GROUPS)).toEqual([['icon'], ['menu', 'menu'], ['menu', 'menu']]);
});

test('groups get their names in the given order, each as a whole, where there is room', () => {
  expect(planToolbar(ICONS_PX + 100, GROUPS)).toEqual([['icon'], ['named', 'named'], ['icon', 'icon']]);
  expect(planToolbar(ICONS_PX + 99, GROUPS)).toEqual([['named'], ['icon', 'icon'], ['icon', 'icon']]);
  expect(planToolbar(ICONS_PX + 150, GROUPS)).toEqual([['named'], ['named', 'named'], ['icon', 'icon']]);
  expect(planToolbar(ICONS_PX + 250, GROUPS)).toEqual([['named'], ['named', 'named'], ['named', 'named']]);
});

test('tools that every task has make room for the names of others', () => {
  const groups = [...GROUPS.slice(0, 2), { items: [item(YIELDING), item(YIELDING + 1)], naming: 2 }];
  expect(planToolbar(ICONS_PX + 70, groups)).toEqual([['icon'], ['named', 'named'], ['icon', 'menu']]);
  expect(planToolbar(ICONS_PX + 20, groups)).toEqual([['named'], ['icon', 'icon'], ['icon', 'menu']]);
});

test('a group that grows gets all it needs, or the room that is left before others get names', () => {
  const groups = [{ items: [item(0)], naming: 0, grows: true }, GROUPS[0]!, { items: [item(YIELDING)], naming: 9 }];
  const iconsPx = 3 * 30 + 3 * GROUP_PX;
  expect(planToolbar(iconsPx + 100, groups)).toEqual([['named'], ['named'], ['icon']]);
  expect(planToolbar(iconsPx + 50, groups)).toEqual([['named'], ['icon'], ['icon']]);
  expect(planToolbar(iconsPx + 10, groups)).toEqual([['named'], ['icon'], ['menu']]);
  expect(planToolbar(iconsPx, groups)).toEqual([['icon'], ['icon'], ['menu']]);
});

test('at no width is the toolbar wider than the page, as far as its pinned buttons let it', () => {
  for (let width = 42; width < 600; width++) {
    const plan = planToolbar(width, GROUPS);
    const used = plan.map((group) =>
      group.reduce((sum, presence) => sum + { named: 80, icon: 30, menu: 0 }[presence], 0),
    );
    const total = used.reduce((sum, one) => sum + (one > 0 ? one + GROUP_PX : 0), 0);
    expect(total).toBeLessThanOrEqual(Math.max(width, 30 + GROUP_PX));
  }
});
