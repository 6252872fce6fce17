import { buildIdentity } from '../server/http/buildIdentity.ts';
import { helpText } from './helpText.ts';

/** The commands that answer and end. */
export function answer(kind: 'help' | 'version'): string {
  return kind === 'help' ? helpText() : `negato ${buildIdentity().version}`;
}
