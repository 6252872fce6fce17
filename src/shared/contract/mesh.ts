import { DEFAULT_MOST_TRIANGLES } from './documentTerms.ts';
import { Type } from './schema.ts';

export const MeshQuery = Type.Object({
  /** A mesh of more triangles is refused, because a thinned one would be another shape. */
  most: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_000_000, default: DEFAULT_MOST_TRIANGLES })),
});
