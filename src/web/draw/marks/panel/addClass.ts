import type { LabelClass } from '../../../../shared/contract/marks.ts';
import type { Page } from '../../../kit/state/page.ts';
import { changeScheme, classesOf, labelsOf, setNextClass } from '../shapes/labels.ts';

/** Colors that differ from each other and from gray images. */
const COLORS = ['#ffb000', '#36c5f0', '#ff5c8a', '#7bd33b', '#b388ff', '#ff8a3d', '#2ee6c5', '#f4f06a', '#ff6bd6'];

/**
 * Adds a class and gives it to the next mark. A class that has this title already is chosen. Resolves to whether the
 * class is there.
 */
export async function addClass(page: Page, title: string): Promise<boolean> {
  const find = () => classesOf(labelsOf(page).getState()).find((one) => one.title === title);
  const isThere =
    find() !== undefined ||
    (await changeScheme(page, (old) => ({ ...old, classes: [...old.classes, createClass(title, old.classes)] })));
  const added = find();
  if (added !== undefined) setNextClass(page, added.key);
  return isThere;
}

/** With the first digit and color that no other class has. */
function createClass(title: string, others: readonly LabelClass[]): LabelClass {
  const isFree = (key: string) => !others.some((one) => one.key === key);
  let key = title;
  for (let n = 2; !isFree(key); n += 1) key = `${title.slice(0, 58)} ${n}`;
  const digit = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((one) => !others.some((other) => other.digit === one)) ?? null;
  const color = COLORS.find((one) => !others.some((other) => other.color === one)) ?? COLORS[0]!;
  return { key, title, color, digit };
}
