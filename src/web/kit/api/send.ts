import type { ErrorBody, ErrorCode } from '../../../shared/contract/errors.ts';
import { FAILURE_IN_BODY, WAITS_WHILE_BUSY } from '../../../shared/contract/headers.ts';
import { findToken } from './token.ts';

/** The server refused the request; `code` tells the caller what to do about it. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly code: ErrorCode;
  /** When a server that is busy wants to be asked again. */
  readonly retryAfterMs: number | undefined;

  constructor({ code, error }: ErrorBody, retryAfterS: string | null = null) {
    super(error);
    this.code = code;
    this.retryAfterMs = retryAfterS === null ? undefined : 1_000 * Number(retryAfterS) || undefined;
  }
}

/** The server could not be reached. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/**
 * The only way to call the API from the thread of the page. The path is relative, because one from the root breaks behind a proxy that adds a
 * prefix. The token is sent only in a header, so no part of the API is ever used as an `img` or a link.
 */
export async function send(path: `api/${string}`, init: RequestInit = {}): Promise<Response> {
  const headers = completeHeaders(init.headers);
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    for (const listener of lossListeners) listener();
    throw new ConnectionLost('the server does not respond', { cause: error });
  });
  if (!response.ok || response.headers.get('Preference-Applied') === FAILURE_IN_BODY)
    throw new RequestRefused(await readErrorBody(response), response.headers.get('Retry-After'));
  return response;
}

/** The headers of every request: with the token of this tab, if it has one. */
export function completeHeaders(own?: HeadersInit): Headers {
  const headers = new Headers(own);
  headers.append('Prefer', WAITS_WHILE_BUSY);
  const token = findToken();
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  return headers;
}

/** For the answers of the API that are JSON. The contract says what they hold. */
export async function fetchJson<Body>(path: `api/${string}`, init?: RequestInit): Promise<Body> {
  const response = await send(path, init);
  const body: Body = await response.json();
  return body;
}

const lossListeners = new Set<() => void>();

/** Calls back when a request did not reach the server. Returns a function that unsubscribes. */
export function onConnectionLost(listener: () => void): () => void {
  lossListeners.add(listener);
  return () => lossListeners.delete(listener);
}

async function readErrorBody(response: Response): Promise<ErrorBody> {
  try {
    const body: ErrorBody = await response.json();
    return body;
  } catch {
    return { code: 'internal_error', error: `the server responded with status ${response.status}` };
  }
}
