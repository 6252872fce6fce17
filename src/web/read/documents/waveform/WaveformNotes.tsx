import type { WaveformResponse, WireWaveformAnnotation } from '../../../../shared/contract/waveforms.ts';
import { formatClock } from './formatClock.ts';
import styles from './WaveformView.module.css';

type Props = { readonly answer: WaveformResponse; readonly onGoTo: (timeS: number, group: number | undefined) => void };

/** More are in the details of the object. */
const MOST_LISTED = 500;

/** Statements, measurements, and annotations at a time, which lead there. */
export function WaveformNotes({ answer: { annotations, annotation_count }, onGoTo }: Props) {
  if (annotations.length === 0) return null;
  const listed = annotations.filter(({ text }) => text !== '').slice(0, MOST_LISTED);
  const timed = listed.filter(({ times_s }) => times_s.length > 0);
  const others = listed.filter(({ times_s }) => times_s.length === 0);
  const statements = others.filter(({ value }) => value === null);
  return (
    <aside
      className={styles.notes}
      aria-label="Annotations"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <NoteList title="Statements" notes={statements} />
      <NoteList title="Measurements" notes={others.filter(({ value }) => value !== null)} />
      <NoteList title="At a time" notes={timed} onGoTo={onGoTo} />
      {listed.length < annotation_count && <p>The other annotations are in the details.</p>}
    </aside>
  );
}

type ListProps = {
  readonly title: string;
  readonly notes: readonly WireWaveformAnnotation[];
  readonly onGoTo?: (timeS: number, group: number | undefined) => void;
};

function NoteList({ title, notes, onGoTo }: ListProps) {
  if (notes.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {notes.map(({ text, times_s: [timeS], channels: [about] }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- annotations of a file never change
          <li key={at}>
            {timeS === undefined || onGoTo === undefined ? (
              text
            ) : (
              <button type="button" onClick={() => onGoTo(timeS, about?.group)}>
                {formatClock(timeS, 0.01)} {text}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
