import { ViewerError } from '../../shared/contract/errors.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { DicomFile } from '../catalog/dicomFile.ts';
import { stateOf } from '../origins/origins.ts';
import { readMemoryOf } from '../pixels/decodeCost.ts';
import { doInTurns, type WorkInTurns } from '../workers/doInTurns.ts';
import { mapInLanes } from '../workers/mapInLanes.ts';
import type { TaskRunner } from '../workers/task.ts';
import { type Clock, createTimeLimit, SYSTEM_CLOCK } from '../workers/timeLimit.ts';
import type { LayerOptions } from './layerProvider.ts';
import { ignoreRefusal } from '../workers/passingFailure.ts';
import {
  connect,
  connectNothing,
  MOST_CONNECTIONS,
  type RegistrationGraph,
  TOO_MANY_CONNECTIONS,
} from './registrationGraph.ts';
import { type RegistrationRecord, readRegistrationTask } from './registrationTasks.ts';

/** The open registrations, which connect frames of reference. */
export interface Registrations {
  /** Throws `decode_busy` if reading them takes long; what has been read is kept for the next call. */
  load(options: LayerOptions): Promise<RegistrationGraph>;
  /** The registrations, by file, that decide between ways which lead to different places. Replaces the earlier ones. */
  prefer(files: readonly number[]): void;
  preferred(): readonly number[];
  /** Why the registrations that were last loaded connect nothing. */
  problem(): string | undefined;
}

const SOP_CLASSES: ReadonlySet<string> = new Set(['1.2.840.10008.5.1.4.1.1.66.1', '1.2.840.10008.5.1.4.1.1.66.3']);
const READ_TIMEOUT_MS = 30_000;
/** After this, no more files are read for one answer. */
const READING_MS = 5_000;
/** If more are open, none is used, because one that was not read could contradict those that were. */
const MOST_REGISTRATIONS = 1_024;

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
  let connections = 0;
  let taken = 0;
  let preferred: readonly number[] = [];
  let last: { readonly key: string; readonly graph: RegistrationGraph } | undefined;
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
        timeoutMs: READ_TIMEOUT_MS,
        shareKey: `registration ${state}`,
        memory: readMemoryOf(file),
        signal,
      })
      .catch(ignoreRefusal);
    const next = { file, state, record };
    connections += (record?.items.length ?? 0) - (known.get(file.index)?.record?.items.length ?? 0);
    known.set(file.index, next);
    return next;
  }

  async function load(options: LayerOptions): Promise<RegistrationGraph> {
    await doInTurns(take());
    if (found.length > MOST_REGISTRATIONS) {
      return keep('too many files', () => connectNothing(`more than ${MOST_REGISTRATIONS} registrations are open`));
    }
    const limit = createTimeLimit(READING_MS, clock);
    const done = await mapInLanes(found, async (file) =>
      // Those beyond are not kept, because files decide how many there are.
      connections > MOST_CONNECTIONS ? undefined : limit.wait(() => readOne(file, options)),
    );
    if (connections > MOST_CONNECTIONS) return keep('too many', () => connectNothing(TOO_MANY_CONNECTIONS));
    const read = done.flatMap((one) => one ?? []);
    // Without all of them, a layer could be placed by one that another one contradicts.
    if (read.length < found.length) {
      throw new ViewerError(
        'decode_busy',
        `${found.length - read.length} of ${found.length} registrations are still being read; try again in a moment`,
      );
    }
    const all = read.flatMap(({ file, state, record }) => (record === undefined ? [] : [{ file, state, record }]));
    const key = [...all.map(({ file, state }) => `${file.index} ${state}`), ...preferred].join();
    return keep(key, () => connect(all, { preferred: new Set(preferred) }));
  }

  function keep(key: string, build: () => RegistrationGraph): RegistrationGraph {
    if (last?.key !== key) last = { key, graph: build() };
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
      preferred = [...new Set(wanted)].slice(0, MOST_REGISTRATIONS);
    },
    preferred: () => preferred,
    problem: () => last?.graph.problem,
  };
}
