/** How a tool appears in the toolbar: with its name, as an icon, or as a line of the overflow menu. */
export type Presence = 'named' | 'icon' | 'menu';

export type PlannedItem = {
  readonly iconPx: number;
  /** Width with its name. */
  readonly namedPx: number;
  /** The larger, the sooner the tool moves into the menu; 0: never. */
  readonly goes: number;
};

export const GROUP_PX = 12;
/** Width of the button of the menu. */
export const MORE_PX = 41;

/**
 * Shows all tools as icons if they fit, otherwise moves the least important into the menu; then names groups as far as
 * there is room.
 */
export function planToolbar(
  widthPx: number,
  groups: readonly (readonly PlannedItem[])[],
  /** Indices of the groups in the order in which they are named. */
  naming: readonly number[],
): Presence[][] {
  const plan = groups.map((items) => items.map((): Presence => 'icon'));
  const places = groups.flatMap((items, group) => items.map(({ goes }, item) => ({ group, item, goes })));
  const leaving = places.filter(({ goes }) => goes > 0).toSorted((a, b) => b.goes - a.goes);
  for (const { group, item } of leaving) {
    if (widthOf(groups, plan) <= widthPx) break;
    plan[group]![item] = 'menu';
  }
  for (const group of naming) {
    const [items, icons] = [groups[group] ?? [], plan[group] ?? []];
    // A group that is partly in the menu gets no names, because the menu shows them.
    if (icons.includes('menu')) continue;
    plan[group] = items.map(() => 'named');
    if (widthOf(groups, plan) > widthPx) plan[group] = icons;
  }
  return plan;
}

function widthOf(groups: readonly (readonly PlannedItem[])[], plan: readonly (readonly Presence[])[]): number {
  let width = plan.flat().includes('menu') ? MORE_PX : 0;
  for (const [group, items] of groups.entries()) {
    const widths = items.map(({ iconPx, namedPx }, item) => {
      const presence = plan[group]?.[item];
      return presence === 'named' ? namedPx : presence === 'icon' ? iconPx : 0;
    });
    const sum = widths.reduce((total, one) => total + one, 0);
    if (sum > 0) width += GROUP_PX + sum;
  }
  return width;
}
