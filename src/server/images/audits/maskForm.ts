/** The form of a value without what it says: letters become x or X, digits 9. Whether it is a real name shows in part. */
export function maskForm(text: string): string {
  return text.replaceAll(/\p{L}|\p{N}/gu, (letter) => {
    if (/\p{N}/u.test(letter)) return '9';
    return /\p{Lu}/u.test(letter) ? 'X' : 'x';
  });
}
