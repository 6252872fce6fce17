/** What a lossless JPEG stream holds. Samples are color-by-pixel. */
export type LosslessImage = {
  readonly rows: number;
  readonly columns: number;
  readonly components: number;
  readonly precision: number;
  readonly samples: ArrayLike<number>;
  /** 1 to 7, ITU-T T.81 table H.1. */
  readonly predictor: number;
  /** The low bits of the samples that are left out. */
  readonly pointTransform?: number;
  /** The number of codes of each length from 1 to 16 bits: 17 in all. */
  readonly codeCounts?: readonly number[];
};

/** Three codes of 4 bits and 14 of 5 bits. */
const EVEN = [0, 0, 0, 3, 14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/** Encodes samples as lossless JPEG, ITU-T T.81 Annex H. Small differences have the shorter codes. */
export function encodeLosslessJpeg(image: LosslessImage): Uint8Array {
  const { rows, columns, components, precision, predictor, pointTransform = 0, codeCounts = EVEN } = image;
  const writer = createBitWriter();
  const codes = listCodes(codeCounts);
  const at = (row: number, column: number, component: number) =>
    image.samples[(row * columns + column) * components + component]! >> pointTransform;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      for (let component = 0; component < components; component++) {
        const prediction = predict(row, column, component);
        writeDifference((at(row, column, component) - prediction) & 0xffff);
      }
    }
  }

  function predict(row: number, column: number, component: number): number {
    if (row === 0 && column === 0) return 2 ** (precision - pointTransform - 1);
    if (row === 0) return at(row, column - 1, component);
    const up = at(row - 1, column, component);
    if (column === 0) return up;
    const left = at(row, column - 1, component);
    const corner = at(row - 1, column - 1, component);
    switch (predictor) {
      case 1:
        return left;
      case 2:
        return up;
      case 3:
        return corner;
      case 4:
        return left + up - corner;
      case 5:
        return left + ((up - corner) >> 1);
      case 6:
        return up + ((left - corner) >> 1);
      default:
        return (left + up) >> 1;
    }
  }

  /** H.1.2.2: differences are modulo 65536, as -32767 to 32768. */
  function writeDifference(modulo: number): void {
    const difference = modulo > 32_768 ? modulo - 65_536 : modulo;
    const bits = 32 - Math.clz32(Math.abs(difference));
    const { code, length } = codes[bits]!;
    writer.write(code, length);
    if (bits < 16) writer.write(difference < 0 ? difference + 2 ** bits - 1 : difference, bits);
  }

  const ids = Array.from({ length: components }, (_, i) => i + 1);
  return Uint8Array.from([
    0xff,
    0xd8,
    ...segment(0xc3, [
      precision,
      ...twoBytes(rows),
      ...twoBytes(columns),
      components,
      ...ids.flatMap((id) => [id, 0x11, 0]),
    ]),
    ...segment(0xc4, [0, ...codeCounts, ...Array.from({ length: 17 }, (_, bits) => bits)]),
    ...segment(0xda, [components, ...ids.flatMap((id) => [id, 0]), predictor, 0, pointTransform]),
    ...writer.finish(),
    0xff,
    0xd9,
  ]);
}

/** Annex C: codes of a length are consecutive, and those of the next length follow, with a bit more. */
function listCodes(counts: readonly number[]): { readonly code: number; readonly length: number }[] {
  let code = 0;
  return counts.flatMap((count, i) => {
    const codes = Array.from({ length: count }, () => ({ code: code++, length: i + 1 }));
    code *= 2;
    return codes;
  });
}

function createBitWriter() {
  const bytes: number[] = [];
  let current = 0;
  let count = 0;
  const write = (value: number, bits: number) => {
    for (let i = bits - 1; i >= 0; i--) {
      current = current * 2 + ((value >> i) & 1);
      count += 1;
      if (count < 8) continue;
      bytes.push(current);
      // F.1.2.3: a zero after FF tells it from a marker.
      if (current === 0xff) bytes.push(0);
      [current, count] = [0, 0];
    }
  };
  return {
    write,
    /** The last byte is filled with ones. */
    finish(): readonly number[] {
      if (count > 0) write(0xff, 8 - count);
      return bytes;
    },
  };
}

function segment(marker: number, content: readonly number[]): number[] {
  return [0xff, marker, ...twoBytes(content.length + 2), ...content];
}

function twoBytes(value: number): [number, number] {
  return [value >> 8, value & 0xff];
}
