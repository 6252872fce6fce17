import { useState } from 'react';
import { usePage } from '../kit/state/page.ts';
import { reportOf } from '../show/pictures/viewports.ts';
import { Dialog } from '../kit/ui/Dialog.tsx';
import { activeCell } from './activeCell.ts';
import { type CaptureChoice, refuseStoredSize, storedSizeOf } from './capturePicture.ts';
import { copyPicture, saveDrawing, savePicture } from './pictureCommands.ts';
import { namePicture } from './pictureName.ts';
import styles from './SavePicture.module.css';

/** Dialog for the contents of a picture of the active cell. */
export function SavePicture({ onClose }: { readonly onClose: () => void }) {
  const page = usePage();
  const [cell] = useState(() => activeCell(page));
  const [size, setSize] = useState<CaptureChoice['size']>('screen');
  const [withOverlays, setWithOverlays] = useState(true);
  const { screen } = reportOf(page, cell);
  const refused = refuseStoredSize(page, cell);
  const stored = storedSizeOf(page, cell);
  const ratio = screen?.pixelRatio ?? 1;
  const finish = (act: (...choice: Parameters<typeof savePicture>) => Promise<void>) => {
    onClose();
    void act(page, cell, { size, withOverlays });
  };
  const sizes = [
    ['screen', 'As shown', describeSize((screen?.width ?? 0) * ratio, (screen?.height ?? 0) * ratio)],
    ['stored', 'Entire image, 1:1', refused ?? describeSize(stored.width, stored.height)],
  ] as const;
  return (
    <Dialog label="Save image" onClose={onClose} isAtTop>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          finish(savePicture);
        }}
      >
        <h2 className={styles.title}>Save image</h2>
        <fieldset className={styles.choices}>
          <legend>Size</legend>
          {sizes.map(([value, title, detail]) => (
            <label key={value} className={styles.choice}>
              <input
                type="radio"
                name="size"
                checked={size === value}
                disabled={value === 'stored' && refused !== undefined}
                onChange={() => setSize(value)}
              />
              {title} <span className={styles.detail}>{detail}</span>
            </label>
          ))}
        </fieldset>
        <label className={styles.choice}>
          <input type="checkbox" checked={withOverlays} onChange={() => setWithOverlays(!withOverlays)} />
          Include text, ROIs, measurements and segmentations
        </label>
        <p className={styles.detail}>
          {withOverlays
            ? 'The text can identify the patient. Layers that are hidden on the screen are not included.'
            : 'Only the image, with its window. Names that are burned into the pixels remain.'}
        </p>
        <p className={styles.name}>{namePicture(page, cell)}</p>
        <div className={styles.buttons}>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" onClick={() => finish(copyPicture)}>
            Copy
          </button>
          <button
            type="button"
            disabled={size === 'stored'}
            title="Marks and texts stay lines and letters"
            onClick={() => finish(() => saveDrawing(page, cell, withOverlays))}
          >
            Save as SVG
          </button>
          {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- Enter saves */}
          <button type="submit" className={styles.save} autoFocus>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function describeSize(width: number, height: number): string {
  return `${Math.round(width)} × ${Math.round(height)} pixels`;
}
