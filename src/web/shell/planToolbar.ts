/** How a tool appears in the toolbar: with its name, as an icon, or as a line of the menu at the end. */
export type Presence = 'named' | 'icon' | 'menu';

export type PlannedItem = {
  readonly iconPx: number;
  /** Width with its name. */
  readonly namedPx: number;
  /** The larger, the sooner the tool moves into the menu; 0: never; from `YIELDING`: even before names are left out. */
  readonly goes: number;
};

export const YIELDING = 50;

export type PlannedGroup = {
  readonly items: readonly PlannedItem[];
  /** The smaller, the sooner its names are shown. */
  readonly naming: number;
  /** It takes the room that is left: groups after it get names only if it has all it needs. */
  readonly grows?: boolean | undefined;
};

export const GROUP_PX = 10;

/**
 * Shows all tools as icons if they fit, otherwise moves the least important into the menu; then names groups as far as
 * there is room.
 */
export function planToolbar(widthPx: number, groups: readonly PlannedGroup[]): Presence[][] {
  const plan = groups.map(({ items }) => items.map((): Presence => 'icon'));
  const places = groups.flatMap(({ items }, group) => items.map(({ goes }, item) => ({ group, item, goes })));
  const leaving = places.filter(({ goes }) => goes > 0).toSorted((a, b) => b.goes - a.goes);
  for (const { group, item } of leaving) {
    if (widthOf(groups, plan) <= widthPx) break;
    plan[group]![item] = 'menu';
  }
  const yielding = leaving.filter(({ goes }) => goes >= YIELDING);
  const inOrder = [...groups.entries()].toSorted(([, a], [, b]) => a.naming - b.naming);
  for (const [group, { items, naming: order, grows = false }] of inOrder) {
    // A group that is partly in the menu gets no names, because the menu shows them.
    if (plan[group]?.includes('menu') === true || items.some(({ goes }) => goes >= YIELDING)) continue;
    const named = plan.with(
      group,
      items.map(() => 'named'),
    );
    for (const place of [undefined, ...yielding.filter((one) => (groups[one.group]?.naming ?? 0) > order)]) {
      if (place !== undefined) named[place.group] = (named[place.group] ?? []).with(place.item, 'menu');
      if (widthOf(groups, named) > widthPx) continue;
      plan.splice(0, plan.length, ...named);
      break;
    }
    if (!grows || plan[group]?.includes('icon') !== true) continue;
    for (const { group: other, item } of yielding) plan[other]![item] = 'menu';
    break;
  }
  return plan;
}

function widthOf(groups: readonly PlannedGroup[], plan: readonly (readonly Presence[])[]): number {
  let width = 0;
  for (const [group, { items }] of groups.entries()) {
    const widths = items.map(({ iconPx, namedPx }, item) => {
      const presence = plan[group]?.[item];
      return presence === 'named' ? namedPx : presence === 'icon' ? iconPx : 0;
    });
    const sum = widths.reduce((total, one) => total + one, 0);
    if (sum > 0) width += GROUP_PX + sum;
  }
  return width;
}
