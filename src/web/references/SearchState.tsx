import type { ReferencedByResponse } from '../../shared/contract/references.ts';
import { formatCount } from '../series/describeFile.ts';
import styles from './ReferencesPanel.module.css';

type Props = {
  readonly answer: ReferencedByResponse;
  /** Not all of the references in the file itself are listed. */
  readonly isCut: boolean;
};

/** Says whether the lists are incomplete; renders nothing if they are complete. */
export function SearchState({ answer, isCut }: Props) {
  const { complete, unread_count, truncated } = answer;
  const said = [
    complete ? '' : 'Searching for objects that refer to this file…',
    unread_count === 0 ? '' : `${formatCount(unread_count, 'object')} could not be read.`,
    isCut ? 'This file has more references than can be listed.' : '',
    truncated ? 'There are too many references to follow all of them. Other objects may refer to this file.' : '',
  ].filter((sentence) => sentence !== '');
  if (said.length === 0) return undefined;
  return <output className={styles.state}>{said.join(' ')}</output>;
}
