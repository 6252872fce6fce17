import { normalOf, type PlaneOrientation, type Vector3 } from '../../shared/geometry.ts';
import type { Matrix } from '../state/viewState.ts';

/** How the rows and columns of an image lie in the patient: by vectors, or by the letters that the file writes. */
export type ImageOrientation =
  | { readonly kind: 'plane'; readonly plane: PlaneOrientation }
  /** Patient Orientation (0020,0020): where rows and columns lead to. */
  | { readonly kind: 'letters'; readonly row: string; readonly column: string };

export type EdgeLetters = {
  readonly left: string;
  readonly right: string;
  readonly top: string;
  readonly bottom: string;
};

/** The letters at the edges of the screen, whichever way the image is turned and mirrored. */
export function findEdgeLetters(orientation: ImageOrientation, imageToScreen: Matrix): EdgeLetters {
  const { row, column } = lettersOf(orientation);
  const [a, b, c, d] = imageToScreen;
  // Along a row the screen goes by (a, b), down a column by (c, d); of each pair one is 0.
  const right = a !== 0 ? (a > 0 ? row : opposite(row)) : c > 0 ? column : opposite(column);
  const bottom = d !== 0 ? (d > 0 ? column : opposite(column)) : b > 0 ? row : opposite(row);
  return { right, left: opposite(right), bottom, top: opposite(bottom) };
}

function lettersOf(orientation: ImageOrientation): { row: string; column: string } {
  if (orientation.kind === 'letters') return orientation;
  const { rowDirection, columnDirection } = orientation.plane;
  return { row: toLetters(rowDirection), column: toLetters(columnDirection) };
}

const POSITIVE = ['L', 'P', 'H'];
const NEGATIVE = ['R', 'A', 'F'];
/** Components below the sine of about 12 degrees are not worth a letter. */
const LEAST_COMPONENT = 0.2;

/** Where a direction leads in the patient: L R, A P, H F, the strongest first. PS3.3 C.7.6.1.1.1. */
export function toLetters(direction: Vector3): string {
  return direction
    .map((component, axis) => ({
      size: Math.abs(component),
      letter: (component > 0 ? POSITIVE : NEGATIVE)[axis] ?? '',
    }))
    .filter(({ size }) => size >= LEAST_COMPONENT)
    .toSorted((p, q) => q.size - p.size)
    .map(({ letter }) => letter)
    .join('');
}

const OPPOSITES: Readonly<Record<string, string>> = { L: 'R', R: 'L', A: 'P', P: 'A', H: 'F', F: 'H' };

function opposite(letters: string): string {
  return letters.replaceAll(/./g, (letter) => OPPOSITES[letter] ?? '');
}

/** Undefined where the letters are not those of a person; the standard has others for animals. */
export function parsePatientOrientation(values: readonly string[]): ImageOrientation | undefined {
  const [row, column] = values.map((value) => value.trim());
  if (row === undefined || column === undefined || !isLetters(row) || !isLetters(column)) return undefined;
  return { kind: 'letters', row, column };
}

function isLetters(text: string): boolean {
  return /^[LRAPHF]{1,3}$/.test(text);
}

/** Whether positions along the normals of two planes mean the same. */
export function isParallel(a: PlaneOrientation, b: PlaneOrientation): boolean {
  const [p, q] = [normalOf(a), normalOf(b)];
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] > 0.999;
}
