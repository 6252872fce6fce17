import { ViewerError } from '../../../shared/contract/errors.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { stateOf } from '../../bytes/origins/origins.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { mapInLanes } from '../../machine/workers/mapInLanes.ts';
import type { TaskRunner } from '../../machine/workers/task.ts';
import { type Clock, createTimeLimit, SYSTEM_CLOCK } from '../../machine/workers/timeLimit.ts';
import type { LayerOptions } from './layerProvider.ts';
import { ignoreRefusal } from '../../machine/workers/passingFailure.ts';
import { connect, connectNothing, type RegistrationGraph } from './registrationGraph.ts';
import { type RegistrationRecord, readRegistrationTask } from './registrationTasks.ts';

/** The open registrations, which connect frames of reference. */
export interface Registrations {
  /** Throws `decode_busy` if reading them takes long; what has been read is kept for the next call. */
  load(options: LayerOptions): Promise<RegistrationGraph>;
  /** The registrations, by file, that decide between ways which lead to different places. Replaces the earlier ones. */
  prefer(files: readonly number[]): void;
  preferred(): readonly number[];
  /** Why the registrations that were last loaded connect nothing with any of these frames of reference. */
  findProblem(frameOfReferenceUids: readonly string[]): string | undefined;
}

const SOP_CLASSES: ReadonlySet<string> = new Set(['1.2.840.10008.5.1.4.1.1.66.1', '1.2.840.10008.5.1.4.1.1.66.3']);
/** After this, no more files are read for one answer. */
const READING_MS = 5_000;
/**
 * Registrations, and what all of them say about frames of reference: about 30 MB. If more are open, none is used, because
 * one that was not read could contradict those that were.
 */
const MOST_REGISTRATIONS = 65_536;
const MOST_ITEMS = 65_536;
/**
 * Files that were read before and are looked at again for one answer, because they may be gone; the next answer looks at
 * others. Nothing is drawn over a registration that is gone: whoever follows one looks at it (`keyOfWay`).
 */
const MOST_LOOKS = 1_024;
/** Registrations that the user can prefer. */
const MOST_PREFERRED = 1_024;

/** `record` is undefined if the file is gone or broken. */
type ReadRegistration = {
  readonly file: DicomFile;
  readonly state: string;
  readonly record: RegistrationRecord | undefined;
};

export function createRegistrations(
  { files }: Pick<Catalog, 'files'>,
  tasks: TaskRunner,
  clock: Clock = SYSTEM_CLOCK,
): Registrations {
  const found: DicomFile[] = [];
  const known = new Map<number, ReadRegistration>();
  /** Number of items of all known records. */
  let itemCount = 0;
  let taken = 0;
  /** Position of the first one that the next answer looks at again. */
  let nextLook = 0;
  /** Changes with what is known. */
  let version = 0;
  let preferred: readonly number[] = [];
  let last: { readonly key: string; readonly graph: RegistrationGraph } | undefined;
  let connecting: { readonly key: string; readonly graph: Promise<RegistrationGraph> } | undefined;
  /** By the request that they are for: one that describes many layers looks at the files once. */
  const loading = new WeakMap<AbortSignal, Promise<RegistrationGraph>>();

  function* take(): WorkInTurns<void> {
    for (; taken < files.length; yield) {
      const file = files[taken]!;
      taken += 1;
      if (SOP_CLASSES.has(file.sopClassUid) && found.length <= MOST_REGISTRATIONS) found.push(file);
    }
  }

  async function readOne(file: DicomFile, { signal }: LayerOptions): Promise<ReadRegistration> {
    const state = (await stateOf(file.source).catch(ignoreRefusal)) ?? 'gone';
    const before = known.get(file.index);
    if (before?.state === state) return before;
    const record = await tasks
      .run(readRegistrationTask, file.source, {
        of: file,
        shareKey: `registration ${state}`,
        signal,
      })
      .catch(ignoreRefusal);
    const next = { file, state, record };
    itemCount += (record?.items.length ?? 0) - (known.get(file.index)?.record?.items.length ?? 0);
    version += 1;
    known.set(file.index, next);
    return next;
  }

  /** Those that are not known, and the next ones of the others. */
  function* chooseFiles(): WorkInTurns<readonly DicomFile[]> {
    const chosen: DicomFile[] = [];
    const from = nextLook;
    const most = Math.min(MOST_LOOKS, found.length);
    for (const [at, file] of found.entries()) {
      yield;
      const isNext = (at - from + found.length) % found.length < most;
      if (isNext || !known.has(file.index)) chosen.push(file);
    }
    nextLook = found.length === 0 ? 0 : (from + most) % found.length;
    return chosen;
  }

  async function load(options: LayerOptions): Promise<RegistrationGraph> {
    await doInTurns(take(), undefined);
    if (found.length > MOST_REGISTRATIONS) return refuse(`more than ${MOST_REGISTRATIONS} registrations are open`);
    const limit = createTimeLimit(READING_MS, clock, options.signal);
    const chosen = await doInTurns(chooseFiles(), options.signal);
    const done = await mapInLanes(chosen, async (file) =>
      // Those beyond are not kept, because files decide how many there are.
      itemCount > MOST_ITEMS ? undefined : limit.wait(() => readOne(file, options)),
    );
    if (itemCount > MOST_ITEMS) {
      return refuse(`the open registrations connect frames of reference in more than ${MOST_ITEMS} ways`);
    }
    const missing = done.filter((one) => one === undefined).length;
    // Without all of them, a layer could be placed by one that another one contradicts.
    if (missing > 0) {
      throw new ViewerError(
        'decode_busy',
        `${missing} of ${found.length} registrations are still being read; try again in a moment`,
      );
    }
    const key = `${version} ${preferred.join()}`;
    if (last?.key === key) return last.graph;
    if (connecting?.key !== key) connecting = { key, graph: doInTurns(connectKnown(), undefined) };
    const graph = await connecting.graph;
    // Whoever came meanwhile has the newer ones.
    if (connecting.key === key) last = { key, graph };
    return graph;
  }

  function* connectKnown(): WorkInTurns<RegistrationGraph> {
    const wanted = new Set(preferred);
    const all: { readonly file: DicomFile; readonly record: RegistrationRecord }[] = [];
    // In the order of the files, which decides which of many ways are kept.
    for (const { index } of found.slice()) {
      yield;
      const { file, record } = known.get(index) ?? {};
      if (file !== undefined && record !== undefined) all.push({ file, record });
    }
    return yield* connect(all, { preferred: wanted });
  }

  function refuse(problem: string): RegistrationGraph {
    if (last?.key !== problem) last = { key: problem, graph: connectNothing(problem) };
    return last.graph;
  }

  return {
    async load(options) {
      const { signal } = options;
      if (signal === undefined) return load(options);
      const graph = loading.get(signal) ?? load(options);
      loading.set(signal, graph);
      // What has been read by then is there for the next call.
      graph.catch(() => loading.delete(signal));
      return graph;
    },
    prefer(wanted) {
      preferred = [...new Set(wanted)].slice(0, MOST_PREFERRED);
    },
    preferred: () => preferred,
    findProblem(uids) {
      for (const uid of uids) {
        const problem = last?.graph.findProblem(uid);
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
  };
}
