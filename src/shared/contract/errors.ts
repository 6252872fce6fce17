import type { ErrorCode } from './errorStatus.ts';

export type { ErrorCode } from './errorStatus.ts';

/** The body of every failure under /api. Clients branch on `code`; `error` is for people. */
export type ErrorBody = { code: ErrorCode; error: string };

/** A failure with a code that the client can act on. Any other thrown error is a bug. */
export class ViewerError extends Error {
  override readonly name = 'ViewerError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Why an object cannot be laid over an image. */
export function mappingUnavailable(reason: string): ViewerError {
  return new ViewerError('semantic_mapping_unavailable', reason);
}
