import { useMemo } from 'react';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { fileName } from '../../show/series/describeFile.ts';
import styles from './CompareTable.module.css';
import { compareTags, type TagDifference } from './compareTags.ts';
import { useTags } from './useTags.ts';

type Props = {
  readonly left: FileRecord;
  readonly right: FileRecord;
  readonly words: readonly string[];
};

export function CompareTable({ left, right, words }: Props) {
  const [leftPlace, rightPlace] = [`file/${left.index}`, `file/${right.index}`] as const;
  const lefts = useTags(leftPlace);
  const rights = useTags(rightPlace);
  const isThere = lefts.place === leftPlace && rights.place === rightPlace;
  const differences = useMemo(() => compareTags(lefts.nodes, rights.nodes), [lefts.nodes, rights.nodes]);
  if (!isThere) return <p className={styles.note}>Comparing…</p>;
  const error = lefts.error ?? rights.error;
  if (error !== undefined) return <p className={styles.note}>{error}</p>;
  const shown = differences.filter((difference) => words.every((word) => textOf(difference).includes(word)));
  return (
    // A region that scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={styles.scroller} aria-label="Differences" tabIndex={0}>
      {shown.length === 0 && <p className={styles.note}>No differences.</p>}
      {shown.length > 0 && (
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Tag</th>
              <th scope="col">{fileName(left)}</th>
              <th scope="col">{fileName(right)}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((difference) => (
              <tr key={difference.path}>
                <th scope="row">
                  {difference.name}
                  <span className={styles.path}>{difference.path}</span>
                </th>
                <Value text={difference.left} />
                <Value text={difference.right} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className={styles.note}>Binary values are compared only by length, long values only by their beginning.</p>
    </section>
  );
}

function Value({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return <td className={styles.absent}>absent</td>;
  return <td title={text.slice(0, 300)}>{text.slice(0, 200)}</td>;
}

function textOf({ path, name, left = '', right = '' }: TagDifference): string {
  return `${path} ${path.replace(/[(),]/g, '')} ${name} ${left} ${right}`.toLowerCase();
}
