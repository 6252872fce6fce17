import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { HEADER } from '../../../shared/contract/headers.ts';
import { filesPath, FIRST_FILES_PAGE } from '../../../shared/filesPath.ts';
import { type CallerLookup, createCallerLookup } from './callerIdentity.ts';
import { cutBasePath } from './basePath.ts';
import { answerEveryOrigin } from './debugCors.ts';
import type { ServerApp } from './app.ts';
import { createDoor, type Judge } from './door.ts';
import { createFailureDelay } from './failureDelay.ts';
import { createFirstImage } from './firstImage.ts';
import { type Caller, canonicalPath, type GateRules, hasBody, judgeRequest } from './gate.ts';
import { answerNamedOrigin } from './namedOrigins.ts';
import { allowedHosts, ANY_HOST, isPublicHost, reachableHost } from './hostNames.ts';
import { trackInFlight } from './inFlight.ts';
import { createLimitedServer } from './limitedServer.ts';
import { type Refusal, sendRefusal } from './refusal.ts';
import { securityHeaders } from './securityHeaders.ts';
import type { ServerContext, ServerDomains, ServerLog } from './serverContext.ts';
import { createTickets } from './tickets.ts';
import { createToken } from './token.ts';

export type ServerOptions = {
  readonly listen:
    | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
    | { readonly kind: 'unix'; readonly path: string };
  /** Host names to accept in addition to the local ones, without port. */
  readonly allowHosts?: readonly string[];
  /** `auto`: a token is required unless the system confirms that the caller is the user who started the server. */
  readonly tokenMode?: 'auto' | 'required' | 'off';
  /** At least 32 printable characters. A random token is generated if this is missing. */
  readonly fixedToken?: string | undefined;
  /** Pages that may show the viewer in a frame, as sources of a content security policy. They require a token. */
  readonly embedders?: readonly string[];
  /** Origins whose pages may use DICOMweb, in lower case. */
  readonly dicomwebOrigins?: readonly string[];
  /** The prefix of all paths, such as `/node/c12/8042`; empty if there is none. */
  readonly basePath?: string;
  /** Whether a debug-api build may listen beyond loopback. */
  readonly debugBeyondLoopback?: boolean;
  readonly log: ServerLog;
  /** Notified of every request, so that a server in use is not considered idle. */
  readonly requests?: { requestBegan(): void; requestEnded(): void };
};

export type ServerAddress = {
  /** Without a trailing slash. On a unix socket it only provides the host name for requests. */
  readonly baseUrl: string;
  readonly host: string;
  readonly port: number;
  readonly socket: string | undefined;
  /** Set if the user who started the server needs it. */
  readonly token: string | undefined;
};

export type NegatoServer = {
  /** Unix time; it also identifies this run of the server. */
  readonly startedAtMs: number;
  listen(): Promise<ServerAddress>;
  /** Starts the routes. Requests that arrive earlier wait for this call. */
  serve(domains: ServerDomains): void;
  /** Refuses new requests, gives running ones 3 s to finish, and completes within 5 s. */
  close(): Promise<void>;
};

const DRAIN_MS = 3_000;
/** Size of the kernel's accept queue. It is large because other users can open many connections at once. */
const BACKLOG = 4_096;
/**
 * Makes the browser request the list of files as soon as it receives the page's headers, long before the page's code
 * could.
 */
const PAGE_LINKS = `<${filesPath(FIRST_FILES_PAGE)}>; rel=preload; as=fetch; crossorigin`;

/** Set when the bundle is built: true only in a debug-api build. */
declare const NEGATO_DEBUG_API: boolean;

/** Only this module and its imports are loaded before the server listens; the routes are loaded afterwards. */
export function createServer(options: ServerOptions): NegatoServer {
  const { listen: place, log, embedders = [], basePath = '' } = options;
  const dicomwebOrigins = new Set(options.dicomwebOrigins);
  const startedAtMs = Date.now();
  const closing = new AbortController();
  const token = createToken(options.fixedToken);
  const tokenPolicy = chooseTokenPolicy(options);
  const failures = createFailureDelay();
  const rules = {
    allowedHosts: allowedHosts(place.kind === 'tcp' ? place.host : undefined, options.allowHosts ?? []),
    token: tokenPolicy,
    matchesToken: token.matches,
    anyOrigin: NEGATO_DEBUG_API,
    mayBeFramed: embedders.length > 0,
    dicomwebOrigins,
  };
  let startApp: ((app: Promise<ServerApp>) => void) | undefined;
  const app = new Promise<ServerApp>((settle) => {
    startApp = settle;
  });
  const refuseMethod = async (target: string): Promise<Refusal> => {
    const path = canonicalPath(cutBasePath(target, basePath) ?? '');
    if (path === undefined) return { code: 'bad_request', message: 'the request target must be a plain path' };
    return (await app).refuseMethod(path);
  };
  const everyHeader = [...Object.entries(securityHeaders(embedders)), [HEADER.serverInstance, startedAtMs]] as const;
  const server = createLimitedServer({ everyHeader, refuseMethod });
  const door = createDoor(server);
  const callers = new WeakMap<Socket, Caller>();
  const inFlight = trackInFlight(server, { observer: options.requests });
  let expectFirstImage: (() => void) | undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const { method = '', url = '', httpVersion, rawHeaders, socket } = request;
    const caller = callers.get(socket) ?? 'unknown';
    const target = cutBasePath(url, basePath);
    if (target === '') return redirect(response, `${basePath}/`);
    if (target === undefined) {
      const message = 'nothing is outside of the path of --base-path';
      return sendRefusal(response, { code: 'asset_not_found', message }, { closes: hasBody(rawHeaders) });
    }
    const verdict = judgeRequest({ method, httpVersion, target, rawHeaders, caller }, rules);
    // The unread body of a refused request would follow on the connection, so the connection is closed.
    const closes = hasBody(rawHeaders);
    if (!verdict.admitted) {
      const waitMs = verdict.code === 'unauthorized' ? failures.count(socket.remoteAddress ?? '') : 0;
      if (waitMs > 0) await delay(waitMs);
      return sendRefusal(response, verdict, { closes });
    }
    if (verdict.isKnown) door.trust(socket);
    if (closing.signal.aborted) {
      return sendRefusal(response, { code: 'shutting_down', message: 'the server is shutting down' }, { closes: true });
    }
    if (verdict.target === '/' && verdict.isKnown) {
      response.setHeader('Link', PAGE_LINKS);
      expectFirstImage?.();
    }
    request.url = verdict.target;
    const { answer: send } = await app;
    if (expectsContinue) response.writeContinue();
    return send(request, response);
  };

  const onRequest = (expectsContinue: boolean) => (request: IncomingMessage, response: ServerResponse) => {
    const { method, url = '', socket } = request;
    inFlight.begin(socket, response);
    door.began(socket);
    response.once('close', () => {
      door.ended(socket);
      log.debug(() => `${method} ${url.split('?')[0]} ${response.statusCode}`);
    });
    if (NEGATO_DEBUG_API && answerEveryOrigin(request, response)) return;
    if (dicomwebOrigins.size > 0 && answerNamedOrigin(request, response, dicomwebOrigins)) return;
    answer(request, response, expectsContinue).catch((error: unknown) => {
      log.error('a request failed outside its route', error);
      if (response.headersSent) response.destroy();
      else
        sendRefusal(
          response,
          { code: 'internal_error', message: 'internal error, see the server log' },
          { closes: true },
        );
    });
  };
  server.on('request', onRequest(false));
  server.on('checkContinue', onRequest(true));

  return {
    startedAtMs,

    async listen() {
      if (NEGATO_DEBUG_API) log.warn('this is a debug-api build: it accepts requests from every web page');
      if (place.kind === 'unix') {
        const { listenOnUnixSocket } = await import('./unixSocket.ts');
        const socket = await listenOnUnixSocket(server, place.path);
        door.open(() => (tokenPolicy === 'always' ? 'stranger' : 'known'));
        const needed = tokenPolicy === 'always' ? token.text : undefined;
        return { baseUrl: `http://localhost${basePath}`, host: 'localhost', port: 0, socket, token: needed };
      }
      const port = await listenOnTcp(server, place);
      const lookup = tokenPolicy === 'unless_same_user' ? createCallerLookup(server) : undefined;
      if (lookup !== undefined) door.open(judgeByUser(lookup, callers, options.fixedToken !== undefined));
      else door.open(() => (tokenPolicy === 'never' ? 'known' : 'stranger'));
      const isKnown = tokenPolicy === 'never' || lookup !== undefined;
      const baseUrl = `http://${reachableHost(place.host)}:${port}${basePath}`;
      return { baseUrl, host: place.host, port, socket: undefined, token: isKnown ? undefined : token.text };
    },

    serve(domains) {
      expectFirstImage = createFirstImage(domains);
      const tickets = createTickets(token.text);
      const context = { ...domains, startedAtMs, closing: closing.signal, tickets, basePath };
      const loading = loadApp(context, log);
      loading.catch((error: unknown) => log.error('the routes could not be loaded', error));
      startApp?.(loading);
    },

    async close() {
      closing.abort();
      door.close();
      await Promise.race([inFlight.whenIdle(), delay(DRAIN_MS, undefined, { ref: false })]);
      const closed = new Promise<void>((settle) => server.close(() => settle()));
      door.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(308, { Location: location, 'Content-Length': 0, Connection: 'close' });
  response.end();
}

/**
 * A caller that is not the user could only authenticate with a token. Without a fixed token no such caller can know
 * one, so it is refused.
 */
function judgeByUser(lookup: CallerLookup, callers: WeakMap<Socket, Caller>, hasFixedToken: boolean): Judge {
  return async (socket) => {
    const caller = await lookup.identify(socket);
    callers.set(socket, caller);
    if (caller === 'same_user') return 'known';
    return hasFixedToken ? 'stranger' : 'refused';
  };
}

function listenOnTcp(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  return new Promise((settle, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject);
      const address = server.address();
      settle(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function chooseTokenPolicy(options: ServerOptions): GateRules['token'] {
  const { listen, tokenMode = 'auto', debugBeyondLoopback = false } = options;
  const { embedders = [], allowHosts = [] } = options;
  const isPublic = listen.kind === 'tcp' && isPublicHost(listen.host);
  if (NEGATO_DEBUG_API && isPublic && !debugBeyondLoopback) {
    throw new Error('a debug-api build accepts requests from every web page, so it listens on loopback only');
  }
  if (tokenMode === 'off' && isPublic) throw new Error('a server that other machines can reach requires a token');
  // Other pages and other names of this host reach the server as the user's own browser does.
  const isOpened = embedders.length > 0 || allowHosts.includes(ANY_HOST);
  if (tokenMode === 'off' && isOpened) throw new Error('a server that other pages can reach requires a token');
  if (tokenMode === 'required' || isPublic || isOpened) return 'always';
  // The folder of a unix socket is accessible to its user only.
  return tokenMode === 'off' || listen.kind === 'unix' ? 'never' : 'unless_same_user';
}

/**
 * Loads the routes in parts, one per turn of the event loop: loading all at once would delay the scan, which starts at
 * the same time. The endpoints build all their schemas.
 */
async function loadApp(context: ServerContext, log: ServerLog): Promise<ServerApp> {
  await nextTurn();
  await import('../../../shared/contract/endpoints.ts');
  await nextTurn();
  const { createApp } = await import('./app.ts');
  return createApp(context, log);
}
