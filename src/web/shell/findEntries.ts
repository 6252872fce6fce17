import { openNode } from '../find/files/openNode.ts';
import { findFiles, toWords } from '../show/series/filterFiles.ts';
import { growStudyTree } from '../show/series/studyTree.ts';
import type { TreeNode } from '../show/series/treeNode.ts';
import { showCells } from '../kit/state/cohortPlace.ts';
import { libraryOf } from '../kit/state/library.ts';
import type { Page } from '../kit/state/page.ts';
import { isBlindReview } from '../kit/state/reviewNews.ts';
import { setPanels, showTab } from '../kit/state/panels.ts';
import type { Sliced } from '../kit/ui/runInSlices.ts';
import { listCommands } from './commandTable.ts';

export type PaletteEntry = {
  readonly key: string;
  readonly kind: 'Series' | 'Tag' | 'Command';
  readonly title: string;
  readonly detail: string;
  readonly run: () => void;
};

const SERIES = 30;

/** Commands and series that contain every word. Without words, all commands. The last entry searches the tags. */
export function* findEntries(page: Page, text: string): Sliced<readonly PaletteEntry[]> {
  const words = toWords(text);
  const commands = listCommands(page)
    .filter(({ isEnabled }) => isEnabled?.(page) ?? true)
    .map(({ id, title, group, keys, run }) => ({
      key: id,
      kind: 'Command' as const,
      title,
      detail: keys.length > 0 ? keys.join(', ') : group,
      run: () => run(page),
    }))
    .filter(({ title, detail }) => words.every((word) => `${title} ${detail}`.toLowerCase().includes(word)));
  const series = isBlindReview(page) ? [] : yield* findSeries(page, text);
  if (words.length === 0) return [...series.slice(0, 5), ...commands];
  const found = [...series, ...commands].toSorted((a, b) => rank(a, words) - rank(b, words));
  return [...found, toTagEntry(page, text.trim())];
}

/** Number of words that do not begin any word of the title; entries with more of them come later. */
function rank({ title }: PaletteEntry, words: readonly string[]): number {
  const parts = toWords(title);
  return words.filter((word) => !parts.some((part) => part.startsWith(word))).length;
}

function* findSeries(page: Page, text: string): Sliced<PaletteEntry[]> {
  const library = libraryOf(page).getState();
  const tree = yield* growStudyTree(page, yield* findFiles(library.files, text), library);
  const entries: PaletteEntry[] = [];
  for (const patient of tree) {
    for (const study of patient.children) {
      for (const node of study.children) {
        if (entries.length >= SERIES) return entries;
        entries.push(toSeriesEntry(page, [patient, study, node]));
        if (text !== '') entries.push(...listStackEntries(page, [patient, study, node]));
      }
    }
  }
  return entries;
}

/** A path in the study tree, from the patient down. */
type SeriesPath = readonly [patient: TreeNode, study: TreeNode, series: TreeNode];

function toSeriesEntry(page: Page, [patient, study, node]: SeriesPath): PaletteEntry {
  return {
    key: node.id,
    kind: 'Series',
    title: titleSeries(node),
    detail: `${patient.title} · ${study.title}`,
    run: () => openNode(page, node),
  };
}

/** A series without images is also known by the title of its document. */
function titleSeries({ modality, title, detail, objectKind }: TreeNode): string {
  const name = [modality, title].filter((part) => part !== '').join(' ');
  return objectKind === undefined || detail === '' ? name : `${name} · ${detail}`;
}

/** A series of several stacks has an entry for each, named by what distinguishes it. */
function listStackEntries(page: Page, path: SeriesPath): PaletteEntry[] {
  return path[2].children.map((node) => {
    const entry = toSeriesEntry(page, path);
    return { ...entry, key: node.id, title: `${entry.title} · ${node.title}`, run: () => openNode(page, node) };
  });
}

function toTagEntry(page: Page, text: string): PaletteEntry {
  return {
    key: 'tag',
    kind: 'Tag',
    title: `Find “${text}” in tags`,
    detail: '',
    run: () => {
      showCells(page);
      showTab(page, 'tags');
      setPanels(page, { tagSearch: text });
    },
  };
}
