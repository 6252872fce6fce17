import { findMasker, isMasked } from '../../bytes/masking/masker.ts';
import { maskText } from '../../bytes/masking/maskText.ts';
import { localFile } from '../../bytes/origins/origins.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { PeopleItem } from '../../images/tables/peopleColumn.ts';
import type { PeopleSource } from '../../images/tables/tables.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { ALL_SCORES, PART_SCORES } from './scoreNumbers.ts';
import { type NamedSome, type ReadScores, type ReadScoresResult, readScoresTask } from './scoreTasks.ts';

/** The numbers of a score file, as columns of the table of files. */
export interface Scores {
  /** Those of single parts come to be known when the file has been read. */
  columns(): readonly PeopleSource[];
  /** What is not shown, in words that name the cases; in a masked run how many they are. Known when the scan is complete. */
  report(): Promise<ScoresReport>;
}

export type ScoresReport =
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'read'; readonly series: number; readonly shown: number; readonly problems: readonly string[] }
  | { readonly kind: 'stopped' };

export type ScoresContext = {
  readonly catalog: Pick<Catalog, 'files' | 'gone' | 'scanComplete' | 'progress'>;
  readonly tasks: TaskRunner;
  /** As the system resolves it. */
  readonly path: string;
  readonly signal: AbortSignal;
};

const MASKED_FAILURE = 'it cannot be read; negato without --mask says why';

export function createScores({ catalog, tasks, path, signal }: ScoresContext): Scores {
  let read: ReadScores | undefined;
  let failure: string | undefined;
  let problems: readonly string[] = [];
  let parts: readonly PeopleSource[] = [];
  const findOpening = createSeriesJoin(catalog);

  async function readFile(): Promise<ReadScores | undefined> {
    const input = { path, source: localFile(path) };
    const result = await tasks
      // Images come first.
      .run(readScoresTask, input, { signal, priority: 'prefetch' })
      .catch((error: unknown): ReadScoresResult => {
        return { ok: false, message: error instanceof Error ? error.message : String(error) };
      });
    if (!result.ok) {
      failure = isMasked() ? MASKED_FAILURE : result.message;
      return undefined;
    }
    read = result.scores;
    parts = listPartColumns(read, toColumn);
    return read;
  }

  let reading: Promise<ReadScores | undefined> | undefined;
  const readOnce = () => (reading ??= readFile());

  function toColumn(info: PeopleSource['info'], valueOf: (found: ReadScores, series: number) => string | undefined) {
    return {
      info,
      revision: () => catalog.files.length + catalog.gone.changes + (read === undefined ? 0 : 1),
      problem: () => failure ?? (problems.join('; ') || undefined),
      async list() {
        const found = await readOnce();
        if (found === undefined) return [];
        return doInTurns(
          listItems(await findOpening(found), (series) => valueOf(found, series)),
          undefined,
        );
      },
    } satisfies PeopleSource;
  }

  const usual = [
    ...ALL_SCORES.map((info, at) => {
      return toColumn(info, ({ numbers }, series) => formatNumber(numbers[series * ALL_SCORES.length + at]));
    }),
    toColumn(
      { name: 'worst_part', title: 'Part with the lowest Dice', merge: 'texts', isUsual: true },
      ({ worstParts }, series) => formatText(worstParts[series]),
    ),
    // Names of files often are those of patients.
    ...(isMasked()
      ? []
      : [
          toColumn({ name: 'case', title: 'Case of the scores', merge: 'texts' }, ({ cases }, series) =>
            formatText(cases[series]),
          ),
        ]),
  ];

  return {
    columns: () => [...usual, ...parts],
    async report() {
      const found = await readOnce();
      if (signal.aborted) return { kind: 'stopped' };
      if (found === undefined) return { kind: 'failed', message: failure ?? 'it cannot be read' };
      if ((await catalog.scanComplete) === 'cancelled') return { kind: 'stopped' };
      const opening = await findOpening(found);
      const missing = found.cases.filter((_, series) => opening[series]!.length === 0);
      problems = [
        describeSome(nameSome(missing), 'of no open series'),
        describeSome(found.unplaced, 'without a Series Instance UID'),
        describeSome(found.ambiguous, 'of the same part of one series, which are not shown'),
        found.unreadCells === 0 ? undefined : `${found.unreadCells} cells are no numbers`,
      ].filter((problem) => problem !== undefined);
      return {
        kind: 'read',
        series: found.seriesUids.length,
        shown: found.seriesUids.length - missing.length,
        problems,
      };
    },
  };
}

function listPartColumns(
  { parts }: ReadScores,
  toColumn: (
    info: PeopleSource['info'],
    valueOf: (found: ReadScores, series: number) => string | undefined,
  ) => PeopleSource,
): readonly PeopleSource[] {
  return parts.flatMap(({ name, numbers }) =>
    PART_SCORES.map(({ name: score, title, merge }, at) => {
      const part = maskText(name);
      const info = { name: `${score}:${part}`, title: `${title.split(',')[0]} of ${part}`, merge };
      return toColumn(info, (_, series) => formatNumber(numbers[series * PART_SCORES.length + at]));
    }),
  );
}

/** More digits say nothing about how well two masks agree, and are hard to read in a table. */
const DIGITS = 6;

function formatNumber(value: number | undefined): string | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : String(Number(value.toPrecision(DIGITS)));
}

function formatText(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : maskText(text);
}

function* listItems(
  opening: readonly (readonly number[])[],
  valueOf: (series: number) => string | undefined,
): WorkInTurns<readonly PeopleItem[]> {
  const items: PeopleItem[] = [];
  for (const [series, files] of opening.entries()) {
    yield;
    const text = files.length === 0 ? undefined : valueOf(series);
    if (text !== undefined) items.push({ files, of: 'series', text });
  }
  return items;
}

type OpeningFiles = readonly (readonly number[])[];

/** Finds the first file of each series in each study, in the order of the scores. Looks only at files that are new. */
function createSeriesJoin(catalog: ScoresContext['catalog']): (found: ReadScores) => Promise<OpeningFiles> {
  const opening = new Map<string, Map<string, number>>();
  let names: readonly (readonly string[])[] | undefined;
  let seen = 0;
  let gone = 0;
  let last: { readonly at: string; readonly files: Promise<OpeningFiles> } | undefined;

  function* join({ seriesUids }: ReadScores): WorkInTurns<OpeningFiles> {
    if (gone !== catalog.gone.changes) {
      gone = catalog.gone.changes;
      seen = 0;
      opening.clear();
    }
    const known: (readonly string[])[] = [];
    for (const uid of names === undefined ? seriesUids : []) {
      yield;
      known.push(namesOf(uid));
    }
    names ??= known;
    const wanted = new Set(names.flat());
    while (seen < catalog.files.length) {
      const { index, studyInstanceUid, seriesInstanceUid } = catalog.files[seen]!;
      seen += 1;
      if (wanted.has(seriesInstanceUid) && !catalog.gone.files.has(index)) {
        const studies = opening.get(seriesInstanceUid) ?? new Map<string, number>();
        if (!studies.has(studyInstanceUid)) studies.set(studyInstanceUid, index);
        opening.set(seriesInstanceUid, studies);
      }
      if (seen % FILES_AT_ONCE === 0) yield;
    }
    return names.map((all) => all.flatMap((uid) => [...(opening.get(uid)?.values() ?? [])]));
  }

  return (found) => {
    const at = `${catalog.files.length} ${catalog.gone.changes}`;
    if (last?.at !== at) last = { at, files: doInTurns(join(found), undefined) };
    return last.files;
  };
}

const FILES_AT_ONCE = 64;

/** In a masked run the files have other UIDs than a score file that was written without it. */
function namesOf(uid: string): readonly string[] {
  const masker = findMasker();
  return masker === undefined ? [uid] : [masker.uid(uid), uid];
}

const MOST_EXAMPLES = 5;

function nameSome(names: readonly string[]): NamedSome {
  return { count: names.length, examples: names.filter((name) => name !== '').slice(0, MOST_EXAMPLES) };
}

function describeSome({ count, examples }: NamedSome, what: string): string | undefined {
  if (count === 0) return undefined;
  const named = isMasked() || examples.length === 0 ? '' : `: ${examples.join(', ')}`;
  const more = named !== '' && count > examples.length ? ` and ${count - examples.length} more` : '';
  return `${count} ${count === 1 ? 'case is' : 'cases are'} ${what}${named}${more}`;
}
