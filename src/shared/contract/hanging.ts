import { type Static, Type } from './schema.ts';

/** The rules of `--hanging`, as their file has them; empty without one. Their grammar is in docs/hanging.md. */
export const HangingResponse = Type.Object({ rules: Type.Array(Type.Record(Type.String(), Type.Unknown())) });
export type HangingResponse = Static<typeof HangingResponse>;
