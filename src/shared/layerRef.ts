/** What a layer comes from. */
export type LayerRef = { readonly file: number } | { readonly attachment: number };

/** In addresses and answers, a layer of a file has the number of its file, and attachments have the numbers from here on. */
const FIRST_ATTACHMENT = 1_000_000;

/** Files beyond them would have numbers of attachments. */
export const MOST_FILES = FIRST_ATTACHMENT;

export function toLayerRef(number: number): LayerRef {
  return number < FIRST_ATTACHMENT ? { file: number } : { attachment: number - FIRST_ATTACHMENT };
}

export function numberOfLayer(ref: LayerRef): number {
  return 'file' in ref ? ref.file : FIRST_ATTACHMENT + ref.attachment;
}
