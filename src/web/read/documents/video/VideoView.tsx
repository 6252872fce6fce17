import { asError } from '../../../../shared/asError.ts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { isFaultOfFile } from '../../../../shared/contract/errorStatus.ts';
import { fetchVideoStream, type VideoStream } from '../../../kit/api/documents.ts';
import { RequestRefused } from '../../../kit/api/send.ts';
import { findToken } from '../../../kit/api/token.ts';
import { reconsiderPicture } from '../../../show/pictures/refusals.ts';
import { cellsOf, updateCell } from '../../../kit/state/cells.ts';
import { usePage } from '../../../kit/state/page.ts';
import { useAnswer } from '../../../kit/state/useAnswer.ts';
import { PanelMessage } from '../../../kit/ui/PanelMessage.tsx';
import { ContentButtons } from '../ContentButtons.tsx';
import cellStyles from '../DocumentCell.module.css';
import type { DocumentViewProps } from '../documentViews.ts';
import { frameAt, frameOfKey, timeOf } from './videoFrames.ts';
import styles from './VideoView.module.css';

/** A stream, or why there will never be one: another request would not help. */
type Found = { readonly stream: VideoStream } | { readonly refusal: string };

async function askStream(fileIndex: number, signal: AbortSignal): Promise<Found> {
  try {
    return { stream: await fetchVideoStream(fileIndex, signal) };
  } catch (error) {
    if (error instanceof RequestRefused && isFaultOfFile(error.code)) return { refusal: error.message };
    throw error;
  }
}

/** A video in the player of the browser: a film with sound that can be stepped through frame by frame. */
export function VideoView(props: DocumentViewProps) {
  const { file } = props;
  const { value, error, retry } = useAnswer(file.index, askStream);
  const save = <ContentButtons file={file} path={`api/file/${file.index}/video?as=save`} />;
  const stream = value !== undefined && 'stream' in value ? value.stream : undefined;
  const refusal = value !== undefined && 'refusal' in value ? value.refusal : undefined;
  const problem = error ?? refusal ?? (stream && explainUnplayable(stream));
  if (problem !== undefined) {
    return (
      <>
        <PanelMessage tone="danger" onRetry={error === undefined ? undefined : retry}>
          {problem}
        </PanelMessage>
        <div className={styles.bar}>
          {stream !== undefined && <FramesButton cell={props.cell} frame={undefined} />}
          {save}
        </div>
      </>
    );
  }
  if (stream === undefined) return <p className={cellStyles.quiet}>Loading…</p>;
  return (
    <Film {...props} stream={stream}>
      {save}
    </Film>
  );
}

const CODECS: readonly (readonly [begin: string, name: string])[] = [
  ['avc', 'H.264'],
  ['hvc', 'HEVC'],
  ['hev', 'HEVC'],
];

function explainUnplayable({ codec }: VideoStream): string | undefined {
  if (findToken() !== undefined) {
    return 'The player of the browser cannot send the token with which this page was opened. The video can be saved.';
  }
  if (codec === undefined) return undefined;
  const type = `video/mp4; codecs="${codec}"`;
  if (document.createElement('video').canPlayType(type) !== '') return undefined;
  const name = CODECS.find(([begin]) => codec.startsWith(begin))?.[1] ?? codec;
  return `This browser does not play ${name} (${codec}). The video can be saved, or opened in another browser.`;
}

type FilmProps = DocumentViewProps & { readonly stream: VideoStream; readonly children: React.ReactNode };

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const USUAL_FRAME_TIME_MS = 40;

function Film({ cell, file, item, setItem, stream, children }: FilmProps) {
  const page = usePage();
  const video = useRef<HTMLVideoElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [loops, setLoops] = useState(true);
  const [hasSound, setSound] = useState(false);
  const [failure, setFailure] = useState<string>();
  const frameTimeMs = stream.frameTimeMs ?? USUAL_FRAME_TIME_MS;
  const frames = Math.max(1, stream.frames ?? file.frame_count);
  const shown = useShownFrame(video, frameTimeMs, frames);

  const showFrame = useCallback(
    (frame: number) => {
      const element = video.current;
      if (element === null) return;
      element.pause();
      element.currentTime = timeOf(frame, frameTimeMs);
    },
    [frameTimeMs],
  );
  const toggle = useCallback(() => {
    const element = video.current;
    if (element === null) return;
    if (element.paused) element.play().catch((error: unknown) => setFailure(describe(error)));
    else element.pause();
  }, []);
  useEffect(() => {
    const element = video.current;
    if (element !== null) setPlaybackRate(element, speed);
  }, [speed]);
  useKeys(cell, (key) => {
    const frame = frameOfKey(key, shown, frames);
    if (key === ' ') toggle();
    else if (frame !== undefined) showFrame(frame);
    else return false;
    return true;
  });
  const setPlace = useCallback(
    (place: string | undefined) => {
      setItem(place);
      // The frame of the address, too: after a reload, the page shows frames as pictures.
      const position = Number(place ?? 1) - 1;
      if (position < file.frame_count) updateCell(page, cell, { position });
    },
    [page, cell, file, setItem],
  );
  useFrameInAddress({ item, setItem: setPlace, shown, frames, isPlaying, showFrame });

  const copyStill = () => {
    const element = video.current;
    if (element !== null) copyPicture(element).catch((error: unknown) => setFailure(describe(error)));
  };

  return (
    <section className={styles.view} aria-label="Video">
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- the standard has no captions for videos */}
      <video
        ref={video}
        className={styles.picture}
        src={`api/file/${file.index}/video`}
        muted={!hasSound}
        playsInline
        preload="auto"
        loop={loops}
        data-frame={shown}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onError={({ currentTarget }) => setFailure(currentTarget.error?.message || 'The video cannot be played.')}
        onClick={toggle}
      />
      {failure !== undefined && <PanelMessage tone="danger">{failure}</PanelMessage>}
      {stream.frames !== undefined && stream.frames !== file.frame_count && (
        <p className={cellStyles.warning}>
          The object declares {file.frame_count} frames, and the stream has {stream.frames}. The stream is shown.
        </p>
      )}
      <div className={styles.bar} role="toolbar" aria-label="Video">
        <button type="button" className={cellStyles.button} onClick={() => showFrame(Math.max(0, shown - 1))}>
          ‹ Frame
        </button>
        <button type="button" className={cellStyles.button} aria-pressed={isPlaying} onClick={toggle}>
          {isPlaying ? 'Pause' : 'Play'}
        </button>
        <button type="button" className={cellStyles.button} onClick={() => showFrame(Math.min(frames - 1, shown + 1))}>
          Frame ›
        </button>
        <input
          className={styles.scrubber}
          type="range"
          aria-label="Frame"
          min={0}
          max={frames - 1}
          value={shown}
          onChange={({ target }) => showFrame(Number(target.value))}
        />
        <output className={styles.place}>
          {shown + 1} / {frames} · {((shown * frameTimeMs) / 1000).toFixed(2)} s
        </output>
        <select aria-label="Speed" value={speed} onChange={({ target }) => setSpeed(Number(target.value))}>
          {SPEEDS.map((each) => (
            <option key={each} value={each}>
              {each} ×
            </option>
          ))}
        </select>
        <label>
          <input type="checkbox" checked={loops} onChange={({ target }) => setLoops(target.checked)} /> Loop
        </label>
        <label>
          <input type="checkbox" checked={hasSound} onChange={({ target }) => setSound(target.checked)} /> Sound
        </label>
        <button type="button" className={cellStyles.button} onClick={copyStill}>
          Copy frame
        </button>
        <FramesButton cell={cell} frame={shown} />
        {children}
      </div>
    </section>
  );
}

type FramesProps = { readonly cell: number; readonly frame: number | undefined };

/** Leads to the frames as pictures, where tools and ROIs act on them. Absent where browsers have no decoder. */
function FramesButton({ cell, frame }: FramesProps) {
  const page = usePage();
  if (typeof VideoDecoder === 'undefined') return null;
  const open = () => {
    if (frame !== undefined) updateCell(page, cell, { position: frame });
    reconsiderPicture(page, cell);
  };
  return (
    <button type="button" className={cellStyles.button} onClick={open}>
      Frames
    </button>
  );
}

function setPlaybackRate(element: HTMLVideoElement, speed: number): void {
  element.playbackRate = speed;
}

/** The frame on the screen, which is what the browser reports, not what was sought. */
function useShownFrame(video: React.RefObject<HTMLVideoElement | null>, frameTimeMs: number, frames: number): number {
  const [shown, setShown] = useState(0);
  useEffect(() => {
    const element = video.current;
    if (element === null) return undefined;
    const show = (seconds: number) => setShown(frameAt(seconds, frameTimeMs, frames));
    let handle = 0;
    const onFrame: VideoFrameRequestCallback = (_, { mediaTime }) => {
      show(mediaTime);
      handle = element.requestVideoFrameCallback(onFrame);
    };
    handle = element.requestVideoFrameCallback(onFrame);
    return () => element.cancelVideoFrameCallback(handle);
  }, [video, frameTimeMs, frames]);
  return shown;
}

/** The keys of the active cell, before they scroll or act on images. `act` says whether the key was one. */
function useKeys(cell: number, act: (key: string) => boolean): void {
  const page = usePage();
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (ctrlKey || metaKey || altKey || shiftKey || cellsOf(page).getState().activeCell !== cell) return;
      const isOnCell =
        target instanceof Element && (target === document.body || target.matches('[data-cell], [role="document"]'));
      if (!isOnCell || !latest.current(key)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener('keydown', onKeyDown, { capture: true });
    return () => removeEventListener('keydown', onKeyDown, { capture: true });
  }, [page, cell]);
}

type AddressOptions = Pick<DocumentViewProps, 'item' | 'setItem'> & {
  readonly shown: number;
  readonly frames: number;
  readonly isPlaying: boolean;
  readonly showFrame: (frame: number) => void;
};

/** The frame number is the place in the address, in both directions. While the film plays, nothing is written. */
function useFrameInAddress({ item, setItem, shown, frames, isPlaying, showFrame }: AddressOptions): void {
  const known = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (item === known.current) return;
    known.current = item;
    const frame = Number(item) - 1;
    if (Number.isInteger(frame) && frame >= 0 && frame < frames) showFrame(frame);
  }, [item, frames, showFrame]);
  const before = useRef(shown);
  useEffect(() => {
    if (isPlaying || before.current === shown) return;
    before.current = shown;
    const place = shown === 0 ? undefined : String(shown + 1);
    if (place === known.current) return;
    known.current = place;
    setItem(place);
  }, [shown, isPlaying, setItem]);
}

/** The frame on the screen as a picture, with one pixel per pixel of the stream. */
async function copyPicture(element: HTMLVideoElement): Promise<void> {
  const canvas = document.createElement('canvas');
  canvas.width = element.videoWidth;
  canvas.height = element.videoHeight;
  canvas.getContext('2d')?.drawImage(element, 0, 0);
  const picture = new Promise<Blob>((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('The frame cannot be copied.')) : resolve(blob)));
  });
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
}

function describe(error: unknown): string {
  return asError(error).message;
}
