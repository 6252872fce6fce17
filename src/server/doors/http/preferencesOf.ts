import type { Exchange } from './exchange.ts';

/** What a client would like, but does not require (RFC 7240), such as `failure=body`. */
export function preferencesOf(c: Exchange): readonly string[] {
  return (
    c
      .header('prefer')
      ?.split(',')
      .map((preference) => preference.trim()) ?? []
  );
}
