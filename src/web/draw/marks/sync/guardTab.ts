import { definePart, type Page } from '../../../kit/state/page.ts';
import { lostWorkOf } from './parking.ts';

const claimsOf = definePart(() => new Set<() => boolean>());

/** Says of some work whether only this page has it. Returns a function that ends this. */
export function claimUnsaved(page: Page, hasUnsaved: () => boolean): () => void {
  claimsOf(page).add(hasUnsaved);
  return () => claimsOf(page).delete(hasUnsaved);
}

/** Whether there is work that only this page has. */
export function hasUnsavedWork(page: Page): boolean {
  const isLost = lostWorkOf(page).getState().lost.length > 0;
  return isLost || [...claimsOf(page)].some((hasUnsaved) => hasUnsaved());
}

/** The browser asks before it closes or reloads the tab while there is such work. Returns a function that ends this. */
export function guardTab(page: Page): () => void {
  const hold = (event: BeforeUnloadEvent) => {
    if (hasUnsavedWork(page)) event.preventDefault();
  };
  addEventListener('beforeunload', hold);
  return () => removeEventListener('beforeunload', hold);
}
