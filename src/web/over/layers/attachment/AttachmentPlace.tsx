import { useEffect, useState } from 'react';
import type { AttachmentMatchesResponse, WireAttachment } from '../../../../shared/contract/attachments.ts';
import { FLIP_AXES, type FlipAxis } from '../../../../shared/flipAxes.ts';
import { fetchMatches } from '../../../kit/api/attachmentPlaces.ts';
import { describeSeries } from '../../../show/series/describeFile.ts';
import { layAttachment, type WantedPlace } from '../../../kit/state/layAttachment.ts';
import { findFile, useLibrary } from '../../../kit/state/library.ts';
import { usePage } from '../../../kit/state/page.ts';
import styles from './AttachmentPlace.module.css';

/** The images that an attachment lies over, and how, as far as the file leaves that to the user. */
export function AttachmentPlace({ layer }: { readonly layer: number }) {
  const attachment = useLibrary(({ listedAttachments }) => listedAttachments.find((one) => one.layer === layer));
  return attachment === undefined ? null : <Place attachment={attachment} />;
}

const FLIP_TEXTS: Readonly<Record<FlipAxis, string>> = {
  columns: 'Flip left–right',
  rows: 'Flip up–down',
  slices: 'Flip slices',
};

function Place({ attachment }: { readonly attachment: WireAttachment }) {
  const page = usePage();
  const matches = useMatches(attachment);
  const [problem, setProblem] = useState<string>();
  const at = matches.findIndex(({ is_chosen }) => is_chosen);
  const here = matches[at];
  if (here === undefined) return null;
  const { choice, title } = attachment;
  const now = { file: here.file_index, frame: here.frame_index, order: choice?.order ?? 0, flips: choice?.flips ?? [] };
  const lay = async (change: Partial<WantedPlace>) => {
    try {
      setProblem(undefined);
      await layAttachment(page, attachment.attachment, { ...now, ...change });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const flip = (axis: FlipAxis) =>
    lay({ flips: FLIP_AXES.filter((one) => (one === axis) !== now.flips.includes(one)) });
  const choose = (place: string) => {
    const match = matches[Number(place)];
    if (match === undefined) void lay({ file: undefined, order: 0, flips: [] });
    else void lay({ file: match.file_index, frame: match.frame_index, order: 0, flips: [] });
  };
  const isFree = here.orders.length > 1 || here.readings > 1 || here.flips.length > 0;
  if (matches.length < 2 && choice === null && !isFree) return null;
  return (
    <div className={styles.place}>
      {(matches.length > 1 || choice !== null) && (
        <label className={styles.line}>
          <span>Lies over</span>
          <select
            aria-label={`Images that ${title} lies over`}
            value={at}
            onChange={({ target }) => choose(target.value)}
          >
            {matches.map(({ file_index, frame_index, reason }, place) => {
              const file = findFile(page, file_index);
              return (
                <option key={`${file_index}/${frame_index}`} value={place} title={reason}>
                  {file === undefined ? `file ${file_index}` : `${file.modality} ${describeSeries(file)}`}
                </option>
              );
            })}
            {choice !== null && <option value="">Let negato decide</option>}
          </select>
        </label>
      )}
      {here.orders.length > 1 && (
        <label className={styles.line}>
          <span>Axes</span>
          <select
            aria-label={`Axes of ${title}`}
            value={now.order}
            onChange={({ target }) => void lay({ order: Number(target.value) })}
          >
            {here.orders.map((words, order) => (
              <option key={words} value={order}>
                {words}
              </option>
            ))}
          </select>
        </label>
      )}
      {here.readings > 1 && (
        <div className={styles.line}>
          <button type="button" aria-pressed={now.order === 1} onClick={() => void lay({ order: 1 - now.order })}>
            Read x and y the other way
          </button>
        </div>
      )}
      {here.flips.length > 0 && (
        <fieldset className={styles.line} aria-label={`Orientation of ${title}`}>
          {here.flips.map((axis) => (
            <button key={axis} type="button" aria-pressed={now.flips.includes(axis)} onClick={() => void flip(axis)}>
              {FLIP_TEXTS[axis]}
            </button>
          ))}
        </fieldset>
      )}
      {problem !== undefined && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

const NONE: AttachmentMatchesResponse['matches'] = [];

/** Asked again after each decision. Without an answer nothing is offered. */
function useMatches(attachment: WireAttachment): AttachmentMatchesResponse['matches'] {
  const [found, setFound] = useState(NONE);
  useEffect(() => {
    const controller = new AbortController();
    fetchMatches(attachment.attachment, controller.signal).then(
      ({ matches }) => setFound(matches),
      () => undefined,
    );
    return () => controller.abort();
  }, [attachment]);
  return found;
}
