import { type Static, Type } from './schema.ts';
import { ImportState } from './files.ts';
import { VolumeStorage } from './volumes.ts';

/** The `data` of each kind of server-sent event, as JSON. Events coalesce: a slow client gets the latest state. */
export const EVENTS = {
  progress: Type.Object({ scanned: Type.Integer(), skipped: Type.Integer(), filtered: Type.Integer() }),
  /** The registry has changed: the client should ask /files for changes since the revision that it has. */
  revision: Type.Object({ revision: Type.Integer() }),
  scan_complete: Type.Object({ file_count: Type.Integer() }),
  /**
   * Slices of one time of a volume that are in memory or packed, while it is loaded and when it leaves; at most four each
   * second.
   * `file_index` is that of /volume.
   */
  volume: Type.Object({
    file_index: Type.Integer(),
    time: Type.Integer(),
    places: Type.Integer(),
    places_loaded: Type.Integer(),
    storage: VolumeStorage,
  }),
  /** Pages are asked for something: each of them should send its report to /view/page. */
  view: Type.Object({ request: Type.Integer() }),
  /** Marks or their classes have changed: the client should ask /marks for changes since the revision that it has. */
  marks: Type.Object({ revision: Type.Integer() }),
  /** Decisions of the review or its units have changed: the client should ask /review again. */
  review: Type.Object({ revision: Type.Integer() }),
  /** There are assistants, or others: the client should ask /assistants. */
  assistants: Type.Object({ revision: Type.Integer() }),
  /** State from /files that is not in the registry. A change is sent with the next registry change or keep-alive. */
  status: Type.Object({ tunnelled: Type.Boolean(), import_state: ImportState }),
};

export type EventName = keyof typeof EVENTS;
export type EventData<Name extends EventName> = Static<(typeof EVENTS)[Name]>;
