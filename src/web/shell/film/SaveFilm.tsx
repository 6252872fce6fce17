import { useEffect, useRef, useState } from 'react';
import { LEAST_FPS, MOST_FPS } from '../../show/cine/player.ts';
import { cineRateOf } from '../../show/cine/useCine.ts';
import { say, sayOutcome } from '../../kit/state/messages.ts';
import { usePage } from '../../kit/state/page.ts';
import { Dialog } from '../../kit/ui/Dialog.tsx';
import { download } from '../../kit/ui/download.ts';
import { activeCell } from '../activeCell.ts';
import { namePicture } from '../pictureName.ts';
import styles from '../SavePicture.module.css';
import { listFilmPositions, recordFilm } from './recordFilm.ts';

/** Dialog for a film of all images of the active cell. */
export function SaveFilm({ onClose }: { readonly onClose: () => void }) {
  const page = usePage();
  const [cell] = useState(() => activeCell(page));
  const [withOverlays, setWithOverlays] = useState(true);
  const [fps, setFps] = useState(() => Math.round(cineRateOf(page, cell)));
  const [progress, setProgress] = useState<{ readonly done: number; readonly total: number }>();
  const stop = useRef<AbortController>(null);
  const count = listFilmPositions(page, cell).length;
  const isRateValid = Number.isFinite(fps) && fps >= LEAST_FPS && fps <= MOST_FPS;
  // The page goes on without the dialog, so a film that nobody waits for ends with it.
  useEffect(() => () => stop.current?.abort(), []);

  const record = async () => {
    const controller = new AbortController();
    stop.current = controller;
    setProgress({ done: 0, total: count });
    await sayOutcome(page, async () => {
      const film = await recordFilm(page, cell, {
        withOverlays,
        fps,
        signal: controller.signal,
        onProgress: (done, total) => setProgress({ done, total }),
      });
      if (film === undefined) return 'No film was saved.';
      const name = namePicture(page, cell, { extension: film.extension, isWhole: true });
      download(film.blob, name);
      return film.extension === 'zip'
        ? `Saved ${name}: this browser makes no films, so it has the images.`
        : `Saved ${name}.`;
    });
    // Cancelled by closing the dialog, after which there may be another one.
    if (!controller.signal.aborted) onClose();
  };
  return (
    <Dialog label="Save film" onClose={onClose} isAtTop>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (progress === undefined && isRateValid) void record();
          else if (!isRateValid) say(page, `A film has ${LEAST_FPS} to ${MOST_FPS} images a second.`, 'failed');
        }}
      >
        <h2 className={styles.title}>Save film</h2>
        <label className={styles.choice}>
          Images a second
          <input
            type="number"
            min={LEAST_FPS}
            max={MOST_FPS}
            value={Number.isNaN(fps) ? '' : fps}
            disabled={progress !== undefined}
            onChange={({ target }) => setFps(target.valueAsNumber)}
          />
        </label>
        <label className={styles.choice}>
          <input
            type="checkbox"
            checked={withOverlays}
            disabled={progress !== undefined}
            onChange={() => setWithOverlays(!withOverlays)}
          />
          Include text, ROIs, measurements and segmentations
        </label>
        <p className={styles.detail}>
          {withOverlays
            ? 'The text can identify the patient. Films are compressed: do not measure in them.'
            : 'Only the images, with their window. Films are compressed: do not measure in them.'}
        </p>
        {progress === undefined ? (
          <p className={styles.name}>
            {count} images, {isRateValid ? `${Number((count / fps).toFixed(1))} s` : ''}
          </p>
        ) : (
          <progress aria-label="Images in the film" value={progress.done} max={progress.total} />
        )}
        <div className={styles.buttons}>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          {progress === undefined && (
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- Enter saves
            <button type="submit" className={styles.save} autoFocus>
              Save
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
