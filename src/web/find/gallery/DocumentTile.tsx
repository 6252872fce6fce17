import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { fetchDocument } from '../../kit/api/documents.ts';
import { createAnswers } from '../../kit/state/answers.ts';
import { definePart, usePage } from '../../kit/state/page.ts';
import { describeDocument, explainMissingPicture, isImageMissing, nameObject } from '../../show/series/describeFile.ts';
import { ObjectIcon } from '../files/ObjectIcon.tsx';
import styles from './Gallery.module.css';

/** What documents say in a few lines; asked for while they are in view. */
const documentsOf = definePart((page) =>
  createAnswers(page, { ask: fetchDocument, keyOf: (file) => file, keepsFailures: true }),
);

const MOST_LINES = 6;

/** A file without a picture: what it is, its title, and its first lines. */
export function DocumentTile({ file }: { readonly file: FileRecord }) {
  if (isImageMissing(file)) return <p className={styles.failure}>{explainMissingPicture(file)}</p>;
  return <DocumentLines file={file} />;
}

function DocumentLines({ file }: { readonly file: FileRecord }) {
  const answers = documentsOf(usePage());
  useStore(answers.changes);
  useEffect(() => {
    const ended = new AbortController();
    void answers.load(file.index, ended.signal);
    return () => ended.abort();
  }, [answers, file.index]);
  const document = answers.find(file.index);
  const lines = [
    document?.subtitle ?? '',
    ...(document?.status ?? []).map(({ label, value }) => `${label}: ${value}`),
    ...(document?.facts ?? []).map(({ label, value, unit }) => `${label}: ${[value, unit].filter(Boolean).join(' ')}`),
  ];
  return (
    <div className={styles.document}>
      <p>
        <ObjectIcon kind={file.object_kind} className={undefined} /> {nameObject(file)}
      </p>
      <b>{document?.title ?? describeDocument(file)}</b>
      {lines
        .filter((line) => line !== '')
        .slice(0, MOST_LINES)
        .map((line, at) => (
          <p key={at}>{line}</p>
        ))}
    </div>
  );
}
