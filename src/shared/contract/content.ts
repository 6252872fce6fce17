import { Type } from './schema.ts';

export const ContentQuery = Type.Object({
  /** `view` sends a PDF for a tab of its own instead of as a download; all other files are refused. */
  as: Type.Optional(Type.Enum(['view', 'save'], { default: 'save' })),
});
