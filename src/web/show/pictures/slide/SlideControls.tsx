import { Tag } from 'lucide-react';
import { Companions } from './Companions.tsx';
import styles from './SlideControls.module.css';
import type { PictureChoice } from '../../../kit/state/shownTiles.ts';
import type { FocalPlane } from './levelTiles.ts';
import { cellOf, setView } from '../../../kit/state/cells.ts';
import { usePage } from '../../../kit/state/page.ts';
import { reportOf, useReport } from '../viewports.ts';
import { formatMagnification, MAGNIFICATIONS } from '../magnification.ts';
import { MixControls } from './MixControls.tsx';
import { startMix } from './slideMix.ts';
import { updateSlide, useSlideState } from './slideState.ts';

export type SlideControlsProps = { readonly cell: number; readonly onRetry: () => void };

/** Controls of a slide: the choice of the picture, the companion images, and problems. */
export function SlideControls({ cell, onRetry }: SlideControlsProps) {
  const page = usePage();
  const state = useSlideState(cell);
  const { paths, planes, choice, companions, areCompanionsShown, failedTiles, failure, isCut, select } = state;
  const { magnification, canMix, mix, fitting, setMix } = state;
  return (
    <div className={styles.controls} data-control="">
      {areCompanionsShown && <Companions cell={cell} companions={companions} />}
      {mix !== undefined && <MixControls mix={mix} fitting={fitting} onChange={setMix} />}
      <div className={styles.bar}>
        {magnification !== undefined && <MagnificationMenu cell={cell} magnification={magnification} />}
        {canMix && (
          <button
            type="button"
            className={styles.button}
            aria-pressed={mix !== undefined}
            onClick={() => setMix(mix === undefined ? startMix(paths) : undefined)}
          >
            Color mix
          </button>
        )}
        {choice !== undefined && paths.length > 1 && mix === undefined && (
          <label className={styles.choice}>
            Optical path
            <select value={choice.path} onChange={({ target }) => select({ ...choice, path: target.value })}>
              {paths.map(({ key, label }) => (
                <option key={key} value={key}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        )}
        {choice !== undefined && planes.length > 1 && (
          <label className={styles.choice}>
            Focal plane
            <select
              value={planeIndexOf(planes, choice)}
              onChange={({ target }) => select(toPlane(choice, planes[Number(target.value)]))}
            >
              {planes.map((plane) => (
                <option key={plane.index} value={plane.index}>
                  {describePlane(plane)}
                </option>
              ))}
            </select>
          </label>
        )}
        {companions.length > 0 && (
          <button
            type="button"
            className={styles.button}
            aria-pressed={areCompanionsShown}
            onClick={() => updateSlide(page, cell, { areCompanionsShown: !areCompanionsShown })}
          >
            <Tag size={14} aria-hidden="true" /> Label and overview
          </button>
        )}
      </div>
      {failedTiles > 0 && (
        <p className={styles.notice} role="alert">
          {failedTiles === 1 ? '1 tile' : `${failedTiles} tiles`} cannot be shown: {failure}{' '}
          <button type="button" className={styles.button} onClick={onRetry}>
            Retry
          </button>
        </p>
      )}
      {isCut && (
        <output className={styles.notice}>
          Only a part of the slide is shown, because it has no smaller level. Zoom in and pan to see the rest.
        </output>
      )}
    </div>
  );
}

/** The first entry is the current magnification; the others are the objectives of a microscope. */
function MagnificationMenu({ cell, magnification }: { readonly cell: number; readonly magnification: number }) {
  const page = usePage();
  const shown = useReport(cell, ({ screen }) => formatMagnification((screen?.zoom ?? 0) * magnification));
  const choose = (value: string) => {
    const { screen, tiles } = reportOf(page, cell);
    if (screen === undefined || tiles === undefined) return;
    const { x, y, width, height } = tiles.visible;
    const { view } = cellOf(page, cell);
    const center = view.center ?? { x: x + width / 2, y: y + height / 2 };
    setView(
      page,
      cell,
      value === 'fit' ? { ...view, zoom: 'fit' } : { ...view, zoom: Number(value) / magnification, center },
    );
  };
  return (
    <label className={styles.choice}>
      <select aria-label="Magnification" value="" onChange={({ target }) => choose(target.value)}>
        <option value="" disabled>
          {shown}
        </option>
        <option value="fit">Whole slide</option>
        {MAGNIFICATIONS.map((one) => (
          <option key={one} value={one}>
            {formatMagnification(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

function describePlane({ um, index }: FocalPlane): string {
  return um === undefined ? `plane ${index + 1}` : `${Number(um.toFixed(3))} µm`;
}

export function toPlane(choice: PictureChoice, plane: FocalPlane | undefined): PictureChoice {
  return plane === undefined ? choice : { ...choice, planeUm: plane.um, planeIndex: plane.index };
}

/** Found by height, otherwise by index, because frames need not declare their height. */
export function planeIndexOf(planes: readonly FocalPlane[], { planeUm, planeIndex }: PictureChoice): number {
  const found = planeUm === undefined ? undefined : planes.find(({ um }) => um === planeUm);
  return found?.index ?? Math.min(planeIndex, planes.length - 1);
}
