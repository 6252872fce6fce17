import { expect, test } from 'vitest';
import { toDicomCielab } from './cielab.ts';

// L*a*b* of the sRGB primaries under D50 (Bradford), from published tables, scaled according to PS3.3 C.10.7.1.1: L* by
// 65535/100, a* and b* by 65535/255 after adding 128.
test.each([
  { name: 'white', rgb: [255, 255, 255], lab: [100, 0, 0] },
  { name: 'black', rgb: [0, 0, 0], lab: [0, 0, 0] },
  { name: 'red', rgb: [255, 0, 0], lab: [54.29, 80.81, 69.89] },
  { name: 'green', rgb: [0, 255, 0], lab: [87.82, -79.27, 80.99] },
  { name: 'blue', rgb: [0, 0, 255], lab: [29.57, 68.3, -112.03] },
] as const)('$name', ({ rgb, lab }) => {
  const [l, a, b] = toDicomCielab(rgb);

  expect(l / 655.35).toBeCloseTo(lab[0], 1);
  expect(a / 257 - 128).toBeCloseTo(lab[1], 1);
  expect(b / 257 - 128).toBeCloseTo(lab[2], 1);
});
