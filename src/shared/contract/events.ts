import { type Static, Type } from 'typebox';
import { ImportState } from './files.ts';

/** The `data` of each kind of server-sent event, as JSON. Events coalesce: a slow reader gets the latest state. */
export const EVENTS = {
  progress: Type.Object({ scanned: Type.Integer(), skipped: Type.Integer(), filtered: Type.Integer() }),
  /** The registry has changed: ask /files for what came after the revision that you have. */
  revision: Type.Object({ revision: Type.Integer() }),
  scan_complete: Type.Object({ file_count: Type.Integer() }),
  /** What /files says beside the registry. It is told with the next sign of life. */
  status: Type.Object({ tunnelled: Type.Boolean(), import_state: ImportState }),
};

export type EventName = keyof typeof EVENTS;
export type EventData<Name extends EventName> = Static<(typeof EVENTS)[Name]>;
