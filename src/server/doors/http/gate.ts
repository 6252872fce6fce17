import type { ErrorCode } from '../../../shared/contract/errors.ts';
import { DICOMWEB_ROOT } from '../../../shared/contract/dicomweb.ts';
import { ANY_HOST } from './hostNames.ts';

/** The owner of the connection, as far as the system can tell. Root counts as the same user. */
export type Caller = 'same_user' | 'other_user' | 'unknown';

export type GateRequest = {
  readonly method: string;
  readonly httpVersion: string;
  /** The request target as received in the request line. */
  readonly target: string;
  /** Alternating names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly caller: Caller;
};

export type GateRules = {
  /** Lower case, without port; IPv6 addresses in brackets. */
  readonly allowedHosts: ReadonlySet<string>;
  readonly token: 'never' | 'unless_same_user' | 'always';
  readonly matchesToken: (given: string) => boolean;
  /** True only in a debug-api build. */
  readonly anyOrigin: boolean;
  /** Whether other pages may show the viewer in a frame; which ones, the browser decides by the policy of the page. */
  readonly mayBeFramed: boolean;
  /** Origins, in lower case, whose pages may use DICOMweb. */
  readonly dicomwebOrigins: ReadonlySet<string>;
};

/**
 * An admitted target is canonical, with no percent sign left in the path, so that the path judged is the path routed.
 */
export type Verdict =
  | {
      readonly admitted: true;
      readonly target: string;
      /** Whether it leads to data, which only known callers get. */
      readonly isApi: boolean;
      /** Whether the API would answer this caller too. A caller that gets the page may still need the token. */
      readonly isKnown: boolean;
    }
  | { readonly admitted: false; readonly code: ErrorCode; readonly message: string };

const MAX_TARGET_BYTES = 4096;
const MAX_HEADERS = 64;

/** Judges a request before it is routed. Never throws; its messages repeat nothing from the request. */
export function judgeRequest(request: GateRequest, rules: GateRules): Verdict {
  if (request.rawHeaders.length > 2 * MAX_HEADERS) {
    return refuse('bad_request', `a request may have at most ${MAX_HEADERS} headers`);
  }
  // The parser reads a request line without a version as HTTP/0.9.
  if (request.httpVersion !== '1.1' && request.httpVersion !== '1.0') {
    return refuse('bad_request', 'this server supports only HTTP/1.1');
  }
  const target = canonicalTarget(request.target);
  if (target === undefined) {
    return refuse('bad_request', `the request target must be a plain path of at most ${MAX_TARGET_BYTES} bytes`);
  }
  const host = onlyValue(request.rawHeaders, 'host');
  if (host === undefined || !isAllowedHost(host, rules.allowedHosts)) {
    return refuse('forbidden_host', 'this host name is not allowed; see --allow-host');
  }
  if (!rules.anyOrigin && !isOwnPage(request, rules, { path: target.path, host })) {
    return refuse('forbidden_origin', 'requests from other web pages are not allowed');
  }
  const isApi = isBelow(target.path, '/api') || isBelow(target.path, DICOMWEB_ROOT);
  const known = isKnown(request, rules);
  // A ticket is worth the token, so whoever presents one needs none.
  const redeems = request.method === 'POST' && target.path === '/api/token';
  if (isApi && !known && !redeems) {
    return refuse('unauthorized', 'this server requires its access token; open the link that negato printed');
  }
  return { admitted: true, target: target.path + target.query, isApi, isKnown: known };
}

/** What an admitted request leads to; undefined if its target is no plain path below the base path. */
export function canonicalPath(target: string): string | undefined {
  return canonicalTarget(target)?.path;
}

export function hasBody(rawHeaders: readonly string[]): boolean {
  const lengths = valuesOf(rawHeaders, 'content-length');
  return lengths.some((length) => length !== '0') || valuesOf(rawHeaders, 'transfer-encoding').length > 0;
}

function refuse(code: ErrorCode, message: string): Verdict {
  return { admitted: false, code, message };
}

type Target = { readonly path: string; readonly query: string };

/** Undefined unless the target is in origin form and every URL parser reads it the same way. */
function canonicalTarget(target: string): Target | undefined {
  if (target.length > MAX_TARGET_BYTES || !/^\/(?!\/)[!-~]*$/.test(target) || /[#\\]/.test(target)) return undefined;
  const queryStart = target.indexOf('?');
  const encodedPath = queryStart === -1 ? target : target.slice(0, queryStart);
  const path = percentDecoded(encodedPath);
  // The router could read a character differently if it had to be encoded again.
  if (path === undefined || !/^\/(?!\/)[!-~]*$/.test(path) || /[%?#\\]/.test(path)) return undefined;
  // A URL parser would resolve these segments, so that the path routed would differ from the path judged.
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) return undefined;
  return { path, query: queryStart === -1 ? '' : target.slice(queryStart) };
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function isAllowedHost(host: string, allowedHosts: ReadonlySet<string>): boolean {
  const [, name, port] = /^(.+?)(?::(\d{1,5}))?$/.exec(host.toLowerCase()) ?? [];
  // Any port is allowed, because an SSH forward changes it.
  const isAllowed = name !== undefined && (allowedHosts.has(name) || allowedHosts.has(ANY_HOST));
  return isAllowed && Number(port ?? 0) <= 65_535;
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}

/**
 * The origin of a page that the user allows to use DICOMweb, if the request is for it and such a page has sent it. The
 * path is as received.
 */
export function findNamedOrigin(
  { target, rawHeaders }: Pick<GateRequest, 'target' | 'rawHeaders'>,
  named: ReadonlySet<string>,
): string | undefined {
  const origin = onlyValue(rawHeaders, 'origin');
  return origin !== undefined && named.has(origin) && target.startsWith(`${DICOMWEB_ROOT}/`) ? origin : undefined;
}

/** Whether the request comes from the viewer's own page, from a page that the user named, or not from a page at all. */
function isOwnPage(
  { method, rawHeaders }: GateRequest,
  { mayBeFramed, dicomwebOrigins }: GateRules,
  { path, host }: { readonly path: string; readonly host: string },
): boolean {
  if (findNamedOrigin({ target: path, rawHeaders }, dicomwebOrigins) !== undefined) return true;
  const origins = valuesOf(rawHeaders, 'origin');
  if (origins.some((origin) => origin !== `http://${host}` && origin !== `https://${host}`)) return false;
  const sites = valuesOf(rawHeaders, 'sec-fetch-site');
  if (sites.every((site) => site === 'same-origin' || site === 'none')) return true;
  // A link on another page, or the local redirect file that opens the browser, may lead to the viewer's page: the page
  // itself contains no data, and only pages that the user named can frame it.
  const destination = onlyValue(rawHeaders, 'sec-fetch-dest');
  const isNavigation =
    onlyValue(rawHeaders, 'sec-fetch-mode') === 'navigate' &&
    (destination === 'document' || (mayBeFramed && destination === 'iframe'));
  return path === '/' && method === 'GET' && origins.length === 0 && isNavigation;
}

function isKnown({ caller, rawHeaders }: GateRequest, { token, matchesToken }: GateRules): boolean {
  if (token === 'never') return true;
  if (token === 'unless_same_user' && caller === 'same_user') return true;
  const authorization = onlyValue(rawHeaders, 'authorization');
  const given = authorization === undefined ? undefined : /^Bearer ([!-~]+)$/i.exec(authorization)?.[1];
  return given !== undefined && matchesToken(given);
}

/** The header's value if it was sent exactly once. */
function onlyValue(rawHeaders: readonly string[], name: string): string | undefined {
  const values = valuesOf(rawHeaders, name);
  return values.length === 1 ? values[0] : undefined;
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    // The lengths are compared first, because this runs over all headers several times per request.
    if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name)
      values.push(rawHeaders[i + 1] ?? '');
  }
  return values;
}
