import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { ENDPOINT_NAMES, ENDPOINTS } from '../../shared/contract/endpoints.ts';
import {
  ERROR_STATUS,
  type ErrorBody,
  type ErrorCode,
  FAILURE_IN_BODY,
  isFaultOfFile,
  ViewerError,
} from '../../shared/contract/errors.ts';
import { TaskTimeout, WorkerDied } from '../workers/taskErrors.ts';
import { distFolder } from '../workers/workerFile.ts';
import { type Assets, NO_ASSETS, readAssets } from './assets.ts';
import { failureHeaders } from './refusal.ts';
import { createHandlers } from './routes/handlers.ts';
import type { ServerContext, ServerLog } from './serverContext.ts';

/** Everything behind the gate: the routes of the endpoint table, the page, and the central error handler. */
export async function createApp(
  context: ServerContext,
  log: ServerLog,
): Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>> {
  const assets = await readAssets(new URL('web/', distFolder())).catch((error: unknown) => {
    log.error('the page is not part of this build', error);
    return NO_ASSETS;
  });
  const handlers = createHandlers(context);
  const app = new Hono();
  for (const name of ENDPOINT_NAMES) {
    app.on(ENDPOINTS[name].method, `/api${ENDPOINTS[name].path}`, handlers[name]);
  }
  // Not a catch-all route, because then each request for an endpoint would run through a chain of two handlers.
  app.notFound((c) => (isForAsset(c) ? assets.send(c) : refuseUnknown(c, assets)));
  app.onError((thrown, c) => {
    const error = explainReadError(thrown);
    if (error instanceof ViewerError) return sendFailure(c, error.code, error.message);
    // The message of an unexpected error can contain a path or a patient's name, so it is only logged. An aborted
    // request is not logged: the client has gone, and nobody reads the response.
    if (!c.req.raw.signal.aborted) log.error(`${c.req.method} ${c.req.routePath} failed`, error);
    return sendFailure(c, 'internal_error', 'internal error, see the server log');
  });
  return getRequestListener(app.fetch);
}

function refuseUnknown(c: Context, assets: Assets): Response {
  const methods = allowedMethods(c.req.path, assets);
  if (methods.length > 0) {
    c.header('Allow', methods.join(', '));
    return sendFailure(c, 'method_not_allowed', `this address supports only ${methods.join(', ')}`);
  }
  if (isApi(c.req.path)) return sendFailure(c, 'route_not_found', 'no such endpoint; see /api/openapi.json');
  return sendFailure(c, 'asset_not_found', 'no such page');
}

function allowedMethods(path: string, assets: Assets): string[] {
  if (assets.has(path)) return ['GET', 'HEAD'];
  const methods = Object.values(ENDPOINTS)
    .filter((endpoint) => matches(`/api${endpoint.path}`, path))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...new Set(methods)];
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((segment, i) => (segment.startsWith(':') ? given[i] !== '' : segment === given[i]))
  );
}

function isForAsset(c: Context): boolean {
  return (c.req.method === 'GET' || c.req.method === 'HEAD') && !isApi(c.req.path);
}

function isApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}

function sendFailure(c: Context, code: ErrorCode, message: string): Response {
  const body = { code, error: message } satisfies ErrorBody;
  if (isFaultOfFile(code) && prefersBody(c)) return c.json(body, 200, { 'Preference-Applied': FAILURE_IN_BODY });
  return c.json(body, ERROR_STATUS[code], failureHeaders(code));
}

function prefersBody(c: Context): boolean {
  const preferences = c.req.header('prefer')?.split(',') ?? [];
  return preferences.some((preference) => preference.trim() === FAILURE_IN_BODY);
}

/**
 * Translates the failure of a thread that read a file into an error for the client. Other errors are returned
 * unchanged.
 */
function explainReadError(error: Error): Error {
  if (error instanceof TaskTimeout) return failed('reading the file took too long and was stopped', error);
  if (error instanceof WorkerDied) return failed('the thread that read the file ended unexpectedly', error);
  return error;
}

function failed(message: string, cause: Error): ViewerError {
  return new ViewerError('file_read_failed', message, { cause });
}
