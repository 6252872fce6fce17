import type { IncomingMessage, ServerResponse } from 'node:http';
import { DICOMWEB_NAMES, DICOMWEB_RESOURCES, DICOMWEB_ROOT } from '../../../shared/contract/dicomweb.ts';
import { type Endpoint, ENDPOINT_NAMES, ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import { ERROR_STATUS, isFaultOfFile } from '../../../shared/contract/errorStatus.ts';
import { type ErrorBody, ViewerError } from '../../../shared/contract/errors.ts';
import { FAILURE_IN_BODY } from '../../../shared/contract/headers.ts';
import { isMasked } from '../../bytes/masking/masker.ts';
import { TaskTimeout, WorkerDied } from '../../machine/workers/taskErrors.ts';
import { distFolder } from '../../machine/workers/workerFile.ts';
import { getAssets, NO_ASSETS } from './assets.ts';
import type { HeaderList } from './answer.ts';
import { Exchange } from './exchange.ts';
import { hasBody } from './gate.ts';
import { preferencesOf } from './preferencesOf.ts';
import { failureHeaders, type Refusal } from './refusal.ts';
import { createRouter } from './router.ts';
import { createHandlers } from './routes/handlers.ts';
import type { Handler, ServerContext, ServerLog } from './serverContext.ts';
import { waitWhileBusy } from './waitWhileBusy.ts';

export type ServerApp = {
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Why no request for this path can have a method that the HTTP parser does not know. */
  readonly refuseMethod: (path: string) => Refusal;
};

/** Everything behind the gate: the routes of the endpoint table, the page, and the central error handler. */
export async function createApp(context: ServerContext, log: ServerLog): Promise<ServerApp> {
  const assets = await getAssets(new URL('web/', distFolder())).catch((error: unknown) => {
    log.error('the page is not part of this build', error);
    return NO_ASSETS;
  });
  const handlers = createHandlers(context);
  const router = createRouter<Handler>();
  for (const name of ENDPOINT_NAMES) {
    const endpoint: Endpoint = ENDPOINTS[name];
    const { method, path } = endpoint;
    const handler = endpoint.isUnmaskable === true && isMasked() ? refuseMasked : handlers[name];
    router.add(method, `/api${path}`, handler);
    // Node sends no body in response to HEAD.
    if (method === 'GET') router.add('HEAD', `/api${path}`, handler);
  }
  if (context.dicomweb !== undefined) {
    const { dicomwebRoutes } = await import('./routes/dicomweb.ts');
    const routes = dicomwebRoutes(context, context.dicomweb);
    for (const name of DICOMWEB_NAMES) {
      for (const method of ['GET', 'HEAD']) router.add(method, DICOMWEB_ROOT + DICOMWEB_RESOURCES[name], routes[name]);
    }
  }

  const listMethods = (path: string): readonly string[] =>
    assets.has(path) ? ['GET', 'HEAD'] : [...router.find(path).routes.keys()];

  const handle = (c: Exchange): void | Promise<void> => {
    const allowed = listMethods(c.path);
    if (!allowed.includes(c.method)) return sendFailure(c, refuseMethod(c.path, allowed));
    // After the method, because a client that asks for the wrong thing needs to know that first.
    if ((c.method === 'GET' || c.method === 'HEAD') && hasBody(c.incoming.rawHeaders)) {
      throw new ViewerError('bad_request', 'a GET request must not have a body');
    }
    const { routes, parameters } = router.find(c.path);
    const route = routes.get(c.method);
    if (route !== undefined) {
      c.parameters = parameters;
      const reading = context.catalog.whenRead([Number(parameters['index'])]);
      return reading === undefined ? route(c) : reading.then(() => route(c));
    }
    return assets.send(c);
  };

  const answer: ServerApp['answer'] = async (request, response) => {
    const c = new Exchange(request, response);
    try {
      await waitWhileBusy(c, handle);
    } catch (thrown) {
      const error = explainReadError(thrown);
      // The message of an unexpected error can contain a path or a patient's name, so it is only logged. An aborted
      // request is not logged: the client has gone, and nobody reads the response.
      if (!(error instanceof ViewerError) && !c.signal.aborted) log.error(`${describeRoute(c)} failed`, error);
      else if (response.headersSent && error instanceof ViewerError && !c.signal.aborted) {
        log.warn(`${describeRoute(c)} was broken off: ${error.code}`);
      }
      // The client sees that the response is not complete.
      if (response.headersSent) response.destroy();
      else if (error instanceof ViewerError) sendFailure(c, error);
      else sendFailure(c, { code: 'internal_error', message: 'internal error, see the server log' });
    }
  };
  return { answer, refuseMethod: (path) => refuseMethod(path, listMethods(path)) };
}

const refuseMasked: Handler = () => {
  throw new ViewerError('masked', 'a masked run does not send content of files as it is stored');
};

function refuseMethod(path: string, allowed: readonly string[]): Refusal {
  if (allowed.length > 0) {
    const methods = allowed.join(', ');
    const message = `this address supports only ${methods}`;
    return { code: 'method_not_allowed', message, headers: { Allow: methods } };
  }
  if (isApi(path)) return { code: 'route_not_found', message: 'no such endpoint; see /api/openapi.json' };
  if (path.startsWith(`${DICOMWEB_ROOT}/`)) return { code: 'route_not_found', message: 'no such resource of DICOMweb' };
  return { code: 'asset_not_found', message: 'no such page' };
}

/** Without what is in place of the parameters, because nothing of a request is logged. */
function describeRoute({ method, path, parameters }: Exchange): string {
  const names = new Map(Object.entries(parameters).map(([name, text]) => [text, `:${name}`]));
  return `${method} ${path
    .split('/')
    .map((segment) => names.get(segment) ?? segment)
    .join('/')}`;
}

function isApi(path: string): boolean {
  return path === '/api' || path.startsWith('/api/');
}

function sendFailure(c: Exchange, { code, message, headers: more }: Refusal): void {
  const body = JSON.stringify({ code, error: message } satisfies ErrorBody);
  const isInBody = isFaultOfFile(code) && preferencesOf(c).includes(FAILURE_IN_BODY);
  const headers = isInBody ? { 'Preference-Applied': FAILURE_IN_BODY } : { ...failureHeaders(code), ...more };
  const all: HeaderList = [['Content-Type', 'application/json'], ...Object.entries(headers)];
  c.send(isInBody ? 200 : ERROR_STATUS[code], all, body);
}

/**
 * Translates the failure of a thread that read a file into an error for the client. Other errors are returned
 * unchanged.
 */
function explainReadError(error: unknown): unknown {
  if (error instanceof TaskTimeout) return failed('reading the file took too long and was stopped', error);
  if (error instanceof WorkerDied) return failed('the thread that read the file ended unexpectedly', error);
  return error;
}

function failed(message: string, cause: Error): ViewerError {
  return new ViewerError('file_read_failed', message, { cause });
}
