import { createStore } from 'zustand/vanilla';
import { preferRegistrations } from '../api/registrations.ts';
import { findNamedFile, nameFile } from './fileNames.ts';
import { findFile } from './library.ts';
import { definePart, type Page } from './page.ts';

/** The registrations that the user prefers where several lead to different places, by file. */
export const preferredRegistrationsOf = definePart((page) => {
  const store = createStore<{ readonly files: readonly number[] }>(() => ({ files: [] }));
  page.onRestart(() => store.setState({ files: [] }));
  return store;
});

export async function setPreferredRegistrations(page: Page, files: readonly number[]): Promise<void> {
  const { files: known } = await preferRegistrations(files);
  preferredRegistrationsOf(page).setState({ files: known });
}

/** As a link names them. */
export function namePreferredRegistrations(page: Page): readonly string[] {
  const { files } = preferredRegistrationsOf(page).getState();
  return files.flatMap((index) => {
    const file = findFile(page, index);
    return file === undefined ? [] : [nameFile(page, file)];
  });
}

/** Repeats the decisions of a link. */
export async function applyPreferredRegistrations(page: Page, names: readonly string[]): Promise<void> {
  const wanted = names.flatMap((name) => findNamedFile(page, name)?.index ?? []);
  const { files } = preferredRegistrationsOf(page).getState();
  if (wanted.join() === files.join()) return;
  await setPreferredRegistrations(page, wanted).catch(() => undefined);
}
