import type { ReviewScheme } from '../../../shared/contract/review.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import type { PeopleColumnInfo, PeopleItem } from '../../images/tables/peopleColumn.ts';
import type { PeopleSource } from '../../images/tables/tables.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { Decisions } from './decisions.ts';
import type { ReviewUnits } from './reviewUnits.ts';
import type { Decision } from './verdictLine.ts';

type Reviewed = { readonly units: ReviewUnits; readonly decisions: Decisions };

export type ReviewColumnsContext = {
  readonly level: TableLevel;
  readonly scheme: ReviewScheme;
  readonly reader: string;
  /** Grows with every decision and file. */
  readonly revision: () => number;
  readonly list: () => Promise<Reviewed>;
};

export type ReviewColumns = {
  readonly sources: readonly PeopleSource[];
  /** Adds a column for each of them. */
  readonly addReaders: (readers: readonly string[]) => void;
};

/** More readers have no column of their own; their verdicts are in the files of the review. */
const MOST_READERS = 16;

/** The columns of the table of files that say what was decided. */
export function createReviewColumns({ level, scheme, reader, revision, list }: ReviewColumnsContext): ReviewColumns {
  const toSource = (info: PeopleColumnInfo, of: string, read: (decision: Decision) => readonly string[]) => ({
    info,
    revision,
    list: async () => doInTurns(collect(await list(), { level, reader: of, read }), undefined),
  });
  const sources: PeopleSource[] = [
    toSource({ name: 'verdict', title: 'Verdict', merge: 'texts' }, reader, readVerdict),
    toSource(
      { name: 'verdict_reasons', title: 'Reasons of the verdict', merge: 'texts' },
      reader,
      ({ reasons }) => reasons,
    ),
    toSource({ name: 'verdict_comment', title: 'Comment', merge: 'texts' }, reader, ({ comment }) =>
      comment === '' ? [] : [comment],
    ),
    ...scheme.scores.map(({ id, title }) =>
      toSource({ name: `score_${id.toLowerCase()}`, title: `Score: ${title}`, merge: 'number' }, reader, ({ scores }) =>
        scores[id] === undefined ? [] : [String(scores[id])],
      ),
    ),
  ];
  return {
    sources,
    addReaders(readers) {
      for (const one of readers.toSorted().slice(0, MOST_READERS)) {
        const info = { name: `verdict:${one}`, title: `Verdict of ${one}`, merge: 'texts' } as const;
        sources.push(toSource(info, one, readVerdict));
      }
    },
  };
}

function readVerdict({ verdict }: Decision): readonly string[] {
  return verdict === null ? [] : [verdict];
}

type Collected = {
  readonly level: TableLevel;
  readonly reader: string;
  readonly read: (decision: Decision) => readonly string[];
};

function* collect(
  { units, decisions }: Reviewed,
  { level, reader, read }: Collected,
): WorkInTurns<readonly PeopleItem[]> {
  const items: PeopleItem[] = [];
  for (const unit of decisions.units) {
    yield;
    const decision = decisions.find(unit, reader);
    if (decision === undefined || units.count(unit) === 0) continue;
    // Files of the same UID are listed; those of a series or study the table knows.
    const where = level === 'file' ? { files: units.filesOf(unit) } : { files: [units.opening(unit)], of: level };
    for (const text of read(decision)) items.push({ ...where, text });
  }
  return items;
}
