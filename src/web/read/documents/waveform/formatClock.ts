/** A time after the start: `12.4 s` in a short recording, `1:02:30` in a long one. */
export function formatClock(seconds: number, stepS: number): string {
  const digits = [0, 1, 2].find((one) => Math.abs((stepS * 10 ** one) % 1) < 1e-6) ?? 3;
  const whole = Number(seconds.toFixed(digits));
  if (Math.abs(whole) < 60) return `${whole.toFixed(digits)} s`;
  const sign = whole < 0 ? '-' : '';
  const rest = Math.abs(whole);
  const minutes = Math.floor(rest / 60);
  const late = (rest - minutes * 60).toFixed(digits).padStart(digits === 0 ? 2 : digits + 3, '0');
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${sign}${minutes}:${late}` : `${sign}${hours}:${String(minutes % 60).padStart(2, '0')}:${late}`;
}
