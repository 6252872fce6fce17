import type { ListOptions } from '../listing.ts';
import type { HttpAnswer, HttpTarget } from './httpClient.ts';
import type { StorageScheme } from './refusalAdvice.ts';
import type { RemoteEntry } from './remoteMessages.ts';
import type { WebHost } from './webHost.ts';

/** A place on another machine that the user has named. */
export interface RemoteStore {
  /** Without credentials and query. */
  readonly label: string;
  /** If it is object storage, whose refusals are explained. */
  readonly scheme?: StorageScheme;
  /** The machine that is asked, so that requests to it are counted together. */
  readonly host: WebHost;
  /** All objects of the place, in a stable order. Throws what `StoreReader` throws. */
  list(read: StoreReader, options: StoreListing): AsyncGenerator<readonly StoreEntry[], void>;
  /** The request for an object, with these headers. Undefined if the key is not inside of what the user named. */
  locate(key: string, headers: Readonly<Record<string, string>>): Promise<HttpTarget> | undefined;
  /**
   * The request for a frame of an object, counted from 0. Undefined as for `locate`; absent if the server cannot send
   * frames by themselves.
   */
  locateFrame?(key: string, frame: number): Promise<HttpTarget> | undefined;
  /**
   * Called with an answer that refuses: returns whether something was learned from it, such as new credentials or the
   * region of a bucket, so that another try may be answered.
   */
  learnFrom(answer: HttpAnswer, request: HttpTarget): Promise<boolean>;
  /** The machine gets no more requests than this at the same time. */
  readonly mostRequests?: number;
  /** The media types of objects, if others are no answer. An object may come as the only part of a multipart answer. */
  readonly mediaTypes?: RegExp;
}

export type StoreEntry = RemoteEntry;
export type StoreListing = Pick<ListOptions, 'recursive' | 'toldTags'>;

/** How a store reads its listing: with retries, and within limits. Throws `RemoteFailure`. */
export interface StoreReader {
  /**
   * `locate` is called for each try, because a signature holds for one request. `acceptsNothing`: 204 is an answer.
   * `isOptional`: there is another way, so that there is one try, and a server that takes too long is not taken for silent.
   */
  get(
    locate: () => Promise<HttpTarget> | HttpTarget,
    mostBytes: number,
    options?: { readonly acceptsNothing?: boolean; readonly isOptional?: boolean },
  ): Promise<HttpAnswer>;
}

/**
 * Whether a key has a part of dots. Object storage allows it, but servers and proxies resolve it as a path, so that a
 * signed request would lead to another object.
 */
export function hasDots(key: string): boolean {
  return key.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part));
}

/** An object of a listing; one that is never requested because of its key is listed with the reason. */
export function toEntry(object: { readonly key: string; readonly path: string; readonly mark: string }): StoreEntry {
  return hasDots(object.key) ? { path: object.path, reason: 'unreadable' } : object;
}

export const LONGEST_LISTING = 16 * 2 ** 20;
