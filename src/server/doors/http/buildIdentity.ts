import type { HealthResponse } from '../../../shared/contract/health.ts';

/** Set when the bundle is built. */
declare const NEGATO_BUILD: { readonly version: string; readonly gitSha: string };
declare const NEGATO_DEBUG_API: boolean;

export function buildIdentity(): HealthResponse['viewer'] {
  return {
    name: 'negato',
    version: NEGATO_BUILD.version,
    build_git_sha: NEGATO_BUILD.gitSha,
    build_target: `${process.platform}-${process.arch}`,
    build_profile: NEGATO_DEBUG_API ? 'debug-api' : 'release',
  };
}
