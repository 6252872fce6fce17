import { Search } from 'lucide-react';
import { useCallback } from 'react';
import { useListedFiles } from '../../kit/state/listedFiles.ts';
import { completeFilter } from './completeFilter.ts';
import { CompletionBox } from './CompletionBox.tsx';

type Props = {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** The element that says what was found. */
  readonly describedBy: string;
};

/** The field for words and conditions above the list of files. */
export function FilterBox({ value, onChange, describedBy }: Props) {
  const { files } = useListedFiles();
  const complete = useCallback((text: string) => completeFilter(text, files), [files]);
  return (
    <CompletionBox
      label="Filter files"
      icon={Search}
      placeholder="Filter"
      title="Words of patient, study, series, title, modality, kind, UID or path; or conditions: modality=PT, Modality='PT' and Rows>=512"
      value={value}
      onChange={onChange}
      complete={complete}
      listLabel="Names and values"
      describedBy={describedBy}
    />
  );
}
