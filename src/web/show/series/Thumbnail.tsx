import { useEffect, useState } from 'react';
import type { FrameAddress } from '../../kit/api/frames.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import styles from './Thumbnail.module.css';
import { thumbnailsOf } from './thumbnails.ts';

type Props = { readonly id: string; readonly address: FrameAddress | undefined };

/** Decorative: the line beside it has the description. */
export function Thumbnail({ id, address }: Props) {
  const thumbnails = thumbnailsOf(usePage());
  const [, setReady] = useState(0);
  const serverRuns = useLibrary((library) => library.serverRuns);
  const url = thumbnails.find(id);
  const [fileIndex, frame] = [address?.fileIndex, address?.frame];

  useEffect(() => {
    if (url !== undefined || fileIndex === undefined || frame === undefined) return undefined;
    return thumbnails.want(id, { fileIndex, frame }, () => setReady((count) => count + 1));
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another run of the server has other files
  }, [thumbnails, id, url, fileIndex, frame, serverRuns]);

  return (
    <span className={styles.frame} aria-hidden="true">
      {url !== undefined && <img className={styles.picture} src={url} alt="" draggable={false} />}
    </span>
  );
}
