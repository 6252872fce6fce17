import { fetchWaveform } from '../../api/waveforms.ts';
import { useAnswer } from '../../state/useAnswer.ts';
import { PanelMessage } from '../../ui/PanelMessage.tsx';
import documentStyles from '../DocumentCell.module.css';
import type { DocumentViewProps } from '../documentViews.ts';
import { WaveformSheet } from './WaveformSheet.tsx';

const QUESTION = { ask: fetchWaveform };

/** An ECG on paper, or any other waveform as rows over a common time. */
export function WaveformView({ file, document, item, setItem }: DocumentViewProps) {
  const { value, error, retry } = useAnswer(file.index, QUESTION);
  if (error !== undefined) {
    return (
      <PanelMessage tone="danger" onRetry={retry}>
        {error}
      </PanelMessage>
    );
  }
  if (value === undefined) return <p className={documentStyles.quiet}>Loading…</p>;
  const readable = value.groups.filter(({ problem }) => problem === null);
  if (readable.length === 0) {
    return (
      <PanelMessage tone="danger">
        {`The samples cannot be shown: ${value.groups.map(({ problem }) => problem).join('; ')}.`}
      </PanelMessage>
    );
  }
  return <WaveformSheet answer={value} name={document.title} item={item} setItem={setItem} />;
}
