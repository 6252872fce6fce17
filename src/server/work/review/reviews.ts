import { ViewerError } from '../../../shared/contract/errors.ts';
import type { ReviewScheme, WireReview } from '../../../shared/contract/review.ts';
import type { TableLevel } from '../../../shared/tableLevel.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { PeopleSource } from '../../images/tables/tables.ts';
import type { TableFormat } from '../../images/tables/writeTableFile.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { describeDiskFailure } from '../journal/diskFailure.ts';
import { type EntityTag, entityTag, matchesEntityTag } from '../journal/entityTag.ts';
import { Decisions } from './decisions.ts';
import { NoVerdictFile, readVerdicts } from './readVerdicts.ts';
import { createReviewColumns } from './reviewColumns.ts';
import { ReviewOrder } from './reviewOrder.ts';
import { ReviewUnits } from './reviewUnits.ts';
import { checkVerdict, type Decision, isDecided, type ReviewedUnit, writeVerdictLine } from './verdictLine.ts';
import { createVerdictLog, namePath } from './verdictLog.ts';
import { writeReviewTable } from './writeReviewTable.ts';

/** What `--review` and its options say. */
export type ReviewSettings = {
  /** Decisions are written to the first file; others are only read. */
  readonly paths: readonly string[];
  readonly reader: string;
  readonly level: TableLevel;
  readonly scheme: ReviewScheme;
  /** Of `--blind`. */
  readonly seed: string | undefined;
  /** Whether only units are shown of which readers differ. */
  readonly isSecond: boolean;
  /** Called when decisions cannot be written, or something of the files cannot be read. */
  readonly onTrouble?: (message: string) => void;
};

export type ReviewContext = ReviewSettings & {
  readonly catalog: Pick<Catalog, 'files' | 'gone' | 'progress'>;
  readonly tasks: TaskRunner;
  /** Different for every run of the server. */
  readonly instance: string;
  /** Of the program, for the lines of the file. */
  readonly version: string;
};

/** A unit, and what has been said of it. */
export type ReviewUnit = ReviewedUnit & {
  readonly number: number;
  readonly position: number | undefined;
  readonly file: number;
  readonly files: number;
  readonly decision: Decision | undefined;
  readonly others: readonly Decision[];
  readonly etag: EntityTag;
};

export type ReviewProgress = {
  readonly total: number;
  readonly decided: number;
  readonly firstUndecided: number | undefined;
};

export type ReviewPart = {
  readonly state: 'all' | 'decided' | 'undecided';
  /** The position from which on units count; absent: the first. */
  readonly from?: number;
  /** Only units that these files are part of. */
  readonly files?: readonly number[] | undefined;
  readonly offset: number;
  readonly limit: number;
};

export type ReviewPage = ReviewProgress &
  Pick<ReviewSettings, 'reader' | 'level' | 'scheme' | 'isSecond'> & {
    readonly revision: number;
    readonly isBlind: boolean;
    readonly otherReaders: readonly string[];
    /** Null in a masked run. */
    readonly path: string | null;
    readonly state: WireReview['state'];
    readonly problem: string | undefined;
    readonly damage: string | undefined;
    readonly isComplete: boolean;
    readonly filesLeftOut: number;
    readonly chosen: number;
    readonly units: readonly ReviewUnit[];
  };

/** One reader decides unit by unit, and each decision is on the disk before it counts. */
export interface ReviewStore {
  readonly isBlind: boolean;
  /** Grows with every decision, and when the files of verdicts are read again. */
  revision(): number;
  /** Calls back after the revision has changed. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
  page(part: ReviewPart, signal: AbortSignal): Promise<ReviewPage>;
  /** Throws `not_found`. */
  read(unit: number): Promise<ReviewUnit & { readonly progress: ReviewProgress }>;
  /**
   * Writes a decision. Throws `not_found`, `invalid_verdict`, `stale_verdict`, and `review_locked` or `review_not_written`,
   * after which everything is as it was.
   */
  decide(
    unit: number,
    body: unknown,
    wish: { readonly ifMatch: string | undefined },
  ): Promise<ReviewUnit & { readonly progress: ReviewProgress }>;
  /** One row a unit, and columns for each reader. */
  write(format: TableFormat, createdBy: string, signal: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
  /** Columns of the table of files. Those of other readers are known when the files have been read. */
  readonly columns: readonly PeopleSource[];
  /** Settles when the files have been read. Never rejects. */
  readonly ready: Promise<void>;
  /** Writes what is under way, and lets go of the file. */
  close(): Promise<void>;
}

/** The state that the files of verdicts say, which is replaced when they are read again. */
type Loaded = {
  readonly decisions: Decisions;
  readonly damage: string | undefined;
  /** Why the file of this reader cannot be read. */
  readonly failure: string | undefined;
};

export function createReview(context: ReviewContext): ReviewStore {
  const { catalog, tasks, paths, reader, level, scheme, seed, isSecond, instance, version, onTrouble } = context;
  const isBlind = seed !== undefined;
  const [own = ''] = paths;
  const log = createVerdictLog(own);
  const units = new ReviewUnits(level);
  let loaded: Loaded = { decisions: new Decisions(), damage: undefined, failure: undefined };
  /** Decisions of this run that came while files were being read. */
  let meanwhile: { readonly unit: number; readonly decision: Decision }[] | undefined;
  /** How often the files were read, and decisions written. */
  let loads = 0;
  let changes = 0;
  /** By unit: the number of the change that was its last. */
  const changedAt = new Map<number, number>();
  let orderedAt = '';
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const findOwn = (unit: number) => loaded.decisions.find(unit, reader);
  const order = new ReviewOrder({
    seed,
    isPart: (unit) => !isSecond || loaded.decisions.differ(unit, reader),
    isDecided: (unit) => findOwn(unit) !== undefined,
  });

  async function load(): Promise<void> {
    meanwhile = [];
    const next = await loadDecisions(paths, level, units);
    for (const { unit, decision } of meanwhile) next.decisions.put(unit, decision);
    meanwhile = undefined;
    loaded = next;
    loads += 1;
    tell();
    if (next.damage !== undefined) onTrouble?.(`not everything of the review could be read: ${next.damage}`);
    if (next.failure !== undefined) onTrouble?.(next.failure);
  }

  async function start(): Promise<void> {
    try {
      await log.prepare();
    } catch (error) {
      onTrouble?.(error instanceof ViewerError ? error.message : String(error));
    }
    await load();
    columns.addReaders([...loaded.decisions.readers].filter((one) => one !== reader && !isBlind));
  }

  let writable: Promise<void> | undefined;
  /** Takes the lock if this process does not have it, and reads what others have written meanwhile. */
  const makeWritable = () =>
    (writable ??= (async () => {
      const isNew = (await log.prepare()) === 'new';
      if (isNew || loaded.failure !== undefined) await load();
      if (loaded.failure !== undefined) throw new ViewerError('review_not_written', loaded.failure);
    })().finally(() => {
      writable = undefined;
    }));

  let updating: Promise<void> | undefined;
  const versionOfUnits = () => `${loads} ${catalog.files.length} ${catalog.gone.changes}`;

  function* updateUnits(): WorkInTurns<void> {
    const now = versionOfUnits();
    yield* units.update(catalog);
    yield* order.rebuild(units);
    orderedAt = now;
  }

  /** Takes new files. A request waits for what another one has begun. */
  async function update(): Promise<void> {
    await ready;
    if (updating !== undefined) {
      await updating;
      return update();
    }
    if (orderedAt === versionOfUnits()) return;
    updating = doInTurns(updateUnits(), undefined).finally(() => {
      updating = undefined;
    });
    await updating;
  }

  const etagOf = (unit: number) => entityTag(`${instance}-review-${loads}-${unit}`, changedAt.get(unit) ?? 0);

  function describe(number: number): ReviewUnit {
    return {
      ...units.unit(number),
      number,
      position: order.position(number),
      file: units.opening(number),
      files: units.count(number),
      decision: findOwn(number),
      others: isBlind ? [] : loaded.decisions.others(number, reader),
      etag: etagOf(number),
    };
  }

  const progress = (): ReviewProgress => ({
    total: order.total,
    decided: order.decided,
    firstUndecided: order.firstUndecided(),
  });

  async function requireUnit(number: number): Promise<void> {
    await update();
    if (number >= units.size || units.count(number) === 0) {
      throw new ViewerError('not_found', `there is no unit ${number} with open files`);
    }
  }

  function put(unit: number, decision: Decision): void {
    const before = findOwn(unit) !== undefined;
    meanwhile?.push({ unit, decision });
    loaded.decisions.put(unit, decision);
    changes += 1;
    changedAt.set(unit, changes);
    if (before !== isDecided(decision)) order.changed(unit, isDecided(decision));
    tell();
  }

  /** By unit: what is being written. Whoever comes next compares with what it will be. */
  const underway = new Map<number, Promise<void>>();

  async function decideNext(unit: number, parts: Omit<Decision, 'reader' | 'at'>, ifMatch: string | undefined) {
    await makeWritable();
    if (ifMatch !== undefined && !matchesEntityTag(ifMatch, etagOf(unit))) {
      throw new ViewerError('stale_verdict', `the decision has changed in the meantime: its ETag is ${etagOf(unit)}`);
    }
    const decision = { ...parts, reader, at: new Date().toISOString() };
    await log.append(writeVerdictLine({ unit: units.unit(unit), decision }, version));
    put(unit, decision);
  }

  const columns = createReviewColumns({
    level,
    scheme,
    reader,
    revision: () => loads + changes + catalog.files.length + catalog.gone.changes,
    list: async () => {
      await update();
      return { units, decisions: loaded.decisions };
    },
  });
  const ready = start();

  return {
    isBlind,
    revision: () => loads + changes,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ready,
    columns: columns.sources,
    async page(part, signal) {
      await update();
      const { chosen, numbers } = await chooseUnits(part, { order, units, catalog }, signal);
      const trouble = log.trouble();
      const problem = trouble?.message ?? loaded.failure;
      return {
        revision: loads + changes + units.changes,
        reader,
        level,
        scheme,
        isBlind,
        isSecond,
        otherReaders: isBlind ? [] : [...loaded.decisions.readers].filter((one) => one !== reader).toSorted(),
        path: namePath(own),
        state: trouble?.code === 'review_locked' ? 'locked' : problem === undefined ? 'on' : 'failing',
        problem,
        damage: loaded.damage,
        isComplete: catalog.progress.scanComplete,
        filesLeftOut: units.leftOut,
        ...progress(),
        chosen,
        units: numbers.map(describe),
      };
    },
    async read(unit) {
      await requireUnit(unit);
      return { ...describe(unit), progress: progress() };
    },
    async decide(unit, body, { ifMatch }) {
      await requireUnit(unit);
      const parts = checkVerdict(body, scheme);
      const before = underway.get(unit);
      const deciding = (async () => {
        await before?.catch(() => undefined);
        await decideNext(unit, parts, ifMatch);
      })();
      underway.set(unit, deciding);
      try {
        await deciding;
      } finally {
        if (underway.get(unit) === deciding) underway.delete(unit);
      }
      return { ...describe(unit), progress: progress() };
    },
    async *write(format, createdBy, signal) {
      await update();
      const { decisions } = loaded;
      const readers = isBlind
        ? [reader]
        : [reader, ...[...decisions.readers].filter((one) => one !== reader).toSorted()];
      const table = { units, order, decisions, level, scheme, readers, hasClosed: !isSecond };
      yield* writeReviewTable(table, { format, createdBy, signal, tasks });
    },
    close: () => log.close(),
  };
}

type Chosen = { readonly chosen: number; readonly numbers: readonly number[] };
type ChosenFrom = Pick<ReviewContext, 'catalog'> & { readonly order: ReviewOrder; readonly units: ReviewUnits };

async function chooseUnits(part: ReviewPart, from: ChosenFrom, signal: AbortSignal): Promise<Chosen> {
  const { state, files, offset, limit } = part;
  const { order } = from;
  if (files !== undefined) return chooseOfFiles(files, part, from);
  if (state !== 'all') return doInTurns(chooseByState(part, order), signal);
  const begin = Math.min(order.total, (part.from ?? 0) + offset);
  const numbers = Array.from({ length: Math.min(limit, order.total - begin) }, (_, n) => order.at(begin + n));
  return { chosen: Math.max(0, order.total - (part.from ?? 0)), numbers };
}

function* chooseByState({ state, from = 0, offset, limit }: ReviewPart, order: ReviewOrder): WorkInTurns<Chosen> {
  const numbers: number[] = [];
  let chosen = 0;
  for (let position = from; position < order.total; position += 1) {
    const unit = order.at(position);
    yield;
    if (order.isDecided(unit) !== (state === 'decided')) continue;
    if (chosen >= offset && numbers.length < limit) numbers.push(unit);
    chosen += 1;
  }
  return { chosen, numbers };
}

function chooseOfFiles(
  files: readonly number[],
  { state, offset, limit }: ReviewPart,
  { catalog, units, order }: ChosenFrom,
): Chosen {
  const known = files.flatMap((index) => {
    const file = catalog.gone.files.has(index) ? undefined : catalog.files[index];
    return (file && units.unitOf(file)) ?? [];
  });
  const all = [...new Set(known)].filter((unit) => state === 'all' || order.isDecided(unit) === (state === 'decided'));
  return { chosen: all.length, numbers: all.slice(offset, offset + limit) };
}

async function loadDecisions(paths: readonly string[], level: TableLevel, units: ReviewUnits): Promise<Loaded> {
  const decisions = new Decisions();
  const problems: string[] = [];
  let failure: string | undefined;
  // The file of this run is read last, because the last line counts.
  for (const [n, path] of [...paths.entries()].toReversed()) {
    const name = namePath(path) ?? 'a file of verdicts';
    try {
      const read = await readVerdicts(path, ({ unit, decision }) => {
        if (unit.level === level) decisions.put(units.number(unit), decision);
      });
      if (read?.damage !== undefined) problems.push(`${name}: ${read.damage}`);
      if (read === undefined && n > 0) problems.push(`${name}: it is gone`);
    } catch (error) {
      const reason = error instanceof NoVerdictFile ? error.message : describeDiskFailure(error);
      if (n === 0) failure = `the file of this review cannot be read: ${reason}`;
      else problems.push(`${name}: ${reason}`);
    }
  }
  return { decisions, damage: problems.length === 0 ? undefined : problems.join('; '), failure };
}
