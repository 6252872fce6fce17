import type { AuditFinding, AuditName } from '../../../shared/contract/audits.ts';
import type { MemoryAccount } from '../../machine/memory/memoryAccount.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import type { PeopleItem } from '../tables/peopleColumn.ts';
import type { PeopleSource } from '../tables/tables.ts';
import type { AuditContext, AuditPart, AuditProgress, AuditRun } from './auditWork.ts';
import { createBurnedInFold } from './burnedInFold.ts';
import { createDeclaredFold } from './declaredFold.ts';
import type { CutFold, FactFold } from './factFold.ts';
import type { PackedFacts } from './factTasks.ts';
import { findDuplicates, findEqualPixels } from './findDuplicates.ts';
import { findGeometry } from './findGeometry.ts';
import { findAbsent } from './findAbsent.ts';
import { FindingList } from './finding.ts';
import { findUnreadable } from './findUnreadable.ts';
import { foldFacts } from './foldFacts.ts';
import { createIdentifierFold } from './identifierFold.ts';
import { createProtocolFold } from './protocolFold.ts';

export type AuditWish = {
  readonly names: readonly AuditName[];
  /** A condition on files, as that of the table; undefined: all files. */
  readonly where: string | undefined;
  /** Whether identifying values are listed as they are, in place of their form. */
  readonly showsValues: boolean;
  /** Whether the pixels of all files are compared. */
  readonly comparesPixels: boolean;
  /** Whether another run may follow, for which what is read is kept. */
  readonly isKept: boolean;
};

export type AuditOptions = {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: AuditProgress) => void;
};

export type AuditOutcome = {
  /** Files that were chosen. */
  readonly files: number;
  /** Those of them whose headers could not be read. */
  readonly unread: number;
  readonly audits: readonly FinishedAudit[];
};

export type FinishedAudit = {
  readonly audit: AuditName;
  /** The most important first. */
  readonly findings: readonly AuditFinding[];
  /** With those that are not listed, because there are too many. */
  readonly total: number;
  /** Whether all files were found, and no limit has cut what was looked at. */
  readonly isComplete: boolean;
};

/** Looks at all files together, and lists what is odd about them. */
export interface Audits {
  /** Each header is read once for all wanted audits. Throws as a query of the table does. */
  run(wish: AuditWish, options: AuditOptions): Promise<AuditOutcome>;
  /** What runs that are kept have found, as a column of the table; none before the first of them. */
  columns(): readonly PeopleSource[];
}

export type AuditsContext = Omit<AuditContext, 'kept' | 'memory'> & {
  readonly memory: Pick<MemoryAccount, 'plan' | 'cache'>;
};

export function createAudits({ memory, ...given }: AuditsContext): Audits {
  const context: AuditContext = { ...given, memory, kept: memory.cache<PackedFacts>('audits') };
  const { catalog, tables } = context;

  async function begin({ where, isKept }: AuditWish, options: AuditOptions): Promise<AuditRun> {
    const { signal, onProgress = () => {} } = options;
    const list = where === undefined ? undefined : await tables.choose(where, signal);
    const chosen = list && new Set(list);
    const isChosen = (file: number) => !catalog.gone.files.has(file) && chosen?.has(file) !== false;
    const length = list === undefined ? catalog.files.length : (list.at(-1) ?? -1) + 1;
    const files = await doInTurns(chooseFiles(catalog.files, { length, isChosen }), signal);
    return { files, isChosen, isKept, signal, onProgress };
  }

  async function runOne(wish: AuditWish, options: AuditOptions): Promise<AuditOutcome> {
    const { names, showsValues, comparesPixels } = wish;
    const run = await begin(wish, options);
    const cut = new Map<AuditName, CutFold>([
      ['protocol', createProtocolFold()],
      ['identifiers', createIdentifierFold(showsValues)],
    ]);
    const ofFacts = new Map<AuditName, FactFold>([
      ['geometry', createDeclaredFold()],
      ...cut,
      ['burned-in', createBurnedInFold()],
    ]);
    const wanted = [...ofFacts].flatMap(([name, fold]) => (names.includes(name) ? [fold] : []));
    const read = wanted.length === 0 ? { unread: 0, isWhole: true } : await foldFacts(context, run, wanted);
    const audits: FinishedAudit[] = [];
    for (const audit of names) {
      const fold = ofFacts.get(audit);
      const found = new FindingList();
      let isComplete = catalog.progress.scanComplete;
      for (const part of partsOf(audit, comparesPixels)) {
        if (!(await part(context, run, found))) isComplete = false;
      }
      if (fold !== undefined) {
        await doInTurns(fold.findings(found), run.signal);
        if (!read.isWhole || cut.get(audit)?.isCut() === true) isComplete = false;
      }
      audits.push({ audit, findings: found.list(), total: found.total, isComplete });
    }
    return { files: run.files.length, unread: read.unread, audits };
  }

  /** By audit: what the last run that is kept has found. */
  const found = new Map<AuditName, readonly PeopleItem[]>();
  let changes = 0;
  const column: PeopleSource = {
    info: { name: 'findings', title: 'Findings of audits', merge: 'texts' },
    revision: () => changes,
    list: () => Promise.resolve([...found.values()].flat()),
  };

  async function keepFound({ audits }: AuditOutcome): Promise<void> {
    for (const { audit, findings } of audits) found.set(audit, await doInTurns(listMarked(findings), undefined));
    changes += 1;
  }

  /** One at a time: each holds what it has found in all files. */
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(wish, options) {
      const outcome = last.then(async () => {
        options.signal.throwIfAborted();
        const ended = await runOne(wish, options);
        if (wish.isKept) await keepFound(ended);
        return ended;
      });
      last = outcome.catch(() => undefined);
      return outcome;
    },
    columns: () => (changes === 0 ? [] : [column]),
  };
}

/**
 * The files, series and studies that findings are about. One about an element or about more files than it names is about
 * the cohort.
 */
function* listMarked(findings: readonly AuditFinding[]): WorkInTurns<readonly PeopleItem[]> {
  const items: PeopleItem[] = [];
  for (const { code, unit, files } of findings) {
    yield;
    if (unit.kind === 'element' || code === 'file_skipped') continue;
    const of =
      unit.kind === 'series' || code === 'protocol_deviates'
        ? 'series'
        : unit.kind === 'study' || code === 'series_missing'
          ? 'study'
          : undefined;
    items.push({ files: files.map(({ file_index: index }) => index), ...(of !== undefined && { of }), text: code });
  }
  return items;
}

type Chosen = { readonly length: number; readonly isChosen: (file: number) => boolean };

function* chooseFiles(all: readonly DicomFile[], { length, isChosen }: Chosen): WorkInTurns<DicomFile[]> {
  const files: DicomFile[] = [];
  for (let at = 0; at < length; at += 1) {
    if (isChosen(at)) files.push(all[at]!);
    yield;
  }
  return files;
}

/** What an audit finds by other ways than headers. */
function partsOf(audit: AuditName, comparesPixels: boolean): readonly AuditPart[] {
  switch (audit) {
    case 'geometry':
      return [findGeometry];
    case 'duplicates':
      return comparesPixels ? [findDuplicates, findEqualPixels] : [findDuplicates];
    case 'completeness':
      return [findAbsent];
    case 'readable':
      return [findUnreadable];
    case 'protocol':
    case 'identifiers':
    case 'burned-in':
      return [];
  }
}
