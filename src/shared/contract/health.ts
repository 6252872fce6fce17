import { type Static, Type } from './schema.ts';

export const HealthQuery = Type.Object({
  /** `decode`: also report the memory held by decoding, caches and responses. */
  detail: Type.Optional(Type.Enum(['decode'])),
});

export const HealthResponse = Type.Object({
  status: Type.Literal('ok'),
  ready: Type.Boolean(),
  viewer: Type.Object({
    name: Type.Literal('negato'),
    version: Type.String(),
    build_git_sha: Type.String(),
    build_target: Type.String(),
    build_profile: Type.Enum(['release', 'debug-api']),
  }),
  file_count: Type.Integer(),
  server_start_ms: Type.Integer(),
  scan_complete: Type.Boolean(),
  /** Whether identifiers are masked in every answer (`--mask`). */
  masked: Type.Boolean(),
  /** Memory reserved by running tasks, never more than the budget. */
  decode: Type.Optional(
    Type.Object({
      reserved_bytes: Type.Integer(),
      budget_bytes: Type.Integer(),
      /** Maximum since the start. */
      most_reserved_bytes: Type.Integer(),
      /** Number of requests waiting for memory. */
      waiting: Type.Integer(),
    }),
  ),
  /** Accounting of `--memory`: the budget of each use, and what it holds. */
  memory: Type.Optional(
    Type.Object({
      budget_bytes: Type.Integer(),
      held_bytes: Type.Integer(),
      uses: Type.Array(Type.Object({ use: Type.String(), budget_bytes: Type.Integer(), held_bytes: Type.Integer() })),
    }),
  ),
});
export type HealthResponse = Static<typeof HealthResponse>;
