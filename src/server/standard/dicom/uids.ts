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

/** Whether the standard defines it. Its root alone says nothing: instances of some machines have UIDs below it, too. */
export function isRegisteredUid(uid: string): boolean {
  return entries().has(uid);
}

export function sopClassName(uid: string): string | undefined {
  const entry = findUid(uid);
  return entry?.type === 'SopClass' ? entry.name : undefined;
}

export function transferSyntaxName(uid: string): string | undefined {
  const entry = findUid(uid);
  return entry?.type === 'TransferSyntax' ? entry.name : undefined;
}

/** Services of the network, and the directory of a medium, which is never listed as a file. */
const NOT_STORED = ['1.2.840.10008.1.3.10', '1.2.840.10008.1.20.1', '1.2.840.10008.1.20.2'];

/** Every SOP class of PS3.6 Annex A whose objects are stored in files, retired ones included. */
export function listStorageClasses(): UidEntry[] {
  return [...entries().values()].filter(
    ({ type, name, uid }) => type === 'SopClass' && /\bStorage\b/.test(name) && !NOT_STORED.includes(uid),
  );
}

const entries = once((): ReadonlyMap<string, UidEntry> => {
  const unpacked = PACKED_UIDS.split('\n').map(unpack);
  return new Map(unpacked.map((entry) => [entry.uid, entry]));
});

function unpack(line: string): UidEntry {
  const [uid = '', type = '', name = '', keyword = ''] = line.split('|');
  return { uid, type: type.replace('*', ''), name, keyword, retired: type.endsWith('*') };
}
