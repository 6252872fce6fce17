import { asError } from '../../../shared/asError.ts';
import { useEffect, useState } from 'react';

type ObjectUrl = { readonly url?: string; readonly error?: string };

/**
 * The address of a picture for an image element. The API takes its token in a header, so the address of the server cannot
 * be used. `load` must be stable; the address is given back when it changes.
 */
export function useObjectUrl(load: (signal: AbortSignal) => Promise<Blob>): ObjectUrl {
  const [picture, setPicture] = useState<ObjectUrl>({});
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let url: string | undefined;
    const show = async () => {
      try {
        const blob = await load(signal);
        if (signal.aborted) return;
        url = URL.createObjectURL(blob);
        setPicture({ url });
      } catch (error) {
        if (!signal.aborted) setPicture({ error: asError(error).message });
      }
    };
    void show();
    return () => {
      controller.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [load]);
  return picture;
}
