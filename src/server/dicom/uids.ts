import { once } from './once.ts';
import { PACKED_UIDS } from './uids.generated.ts';

export type UidEntry = {
  readonly uid: string;
  readonly name: string;
  readonly keyword: string;
  /** `SopClass`, `TransferSyntax`, `MetaSopClass`, `WellKnownSopInstance` …, as grouped in PS3.6 Annex A. */
  readonly type: string;
  readonly retired: boolean;
};

/** Finds a unique identifier that the standard defines. */
export function findUid(uid: string): UidEntry | undefined {
  return entries().get(uid);
}

export function sopClassName(uid: string): string | undefined {
  const entry = findUid(uid);
  return entry?.type === 'SopClass' ? entry.name : undefined;
}

export function transferSyntaxName(uid: string): string | undefined {
  const entry = findUid(uid);
  return entry?.type === 'TransferSyntax' ? entry.name : undefined;
}

const entries = once((): ReadonlyMap<string, UidEntry> => {
  const unpacked = PACKED_UIDS.split('\n').map(unpack);
  return new Map(unpacked.map((entry) => [entry.uid, entry]));
});

function unpack(line: string): UidEntry {
  const [uid = '', type = '', name = '', keyword = ''] = line.split('|');
  return { uid, type: type.replace('*', ''), name, keyword, retired: type.endsWith('*') };
}
