import { useEffect, useState } from 'react';
import type { FrameAddress } from '../api/frames.ts';
import styles from './Thumbnail.module.css';
import type { Thumbnails } from './thumbnails.ts';

type Props = { readonly thumbnails: Thumbnails; readonly id: string; readonly address: FrameAddress | undefined };

/** Decorative: the line beside it says what it is. */
export function Thumbnail({ thumbnails, id, address }: Props) {
  const [, setReady] = useState(0);
  const url = thumbnails.find(id);
  const [fileIndex, frame] = [address?.fileIndex, address?.frame];

  useEffect(() => {
    if (url !== undefined || fileIndex === undefined || frame === undefined) return undefined;
    return thumbnails.want(id, { fileIndex, frame }, () => setReady((count) => count + 1));
  }, [thumbnails, id, url, fileIndex, frame]);

  return (
    <span className={styles.frame} aria-hidden="true">
      {url !== undefined && <img className={styles.picture} src={url} alt="" draggable={false} />}
    </span>
  );
}
