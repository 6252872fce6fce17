import { randomUUID } from 'node:crypto';

/** A UID that is made from a UUID (PS3.5 B.2). */
export function createUid(): string {
  return `2.25.${BigInt(`0x${randomUUID().replaceAll('-', '')}`)}`;
}
