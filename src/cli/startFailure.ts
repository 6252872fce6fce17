import type { Settings } from './settings.ts';

/** The server cannot start for an external reason. The message states the reason and a remedy. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}

export function toListenFailure(error: unknown, place: Settings['listen']): StartFailure {
  const message = error instanceof Error ? error.message : String(error);
  return new StartFailure(place.kind === 'unix' ? message : (tcpProblem(errorCode(error), place) ?? message), {
    cause: error,
  });
}

function tcpProblem(code: string, { host, port }: { host: string; port: number }): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is in use; choose another one with --port, or 0 for any free port`;
    case 'EACCES':
      return `this user may not use port ${port} on ${host}; choose one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `--host ${host} is not an address of this machine`;
    default:
      return undefined;
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
