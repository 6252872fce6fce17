/** Whether a text can be the name of a reader. It is a part of names of columns as well. */
export function isReaderName(text: string): boolean {
  return /^[\p{L}\p{N}._@+-](?:[\p{L}\p{N} ._@+-]{0,62}[\p{L}\p{N}._@+-])?$/u.test(text);
}
