/** Where the server says things for whoever runs it. Nothing from a file or a request goes above `debug`. */
export interface ServerLog {
  /** The line is only made where somebody wants to read it. */
  debug(toMessage: () => string): void;
  warn(message: string): void;
  /** `cause` holds the detail that a client is not told. */
  error(message: string, cause: unknown): void;
}
