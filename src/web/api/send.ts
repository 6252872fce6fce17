import { type ErrorBody, type ErrorCode, FAILURE_IN_BODY } from '../../shared/contract/errors.ts';
import { findToken } from './token.ts';

/** The server refused: `code` says what to do about it. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly code: ErrorCode;

  constructor({ code, error }: ErrorBody) {
    super(error);
    this.code = code;
  }
}

/** The server could not be reached. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/**
 * The one way to the API. The path is relative on purpose: one from the root breaks behind a proxy that adds a prefix.
 * The token travels in a header only, so nothing of the API is ever an `img` or a link.
 */
export async function send(path: `api/${string}`, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const token = findToken();
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    for (const listener of lossListeners) listener();
    throw new ConnectionLost('the server does not answer', { cause: error });
  });
  if (!response.ok || response.headers.get('Preference-Applied') === FAILURE_IN_BODY)
    throw new RequestRefused(await readErrorBody(response));
  return response;
}

const lossListeners = new Set<() => void>();

/** Calls back whenever a request did not reach the server; returns what ends that. */
export function onConnectionLost(listener: () => void): () => void {
  lossListeners.add(listener);
  return () => lossListeners.delete(listener);
}

async function readErrorBody(response: Response): Promise<ErrorBody> {
  try {
    const body: ErrorBody = await response.json();
    return body;
  } catch {
    return { code: 'internal_error', error: `the server answered ${response.status}` };
  }
}
