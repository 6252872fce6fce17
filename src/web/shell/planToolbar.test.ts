import { expect, test } from 'vitest';
import { GROUP_PX, MORE_PX, type PlannedItem, planToolbar } from './planToolbar.ts';

const item = (goes: number): PlannedItem => ({ iconPx: 30, namedPx: 80, goes });
/** The middle group is named first. */
const NAMING = [1, 0, 2];
const GROUPS = [[item(0)], [item(1), item(2)], [item(4), item(3)]];
/** Five icons in three groups. */
const ICONS_PX = 5 * 30 + 3 * GROUP_PX;

test('icons that fit are all there, without a menu', () => {
  expect(planToolbar(ICONS_PX, GROUPS, NAMING)).toEqual([['icon'], ['icon', 'icon'], ['icon', 'icon']]);
});

test('the least important tools move into the menu first, and pinned tools stay', () => {
  expect(planToolbar(ICONS_PX - 1, GROUPS, NAMING)).toEqual([['icon'], ['icon', 'icon'], ['menu', 'menu']]);
  // The menu's own button takes room; one more icon would fit without it.
  expect(planToolbar(3 * 30 + 2 * GROUP_PX + MORE_PX - 1, GROUPS, NAMING)).toEqual([
    ['icon'],
    ['icon', 'menu'],
    ['menu', 'menu'],
  ]);
  expect(planToolbar(10, GROUPS, NAMING)).toEqual([['icon'], ['menu', 'menu'], ['menu', 'menu']]);
});

test('groups get their names in the given order, each as a whole, where there is room', () => {
  expect(planToolbar(ICONS_PX + 100, GROUPS, NAMING)).toEqual([['icon'], ['named', 'named'], ['icon', 'icon']]);
  expect(planToolbar(ICONS_PX + 99, GROUPS, NAMING)).toEqual([['named'], ['icon', 'icon'], ['icon', 'icon']]);
  expect(planToolbar(ICONS_PX + 150, GROUPS, NAMING)).toEqual([['named'], ['named', 'named'], ['icon', 'icon']]);
  expect(planToolbar(ICONS_PX + 250, GROUPS, NAMING)).toEqual([['named'], ['named', 'named'], ['named', 'named']]);
});

test('at no width is the toolbar wider than the page, as far as its pinned buttons let it', () => {
  for (let width = 42; width < 600; width++) {
    const plan = planToolbar(width, GROUPS, NAMING);
    const used = plan.map((group) =>
      group.reduce((sum, presence) => sum + { named: 80, icon: 30, menu: 0 }[presence], 0),
    );
    const more = plan.flat().includes('menu') ? MORE_PX : 0;
    const total = more + used.reduce((sum, one) => sum + (one > 0 ? one + GROUP_PX : 0), 0);
    expect(total).toBeLessThanOrEqual(Math.max(width, 30 + GROUP_PX + MORE_PX));
  }
});
