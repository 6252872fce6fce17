/** Formats a whole number with commas, like `toLocaleString`, whose first call takes a browser 15 ms. */
export function groupDigits(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
