import { buildIdentity } from '../server/http/buildIdentity.ts';
import { helpText } from './helpText.ts';

/** Commands that print an answer and exit. */
export function answer(kind: 'help' | 'version'): string {
  return kind === 'help' ? helpText() : `negato ${buildIdentity().version}`;
}
