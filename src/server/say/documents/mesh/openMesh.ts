import { ViewerError } from '../../../../shared/contract/errors.ts';
import { locateContent, readParsable } from '../content/locateContent.ts';
import { sniffContent } from '../content/sniffContent.ts';
import type { DocumentSource } from '../documentKind.ts';
import { type Mesh, parseMesh } from './parseMesh.ts';

const MOST_BYTES = 128 * 2 ** 20;
const OBJ_STORAGE = '1.2.840.10008.5.1.4.1.1.104.4';

/** The mesh of an STL or OBJ object, of at most so many triangles. */
export function openMesh(source: DocumentSource, most: number): Mesh {
  const { opening, length } = locateContent(source);
  const isStl = sniffContent(opening, length) === 'stl';
  if (!isStl && source.sopClassUid !== OBJ_STORAGE) {
    throw new ViewerError('unsupported_media_type', 'the Encapsulated Document is no STL or OBJ file');
  }
  return parseMesh(readParsable(source, MOST_BYTES), isStl ? 'stl' : 'obj', most);
}
