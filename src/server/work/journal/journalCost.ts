import { MIB } from '../../machine/system/mib.ts';

/** What reading a journal takes. A long one is read alone. */
export const JOURNAL_COST = { timeoutMs: 60_000, mostBytes: 64 * MIB };
