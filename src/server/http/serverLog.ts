/** Messages for the user who runs the server. Nothing from a file or a request is logged above `debug`. */
export interface ServerLog {
  /** The message is only built if debug logging is on. */
  debug(toMessage: () => string): void;
  warn(message: string): void;
  /** `cause` holds details that are not sent to clients. */
  error(message: string, cause: unknown): void;
}
