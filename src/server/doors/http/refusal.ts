import { STATUS_CODES, type ServerResponse } from 'node:http';
import { ERROR_STATUS } from '../../../shared/contract/errorStatus.ts';
import type { ErrorBody, ErrorCode } from '../../../shared/contract/errors.ts';
import { SECURITY_HEADERS } from './securityHeaders.ts';

export type Refusal = {
  readonly code: ErrorCode;
  readonly message: string;
  /** Headers in addition to those of the code. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** Headers that a failure with this code always has, whichever route or layer it comes from. */
export function failureHeaders(code: ErrorCode): Readonly<Record<string, string>> {
  if (code === 'unauthorized') return { 'WWW-Authenticate': 'Bearer' };
  return ERROR_STATUS[code] === 503 ? { 'Retry-After': '1' } : {};
}

export function sendRefusal(response: ServerResponse, refusal: Refusal, { closes }: { closes: boolean }): void {
  const body = errorJson(refusal);
  response.writeHead(ERROR_STATUS[refusal.code], {
    ...refusalHeaders(refusal.code, body),
    ...(closes ? { Connection: 'close' } : {}),
  });
  response.end(body);
}

/** The same response as bytes, for input that the parser refused and that never became a request. */
export function refusalBytes(refusal: Refusal): string {
  const status = ERROR_STATUS[refusal.code];
  const body = errorJson(refusal);
  const headers = {
    ...SECURITY_HEADERS,
    ...refusalHeaders(refusal.code, body),
    ...refusal.headers,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function refusalHeaders(code: ErrorCode, body: string): Readonly<Record<string, string>> {
  return {
    ...failureHeaders(code),
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
  };
}

function errorJson({ code, message }: Refusal): string {
  return JSON.stringify({ code, error: message } satisfies ErrorBody);
}
