import type { ErrorCode } from '../../../../shared/contract/errors.ts';
import type { SkipReason } from '../../../../shared/contract/skipReasons.ts';
import type { StoredFrameWish, SentFrame } from '../byteSource.ts';
import type { ListOptions } from '../listing.ts';

/** A part of an object; `to` is exclusive. */
export type ByteSpan = { readonly from: number; readonly to: number };

/** What tells whether an object is still the same: its ETag or its date, and its length. */
export type ObjectState = {
  /** `"…"` is a strong ETag, anything else the date of the last change, and empty if the server tells neither. */
  readonly mark: string;
  readonly size: number;
};

/** An object of one of the places that the user has named. */
export type ObjectPlace = {
  /** Number of the place. */
  readonly origin: number;
  readonly key: string;
};

/** An object in a place on another machine that the user has named, as the catalog knows it. */
export type ObjectRef = ObjectPlace & {
  readonly kind: 'object';
  /** For people; without credentials. */
  readonly label: string;
};

/** A place that the user has named, and the labels of what is in it: its own, and those that begin with `folder`. */
export type NamedPlace = {
  readonly origin: number;
  readonly label: string;
  readonly folder: string | undefined;
};

export type ObjectIdentity = ObjectState & { readonly kind: 'object' };

/** The `mark` of an object that was listed and not read yet. Its size is an estimate. */
export const UNSEEN = '?';
/** The `mark` of an object that is another one than was listed. It is never read. */
export const LOST = '!';

export type ReadWish = {
  /** If it is not given, the object may be in any state. */
  readonly expected?: ObjectState;
  /** Whether the bytes may be asked for again, so that they are kept. */
  readonly keeps: boolean;
};

/** Whether a scan reads, and no request of a user. */
export type ReadPurpose = { readonly isScan?: boolean };

export type RemoteListing = Pick<ListOptions, 'recursive' | 'toldTags' | 'readsOnDemand'> & {
  readonly input: string;
  readonly isFirst: boolean;
};

export type ExpectedObjects = {
  readonly origin: number;
  readonly keys: readonly string[];
  /** They were expected before, and those that were not read meanwhile come first now. */
  readonly isUrgent: boolean;
};

export type RemoteQuestion =
  /** The next objects of an input; `isFirst` begins anew. */
  | ({ readonly kind: 'list' } & RemoteListing)
  | ({ readonly kind: 'news' } & Pick<RemoteListing, 'input' | 'recursive'>)
  | ({ readonly kind: 'read'; readonly span: ByteSpan } & ObjectPlace & ReadWish & ReadPurpose)
  /** A read of the same bytes will follow. It is not answered. */
  | ({ readonly kind: 'ahead'; readonly span: ByteSpan } & ObjectPlace & ReadWish)
  /** These objects will be read from their beginning, in this order. It is not answered. */
  | ({ readonly kind: 'expect' } & ExpectedObjects)
  | ({ readonly kind: 'frame'; readonly expected: ObjectState } & ObjectPlace & StoredFrameWish & ReadPurpose)
  | ({ readonly kind: 'look' } & ObjectPlace);

export type RemoteEntry =
  /** `told`: see `ListedFile`. `mark`: differs after a change of the object, where the listing tells that. */
  | { readonly key: string; readonly path: string; readonly told?: string; readonly mark?: string }
  | { readonly path: string; readonly reason: SkipReason };

export type RemotePage = {
  readonly origin: number;
  readonly entries: readonly RemoteEntry[];
  readonly done: boolean;
};

/** What has changed since an input was last listed. */
export type RemoteNews = {
  readonly origin: number;
  /** Objects that are new, or that were replaced as far as the listing tells. */
  readonly entries: readonly { readonly key: string; readonly path: string }[];
  /** Paths of objects that are no longer there. */
  readonly gone: readonly string[];
};

export type RemoteBytes = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly state: ObjectState;
  /** False if the server has forbidden to store them. */
  readonly mayBeStored?: boolean;
  /** Whether the end of the object is far away; see `ByteSource`. */
  readonly isSequential?: boolean;
};

export type RemoteRefusal = { readonly code: ErrorCode; readonly message: string };

export type RemoteAnswer =
  | { readonly kind: 'page'; readonly page: RemotePage }
  | { readonly kind: 'news'; readonly news: RemoteNews }
  | { readonly kind: 'bytes'; readonly read: RemoteBytes }
  /** No frame if it is as good to read its bytes in the object. */
  | { readonly kind: 'frame'; readonly frame: SentFrame | undefined }
  | { readonly kind: 'state'; readonly state: ObjectState }
  | { readonly kind: 'refusal'; readonly refusal: RemoteRefusal };

/** The first read of an object: nine in ten headers end within it. */
export const FIRST_SPAN: ByteSpan = { from: 0, to: 32 * 1024 };
