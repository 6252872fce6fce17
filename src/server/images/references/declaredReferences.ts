import { readingTask } from '../../standard/dicom/readCost.ts';
import { type Relationship, RELATIONSHIPS } from '../../../shared/contract/referenceTerms.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import { listAt, type Ragged, RaggedBuilder } from './ragged.ts';

/** One reference declared by an object. Numbers count from 1, as DICOM writes them. */
export type DeclaredReference = {
  readonly relationship: Relationship;
  readonly sopClassUid: string | undefined;
  readonly sopInstanceUid: string | undefined;
  readonly seriesInstanceUid: string | undefined;
  readonly frameNumbers: readonly number[] | Int32Array;
  readonly segmentNumbers: readonly number[] | Int32Array;
};

/** All references of one object as columns: there can be tens of thousands, mostly to the same few instances. */
export type DeclaredReferences = {
  readonly length: number;
  /** Relationship, and indices into `uids` of SOP class, SOP instance and series, or -1. Four numbers per reference. */
  readonly rows: Int32Array;
  readonly uids: readonly string[];
  readonly frameNumbers: Ragged;
  readonly segmentNumbers: Ragged;
  /** Levels, items or references beyond the limits were left out. */
  readonly truncated: boolean;
};

const ROW = 4;

export function packReferences(references: readonly DeclaredReference[], truncated: boolean): DeclaredReferences {
  const places = new Map<string, number>();
  const place = (uid: string | undefined): number => {
    if (uid === undefined) return -1;
    const known = places.get(uid);
    if (known !== undefined) return known;
    places.set(uid, places.size);
    return places.size - 1;
  };
  const rows = new Int32Array(references.length * ROW);
  const frameNumbers = new RaggedBuilder();
  const segmentNumbers = new RaggedBuilder();
  for (const [i, reference] of references.entries()) {
    rows[i * ROW] = RELATIONSHIPS.indexOf(reference.relationship);
    rows[i * ROW + 1] = place(reference.sopClassUid);
    rows[i * ROW + 2] = place(reference.sopInstanceUid);
    rows[i * ROW + 3] = place(reference.seriesInstanceUid);
    frameNumbers.add(reference.frameNumbers);
    segmentNumbers.add(reference.segmentNumbers);
  }
  return {
    length: references.length,
    rows,
    uids: [...places.keys()],
    frameNumbers: frameNumbers.build(),
    segmentNumbers: segmentNumbers.build(),
    truncated,
  };
}

export function referenceAt(references: DeclaredReferences, index: number): DeclaredReference {
  const { rows, uids, frameNumbers, segmentNumbers } = references;
  const uid = (column: number) => uids[rows[index * ROW + column] ?? -1];
  return {
    relationship: relationshipAt(rows, index),
    sopClassUid: uid(1),
    sopInstanceUid: uid(2),
    seriesInstanceUid: uid(3),
    frameNumbers: listAt(frameNumbers, index),
    segmentNumbers: listAt(segmentNumbers, index),
  };
}

export function namesInstance({ rows, uids, length }: DeclaredReferences, sopInstanceUid: string): boolean {
  const wanted = uids.indexOf(sopInstanceUid);
  if (wanted < 0) return false;
  for (let i = 0; i < length; i += 1) if (rows[i * ROW + 2] === wanted) return true;
  return false;
}

/** How an object names an instance, or a series without an instance. */
export type NamedUid = {
  readonly uid: string;
  readonly isSeries: boolean;
  /** In the order of the object; undefined if a reference lists frames or segments, which have to be read. */
  readonly relationships: readonly Relationship[] | undefined;
};

/** The distinct instances that are named, and the series that are named without an instance. */
export function* namedUids({ rows, uids, length, frameNumbers, segmentNumbers }: DeclaredReferences) {
  const named = new Map<number, Set<Relationship> | undefined>();
  for (let i = 0; i < length; i += 1) {
    const instance = rows[i * ROW + 2] ?? -1;
    // A UID can name an instance and a series in one object, if the object is wrong about one of them.
    const key = instance >= 0 ? instance : -2 - (rows[i * ROW + 3] ?? -1);
    const isWhole = [frameNumbers, segmentNumbers].every((lists) => listAt(lists, i).length === 0);
    if (!isWhole) named.set(key, undefined);
    else if (!named.has(key)) named.set(key, new Set([relationshipAt(rows, i)]));
    else named.get(key)?.add(relationshipAt(rows, i));
  }
  for (const [key, relationships] of named) {
    const uid = uids[key >= 0 ? key : -2 - key];
    if (uid === undefined) continue;
    yield { uid, isSeries: key < 0, relationships: relationships && [...relationships] } satisfies NamedUid;
  }
}

export type NamedTarget = Pick<NamedUid, 'uid' | 'isSeries'>;

/**
 * What references with a relationship, or all of them, name: an instance, or a series without one. Each once; undefined
 * for a reference that names nothing new, so that the caller can take turns.
 */
export function* namedTargets(
  { rows, uids, length }: DeclaredReferences,
  relationship: Relationship | undefined,
): Generator<NamedTarget | undefined> {
  const known = new Set<number>();
  for (let i = 0; i < length; i += 1) {
    const isWanted = relationship === undefined || relationshipAt(rows, i) === relationship;
    const instance = rows[i * ROW + 2] ?? -1;
    const key = instance >= 0 ? instance : -2 - (rows[i * ROW + 3] ?? -1);
    const uid = uids[key >= 0 ? key : -2 - key];
    const isNew = isWanted && uid !== undefined && !known.has(key);
    if (isNew) known.add(key);
    yield isNew ? { uid, isSeries: key < 0 } : undefined;
  }
}

function relationshipAt(rows: Int32Array, index: number): Relationship {
  return RELATIONSHIPS[rows[index * ROW] ?? -1] ?? 'unknown';
}

/** The references to one instance, and those to its whole series. */
export function* referencesTo(
  references: DeclaredReferences,
  target: { readonly sopInstanceUid: string; readonly seriesInstanceUid: string },
): Generator<DeclaredReference> {
  const { rows, uids, length } = references;
  const instance = uids.indexOf(target.sopInstanceUid);
  const series = uids.indexOf(target.seriesInstanceUid);
  for (let i = 0; i < length; i += 1) {
    const named = rows[i * ROW + 2] ?? -1;
    const isNamed = named < 0 ? series >= 0 && rows[i * ROW + 3] === series : named === instance;
    if (isNamed) yield referenceAt(references, i);
  }
}

/** Approximate memory use. */
export function bytesOfReferences({ rows, uids, frameNumbers, segmentNumbers }: DeclaredReferences): number {
  const lists = [frameNumbers, segmentNumbers].map(({ starts, values }) => starts.byteLength + values.byteLength);
  return rows.byteLength + uids.length * 96 + (lists[0] ?? 0) + (lists[1] ?? 0);
}

export const readReferencesTask = readingTask<KnownSource, DeclaredReferences>('references.read', 20_000);
