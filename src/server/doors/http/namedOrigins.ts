import type { IncomingMessage, ServerResponse } from 'node:http';
import { findNamedOrigin } from './gate.ts';

/**
 * Lets pages of the origins that the user named read the answers of DICOMweb. Every other page gets no header by which
 * its browser would let it. Returns true if the request was a preflight, which has then been answered: it carries no
 * token, and its answer says only that the page may ask.
 */
export function answerNamedOrigin(
  request: IncomingMessage,
  response: ServerResponse,
  named: ReadonlySet<string>,
): boolean {
  const { method, url: target = '', rawHeaders } = request;
  const origin = findNamedOrigin({ target, rawHeaders }, named);
  if (origin === undefined) return false;
  response.setHeader('Access-Control-Allow-Origin', origin);
  // For pages that always send credentials. There are none but the token, because negato sets no cookie.
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
  response.setHeader('Vary', 'Origin');
  if (method !== 'OPTIONS') return false;
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'Authorization, Accept, Range, If-Range, Cache-Control, Pragma',
    'Access-Control-Allow-Private-Network': 'true',
    'Access-Control-Max-Age': '600',
  });
  response.end();
  return true;
}

const EXPOSED = 'Content-Length, Content-Range, Accept-Ranges, Warning, Retry-After, X-Frame-Damage';
