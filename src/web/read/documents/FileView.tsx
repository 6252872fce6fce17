import { ContentButtons } from './ContentButtons.tsx';
import type { DocumentViewProps } from './documentViews.ts';

/** A file of a kind that is not shown: it can be saved. */
export function FileView({ file }: DocumentViewProps) {
  return (
    <p>
      <ContentButtons file={file} />
    </p>
  );
}
