import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Lets pages of every origin use the API, for debugging a viewer that is served by another server. Only a debug-api
 * build contains this module. Returns true if the request was a preflight, which has then been answered.
 */
export function answerEveryOrigin(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', '*');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  if (request.method !== 'OPTIONS') return false;
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, HEAD, PUT, POST, PATCH, DELETE',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, If-Match',
    'Access-Control-Allow-Private-Network': 'true',
    'Access-Control-Max-Age': '600',
  });
  response.end();
  return true;
}
