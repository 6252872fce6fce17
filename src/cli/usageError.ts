/** The command line is invalid. The message names the flag, its value and what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
