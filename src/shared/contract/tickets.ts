import { type Static, Type } from './schema.ts';

export const TicketResponse = Type.Object({ ticket: Type.String(), expires_in_s: Type.Integer() });
export type TicketResponse = Static<typeof TicketResponse>;

export const TicketBody = Type.Object(
  { ticket: Type.String({ minLength: 1, maxLength: 128 }) },
  { additionalProperties: false },
);

export const TokenResponse = Type.Object({ token: Type.String() });
export type TokenResponse = Static<typeof TokenResponse>;
