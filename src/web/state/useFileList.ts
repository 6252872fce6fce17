import { useEffect, useState } from 'react';
import { fetchFiles } from '../api/files.ts';
import { EMPTY_LIST, type FileListState, watchFiles } from './watchFiles.ts';

export function useFileList(): FileListState {
  const [state, setState] = useState(EMPTY_LIST);

  useEffect(() => {
    const controller = new AbortController();
    void watchFiles({ fetchPage: fetchFiles, onChange: setState, wait, signal: controller.signal });
    return () => controller.abort();
  }, []);

  return state;
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    const timer = setTimeout(settle, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        settle();
      },
      { once: true },
    );
  });
}
