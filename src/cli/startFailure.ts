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
      return `port ${port} of ${host} is taken; choose another with --port, or 0 for any free one`;
    case 'EACCES':
      return `port ${port} of ${host} is not allowed for this user; choose one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `--host ${host} is no address of this machine`;
    default:
      return undefined;
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
