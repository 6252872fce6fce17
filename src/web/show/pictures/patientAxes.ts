import type { PlaneOrientation, Vector3 } from '../../../shared/geometry.ts';
import type { Matrix } from '../../kit/state/viewState.ts';

/** The orientation of rows and columns in the patient: as vectors, or as the letters in the file. */
export type ImageOrientation =
  | { readonly kind: 'plane'; readonly plane: PlaneOrientation }
  /** Patient Orientation (0020,0020): the directions in which rows and columns run. */
  | { readonly kind: 'letters'; readonly row: string; readonly column: string };

export type EdgeLetters = {
  readonly left: string;
  readonly right: string;
  readonly top: string;
  readonly bottom: string;
};

/** The letters at the edges of the screen, for any rotation and mirroring of the image. */
export function findEdgeLetters(orientation: ImageOrientation, imageToScreen: Matrix): EdgeLetters {
  const { row, column } = lettersOf(orientation);
  const [a, b, c, d] = imageToScreen;
  // On the screen, a row runs along (a, b) and a column along (c, d); one number of each pair is 0.
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
/** Components below the sine of about 12 degrees get no letter. */
const LEAST_COMPONENT = 0.2;

/** The patient direction of a vector: L R, A P, H F, the strongest first. PS3.3 C.7.6.1.1.1. */
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

/** Undefined where the letters are not those of a human patient; the standard has others for animals. */
export function parsePatientOrientation(values: readonly string[]): ImageOrientation | undefined {
  const [row, column] = values.map((value) => value.trim());
  if (row === undefined || column === undefined || !isLetters(row) || !isLetters(column)) return undefined;
  return { kind: 'letters', row, column };
}

function isLetters(text: string): boolean {
  return /^[LRAPHF]{1,3}$/.test(text);
}
