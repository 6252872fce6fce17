import { type ErrorCode, ViewerError } from '../../../shared/contract/errors.ts';

/** The other machine has failed, and the file may be as good as ever. */
const OF_ORIGINS: ReadonlySet<ErrorCode> = new Set([
  'origin_busy',
  'origin_denied',
  'origin_timeout',
  'origin_unavailable',
]);

export function isOriginFailure(error: unknown): boolean {
  return error instanceof ViewerError && OF_ORIGINS.has(error.code);
}

const PASSING: ReadonlySet<ErrorCode> = new Set(['decode_busy', 'redactions_unknown']);

/** Whether a failure says nothing about the file: a later try may succeed, so nothing may be concluded from it. */
export function isPassingFailure(error: unknown): boolean {
  return isOriginFailure(error) || (error instanceof ViewerError && PASSING.has(error.code));
}

/** What is gone or broken can be left out. Throws whatever is not about the file. */
export function ignoreRefusal(error: unknown): undefined {
  toRefusal(error);
}

/** The reason why something cannot be used. Throws whatever is not about the file. */
export function toRefusal(error: unknown): ViewerError {
  if (!(error instanceof ViewerError) || isPassingFailure(error)) throw error;
  return error;
}
