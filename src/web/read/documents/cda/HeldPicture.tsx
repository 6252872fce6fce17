import { useCallback, useState } from 'react';
import type { NarrativeMedium } from '../../../../shared/contract/narrative.ts';
import { fetchNarrativePicture } from '../../../kit/api/documents.ts';
import { useObjectUrl } from '../../../kit/ui/useObjectUrl.ts';
import cellStyles from '../DocumentCell.module.css';
import styles from './NarrativeView.module.css';

type Props = { readonly fileIndex: number; readonly medium: NarrativeMedium; readonly name: string };

/** A picture inside of a document. The browser decodes it as an image, whatever its bytes are. */
export function HeldPicture({ fileIndex, medium: { number, width, height }, name }: Props) {
  const load = useCallback(
    (signal: AbortSignal) => fetchNarrativePicture(fileIndex, number, signal),
    [fileIndex, number],
  );
  const { url, error } = useObjectUrl(load);
  const [isBroken, setBroken] = useState(false);
  const problem = error ?? (isBroken ? 'the browser cannot decode it' : undefined);
  if (problem !== undefined) {
    return (
      <span role="alert" className={`${cellStyles.warning} ${styles.line}`}>
        The picture {name} cannot be shown: {problem}.
      </span>
    );
  }
  return (
    <img
      className={styles.picture}
      src={url}
      alt={name}
      width={width ?? undefined}
      height={height ?? undefined}
      decoding="async"
      onError={() => setBroken(true)}
    />
  );
}
