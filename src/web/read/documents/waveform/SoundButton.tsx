import { asError } from '../../../../shared/asError.ts';
import { useEffect, useRef, useState } from 'react';
import type { WaveformResponse } from '../../../../shared/contract/waveforms.ts';
import documentStyles from '../DocumentCell.module.css';
import { playSound } from './playSound.ts';
import type { WaveformPlace } from './waveformPlace.ts';

type Props = { readonly answer: WaveformResponse; readonly place: WaveformPlace; readonly startS: number };

/** Plays a recording of sound from the start of the window. */
export function SoundButton({ answer, place, startS }: Props) {
  const playing = useRef<AbortController>(undefined);
  const [isPlaying, setPlaying] = useState(false);
  const [error, setError] = useState<string>();
  useEffect(() => () => playing.current?.abort(), []);
  const toggle = async () => {
    if (playing.current !== undefined) return playing.current.abort();
    const aborter = new AbortController();
    playing.current = aborter;
    setPlaying(true);
    setError(undefined);
    const group = place.group === 'all' ? 0 : place.group;
    try {
      await playSound(answer, { group, startS, signal: aborter.signal });
    } catch (reason) {
      if (!aborter.signal.aborted) setError(asError(reason).message);
    }
    playing.current = undefined;
    return setPlaying(false);
  };
  return (
    <>
      <button type="button" className={documentStyles.button} aria-pressed={isPlaying} onClick={() => void toggle()}>
        {isPlaying ? 'Stop' : 'Play'}
      </button>
      {error !== undefined && <span role="alert">{error}</span>}
    </>
  );
}
