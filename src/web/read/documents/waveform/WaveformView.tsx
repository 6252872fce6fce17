import { fetchWaveform } from '../../../kit/api/waveforms.ts';
import { useAnswer } from '../../../kit/state/useAnswer.ts';
import { PanelMessage } from '../../../kit/ui/PanelMessage.tsx';
import { AnswerStatus } from '../AnswerStatus.tsx';
import type { DocumentViewProps } from '../documentViews.ts';
import { WaveformSheet } from './WaveformSheet.tsx';

/** An ECG on paper, or any other waveform as rows over a common time. */
export function WaveformView({ file, document, item, setItem }: DocumentViewProps) {
  const answer = useAnswer(file.index, fetchWaveform);
  const { value } = answer;
  if (value === undefined) return <AnswerStatus answer={answer} />;
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
