import { Type } from './schema.ts';

export const VideoQuery = Type.Object({
  /** `save` sends the stream as it is stored, whatever it is. */
  as: Type.Optional(Type.Enum(['play', 'save'], { default: 'play' })),
});
